/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_live.h - `strata view --live`: a recording that goes on, as text to be read. */
#ifndef STRATA_STRATA_VIEW_LIVE_H
#define STRATA_STRATA_VIEW_LIVE_H

#include "strata/read/traces_write.h"

/* Follows the recording in the directory @raw until it ends, or a signal comes.  The exit
 * status. */
int view_live(const struct write_options *options, const char *raw);

#endif /* STRATA_STRATA_VIEW_LIVE_H */
