/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lies_named.h - a guest that tells one plain lie is left out, and the recorder names the guest and
 * the reason. */
#ifndef STRATA_TESTS_LIES_NAMED_H
#define STRATA_TESTS_LIES_NAMED_H

/* Tells one after the other.  NULL: each was named; else the first that was not. */
const char *lies_are_named(const char *raw);

#endif /* STRATA_TESTS_LIES_NAMED_H */
