/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_compass.h - `strata convert --format trace-compass`. */
#ifndef STRATA_STRATA_TRACE_COMPASS_H
#define STRATA_STRATA_TRACE_COMPASS_H

#include "strata/read/traces_write.h"

/* Merges the recording at the only path, writes the output, and reports errors and the result.
 * Returns the exit status. */
int write_trace_compass(const struct write_job *job);

#endif /* STRATA_STRATA_TRACE_COMPASS_H */
