/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_steps.h - commands to many kernels at a time: all are told, then all are waited for
 * together, with one deadline.
 */
#ifndef STRATA_STRATAD_KERNEL_STEPS_H
#define STRATA_STRATAD_KERNEL_STEPS_H

#include "stratad/domains/aggregated_kernels.h"

/* How long all kernels together may take for a step; a start attaches each probe. */
#define KERNEL_ANSWER_MS 10000u

/* A number for the next command. */
uint32_t kernel_sequence(void);

/* Sends a command, for which the kernel owes the answer @word from now on.  0 or -1. */
int kernel_tell(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		const struct guest_command *command, uint32_t sequence, const char *word,
		struct strata_error *error);

/*
 * A step of all kernels: what is done with an answer, which may be to tell the kernel something
 * more, and what is done with one that fails.
 */
struct kernel_step {
	int (*answered)(const struct aggregated_kernels *all, struct aggregated_kernel *one,
			const struct guest *guest, struct strata_error *error); /* or NULL */
	void (*failed)(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		       const struct strata_error *error);
	const volatile sig_atomic_t *interrupted; /* ends the wait; NULL: nothing does */
};

/* Waits until no kernel owes an answer, or the time is over: those that do are silent then, and
 * fail. */
void kernels_hear(const struct aggregated_kernels *all, const struct kernel_step *step);

#endif /* STRATA_STRATAD_KERNEL_STEPS_H */
