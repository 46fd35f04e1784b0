/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h - runs the verbs of the strata command in this process, each checked:
 * its status, what it printed, what it left behind on the host.
 *
 * Each returns NULL when all is as it should be, or what is wrong.
 */
#ifndef STRATA_TESTS_VERBS_H
#define STRATA_TESTS_VERBS_H

#include <stdbool.h>

extern bool verbs_shown; /* what they print also goes to stderr */

/*
 * @lying:    that something is left out is no failure then
 * @patterns: of events of every kernel; NULL: all
 * @text:     OUT, NULL or the caller's to free
 */
const char *record_checked(const char *raw, bool lying, const char *patterns, char **text);
const char *list_checked(void);
const char *merge_checked(const char *raw, const char *out);

#endif /* STRATA_TESTS_VERBS_H */
