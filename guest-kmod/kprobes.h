/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kprobes.h - events at places where the kernel has no trace point: when it comes
 * by an instruction, or returns from a function.
 */
#ifndef STRATA_KMOD_KPROBES_H
#define STRATA_KMOD_KPROBES_H

#include <linux/kprobes.h>

#include "events.h"

/* A kprobe and its event; `kretprobe.kp` is all that one without a return uses. */
struct strata_kprobe {
	struct strata_event event; /* name, group and fields are the maker's */
	struct kretprobe kretprobe;
	bool returns;
};

/*
 * Registers the probe without enabling it; attaching its event enables it.  The maker
 * has set symbol, offset and handler.  Returns 0 or a negative error: the symbol is
 * unknown, or must not be probed.  May sleep.
 */
int strata_kprobe_register(struct strata_kprobe *kprobe);

/* Undoes it, the event being detached.  May sleep. */
void strata_kprobe_unregister(struct strata_kprobe *kprobe);

/*
 * Adds an event of domain 0's choice to the list of events and to their table,
 * or finds that it is there already.
 * @group: "kprobe" or "kretprobe"
 * @name:  of the event
 * @place: SYMBOL or SYMBOL+OFFSET; is taken to pieces
 * 0, or a negative error after a message.  One caller at a time; may sleep.
 */
int strata_kprobes_add(const char *group, const char *name, char *place);

/* Unregisters all of these, no event being attached; the list of events is not looked at any
 * more. */
void strata_kprobes_clear(void);

#endif /* STRATA_KMOD_KPROBES_H */
