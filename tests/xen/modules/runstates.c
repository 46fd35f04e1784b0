// SPDX-License-Identifier: GPL-2.0-only
/*
 * runstates.c - how long Xen says that vCPU 0 of this guest has been in each runstate: what a test
 * compares Strata's report with.
 *
 * Each read of /sys/module/runstates/parameters/times asks Xen, and gives four numbers of
 * nanoseconds: running, runnable, blocked, offline.
 */
#include <linux/module.h>
#include <linux/sysfs.h>
#include <asm/xen/hypercall.h>
#include <xen/interface/vcpu.h>

static int get_times(char *text, const struct kernel_param *param)
{
	struct vcpu_runstate_info info;
	int err = HYPERVISOR_vcpu_op(VCPUOP_get_runstate_info, 0, &info);

	if (err)
		return err;
	return sysfs_emit(text, "%llu %llu %llu %llu\n", info.time[RUNSTATE_running],
			  info.time[RUNSTATE_runnable], info.time[RUNSTATE_blocked],
			  info.time[RUNSTATE_offline]);
}

static const struct kernel_param_ops times_ops = { .get = get_times };

module_param_cb(times, &times_ops, NULL, 0444);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Times of a vCPU in its runstates, for tests");

static int __init runstates_init(void)
{
	return 0;
}

static void __exit runstates_exit(void)
{
}

module_init(runstates_init);
module_exit(runstates_exit);
