/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_clock.h - converts the readings of a kernel's stream to host ticks with bounds.
 */
#ifndef STRATA_MERGE_STREAM_CLOCK_H
#define STRATA_MERGE_STREAM_CLOCK_H

#include "clocks/clock_maps.h"
#include "clocks/vcpu_stime.h"

/* Position of a stream in its vCPU's pieces. */
struct strata_stream_clock {
	const struct strata_vcpu_clock_piece *pieces; /* by time */
	size_t nr;                                    /* 0: unknown, the host's clock is assumed */
	bool incomplete; /* some maps were not recorded: no bound is proven */
	size_t at;
	struct strata_stime_set own;    /* the system time that this vCPU sees, */
	struct strata_stime_set domain; /* and that all vCPUs of its domain see */
	bool domain_sure;               /* none of their records are missing */
	uint64_t skew_ticks;            /* between the CPUs on which these ran; 0: one CPU */
	uint64_t last_guest;
	size_t steps_back;     /* how often the counter was set back */
	uint64_t times_back;   /* how often readings decrease in the stream */
	uint64_t places_tried; /* for these */
	bool *seen; /* for each piece: whether the readings before it are known; NULL: none */
};

/* The host time of a reading: ticks, with an error of at most bound. Not sure: records may be
 * missing, or the vCPU changed its clock faster than Xen records, so the bound may not hold.
 * Doubtful: the counter was set back, and the reading may be from before or after that; the bound
 * covers both. */
struct strata_host_time {
	uint64_t ticks;
	uint64_t bound;
	bool sure;
	bool doubtful;
};

/* @maps and @stimes must outlive it.  @skew_ticks: largest difference between physical CPUs'
 * counters */
void strata_stream_clock_init(struct strata_stream_clock *clock,
			      const struct strata_clock_maps *maps,
			      const struct strata_vcpu_stime *stimes, uint64_t skew_ticks,
			      uint16_t domain, uint16_t vcpu);

/* Returns how often the counter was set back during the recording. */
size_t strata_stream_clock_steps_back(const struct strata_stream_clock *clock);

/*
 * Notes that readings decrease from @before to @after, which follows it in the stream.  Call this
 * for each such pair, in order, before the first conversion; any other step counts as one at an
 * unknown place. Returns 0, or -1 when out of memory.
 */
int strata_stream_clock_went_back(struct strata_stream_clock *clock, uint64_t before,
				  uint64_t after);

/* Frees what it owns; a zeroed clock, too. */
void strata_stream_clock_clear(struct strata_stream_clock *clock);

/* Converts a reading.  Call this for all readings of the stream, in order. */
struct strata_host_time strata_stream_clock_convert(struct strata_stream_clock *clock,
						    uint64_t guest);

enum strata_clock_kind {
	STRATA_CLOCK_ASSUMED, /* not recorded: the host's is assumed */
	STRATA_CLOCK_HOST,    /* PV, native */
	STRATA_CLOCK_OFFSET,
	STRATA_CLOCK_RATIO,
	STRATA_CLOCK_EMULATED,
};

enum strata_clock_kind strata_stream_clock_kind(const struct strata_stream_clock *clock);

/* "assumed", "host", "offset", "ratio", "emulated". */
const char *strata_clock_kind_name(enum strata_clock_kind kind);

#endif /* STRATA_MERGE_STREAM_CLOCK_H */
