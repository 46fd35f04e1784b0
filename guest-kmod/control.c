// SPDX-License-Identifier: GPL-2.0-only
/*
 * control.c - obeys the commands that domain 0 writes to data/strata/ctl
 * (strata/abi/guest.h).
 *
 * All of it runs in the kernel's xenwatch thread, one command after the other, except close, which
 * runs after the watch is removed; so no lock is needed. A watch may fire without a change: obeying
 * the same command again is harmless.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <xen/xenbus.h>

#include <strata/abi/guest.h>

#include "buffers.h"
#include "control.h"
#include "events.h"
#include "filter.h"
#include "kprobes.h"
#include "publish.h"
#include "resume.h"
#include "switch.h"

struct command {
	u64 seq; /* 0 if it could not be read */
	enum strata_mode mode;
	enum strata_header_form form;
	u32 period_ms;
	DECLARE_BITMAP(mask, STRATA_GUEST_EVENTS_MAX);
	char *filter; /* NULL: none */
};

static bool recording;
static bool watching;

bool strata_control_recording(void)
{
	return READ_ONCE(recording);
}

/* Reads any number of hexadecimal digits; only bits of existing events may be set. */
static bool parse_mask(const char *text, unsigned long *mask)
{
	size_t digits = strlen(text), i;
	unsigned int bit;

	bitmap_zero(mask, STRATA_GUEST_EVENTS_MAX);
	for (i = 0; i < digits; i++) {
		int digit = hex_to_bin(text[digits - 1 - i]);

		if (digit < 0)
			return false;
		for (bit = 0; bit < 4; bit++) {
			if (!(digit >> bit & 1))
				continue;
			if (i * 4 + bit >= strata_events_count())
				return false;
			__set_bit(i * 4 + bit, mask);
		}
	}
	return digits > 0;
}

/* The text after the plus; NULL: there is no plus. */
static bool parse_form(const char *text, enum strata_header_form *form)
{
	*form = STRATA_HEADER_FULL;
	if (text)
		*form = strcmp(text, "compact") ? STRATA_HEADER_LARGE : STRATA_HEADER_COMPACT;
	return *form != STRATA_HEADER_LARGE || !strcmp(text, "large");
}

static bool parse_mode(char *text, struct command *command)
{
	const char *mode = strsep(&text, "+");

	command->mode = strcmp(mode, "overwrite") ? STRATA_MODE_DISCARD : STRATA_MODE_OVERWRITE;
	return (command->mode == STRATA_MODE_OVERWRITE || !strcmp(mode, "discard")) &&
	       parse_form(text, &command->form);
}

/* Only digits: kstrtouint() would accept a sign. */
static bool parse_period(const char *text, u32 *period_ms)
{
	return isdigit(text[0]) && !kstrtouint(text, 10, period_ms) &&
	       strata_switch_ms_valid(*period_ms);
}

static void stop(void)
{
	WRITE_ONCE(recording, false);
	strata_events_detach_all();
	strata_switch_stop();
	strata_buffers_flush();
}

/* All or nothing: after a failed attachment the others would only give an incomplete trace. */
static int start(const struct command *command)
{
	int err = strata_filter_set(command->filter);

	if (err)
		return err;
	if (command->form != strata_buffers_header_form()) {
		stop();
		strata_buffers_set_header_form(command->form);
	}
	strata_buffers_set_mode(command->mode);
	/* First: it waits for a thread on each CPU, which probes would delay. */
	err = strata_switch_start(command->mode == STRATA_MODE_DISCARD ? command->period_ms : 0);
	if (!err)
		err = strata_events_attach(command->mask);
	if (err) {
		stop();
		return err;
	}
	WRITE_ONCE(recording, true);
	return 0;
}

/* "MODE PERIOD MASK" or "MODE PERIOD MASK FILTER" */
static int obey_start(struct command *command, char *words)
{
	char *mode = strsep(&words, " ");
	const char *period = strsep(&words, " ");
	const char *mask = strsep(&words, " ");

	if (!mode || !period || !mask || !parse_mode(mode, command) ||
	    !parse_period(period, &command->period_ms) || !parse_mask(mask, command->mask))
		return -EINVAL;
	command->filter = words;
	return start(command);
}

static int obey_stop(struct command *command, char *words)
{
	if (words)
		return -EINVAL;
	stop();
	return 0;
}

static int obey_flush(struct command *command, char *words)
{
	if (words)
		return -EINVAL;
	strata_buffers_flush();
	return 0;
}

/* "NAME SYMBOL" or "NAME SYMBOL+OFFSET" */
static int add_probe(const char *group, char *words)
{
	const char *name = strsep(&words, " ");

	if (!name || !words)
		return -EINVAL;
	return strata_kprobes_add(group, name, words);
}

static int obey_kprobe(struct command *command, char *words)
{
	return add_probe("kprobe", words);
}

static int obey_kretprobe(struct command *command, char *words)
{
	return add_probe("kretprobe", words);
}

static const struct {
	const char *word;
	int (*obey)(struct command *command, char *words);
	const char *answer;
} verbs[] = {
	{ "start", obey_start, "started" },        { "flush", obey_flush, "flushed" },
	{ "stop", obey_stop, "stopped" },          { "kprobe", obey_kprobe, "probed" },
	{ "kretprobe", obey_kretprobe, "probed" },
};

/* Parses @text in place and obeys it.  Returns the answer, or NULL: refused. */
static const char *obey_text(struct command *command, char *text)
{
	const char *verb = strsep(&text, " ");
	const char *seq = strsep(&text, " ");
	unsigned int i;

	if (!seq || kstrtou64(seq, 10, &command->seq)) {
		command->seq = 0;
		return NULL;
	}
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verb, verbs[i].word))
			return verbs[i].obey(command, text) ? NULL : verbs[i].answer;
	return NULL;
}

static void obey(struct xenbus_watch *watch, const char *path, const char *token)
{
	struct command command = {};
	const char *answer;
	char shown[64];
	char *text;

	/* After a restore all watches are registered anew, and that makes each fire. */
	if (strata_resume_needed()) {
		stop();
		strata_resume_publish();
	}
	text = strata_publish_read_ctl();
	/* Absent: there was no command yet, or the node was removed. */
	if (IS_ERR(text))
		return;
	strscpy(shown, text, sizeof(shown));
	answer = obey_text(&command, text);
	kfree(text);
	if (!answer)
		pr_warn_ratelimited("%s/ctl is refused: \"%*pE\"\n", STRATA_GUEST_XENSTORE_DIR,
				    (int)strlen(shown), shown);
	strata_publish_state(answer ?: "refused", command.seq);
}

static struct xenbus_watch watch = {
	.node = STRATA_GUEST_XENSTORE_DIR "/ctl",
	.callback = obey,
};

int strata_control_open(void)
{
	int err = register_xenbus_watch(&watch);

	watching = !err;
	if (err)
		pr_err("cannot watch %s in xenstore (error %d)\n", watch.node, err);
	return err;
}

void strata_control_close(void)
{
	/* Starting another kernel was attempted, but failed. */
	if (!watching)
		return;
	watching = false;
	/* Waits for the callback, if it runs. */
	unregister_xenbus_watch(&watch);
	stop();
	strata_filter_set(NULL);
}
