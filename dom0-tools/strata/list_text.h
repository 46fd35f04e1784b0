/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_text.h - what can be recorded, as text on stdout.
 *
 * An event of a kernel or application is a line:
 *
 *	GROUP/NAME, or with fields GROUP/NAME FIELD:TYPE ...
 *
 * TYPE is that of struct strata_listed_field, with [N] for an array and [] for a sequence.
 */
#ifndef STRATA_STRATA_LIST_TEXT_H
#define STRATA_STRATA_LIST_TEXT_H

#include <stdbool.h>

#include <strata/control_client.h>

/*
 * Prints the hypervisor and the domains.
 * @fields: with the fields of kernels' events
 * @chosen: only some events were asked for, so the hypervisor's classes are left out
 */
void list_text_host(const struct strata_listing *listing, bool fields, bool chosen);

/* Prints the applications. */
void list_text_apps(const struct strata_listing *listing, bool fields);

#endif /* STRATA_STRATA_LIST_TEXT_H */
