// SPDX-License-Identifier: GPL-2.0-only
/*
 * module.c - loads and unloads strata.ko, the part of Strata that records events in
 * the Linux kernel of a Xen guest, or of domain 0.
 *
 * Loading makes the rings of channel 0, grants them to domain 0 and announces them in
 * xenstore; from then on domain 0 commands (control.c).  Unloading reverses all of
 * it, whatever domain 0 is doing with it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <xen/xen.h>

#include "assembled.h"
#include "buffers.h"
#include "channels.h"
#include "control.h"
#include "event_table.h"
#include "events.h"
#include "evtchn.h"
#include "grants.h"
#include "kexec.h"
#include "probes.h"
#include "module_tracepoints.h"
#include "notify.h"
#include "publish.h"
#include "resume.h"
#include "tracepoints.h"

static unsigned int subbuf_kb = 64;
module_param(subbuf_kb, uint, 0444);
MODULE_PARM_DESC(subbuf_kb, "KiB of a sub-buffer, a power of two from 4 to 4096 (default 64)");

static unsigned int nr_subbufs = 16;
module_param(nr_subbufs, uint, 0444);
MODULE_PARM_DESC(nr_subbufs, "sub-buffers of a CPU, a power of two from 2 to 256 (default 16)");

static int refuse_recording(const char *value, const struct kernel_param *param)
{
	pr_err("recording is read-only: domain 0 starts and stops recordings\n");
	return -EPERM;
}

static int show_recording(char *buffer, const struct kernel_param *param)
{
	return scnprintf(buffer, PAGE_SIZE, "%d\n", strata_gate != 0);
}

static const struct kernel_param_ops recording_ops = {
	.set = refuse_recording,
	.get = show_recording,
};
module_param_cb(recording, &recording_ops, NULL, 0444);
MODULE_PARM_DESC(recording, "read-only: 1 while events are being recorded");

/* Returns whether a parameter is a power of two within its limits; prints a message if not. */
static bool parameter_valid(const char *name, unsigned int value, unsigned int min,
			    unsigned int max)
{
	if (is_power_of_2(value) && value >= min && value <= max)
		return true;
	pr_err("%s=%u is not a power of two from %u to %u\n", name, value, min, max);
	return false;
}

/* Takes the geometry from the parameters.  0 or -EINVAL after a message. */
static int choose_geometry(struct strata_ring_geometry *geo)
{
	u64 nr_refs;

	if (!parameter_valid("subbuf_kb", subbuf_kb, (1u << STRATA_SUBBUF_BITS_MIN) / 1024,
			     (1u << STRATA_SUBBUF_BITS_MAX) / 1024) ||
	    !parameter_valid("nr_subbufs", nr_subbufs, 1u << STRATA_NR_SUBBUFS_BITS_MIN,
			     1u << STRATA_NR_SUBBUFS_BITS_MAX))
		return -EINVAL;
	geo->subbuf_bits = ilog2(subbuf_kb) + ilog2(1024);
	geo->nr_subbufs_bits = ilog2(nr_subbufs);
	if (strata_buffers_count() > STRATA_GUEST_RINGS_MAX) {
		pr_err("%u CPUs are more than the %u that can be recorded\n",
		       strata_buffers_count(), STRATA_GUEST_RINGS_MAX);
		return -EINVAL;
	}
	nr_refs = strata_guest_refs(strata_event_table_bytes(), strata_buffers_count(), *geo);
	if (nr_refs > STRATA_GUEST_REFS_MAX) {
		pr_err("%u CPUs with %u sub-buffers of %u KiB need %llu pages, but %u is the limit; choose a smaller subbuf_kb or nr_subbufs\n",
		       strata_buffers_count(), nr_subbufs, subbuf_kb, nr_refs,
		       STRATA_GUEST_REFS_MAX);
		return -EINVAL;
	}
	return 0;
}

/* Checks what the rest depends on: Xen and xenstore. */
static int check_environment(void)
{
	if (!xen_domain()) {
		pr_err("this kernel does not run on Xen\n");
		return -ENODEV;
	}
	if (!strata_publish_possible()) {
		pr_err("xenstore does not run yet; in domain 0 start xenstored first\n");
		return -ENODEV;
	}
	return 0;
}

static int __init strata_init(void)
{
	u64 nonce = get_random_u64();
	struct strata_ring_geometry geo;
	int port, err;

	err = check_environment();
	if (err)
		return err;
	err = strata_tracepoints_find();
	if (err)
		return err;
	err = strata_module_tracepoints_open();
	if (err)
		return err;
	strata_evtchn_open();
	err = choose_geometry(&geo);
	if (err)
		goto close_evtchn;
	err = strata_channel_share(0, &geo, nonce);
	if (err)
		goto close_evtchn;
	if (1u << geo.nr_subbufs_bits < nr_subbufs)
		pr_warn("this domain has grant references for only %u sub-buffers of each CPU instead of %u; give it a larger max_grant_frames, or choose a smaller subbuf_kb\n",
			1u << geo.nr_subbufs_bits, nr_subbufs);
	strata_notify_init();
	port = strata_notify_open(0);
	if (port < 0) {
		err = port;
		goto unshare;
	}
	err = strata_publish(0, strata_channel_root_ref(0), port, nonce);
	if (err)
		goto close_port;
	strata_resume_open();
	err = strata_control_open();
	if (err)
		goto close_resume;
	err = strata_kexec_open();
	if (err)
		goto close_control;
	pr_info("%u rings of %u sub-buffers of %u KiB, %u events\n", strata_buffers_count(),
		1u << geo.nr_subbufs_bits, subbuf_kb, strata_events_count());
	return 0;

close_control:
	strata_control_close();
	strata_control_clear();
	strata_probes_clear();
close_resume:
	strata_resume_close();
	strata_unpublish();
close_port:
	strata_notify_close(0);
unshare:
	strata_channel_unshare(0);
	strata_assembled_clear();
close_evtchn:
	strata_evtchn_close();
	strata_module_tracepoints_close();
	return err;
}

static void __exit strata_exit(void)
{
	strata_kexec_close();
	strata_control_close();
	strata_control_clear();
	strata_probes_clear();
	strata_resume_close();
	strata_unpublish();
	strata_notify_close(0);
	strata_channel_unshare(0);
	strata_evtchn_close();
	strata_module_tracepoints_close();
	strata_assembled_clear();
}

module_init(strata_init);
module_exit(strata_exit);

MODULE_AUTHOR("The Strata developers");
MODULE_DESCRIPTION("Strata: records kernel events of a Xen domain into rings that domain 0 reads");
MODULE_LICENSE("GPL");
