// SPDX-License-Identifier: GPL-2.0-or-later
/* words.c - the wording of causes and blames (answer.h): in trees, in sentences, and as keys for
 * programs. */
#include <stdio.h>

#include "why/answer.h"

/* "%s" is the name. */
static const struct {
	const char *key, *words;
} causes[STRATA_NR_WHATS] = {
	[STRATA_WHY_WHOLE] = { "whole", "whole" },
	[STRATA_WHY_RAN] = { "ran", "ran" },
	[STRATA_WHY_IRQ] = { "irq", "the handler of %s had its CPU" },
	[STRATA_WHY_SOFTIRQ] = { "softirq", "%s had its CPU" },
	[STRATA_WHY_XEN] = { "xen", "Xen worked for its vCPU" },
	[STRATA_WHY_EXIT] = { "exit", "VM exit %s" },
	[STRATA_WHY_HYPERCALL] = { "hypercall", "hypercall %s" },
	[STRATA_WHY_QUEUED] = { "queued", "waited for a CPU of its kernel" },
	[STRATA_WHY_BEHIND_TASK] = { "behind_task", "while task %s ran" },
	[STRATA_WHY_SWITCHING] = { "switching",
				   "while its CPU left the idle task and switched to it" },
	[STRATA_WHY_PREEMPTED] = { "vcpu_preempted",
				   "its vCPU %s was preempted and waited for a physical CPU" },
	[STRATA_WHY_WAKES] = { "vcpu_wakes",
			       "its vCPU %s was woken and waited for a physical CPU" },
	[STRATA_WHY_BEHIND_VCPU] = { "behind_vcpu", "behind %s" },
	[STRATA_WHY_ASLEEP] = { "vcpu_asleep", "its vCPU %s had not been woken yet" },
	[STRATA_WHY_SPINS] = { "spins", "spun for a lock" },
	[STRATA_WHY_HALTED] = { "vcpu_halted",
				"its vCPU %s halted while it ran: waited for a lock" },
	[STRATA_WHY_HOLDER] = { "lock_holder", "vCPU %s, which may have held it, was preempted" },
	[STRATA_WHY_PAUSED] = { "vcpu_paused", "its vCPU %s was paused" },
	[STRATA_WHY_BLOCKED] = { "blocked", "blocked" },
	[STRATA_WHY_SYSCALL] = { "syscall", "in system call %s" },
	[STRATA_WHY_WAITS_TASK] = { "waits_task", "until task %s woke it, which meanwhile" },
	[STRATA_WHY_WAITS_OTHER] = { "waits_domain", "until %s woke it, which meanwhile" },
	[STRATA_WHY_WAITS_IRQ] = { "waits_irq", "until %s woke it" },
	[STRATA_WHY_DELIVERED] = { "delivered", "%s was pending" },
	[STRATA_WHY_DUE] = { "timer_due", "%s was due, and had not fired" },
	[STRATA_WHY_WAKING] = { "waking", "its kernel handled it" },
	[STRATA_WHY_WOKEN_WHILE] = { "woken_while", "until it was woken, while %s had the CPU" },
	[STRATA_WHY_VCPU_IDLE] = { "vcpu_idle", "vCPU %s was blocked" },
	[STRATA_WHY_WAITS_MORE] = { "waits_more", "the wake-ups before that are not followed" },
	[STRATA_WHY_OTHERS] = { "others", "other causes" },
	[STRATA_WHY_REST] = { "rest", "no event tells more" },
	[STRATA_WHY_UNKNOWN] = { "unknown", "unknown" },
	[STRATA_WHY_UNKNOWN_TASK] = { "unknown_task", "no event tells what the task did" },
	[STRATA_WHY_UNKNOWN_VCPU] = { "unknown_vcpu", "no event tells what its vCPU did" },
	[STRATA_WHY_UNKNOWN_WHO] = { "unknown_who", "no event tells who ran there" },
};

static const struct {
	const char *words;   /* with a name */
	const char *without; /* without one */
} blames[STRATA_NR_BLAMES] = {
	[STRATA_BLAME_RUNNING] = { "it ran", "it ran" },
	[STRATA_BLAME_TASK_PREEMPTED] = { "it waited for its CPU while task %s ran",
					  "it waited for its CPU" },
	[STRATA_BLAME_SWITCHING] = { "its CPU switched to it (%s)",
				     "its CPU left the idle task and switched to it" },
	[STRATA_BLAME_INTERRUPTS] = { "the handler of %s had its CPU", "interrupts had its CPU" },
	[STRATA_BLAME_SOFTIRQS] = { "%s had its CPU", "softirqs had its CPU" },
	[STRATA_BLAME_VM_EXITS] = { "Xen handled VM exits for %s", "Xen handled VM exits" },
	[STRATA_BLAME_HYPERCALLS] = { "Xen worked on hypercall %s", "Xen worked on hypercalls" },
	[STRATA_BLAME_VCPU_PREEMPTED] = { "its vCPU was preempted and waited behind %s",
					  "its vCPU was preempted" },
	[STRATA_BLAME_VCPU_WAKES_LATE] = { "its vCPU was woken and waited behind %s",
					   "its vCPU was woken late" },
	[STRATA_BLAME_VCPU_PAUSED] = { "its vCPU was paused (%s)", "its vCPU was paused" },
	[STRATA_BLAME_LOCK_HOLDER_PREEMPTED] = { "it waited for a lock whose holder's vCPU waited behind %s",
						 "it waited for a lock whose holder's vCPU was preempted" },
	[STRATA_BLAME_LOCK] = { "it waited for a lock (vCPU of %s halted)",
				"it waited for a lock" },
	[STRATA_BLAME_TIMER_LATE] = { "its timer fired late, behind %s", "its timer fired late" },
	[STRATA_BLAME_BACKEND_DOMAIN] = { "it waited for domain %s",
					  "it waited for another domain" },
	[STRATA_BLAME_BLOCKED] = { "it waited for %s", "it was blocked" },
	[STRATA_BLAME_UNKNOWN] = { "unknown (%s)", "unknown: no event tells" },
};

/* Substitutes the name for the "%s" of a text, if there is one. */
static const char *put_name(char *text, const char *words, const char *name)
{
	const char *place = NULL;
	size_t i;

	for (i = 0; words[i]; i++) {
		if (words[i] == '%')
			place = words + i;
	}
	if (place)
		snprintf(text, STRATA_WHY_WORDS, "%.*s%s%s", (int)(place - words), words, name,
			 place + 2);
	else
		snprintf(text, STRATA_WHY_WORDS, "%s", words);
	return text;
}

const char *strata_why_words(char *text, const struct strata_why_names *names,
			     const struct strata_why_step *step)
{
	return put_name(text, causes[step->what].words, strata_why_name(names, step->name));
}

const char *strata_why_key(enum strata_why_what what)
{
	return causes[what].key;
}

const char *strata_why_finding_words(char *text, const struct strata_why_names *names,
				     const struct strata_why_finding *finding)
{
	return put_name(text,
			finding->by ? blames[finding->blame].words : blames[finding->blame].without,
			strata_why_name(names, finding->by));
}
