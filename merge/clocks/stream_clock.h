/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_clock.h - turns the readings of one stream of a kernel into host ticks,
 * each with its bound.
 */
#ifndef STRATA_MERGE_STREAM_CLOCK_H
#define STRATA_MERGE_STREAM_CLOCK_H

#include "clocks/clock_maps.h"
#include "clocks/vcpu_stime.h"

/* Where in its vCPU's pieces a stream is. */
struct strata_stream_clock {
	const struct strata_vcpu_clock_piece *pieces; /* by time */
	size_t nr;                                    /* 0: unknown, taken as the host's */
	bool incomplete; /* there were maps that are not known: no time is sure */
	size_t at;
	struct strata_stime_set own;    /* the system time that this vCPU sees, */
	struct strata_stime_set domain; /* and that the vCPUs of its domain see, it among them */
	bool domain_sure;               /* no record of these is missing at any time */
	uint64_t skew_ticks;            /* of the CPUs that these ran on; 0: of one */
	uint64_t last_guest;
	size_t steps_back;     /* times the counter was set back */
	uint64_t times_back;   /* that readings go back in the stream */
	uint64_t places_tried; /* for these */
	bool *seen; /* for each piece: which readings came before it is known; NULL: of none */
};

/* The time of the host at which a reading was taken: within bound of ticks.  Not sure: a record
 * that tells may be missing, or the vCPU changed its clock faster than is recorded, and then the
 * bound may not hold.  Doubtful: the counter was set back, and whether before or after the reading
 * is not known; the bound covers both. */
struct strata_host_time {
	uint64_t ticks;
	uint64_t bound;
	bool sure;
	bool doubtful;
};

/* @maps and @stimes must outlive it.  @skew_ticks: by how much physical CPUs' counters differ */
void strata_stream_clock_init(struct strata_stream_clock *clock,
			      const struct strata_clock_maps *maps,
			      const struct strata_vcpu_stime *stimes, uint64_t skew_ticks,
			      uint16_t domain, uint16_t vcpu);

/* Times the counter was set back while recording. */
size_t strata_stream_clock_steps_back(const struct strata_stream_clock *clock);

/*
 * Says that readings go back in the stream, from @before to @after, which follows it.  To be called
 * for each such pair, in their order, before the first conversion; what is not told is taken for a
 * step whose place is not known.  Returns 0, or -1 when out of memory.
 */
int strata_stream_clock_went_back(struct strata_stream_clock *clock, uint64_t before,
				  uint64_t after);

/* Frees what it holds; a zeroed clock, too. */
void strata_stream_clock_clear(struct strata_stream_clock *clock);

/* The host time of a reading.  To be called with the stream's readings in their order. */
struct strata_host_time strata_stream_clock_convert(struct strata_stream_clock *clock,
						    uint64_t guest);

enum strata_clock_kind {
	STRATA_CLOCK_ASSUMED, /* not recorded: taken as the host's */
	STRATA_CLOCK_HOST,    /* PV, native */
	STRATA_CLOCK_OFFSET,
	STRATA_CLOCK_RATIO,
	STRATA_CLOCK_EMULATED,
};

enum strata_clock_kind strata_stream_clock_kind(const struct strata_stream_clock *clock);

/* "assumed", "host", "offset", "ratio", "emulated". */
const char *strata_clock_kind_name(enum strata_clock_kind kind);

#endif /* STRATA_MERGE_STREAM_CLOCK_H */
