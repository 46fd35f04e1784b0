/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_live.h - `strata report --live`: periodic reports on the last seconds of a recording in
 * progress. */
#ifndef STRATA_STRATA_REPORT_LIVE_H
#define STRATA_STRATA_REPORT_LIVE_H

#include "strata/read/report_print.h"

/* Follows the recording in the directory @raw until it ends, the user stops it, or the reader of
 * the output is gone. Returns the exit status. */
int report_live(const struct report_options *options, const char *raw);

#endif /* STRATA_STRATA_REPORT_LIVE_H */
