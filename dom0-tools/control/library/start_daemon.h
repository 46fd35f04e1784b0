/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start_daemon.h - starts stratad; ask.c calls it when nobody listens. */
#ifndef STRATA_CONTROL_LIBRARY_START_DAEMON_H
#define STRATA_CONTROL_LIBRARY_START_DAEMON_H

#include "control/library/handle.h"

/*
 * Starts stratad, and waits until it listens.  What it says is noted.
 * 0 or -1.
 */
int start_daemon(struct strata_control *control, struct strata_error *error);

#endif /* STRATA_CONTROL_LIBRARY_START_DAEMON_H */
