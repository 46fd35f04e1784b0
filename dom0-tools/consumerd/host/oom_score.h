/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oom_score.h - keeps the kernel from killing the recorder for the memory that others use.
 *
 * The rings of all programs count as memory of the recorder, which maps them. So if a user filled
 * the machine's memory with many small processes, the recorder would be killed first, and all other
 * users would lose their events.
 *
 * Called by record_session.c, after it has forked the command, which keeps its own score.
 */
#ifndef STRATA_CONSUMERD_OOM_SCORE_H
#define STRATA_CONSUMERD_OOM_SCORE_H

#define OOM_SCORE_FILE "self/oom_score_adj" /* in /proc */

/* Lowers the score in @file, OOM_SCORE_FILE except in tests, unless it was set already. Without
 * CAP_SYS_RESOURCE it stays as it is. */
void oom_score_lower(const char *file);

#endif /* STRATA_CONSUMERD_OOM_SCORE_H */
