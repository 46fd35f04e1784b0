/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_write.h - traces, merged and written in another form: `strata view`, `convert`. */
#ifndef STRATA_STRATA_TRACES_WRITE_H
#define STRATA_STRATA_TRACES_WRITE_H

#include "traces.h"
#include "traces_options.h"

/* Whether there is such a format. */
bool write_format_known(const char *format);

/* Opens, merges, writes; says what went wrong.  The exit status. */
int write_traces(const char *verb, const struct write_options *options, char *const *paths,
		 size_t nr);

#endif /* STRATA_STRATA_TRACES_WRITE_H */
