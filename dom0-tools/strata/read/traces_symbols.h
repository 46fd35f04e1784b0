/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_symbols.h - names of addresses in the events of traces: `--symbols SOURCE=FILE`, and what
 * lies in recordings. */
#ifndef STRATA_STRATA_TRACES_SYMBOLS_H
#define STRATA_STRATA_TRACES_SYMBOLS_H

#include "outputs/shown.h"

struct traces_symbols_file {
	char *path; /* of a recording's own; NULL: the file was given for a source */
	struct strata_symbols *symbols;
};

/* What was loaded.  Zero-initialised is empty. */
struct traces_symbols {
	struct traces_symbols_file *files;
	size_t nr;
	strata_complain_fn *remark; /* told of a recording's file that is damaged */
	void *data;
};

/*
 * Loads the files that are given for sources, and the symbols that recordings have of dom0's
 * kernel; also for the addresses of their code in the hypervisor's events.  Call this once for each
 * set of traces, before its streams are read; it uses files again that were loaded for an earlier
 * set.
 * @symbols: must outlive the set's traces
 * @options: SOURCE=FILE
 * 0, or -1: there is no such source, its code has no addresses in events, or a file is none, or not
 * of that source.
 */
int traces_add_symbols(struct traces_symbols *symbols, const struct strata_shown *shown,
		       const char *const *options, size_t nr, struct strata_error *error);

void traces_symbols_clear(struct traces_symbols *symbols);

#endif /* STRATA_STRATA_TRACES_SYMBOLS_H */
