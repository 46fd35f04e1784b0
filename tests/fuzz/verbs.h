/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h - runs the verbs of the strata command in this process, and checks each: its status, its
 * output, its remains on the host.
 *
 * Each returns NULL when all is right, or what is wrong.
 */
#ifndef STRATA_TESTS_VERBS_H
#define STRATA_TESTS_VERBS_H

#include "liars.h"

extern bool verbs_shown; /* their output also goes to stderr */

/* @partial: that something is left out is no failure then.  @text: OUT, NULL or the caller's to
 * free(). */
const char *record_checked(const char *raw, const struct plan *plan, bool partial, char **text);
const char *list_checked(void);
/* @honest: there are events that no liar wrote. */
const char *merge_checked(const char *raw, const char *out, bool honest);

#endif /* STRATA_TESTS_VERBS_H */
