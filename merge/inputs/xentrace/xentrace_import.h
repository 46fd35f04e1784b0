/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_import.h - one import of a file of xentrace's, which xentrace.c carries out
 * and to which xentrace_assume.c adds what the file does not say.  Nobody else's.
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
	struct strata_xentrace_stream **streams; /* by CPU; NULL: it has no records so far */
	uint32_t nr_cpus;                        /* by the highest that has */
	struct strata_dir raw_dir, streams_dir;
	bool made_raw_dir;
	bool any_ticks;
};

/* How fast the host's counter runs: as was told, or by the records.  -1: nothing tells. */
int xentrace_set_frequency(struct xentrace_import *import, const char *path,
			   struct strata_error *error);

/* Once all has been read: the date, and whose numbers VM exits have.  Says what of the times and
 * of these is as good as its source. */
void xentrace_assume_rest(struct xentrace_import *import);

#endif /* STRATA_MERGE_XENTRACE_IMPORT_H */
