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

static int write_nodes(struct xenbus_transaction transaction, grant_ref_t root_ref,
		       evtchn_port_t port, u64 nonce)
{
	const char *dir = STRATA_GUEST_XENSTORE_DIR;
	int err = xenbus_rm(transaction, dir, "");

	if (err && err != -ENOENT)
		return err;
	err = xenbus_printf(transaction, dir, "version", "%u", STRATA_GUEST_ABI_VERSION);
	if (!err)
		err = xenbus_printf(transaction, dir, "root-ref", "%u", root_ref);
	if (!err)
		err = xenbus_printf(transaction, dir, "event-channel", "%u", port);
	if (!err)
		err = xenbus_printf(transaction, dir, "nonce", "%016llx", nonce);
	if (!err)
		err = xenbus_printf(transaction, dir, "state", "idle");
	return err;
}

int strata_publish(grant_ref_t root_ref, evtchn_port_t port, u64 nonce)
{
	struct xenbus_transaction transaction;
	int err;

	do {
		err = xenbus_transaction_start(&transaction);
		if (err)
			break;
		err = write_nodes(transaction, root_ref, port, nonce);
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

void strata_publish_state(const char *word, u64 seq)
{
	int err = xenbus_printf(XBT_NIL, STRATA_GUEST_XENSTORE_DIR, "state", "%s %llu", word, seq);

	if (err)
		pr_warn("cannot write state %s %llu to xenstore (error %d)\n", word, seq, err);
}

char *strata_publish_read_ctl(void)
{
	return xenbus_read(XBT_NIL, STRATA_GUEST_XENSTORE_DIR, "ctl", NULL);
}

void strata_unpublish(void)
{
	int err = xenbus_rm(XBT_NIL, STRATA_GUEST_XENSTORE_DIR, "");

	if (err && err != -ENOENT)
		pr_warn("cannot remove %s from xenstore (error %d)\n", STRATA_GUEST_XENSTORE_DIR,
			err);
}
