/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kprobes.h - events at places where the kernel has no trace point: when it reaches an instruction,
 * or returns from a function.
 */
#ifndef STRATA_KMOD_KPROBES_H
#define STRATA_KMOD_KPROBES_H

/*
 * Adds an event of domain 0's choice to the list of events and to their table,
 * or finds that it is there already.
 * @group: "kprobe" or "kretprobe"
 * @name:  of the event
 * @place: SYMBOL or SYMBOL+OFFSET, and arguments (probe_args.h); is taken to pieces
 * 0, or a negative error after a message.  One caller at a time; may sleep.
 */
int strata_kprobes_add(const char *group, const char *name, char *place);

#endif /* STRATA_KMOD_KPROBES_H */
