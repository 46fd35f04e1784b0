/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member_run.h - starts and stops sessions, also those of members of the group tracing: these take
 * their share of the machine's recorders and of the disk, and get their recordings at the end. */
#ifndef STRATA_STRATAD_MEMBER_RUN_H
#define STRATA_STRATAD_MEMBER_RUN_H

#include "stratad/sessions/session_run.h"

/* As those of session_run.h, for sessions of whatever owner. */
session_run_fn member_run_start;
session_run_fn member_run_stop;

#endif /* STRATA_STRATAD_MEMBER_RUN_H */
