/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rule_list.h - rules from a list with commas, and checks of what a caller passes. */
#ifndef STRATA_CONTROL_LIBRARY_RULE_LIST_H
#define STRATA_CONTROL_LIBRARY_RULE_LIST_H

#include <stddef.h>

#include <strata/control.h>

#include "base/error.h"

/* Whether a domain and a kind are of their enumerations.  0 or -1. */
int rule_list_check(enum strata_domain domain, enum strata_rule_kind kind,
		    struct strata_error *error);

/*
 * Makes rules.
 * @kind, @target, @list: as of strata_control_session_add()
 * @rules: OUT, for free()
 * 0 or -1.
 */
int rule_list_make(enum strata_rule_kind kind, const char *target, const char *list,
		   struct strata_rule **rules, size_t *nr, struct strata_error *error);

/* Adds a rule to what @to is.  0 or -1. */
typedef int rule_list_adder(void *to, enum strata_domain domain, const struct strata_rule *rule,
			    struct strata_error *error);

/* Checks domain and kind, and adds the rules of a list, one by one.  0 or -1. */
int rule_list_add(enum strata_domain domain, enum strata_rule_kind kind, const char *target,
		  const char *list, rule_list_adder *add, void *to, struct strata_error *error);

#endif /* STRATA_CONTROL_LIBRARY_RULE_LIST_H */
