// SPDX-License-Identifier: GPL-2.0-only
/*
 * control.c - obeys what domain 0 writes to data/strata/ctl: "start SEQ MASK"
 * and "stop SEQ" (strata/abi/guest.h).
 *
 * All of it runs in the kernel's xenwatch thread, one command after the other,
 * but for close, which comes after the watch is gone; so there is no lock.  A
 * watch may fire without a change: to obey the same command again is harmless.
 * A second start changes what is recorded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <xen/xenbus.h>

#include <strata/abi/guest.h>

#include "buffers.h"
#include "control.h"
#include "events.h"
#include "probes.h"
#include "publish.h"
#include "resume.h"

#define EVENTS_MASK GENMASK_ULL(STRATA_NR_EVENTS - 1, 0)

struct command {
	enum { COMMAND_BAD, COMMAND_START, COMMAND_STOP } kind;
	u64 seq; /* 0 where none could be read */
	u64 mask;
};

static bool recording;

bool strata_control_recording(void)
{
	return READ_ONCE(recording);
}

/* Takes @text apart, and to pieces. */
static struct command parse_command(char *text)
{
	struct command command = { .kind = COMMAND_BAD };
	const char *verb = strsep(&text, " ");
	const char *seq = strsep(&text, " ");
	const char *mask = strsep(&text, " ");

	if (!seq || kstrtou64(seq, 10, &command.seq)) {
		command.seq = 0;
		return command;
	}
	if (!strcmp(verb, "stop") && !mask)
		command.kind = COMMAND_STOP;
	else if (!strcmp(verb, "start") && mask && !text && !kstrtou64(mask, 16, &command.mask) &&
		 !(command.mask & ~EVENTS_MASK))
		command.kind = COMMAND_START;
	return command;
}

static void stop(void)
{
	WRITE_ONCE(recording, false);
	strata_probes_detach_all();
	strata_buffers_flush();
}

/* What is attached when an attachment fails is not worth a half-filled trace: all or nothing. */
static bool start(u64 mask)
{
	if (strata_probes_attach(mask)) {
		stop();
		return false;
	}
	WRITE_ONCE(recording, true);
	return true;
}

static void obey(struct xenbus_watch *watch, const char *path, const char *token)
{
	struct command command;
	char shown[32];
	char *text;

	/* After a restore all watches are registered anew, and that makes each fire. */
	if (strata_resume_needed()) {
		stop();
		strata_resume_publish();
	}
	text = strata_publish_read_ctl();
	/* Not there: nobody has commanded anything yet, or the node was removed. */
	if (IS_ERR(text))
		return;
	strscpy(shown, text, sizeof(shown));
	command = parse_command(text);
	kfree(text);

	switch (command.kind) {
	case COMMAND_START:
		strata_publish_state(start(command.mask) ? "started" : "refused", command.seq);
		break;
	case COMMAND_STOP:
		stop();
		strata_publish_state("stopped", command.seq);
		break;
	case COMMAND_BAD:
		pr_warn_ratelimited(
			"%s/ctl says \"%*pE\"; expected start SEQ MASK, within %llx, or stop SEQ\n",
			STRATA_GUEST_XENSTORE_DIR, (int)strlen(shown), shown, EVENTS_MASK);
		strata_publish_state("refused", command.seq);
		break;
	}
}

static struct xenbus_watch watch = {
	.node = STRATA_GUEST_XENSTORE_DIR "/ctl",
	.callback = obey,
};

int strata_control_open(void)
{
	int err = register_xenbus_watch(&watch);

	if (err)
		pr_err("xenstore does not watch %s (error %d)\n", watch.node, err);
	return err;
}

void strata_control_close(void)
{
	/* Waits for the callback, if it runs. */
	unregister_xenbus_watch(&watch);
	stop();
}
