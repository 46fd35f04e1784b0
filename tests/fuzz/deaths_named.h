/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deaths_named.h - a domain that ends while it is recorded: its records are there, and the
 * recording tells when and how it ended, and that the others stayed. */
#ifndef STRATA_TESTS_DEATHS_NAMED_H
#define STRATA_TESTS_DEATHS_NAMED_H

/* One end after the other.  NULL: each is as it should be. */
const char *deaths_are_named(const char *raw);

#endif /* STRATA_TESTS_DEATHS_NAMED_H */
