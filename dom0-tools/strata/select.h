/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select.h - which of the hypervisor's events a user asks for: `--xen sched,hvm`. */
#ifndef STRATA_STRATA_SELECT_H
#define STRATA_STRATA_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

/* A Xen event mask from a comma-separated list of classes, `all`, `none` or a number.  0 or -1. */
int select_xen(const char *events, uint32_t *mask, struct strata_error *error);

/* Prints the classes that select_xen() knows, a line each. */
void select_print_xen_classes(FILE *out, const char *indent);

#endif /* STRATA_STRATA_SELECT_H */
