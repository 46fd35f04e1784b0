// SPDX-License-Identifier: GPL-2.0-only
/*
 * publish.c - writes and removes the xenstore nodes by which a recorder in
 * domain 0 finds the rings (strata/abi/guest.h).
 *
 * The path is relative, so xenstore puts it under this domain's own directory;
 * that is so in domain 0 too.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <xen/xenbus.h>

#include <strata/abi/guest.h>

#include "publish.h"

static bool xenstore_runs;

static int note_that_xenstore_runs(struct notifier_block *notifier, unsigned long event, void *data)
{
	xenstore_runs = true;
	return NOTIFY_DONE;
}

bool strata_publish_possible(void)
{
	struct notifier_block notifier = { .notifier_call = note_that_xenstore_runs };

	/* Calls at once if xenstore runs, else later; this is all that the kernel exports. */
	register_xenstore_notifier(&notifier);
	unregister_xenstore_notifier(&notifier);
	return xenstore_runs;
}

void strata_publish_dir(unsigned int channel, char *dir)
{
	static_assert(STRATA_GUEST_CHANNELS_MAX <= 10, "a channel's number is one digit");
	if (channel)
		snprintf(dir, STRATA_PUBLISH_DIR_BYTES, STRATA_GUEST_XENSTORE_DIR "/%u", channel);
	else
		strscpy(dir, STRATA_GUEST_XENSTORE_DIR, STRATA_PUBLISH_DIR_BYTES);
}

static int write_rings(struct xenbus_transaction transaction, const char *dir, grant_ref_t root_ref,
		       evtchn_port_t port, u64 nonce)
{
	int err = xenbus_printf(transaction, dir, "root-ref", "%u", root_ref);

	if (!err)
		err = xenbus_printf(transaction, dir, "event-channel", "%u", port);
	if (!err)
		err = xenbus_printf(transaction, dir, "nonce", "%016llx", nonce);
	return err;
}

static int write_nodes(struct xenbus_transaction transaction, unsigned int channel,
		       grant_ref_t root_ref, evtchn_port_t port, u64 nonce)
{
	char dir[STRATA_PUBLISH_DIR_BYTES];
	int err;

	strata_publish_dir(channel, dir);
	if (!channel) {
		err = xenbus_rm(transaction, dir, "");
		if (err && err != -ENOENT)
			return err;
		err = xenbus_printf(transaction, dir, "version", "%u", STRATA_GUEST_ABI_VERSION);
		if (err)
			return err;
	}
	err = write_rings(transaction, dir, root_ref, port, nonce);
	if (!err)
		err = xenbus_printf(transaction, dir, "state", "idle");
	return err;
}

int strata_publish(unsigned int channel, grant_ref_t root_ref, evtchn_port_t port, u64 nonce)
{
	struct xenbus_transaction transaction;
	int err;

	do {
		err = xenbus_transaction_start(&transaction);
		if (err)
			break;
		err = write_nodes(transaction, channel, root_ref, port, nonce);
		if (err) {
			xenbus_transaction_end(transaction, 1);
			break;
		}
		/* EAGAIN: another transaction changed the same nodes. */
		err = xenbus_transaction_end(transaction, 0);
	} while (err == -EAGAIN);
	if (err)
		pr_err("cannot write %s to xenstore (error %d)\n", STRATA_GUEST_XENSTORE_DIR, err);
	return err;
}

void strata_unpublish_channel(unsigned int channel)
{
	static const char *const nodes[] = { "root-ref", "event-channel", "nonce" };
	char dir[STRATA_PUBLISH_DIR_BYTES];
	unsigned int i;
	int err;

	strata_publish_dir(channel, dir);
	for (i = 0; i < ARRAY_SIZE(nodes); i++) {
		err = xenbus_rm(XBT_NIL, dir, nodes[i]);
		if (err && err != -ENOENT)
			pr_warn("cannot remove %s/%s from xenstore (error %d)\n", dir, nodes[i],
				err);
	}
}

void strata_publish_state(unsigned int channel, const char *word, u64 seq)
{
	char dir[STRATA_PUBLISH_DIR_BYTES];
	int err;

	strata_publish_dir(channel, dir);
	err = xenbus_printf(XBT_NIL, dir, "state", "%s %llu", word, seq);
	if (err)
		pr_warn("cannot write state %s %llu to %s in xenstore (error %d)\n", word, seq, dir,
			err);
}

void strata_publish_reason(unsigned int channel, const char *reason)
{
	char dir[STRATA_PUBLISH_DIR_BYTES];
	int err;

	strata_publish_dir(channel, dir);
	err = xenbus_write(XBT_NIL, dir, "reason", reason);
	if (err)
		pr_warn("cannot write reason to %s in xenstore (error %d)\n", dir, err);
}

char *strata_publish_read_ctl(unsigned int channel)
{
	char dir[STRATA_PUBLISH_DIR_BYTES];

	strata_publish_dir(channel, dir);
	return xenbus_read(XBT_NIL, dir, "ctl", NULL);
}

void strata_unpublish(void)
{
	int err = xenbus_rm(XBT_NIL, STRATA_GUEST_XENSTORE_DIR, "");

	if (err && err != -ENOENT)
		pr_warn("cannot remove %s from xenstore (error %d)\n", STRATA_GUEST_XENSTORE_DIR,
			err);
}
