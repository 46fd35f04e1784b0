/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member_run.h - starts, stops, snapshots, rotates and clears sessions, and adds their triggers,
 * also those of members of the group tracing: these take their share of the machine's recorders and
 * of the disk, and get their recordings when they are complete. */
#ifndef STRATA_STRATAD_MEMBER_RUN_H
#define STRATA_STRATAD_MEMBER_RUN_H

#include "stratad/sessions/session_run.h"

/* As those of session_run.h, for sessions of any owner. */
session_run_fn member_run_start;
session_run_fn member_run_stop;
session_run_fn member_run_snapshot;
session_run_fn member_run_rotate;
session_run_fn member_run_clear;

/* As trigger_process_add(). */
session_run_fn member_run_add_trigger;

#endif /* STRATA_STRATAD_MEMBER_RUN_H */
