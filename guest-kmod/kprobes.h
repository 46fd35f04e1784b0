/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kprobes.h - events at places where the kernel has no trace point: when it reaches an instruction,
 * or returns from a function.
 */
#ifndef STRATA_KMOD_KPROBES_H
#define STRATA_KMOD_KPROBES_H

#include "probe_args.h"

/* Of one event: ip, the returned value, and the arguments. */
#define STRATA_KPROBE_FIELDS_MAX (2 + STRATA_PROBE_ARGS_MAX)

/*
 * Adds an event of domain 0's choice to the list of events and to their table,
 * or finds that it is there already.
 * @group: "kprobe" or "kretprobe"
 * @name:  of the event
 * @place: SYMBOL or SYMBOL+OFFSET, and arguments (probe_args.h); is taken to pieces
 * 0, or a negative error after a message.  One caller at a time; may sleep.
 */
int strata_kprobes_add(const char *group, const char *name, char *place);

/* Unregisters all of these; no event is attached, and the list of events is no longer used. */
void strata_kprobes_clear(void);

#endif /* STRATA_KMOD_KPROBES_H */
