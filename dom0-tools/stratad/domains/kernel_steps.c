// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_steps.c - see kernel_steps.h. */
#include "stratad/domains/kernel_steps.h"

#include <string.h>
#include <time.h>

#include <strata/platform/user.h>

#define LOOK_NS 20000000

uint32_t kernel_sequence(void)
{
	return (uint32_t)strata_clock() | 1u;
}

int kernel_tell(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		const struct guest_command *command, uint32_t sequence, const char *word,
		struct strata_error *error)
{
	one->awaited = NULL;
	if (guest_tell(all->xenstore, one->domain, all->channel, command, error))
		return -1;
	one->awaited = word;
	one->sequence = sequence;
	return 0;
}

/* 1: it has answered as it should; 0: not yet; -1: it never will. */
static int hear(const struct aggregated_kernels *all, const struct aggregated_kernel *one,
		struct guest *guest, struct strata_error *error)
{
	guest_look(all->xenstore, one->domain, all->channel, guest);
	if (guest->answered == one->sequence)
		return !strcmp(guest->state, one->awaited)
			       ? 1
			       : strata_fail(error,
					     "it refuses: see the messages of its kernel (dmesg)");
	return guest->module == GUEST_NO_MODULE ? strata_fail(error, "its module is gone") : 0;
}

/* Whether the kernel still owes an answer. */
static bool hear_one(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		     const struct kernel_step *step)
{
	struct strata_error error;
	struct guest guest;
	int heard;

	if (!one->awaited)
		return false;
	heard = hear(all, one, &guest, &error);
	if (!heard)
		return true;
	one->awaited = NULL;
	if (heard < 0 || (step->answered && step->answered(all, one, &guest, &error)))
		step->failed(all, one, &error);
	return one->awaited;
}

void kernels_hear(const struct aggregated_kernels *all, const struct kernel_step *step)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	const uint64_t end_ticks = strata_clock() + (uint64_t)KERNEL_ANSWER_MS * all->tsc_khz;
	struct strata_error silence;
	bool waits = true;
	size_t i;

	strata_fail(&silence, "it does not answer within %u s", KERNEL_ANSWER_MS / 1000u);
	while (waits) {
		for (waits = false, i = 0; i < all->nr; i++)
			waits = hear_one(all, &all->list[i], step) || waits;
		if (!waits || (step->interrupted && *step->interrupted) ||
		    strata_clock() >= end_ticks)
			break;
		nanosleep(&pause, NULL);
	}
	if (step->interrupted && *step->interrupted)
		strata_fail(&silence, "interrupted before it answered");
	for (i = 0; i < all->nr; i++) {
		if (!all->list[i].awaited)
			continue;
		all->list[i].awaited = NULL;
		all->list[i].silent = true;
		step->failed(all, &all->list[i], &silence);
	}
}
