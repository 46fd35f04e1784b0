/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobes.h - events at places of programs: when any process executes an instruction of a file, or
 * returns from a function that begins there.
 */
#ifndef STRATA_KMOD_UPROBES_H
#define STRATA_KMOD_UPROBES_H

/*
 * Adds an event of domain 0's choice to the list of events and to their table, or finds that it is
 * there already.  The file is looked up as the kernel's first process sees it, and stays in use
 * until the module is unloaded.
 * @group: "uprobe" or "uretprobe"
 * @name:  of the event
 * @place: PATH:SYMBOL, PATH:SYMBOL+OFFSET or PATH:OFFSET, and arguments (probe_args.h); is taken to
 *         pieces
 * 0, or a negative error after a message.  One caller at a time; may sleep.
 */
int strata_uprobes_add(const char *group, const char *name, char *place);

#endif /* STRATA_KMOD_UPROBES_H */
