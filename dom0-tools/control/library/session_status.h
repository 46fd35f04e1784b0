/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_status.h - what stratad tells of sessions, as structures. */
#ifndef STRATA_CONTROL_LIBRARY_SESSION_STATUS_H
#define STRATA_CONTROL_LIBRARY_SESSION_STATUS_H

#include "control/library/handle.h"

/* Frees the sessions of the last call. */
void session_status_free(struct strata_control *control);

#endif /* STRATA_CONTROL_LIBRARY_SESSION_STATUS_H */
