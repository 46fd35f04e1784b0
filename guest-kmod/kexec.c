// SPDX-License-Identifier: GPL-2.0-only
/*
 * kexec.c - withdraws the rings before kexec starts another kernel.
 *
 * The next kernel gets this one's memory, and does not know the pages that domain 0 can write.  So
 * recording ends, the nodes are removed from xenstore, which tells domain 0 to unmap the pages, and
 * the writable grants are ended one by one as it does.  A domain 0 that does not unmap them delays
 * kexec by at most WAIT_MS.
 *
 * A crash kernel starts without any of this: it must not wait.  It lives in memory of its own,
 * which was never granted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/string.h>

#include "channels.h"
#include "control.h"
#include "kexec.h"
#include "publish.h"

#define WAIT_MS 3000u
#define LOOK_MS 10u

/* The command that reboot notifiers get at kexec. */
#define KEXEC_COMMAND "kexec reboot"

static int take_back(struct notifier_block *notifier, unsigned long action, void *command)
{
	unsigned int waited = 0;
	u32 left;

	/* At any other reboot the domain's memory goes with it, and recording continues to the
	 * end. */
	if (action != SYS_RESTART || !command || strcmp(command, KEXEC_COMMAND))
		return NOTIFY_DONE;
	strata_control_close();
	strata_unpublish();
	while ((left = strata_channels_end_writable()) && waited < WAIT_MS) {
		msleep(LOOK_MS);
		waited += LOOK_MS;
	}
	if (left)
		pr_warn("domain 0 still maps %u pages that it can write; it may change the next kernel's memory there\n",
			left);
	else
		pr_info("the rings were withdrawn before kexec\n");
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = take_back };

int strata_kexec_open(void)
{
	int err = register_reboot_notifier(&notifier);
	if (err)
		pr_err("cannot register for kexec (error %d)\n", err);
	return err;
}

void strata_kexec_close(void)
{
	unregister_reboot_notifier(&notifier);
}
