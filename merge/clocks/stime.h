/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stime.h - Xen's system time as a function of the host's time stamp counter, and
 * its inverse as an interval.
 *
 * Each physical CPU extrapolates system time from its own counter, and is corrected about once a
 * second. Each correction begins a piece, valid from the tick of its record. Between pieces, system
 * time may jump forward or step back: the inverse of a step back is a span of ticks.
 *
 * Where records were lost, time is only known to lie in a range, which stime_record.c computes; its
 * inverse covers the whole gap.
 *
 * A vCPU with an emulated counter sees the time of the CPU on which it runs, so its function is
 * composed of theirs.
 */
#ifndef STRATA_MERGE_STIME_H
#define STRATA_MERGE_STIME_H

#include <stddef.h>

#include <strata/abi/hypervisor.h>
#include <strata/clock.h>

/* Xen's computation of the time since a stamp. */
struct strata_stime_line {
	uint64_t local_tsc;
	uint64_t local_stime_ns;
	struct strata_clock_scale scale;
};

/*
 * Valid from from_ticks to until_ticks of the host, both included; the first piece from 0 on.
 * Pieces may overlap: then any of them may be valid. A vague piece has no line, and its scale's
 * mul_frac is 0: at each of its ticks time may be anything from least_ns to most_ns.
 */
struct strata_stime_piece {
	uint64_t from_ticks;
	uint64_t until_ticks;
	struct strata_stime_line line;
	uint64_t most_ns;     /* greatest time in this piece or one before it */
	uint64_t least_ns;    /* least time in this piece or one after it */
	uint64_t reach_ticks; /* the last tick of this piece and all before it */
	uint64_t vague_ticks; /* the same for vague pieces; 0: none */
	size_t nr_exact; /* number of pieces up to the last that is not vague; 0: all are vague */
};

/* A record of a physical CPU: from @ticks on, its time follows the line. */
struct strata_stime_correction {
	uint64_t ticks;
	struct strata_stime_line line;
};

/* Corrections may be missing after from_ticks, up to until_ticks. */
struct strata_stime_gap {
	uint64_t from_ticks;
	uint64_t until_ticks;
};

/* Zero-initialised is empty. */
struct strata_stime {
	struct strata_stime_piece *pieces; /* for queries; made by finish */
	size_t nr;
	size_t capacity;
	/* Records and gaps: stime_record.c. */
	struct strata_stime_correction *corrections;
	size_t nr_corrections;
	size_t corrections_capacity;
	struct strata_stime_gap *gaps;
	size_t nr_gaps;
	size_t gaps_capacity;
};

/* Adds a record of host time @ticks, if possible.  False: out of memory. */
bool strata_stime_add(struct strata_stime *stime, uint64_t ticks,
		      const struct strata_hv_pcpu_clock *clock);

/* Corrections may be missing after @from_ticks, up to @until_ticks.  False: out of memory. */
bool strata_stime_gap(struct strata_stime *stime, uint64_t from_ticks, uint64_t until_ticks);

/* Makes the pieces. To be called after the functions above and before the first query, and again
 * after adding more. False: out of memory. */
bool strata_stime_finish(struct strata_stime *stime);

/* The next three functions compose a time from others. */

/* Adds the part of @other, which is finished, from @from_ticks to @until_ticks, both included.
 * False: out of memory. */
bool strata_stime_add_part(struct strata_stime *stime, const struct strata_stime *other,
			   uint64_t from_ticks, uint64_t until_ticks);

/* Adds a piece, whose from_ticks, until_ticks and line are set, or for a vague one least_ns and
 * most_ns.  False: out of memory. */
bool strata_stime_add_piece(struct strata_stime *stime, const struct strata_stime_piece *piece);

/* Call this after the last of these and before the first query. */
void strata_stime_finish_parts(struct strata_stime *stime);

/* Returns the system time that a line gives at a host tick. */
uint64_t strata_stime_line_at(const struct strata_stime_line *line, uint64_t ticks);

void strata_stime_clear(struct strata_stime *stime);

/* Queries; @stime must not be empty. */

/* Whether all records between these ticks, both included, are present. */
bool strata_stime_sure(const struct strata_stime *stime, uint64_t first, uint64_t last);

/* The least system time from host tick @ticks on, and the greatest until then; not for composed
 * times. */
uint64_t strata_stime_least(const struct strata_stime *stime, uint64_t ticks);
uint64_t strata_stime_most(const struct strata_stime *stime, uint64_t ticks);

/* The first host tick at which system time is @ns or later; UINT64_MAX: never. */
uint64_t strata_stime_first(const struct strata_stime *stime, uint64_t ns);

/* Returns the last host tick at which system time is @ns or earlier; 0: system time begins later.
 */
uint64_t strata_stime_last(const struct strata_stime *stime, uint64_t ns);

/* Returns the host tick at which system time is @ns, assuming that no correction is missing. */
uint64_t strata_stime_guess(const struct strata_stime *stime, uint64_t ns);

#endif /* STRATA_MERGE_STIME_H */
