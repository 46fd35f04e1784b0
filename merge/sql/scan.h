/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.h - one pass over the traces, a run of events at a time. The cursors of all virtual tables
 * use it.
 *
 *     sql_scan_open   chooses streams, times and the filter
 *     sql_scan_begin  opens the streams
 *     sql_scan_next reads the next run of events, or loss
 *     sql_scan_close  counts what was read
 */
#ifndef STRATA_MERGE_SQL_SCAN_H
#define STRATA_MERGE_SQL_SCAN_H

#include "sql/session.h"

struct strata_filter;

struct sql_scan {
	struct strata_slice_sink sink;
	struct strata_sql *sql;
	struct sql_scan *next;       /* next open scan */
	struct strata_trace_set set; /* the session's set, restricted to the streams of this scan */
	size_t *numbers;             /* the number of each of its streams in the session's set */
	struct strata_filter *filter;
	struct strata_set_merge *merge;
	uint64_t from_ns, to_ns;
	/* Also receives each run; returning 1 pauses the scan. NULL: the scan pauses after each
	 * run. */
	struct strata_slice_sink *observer;
	/* The current run. */
	size_t stream; /* in the session's set */
	struct strata_ctf_reader *reader;
	const struct strata_lane_event *events;
	size_t nr_events;               /* 0: this is a loss: */
	const struct strata_loss *loss; /* NULL: none */
	bool at_end;
	struct strata_error error;
};

struct sql_scan_options {
	uint64_t from_ns, to_ns;
	const char *expression; /* filter expression; NULL: all events */
	const char *layer;      /* only streams of this layer; NULL: all */
	bool with_losses;
};

/* A zero-initialised scan is closed. Returns 0, or -1 with scan->error; the caller must close the
 * scan in either case. */
int sql_scan_open(struct sql_scan *scan, struct strata_sql *sql,
		  const struct sql_scan_options *options);
int sql_scan_begin(struct sql_scan *scan);

/* Returns 1; 0: at the end; -1 with scan->error. */
int sql_scan_next(struct sql_scan *scan);

/* May be called for a closed scan. */
void sql_scan_close(struct sql_scan *scan);

/* Returns the number of packets read so far, including those of open scans. */
uint64_t sql_packets_read(const struct strata_sql *sql);

/* Passes a scan's error on as that of a virtual table. Returns an SQLite result code. */
int sql_scan_failed(const struct sql_scan *scan, sqlite3_vtab *table);

#endif /* STRATA_MERGE_SQL_SCAN_H */
