/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_symbols.h - `--symbols SOURCE=FILE`: the names of addresses in the events of traces. */
#ifndef STRATA_STRATA_TRACES_SYMBOLS_H
#define STRATA_STRATA_TRACES_SYMBOLS_H

#include "outputs/shown.h"
#include "strata/read/traces.h"

/*
 * Loads a file for the source of a name, and for the addresses of its code in the hypervisor's
 * events.
 * @option: SOURCE=FILE
 * 0, or -1: there is no such source, its code has no addresses in events, or the file is none, or
 * not of that source.
 */
int traces_add_symbols(struct traces *traces, const struct strata_shown *shown, const char *option,
		       struct strata_error *error);

#endif /* STRATA_STRATA_TRACES_SYMBOLS_H */
