/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace.h - converts a binary file of xentrace into a recording.
 *
 * Such a file lacks the frequency of the host's counter, a date, the vCPU that ran when a record
 * was written, and the times of some records.  The import derives what it can, asks for the rest,
 * and reports which is which.
 */
#ifndef STRATA_MERGE_XENTRACE_H
#define STRATA_MERGE_XENTRACE_H

#include "xen/exit_reasons.h"
#include "inputs/xentrace/xentrace_frequency.h"
#include "inputs/xentrace/xentrace_stream.h"

struct strata_xentrace_options {
	uint32_t tsc_khz; /* of the host; 0: derive it from the records */
	/* CLOCK_REALTIME when the last record was written; 0: the file's time of modification */
	uint64_t anchor_realtime_ns;
	/* The numbering of VM exit reasons; STRATA_EXITS_UNKNOWN: to be determined. */
	enum strata_exits exits;
	bool force; /* replaces an existing recording */
	/* Called for each fault that the import survives; may be NULL. */
	strata_complain_fn *complain;
	/* Called every now and then; may be NULL. */
	void (*progress)(void *data, uint64_t events, uint64_t bytes, uint64_t bytes_total);
	void *data;
};

struct strata_xentrace_report {
	uint64_t bytes;   /* of the file */
	uint64_t windows; /* pieces of one CPU's buffer */
	uint64_t wraps;   /* records that only fill a buffer's end; not imported */
	uint32_t pcpus;
	uint64_t first_ticks;
	uint64_t last_ticks;
	struct strata_xentrace_tally tally; /* of all streams */
	uint64_t nameless;       /* records whose event class has no place (guest_numbers.h) */
	uint64_t bad_places;     /* damaged places of the file */
	uint64_t left_out_bytes; /* in those places */
	uint64_t contradictions; /* records that contradict earlier ones about the vCPU that ran */
	uint32_t tsc_khz;
	uint32_t tsc_error_ppm; /* 0: given by the user */
	bool anchor_guessed;    /* the date is the file's time of modification */
	enum strata_exits exits;
};

/*
 * Writes the recording @raw_dir, which is created, or is an empty directory.
 * @options: may be NULL
 * @report: OUT, set even if the import fails
 * Returns 0, or -1 with the reason; what was written is then removed.
 */
int strata_xentrace_import(const char *path, const char *raw_dir,
			   const struct strata_xentrace_options *options,
			   struct strata_xentrace_report *report, struct strata_error *error);

#endif /* STRATA_MERGE_XENTRACE_H */
