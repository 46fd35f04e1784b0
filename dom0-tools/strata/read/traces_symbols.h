/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_symbols.h - names of addresses in the events of traces: `--symbols SOURCE=FILE`, and what
 * lies in recordings. */
#ifndef STRATA_STRATA_TRACES_SYMBOLS_H
#define STRATA_STRATA_TRACES_SYMBOLS_H

#include "outputs/shown.h"
#include "strata/read/traces.h"

/*
 * Loads the files that are given for sources, and the symbols that recordings have of dom0's
 * kernel; also for the addresses of their code in the hypervisor's events.  Once for all that is
 * read.
 * @options: SOURCE=FILE
 * 0, or -1: there is no such source, its code has no addresses in events, or a file is none, or not
 * of that source.
 */
int traces_add_symbols(struct traces *traces, const struct strata_shown *shown,
		       const char *const *options, size_t nr, struct strata_error *error);

#endif /* STRATA_STRATA_TRACES_SYMBOLS_H */
