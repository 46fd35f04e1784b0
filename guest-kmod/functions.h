/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - events of calls of functions of the kernel, chosen by a pattern: the function
 * tracer.
 */
#ifndef STRATA_KMOD_FUNCTIONS_H
#define STRATA_KMOD_FUNCTIONS_H

/*
 * Adds an event of domain 0's choice to the list of events and to their table, or finds that it is
 * there already.  It is of the functions that the kernel and its modules have now.
 * @group: "function"
 * @name:  of the event
 * @place: a pattern of functions' names, with * and ?, and arguments (probe_args.h); is taken to
 *         pieces
 * 0, or a negative error after a message: -EINVAL also if no function has such a name.  One caller
 * at a time; may sleep.
 */
int strata_functions_add(const char *group, const char *name, char *place);

#endif /* STRATA_KMOD_FUNCTIONS_H */
