/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_stream.h - converts the records of one physical CPU to packets, and writes them to
 * RAW/SOURCE/cpu_N.  Adds what xentrace omits: a time for each record, and the vCPU that ran.
 */
#ifndef STRATA_MERGE_XENTRACE_STREAM_H
#define STRATA_MERGE_XENTRACE_STREAM_H

#include "files/safe_dir.h"
#include "inputs/xentrace/xentrace_current.h"
#include "recording/recording.h"

/* Counts of a stream's records. */
struct strata_xentrace_tally {
	uint64_t events;
	uint64_t lost;
	uint64_t untimed;    /* without a time; got that of the previous or next record */
	uint64_t timeless;   /* left out: their CPU has no record with a usable time */
	uint64_t steps_back; /* records earlier than the previous one */
	uint64_t outliers;   /* times too far from their neighbours', clamped */
	uint64_t unknown;    /* the vCPU that ran is unknown */
};

struct strata_xentrace_stream {
	const struct strata_dir *dir;       /* directory of the source's streams */
	const struct strata_source *source; /* its UUID goes into the packets */
	uint32_t cpu;
	uint64_t outlier_ticks; /* a larger step ahead is accepted only if the next time agrees */
	struct strata_xentrace_current current;
	struct strata_xentrace_tally tally;

	uint8_t *bytes; /* whole packets, then the unfinished one */
	size_t used;
	size_t capacity;
	size_t packet_start; /* in bytes */
	bool open;           /* a packet has been begun */
	bool timed;          /* a record had a time */
	uint64_t first_ticks;
	uint64_t last_ticks; /* the last such time */
	uint64_t lost;       /* goes into the next packets */
	uint64_t sequence;
	uint64_t packets;
	bool created; /* its file */

	size_t unknown_from;     /* first record whose vCPU a later record may name; 0: none */
	size_t suspect_from;     /* the record with a doubtful time; 0: none */
	uint64_t before_suspect; /* the time of the previous record */
	bool suspect_is_first;
};

/* @dir and @source must outlive it. @tsc_khz: the host's */
void strata_xentrace_stream_init(struct strata_xentrace_stream *stream,
				 const struct strata_dir *dir, const struct strata_source *source,
				 uint32_t cpu, uint32_t tsc_khz);

/* Adds a record; @id is its id in Strata's numbering of the hypervisor's events. Returns 0, or -1:
 * no room or out of memory. */
int strata_xentrace_stream_add(struct strata_xentrace_stream *stream,
			       const struct strata_xentrace_record *record, uint32_t id,
			       struct strata_error *error);

/* Records of this CPU may be missing here. */
void strata_xentrace_stream_gap(struct strata_xentrace_stream *stream);

/* Writes the remaining packets.  0 or -1. */
int strata_xentrace_stream_finish(struct strata_xentrace_stream *stream,
				  struct strata_error *error);

/* Frees what it owns. */
void strata_xentrace_stream_clear(struct strata_xentrace_stream *stream);

#endif /* STRATA_MERGE_XENTRACE_STREAM_H */
