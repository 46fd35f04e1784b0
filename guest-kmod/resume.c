// SPDX-License-Identifier: GPL-2.0-only
/*
 * resume.c - grants and announces the rings again after save and restore, or migration.
 *
 * A restored domain has the memory of the one that was saved, but a new number,
 * an empty grant table, no event channels of ours, and no nodes of ours in
 * xenstore.  Earlier records are in the memory of the old domain, whose rings the
 * recorder still maps.  Right after the suspend, while no other CPU runs, the pages
 * are granted anew.
 *
 * xenstore cannot be used until later.  The kernel then registers its watches
 * again, and each fires: control.c's is called and finds that we were restored.
 * It ends the other channels, which nobody reads any more.  Channel 0's rings are announced under
 * another nonce, idle: to a recorder this is another module, and earlier records belong to the old
 * one.
 *
 * A suspend that is cancelled, or that of a whole host, removes nothing.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/syscore_ops.h>

#include <strata/abi/guest.h>

#include "buffers.h"
#include "channels.h"
#include "notify.h"
#include "publish.h"
#include "resume.h"

static int new_port; /* or a negative error */
static bool restored;

/*
 * On one CPU with interrupts off.  The others wait in the kernel with theirs off, but an NMI may
 * still record: only a ring's own CPU may flush it.  What they have committed is taken out of their
 * open sub-buffers.
 */
static int flush_own(void)
{
	unsigned int channel;

	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++) {
		struct strata_ring *ring = this_cpu_read(strata_cpu_rings.ring[channel]);

		if (ring)
			strata_ring_flush(ring);
	}
	return 0;
}

static void share_again(void)
{
	if (strata_notify_survived())
		return;
	strata_channels_renew();
	strata_channel_root(0)->nonce = get_random_u64();
	new_port = strata_notify_renew();
	restored = true;
}

static struct syscore_ops syscore_ops = {
	.suspend = flush_own,
	.resume = share_again,
};

void strata_resume_open(void)
{
	register_syscore_ops(&syscore_ops);
}

void strata_resume_close(void)
{
	unregister_syscore_ops(&syscore_ops);
}

bool strata_resume_needed(void)
{
	return xchg(&restored, false);
}

void strata_resume_publish(void)
{
	/* Without an event channel the rings are polled; 0 is never a valid port. */
	if (strata_publish(0, strata_channel_root_ref(0), new_port < 0 ? 0 : new_port,
			   strata_channel_root(0)->nonce))
		return;
	pr_info("the domain was restored; its rings are granted and announced again\n");
}
