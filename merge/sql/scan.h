/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.h - one pass over the traces, a run of events at a time: what the cursors of all virtual
 * tables read.
 *
 *     sql_scan_open   chooses streams, times and the filter
 *     sql_scan_begin  opens the streams
 *     sql_scan_next   the next run of events, or loss
 *     sql_scan_close  counts what was read
 */
#ifndef STRATA_MERGE_SQL_SCAN_H
#define STRATA_MERGE_SQL_SCAN_H

#include "sql/session.h"

struct strata_filter;

struct sql_scan {
	struct strata_slice_sink sink;
	struct strata_sql *sql;
	struct sql_scan *next;       /* that is open */
	struct strata_trace_set set; /* that of the session, with the streams that are read */
	size_t *numbers;             /* of these, in the session's set */
	struct strata_filter *filter;
	struct strata_set_merge *merge;
	uint64_t from_ns, to_ns;
	/* What a run is handed to, too: it pauses the scan by returning 1.  NULL: each run does. */
	struct strata_slice_sink *observer;
	/* The run. */
	size_t stream; /* of the session's set */
	struct strata_ctf_reader *reader;
	const struct strata_lane_event *events;
	size_t nr_events;               /* 0: it is a loss: */
	const struct strata_loss *loss; /* NULL: it is none */
	bool at_end;
	struct strata_error error;
};

struct sql_scan_options {
	uint64_t from_ns, to_ns;
	const char *expression; /* of the filter; NULL: all events */
	const char *layer;      /* only streams of these; NULL: all */
	bool with_losses;
};

/* Zero-initialised is closed.  0, or -1 with scan->error; to be closed in any case. */
int sql_scan_open(struct sql_scan *scan, struct strata_sql *sql,
		  const struct sql_scan_options *options);
int sql_scan_begin(struct sql_scan *scan);

/* 1; 0: at its end; -1 with scan->error. */
int sql_scan_next(struct sql_scan *scan);

/* Also what is open no more. */
void sql_scan_close(struct sql_scan *scan);

/* How many packets were read, also by scans that are open. */
uint64_t sql_packets_read(const struct strata_sql *sql);

/* Fails a call of a virtual table with a scan's error: a code of SQLite's. */
int sql_scan_failed(const struct sql_scan *scan, sqlite3_vtab *table);

#endif /* STRATA_MERGE_SQL_SCAN_H */
