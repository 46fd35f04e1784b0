/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_live.h - `strata view --live`: prints a recording in progress as text. */
#ifndef STRATA_STRATA_VIEW_LIVE_H
#define STRATA_STRATA_VIEW_LIVE_H

#include "strata/read/traces_write.h"

/* Follows the recording in the directory @raw until it ends or a signal arrives. Returns the exit
 * status. */
int view_live(const struct write_options *options, const char *raw);

#endif /* STRATA_STRATA_VIEW_LIVE_H */
