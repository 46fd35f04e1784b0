/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_symbols.h - symbols for addresses in the events of traces: from `--symbols SOURCE=FILE`,
 * and from recordings. */
#ifndef STRATA_STRATA_TRACES_SYMBOLS_H
#define STRATA_STRATA_TRACES_SYMBOLS_H

#include <sys/types.h>

#include "outputs/shown.h"
#include "symbols/symbols.h"

struct traces_symbols_file {
	struct strata_symbols *symbols;
	bool is_recorded; /* its file is a recording's, and known by the following */
	dev_t device;
	ino_t inode;
};

/* Files of symbols. All-zero is empty. */
struct traces_symbols {
	struct traces_symbols_file *files;
	size_t nr;
	struct strata_symbols_told told; /* of recordings' files, by any thread */
};

/*
 * Loads the files that are given for sources, and finds the symbols that recordings have of dom0's
 * kernel, which are loaded when the first address is named; also for the addresses of their code in
 * the hypervisor's events.  Call this once for each set of traces, before its streams are read;
 * files of an earlier set are reused.
 * @symbols: must outlive the set's traces
 * @options: SOURCE=FILE
 * Returns 0, or -1: there is no such source, no event has addresses of its code, or a file has no
 * symbols or is not of that source.
 */
int traces_add_symbols(struct traces_symbols *symbols, const struct strata_shown *shown,
		       const char *const *options, size_t nr, struct strata_error *error);

void traces_symbols_clear(struct traces_symbols *symbols);

#endif /* STRATA_STRATA_TRACES_SYMBOLS_H */
