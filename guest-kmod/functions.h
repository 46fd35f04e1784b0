/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - events of the calls and the returns of kernel functions whose names match a
 * pattern: NAME_entry and NAME_exit of group "function".
 */
#ifndef STRATA_KMOD_FUNCTIONS_H
#define STRATA_KMOD_FUNCTIONS_H

/*
 * Adds both events of a pattern to the list of events and to their table, or finds that they are
 * there already.
 * @group:   "function"
 * @name:    of the events, without _entry and _exit
 * @place:   "PATTERN [ARG]...": a pattern as glob_match() has it, and what NAME_entry records of a
 *           call (probe_args.h); changed
 * Returns 0, or a negative error after a message: no function matches, or more than
 * STRATA_GUEST_FUNCTIONS_MAX; an argument is wrong; this kernel has no function tracer, or is
 * locked down.  One caller at a time; may sleep.
 */
int strata_functions_add(const char *group, const char *name, char *place);

#endif /* STRATA_KMOD_FUNCTIONS_H */
