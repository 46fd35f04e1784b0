/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_import.h - state of one import: shared by xentrace.c, which runs it, and
 * xentrace_assume.c, which adds what the file lacks.
 */
#ifndef STRATA_MERGE_XENTRACE_IMPORT_H
#define STRATA_MERGE_XENTRACE_IMPORT_H

#include "files/safe_dir.h"
#include "inputs/xentrace/xentrace.h"

struct xentrace_import {
	const struct strata_xentrace_options *options;
	struct strata_xentrace_report *report;
	struct strata_xentrace_reader reader;
	struct strata_recording recording;
	struct strata_source *source;
	struct strata_exits_evidence evidence;
	struct strata_xentrace_stream **streams; /* by CPU; NULL: no records so far */
	uint32_t nr_cpus;                        /* the highest CPU with records, plus one */
	struct strata_dir raw_dir, streams_dir;
	bool made_raw_dir;
	bool any_ticks;
};

/* Sets the frequency of the host's counter, from the options or the records.  -1: unknown. */
int xentrace_set_frequency(struct xentrace_import *import, const char *path,
			   struct strata_error *error);

/* After reading: sets the date, and the processor whose numbers VM exits have.  Reports which of
 * these are assumptions. */
void xentrace_assume_rest(struct xentrace_import *import);

#endif /* STRATA_MERGE_XENTRACE_IMPORT_H */
