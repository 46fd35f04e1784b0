// SPDX-License-Identifier: GPL-2.0-only
/*
 * control.c - obeys the commands that domain 0 writes to the ctl node of each channel
 * (strata/abi/guest.h).
 *
 * A channel's bits of strata_gate are the gate in front of its probes.  Stop closes it,
 * and then waits until no probe is left that found it open; start opens it when all else
 * is in place.  Neither touches what belongs to another channel.
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
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <xen/xenbus.h>

#include <strata/abi/guest.h>

#include "aggregate.h"
#include "assembled.h"
#include "buffers.h"
#include "channels.h"
#include "contexts.h"
#include "control.h"
#include "counters.h"
#include "event_table.h"
#include "events.h"
#include "filter.h"
#include "functions.h"
#include "kprobes.h"
#include "notify.h"
#include "probes.h"
#include "publish.h"
#include "resume.h"
#include "switch.h"
#include "tracepoint_probes.h"
#include "uprobes.h"

struct command {
	unsigned int channel;
	u64 seq; /* 0 if it could not be read */
	enum strata_mode mode;
	enum strata_header_form form;
	u32 period_ms;
	u32 contexts;
	DECLARE_BITMAP(mask, STRATA_GUEST_EVENTS_MAX);
	char *filter; /* its words; NULL: none */
};

/* Of each channel. */
static struct channel_watch {
	struct xenbus_watch watch;
	char node[STRATA_PUBLISH_DIR_BYTES + sizeof("/ctl")];
	u64 created; /* the sequence number of the command that made its rings */
} watches[STRATA_GUEST_CHANNELS_MAX];

static bool watching;

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

/* Takes a word "contexts=SET" from the front of @words, if there is one. */
static bool take_contexts(char **words, u32 *contexts)
{
	const char *word;

	if (!*words || !strstarts(*words, "contexts="))
		return true;
	word = strsep(words, " ") + strlen("contexts=");
	return isxdigit(word[0]) && !kstrtou32(word, 16, contexts) &&
	       !(*contexts & ~(STRATA_CONTEXTS_ALL | STRATA_COUNTERS_ALL));
}

static bool is_started(unsigned int channel)
{
	return strata_gate & BIT(channel + STRATA_STARTED_SHIFT);
}

/* @filtered: probes look for a filter and for contexts */
static void set_gate(unsigned int channel, bool started, bool filtered)
{
	const unsigned long plain = BIT(channel), open = BIT(channel + STRATA_STARTED_SHIFT);
	unsigned long gate = strata_gate & ~(plain | open);

	if (started)
		gate |= filtered ? open : plain | open;
	WRITE_ONCE(strata_gate, gate);
}

static void stop(unsigned int channel)
{
	/* strata_events_deselect() waits for the probes that found it open. */
	set_gate(channel, false, false);
	strata_events_deselect(channel);
	if (strata_aggregates[channel])
		return;
	strata_switch_set(channel, 0);
	strata_buffers_flush(channel);
}

/* Its counters end, too. */
static void stop_counting(unsigned int channel)
{
	stop(channel);
	strata_counters_keep(channel, 0);
}

/* Sets the contexts of a channel that is stopped and flushed. */
static void set_contexts(unsigned int channel, u32 contexts)
{
	strata_contexts[channel] = contexts;
	strata_buffers_set_contexts(channel, contexts);
}

/* Puts into effect what a command says of a channel's rings. */
static int set_up_rings(const struct command *command)
{
	unsigned int channel = command->channel;

	if (command->form != strata_buffers_header_form(channel) ||
	    command->contexts != strata_contexts[channel]) {
		stop(channel);
		strata_buffers_set_header_form(channel, command->form);
		set_contexts(channel, command->contexts);
	}
	strata_buffers_set_mode(channel, command->mode);
	/* First: it waits for a thread on each CPU, which probes would delay. */
	return strata_switch_set(channel,
				 command->mode == STRATA_MODE_DISCARD ? command->period_ms : 0);
}

/*
 * All or nothing: after a failed attachment the others would only give an incomplete trace.
 *
 * No event passes by another's filter, or by none: the gate sends probes to the filter first; then
 * the events go that have none in the new one; then the filter is replaced; only then new events
 * come (set_channels() in events.c).
 */
static int start(const struct command *command)
{
	const struct strata_filter *filter = strata_filter_make(command->filter);
	unsigned int channel = command->channel;
	bool started = is_started(channel), counts = strata_aggregates[channel];
	int err = 0;

	if (IS_ERR(filter))
		return PTR_ERR(filter);
	/* Until after the filter is removed, too. */
	set_gate(channel, started, true);
	strata_events_keep(channel, command->mask);
	strata_filter_replace(channel, filter);
	if (!counts)
		err = set_up_rings(command);
	else if (!started)
		strata_aggregate_starts(channel);
	if (!err)
		err = strata_events_select(channel, command->mask);
	if (err) {
		stop_counting(channel);
		return err;
	}
	/* No probe writes others now. */
	strata_counters_keep(channel, command->contexts);
	set_gate(channel, true, filter || counts || command->contexts);
	return 0;
}

/* Makes what probes need for contexts.  0 or a negative error. */
static int prepare_contexts(const struct command *command)
{
	if (!command->contexts)
		return 0;
	if (strata_aggregates[command->channel])
		return -EINVAL;
	return strata_assembled_prepare()
		       ?: strata_counters_resume(command->channel, command->contexts);
}

/* "MODE PERIOD MASK", a word for contexts, and words FILTER */
static int obey_start(struct command *command, char *words)
{
	char *mode = strsep(&words, " ");
	const char *period = strsep(&words, " ");
	const char *mask = strsep(&words, " ");
	int err;

	if (!mode || !period || !mask || !parse_mode(mode, command) ||
	    !parse_period(period, &command->period_ms) || !parse_mask(mask, command->mask) ||
	    !take_contexts(&words, &command->contexts))
		return -EINVAL;
	command->filter = words;
	err = prepare_contexts(command);
	return err ?: start(command);
}

static int obey_stop(struct command *command, char *words)
{
	if (words)
		return -EINVAL;
	stop_counting(command->channel);
	return 0;
}

/* "TYPE CONFIG" */
static int obey_counter(struct command *command, char *words)
{
	const unsigned int channel = command->channel;
	const char *type_text = strsep(&words, " ");
	u64 config;
	u32 type;

	if (strata_aggregates[channel] || !type_text || !words || !isxdigit(type_text[0]) ||
	    kstrtou32(type_text, 16, &type) || !isxdigit(words[0]) || kstrtou64(words, 16, &config))
		return -EINVAL;
	return strata_counters_add(channel, type, config);
}

static int obey_flush(struct command *command, char *words)
{
	if (words || strata_aggregates[command->channel])
		return -EINVAL;
	strata_buffers_flush(command->channel);
	return 0;
}

/* "NAME PLACE", and arguments */
static int add_probe(int (*add)(const char *group, const char *name, char *place),
		     const char *group, char *words)
{
	const char *name = strsep(&words, " ");

	return name && words ? add(group, name, words) : -EINVAL;
}

static int obey_kprobe(struct command *command, char *words)
{
	return add_probe(strata_kprobes_add, "kprobe", words);
}

static int obey_kretprobe(struct command *command, char *words)
{
	return add_probe(strata_kprobes_add, "kretprobe", words);
}

static int obey_tracepoint(struct command *command, char *words)
{
	return add_probe(strata_tracepoint_probes_add, "tracepoint", words);
}

static int obey_uprobe(struct command *command, char *words)
{
	return add_probe(strata_uprobes_add, "uprobe", words);
}

static int obey_uretprobe(struct command *command, char *words)
{
	return add_probe(strata_uprobes_add, "uretprobe", words);
}

static int obey_function(struct command *command, char *words)
{
	return add_probe(strata_functions_add, "function", words);
}

static bool parse_bits(const char *text, u8 *bits)
{
	return text && isdigit(text[0]) && !kstrtou8(text, 10, bits);
}

/* "SUBBUF_BITS NR_SUBBUFS_BITS", or NULL: as channel 0. */
static int parse_geometry(char *words, struct strata_ring_geometry *geo)
{
	if (!words) {
		*geo = strata_buffers_geometry(0);
		return 0;
	}
	if (!parse_bits(strsep(&words, " "), &geo->subbuf_bits) ||
	    !parse_bits(words, &geo->nr_subbufs_bits) || !strata_geometry_valid(*geo))
		return -EINVAL;
	return 0;
}

/* Undoes obey_create(). */
static void destroy(unsigned int channel)
{
	strata_unpublish_channel(channel);
	stop(channel);
	strata_filter_replace(channel, NULL);
	/* Its rings, if it has any, end here: the next ones have none. */
	strata_contexts[channel] = 0;
	strata_channel_unshare(channel);
	strata_notify_close(channel);
}

static int obey_create(struct command *command, char *words)
{
	unsigned int channel = command->channel;
	u64 nonce = get_random_u64();
	struct strata_ring_geometry geo;
	int port, err;

	if (!channel)
		return -EINVAL;
	/* The same command again. */
	if (strata_channel_shared(channel) && command->seq == watches[channel].created)
		return 0;
	err = parse_geometry(words, &geo);
	if (err)
		return err;
	/* Their recorder died. */
	if (strata_channel_shared(channel))
		destroy(channel);
	err = strata_channel_share(channel, &geo, nonce);
	if (err)
		return err;
	port = strata_notify_open(channel);
	/* Without an event channel the rings are polled. */
	err = strata_publish(channel, strata_channel_root_ref(channel), port < 0 ? 0 : port, nonce);
	if (err)
		destroy(channel);
	watches[channel].created = command->seq;
	return err;
}

static bool parse_event(const char *text, struct strata_aggregate_event *event)
{
	event->mask = ~0u;
	return text && isdigit(text[0]) && !kstrtou32(text, 10, &event->value) &&
	       event->value < strata_events_count();
}

/* "count ROW_BITS" or "time ROW_BITS BEGIN END" */
static bool parse_spec(char *words, struct strata_aggregate_spec *spec)
{
	const char *kind = strsep(&words, " ");

	*spec = (struct strata_aggregate_spec){ .version = STRATA_AGGREGATE_VERSION };
	if (!kind || !parse_bits(strsep(&words, " "), &spec->row_bits))
		return false;
	if (!strcmp(kind, "count") && !words)
		spec->kind = STRATA_AGGREGATE_COUNT;
	else if (!strcmp(kind, "time") && parse_event(strsep(&words, " "), &spec->begin) &&
		 parse_event(words, &spec->end))
		spec->kind = STRATA_AGGREGATE_TIME;
	return strata_aggregate_valid(spec);
}

static int obey_aggregate(struct command *command, char *words)
{
	unsigned int channel = command->channel;
	u64 nonce = get_random_u64();
	struct strata_aggregate_spec spec;
	int err;

	if (!channel)
		return -EINVAL;
	/* The same command again. */
	if (strata_channel_shared(channel) && command->seq == watches[channel].created)
		return 0;
	if (!parse_spec(words, &spec))
		return -EINVAL;
	/* Who had the channel died. */
	if (strata_channel_shared(channel))
		destroy(channel);
	err = strata_channel_share_aggregate(channel, &spec, nonce);
	if (err)
		return err;
	/* Nothing becomes ready: no event channel. */
	err = strata_publish(channel, strata_channel_root_ref(channel), 0, nonce);
	if (err)
		destroy(channel);
	watches[channel].created = command->seq;
	return err;
}

static int obey_destroy(struct command *command, char *words)
{
	if (words || !command->channel)
		return -EINVAL;
	if (!strata_channel_shared(command->channel))
		return 0;
	destroy(command->channel);
	return 0;
}

static const struct {
	const char *word;
	int (*obey)(struct command *command, char *words);
	const char *answer;
	bool without_rings; /* also obeyed by a channel that has none */
} verbs[] = {
	{ "start", obey_start, "started" },
	{ "flush", obey_flush, "flushed" },
	{ "stop", obey_stop, "stopped" },
	{ "kprobe", obey_kprobe, "probed" },
	{ "kretprobe", obey_kretprobe, "probed" },
	{ "tracepoint", obey_tracepoint, "probed" },
	{ "uprobe", obey_uprobe, "probed" },
	{ "uretprobe", obey_uretprobe, "probed" },
	{ "function", obey_function, "probed" },
	{ "counter", obey_counter, "prepared" },
	{ "create", obey_create, "created", true },
	{ "aggregate", obey_aggregate, "aggregated", true },
	{ "destroy", obey_destroy, "destroyed", true },
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
		if (!strcmp(verb, verbs[i].word) &&
		    (verbs[i].without_rings || strata_channel_shared(command->channel)))
			return verbs[i].obey(command, text) ? NULL : verbs[i].answer;
	return NULL;
}

/* After a restore all watches are registered anew, and that makes each fire. */
static void resume(void)
{
	unsigned int channel;

	for (channel = STRATA_GUEST_CHANNELS_MAX - 1; channel > 0; channel--)
		if (strata_channel_shared(channel))
			destroy(channel);
	stop_counting(0);
	strata_resume_publish();
}

static void obey(struct xenbus_watch *watch, const char *path, const char *token)
{
	struct command command = {
		.channel = container_of(watch, struct channel_watch, watch) - watches,
	};
	const char *answer;
	char shown[64];
	char *text;

	if (strata_resume_needed())
		resume();
	strata_probe_forget_reason();
	text = strata_publish_read_ctl(command.channel);
	/* Absent: there was no command yet, or the node was removed. */
	if (IS_ERR(text))
		return;
	strscpy(shown, text, sizeof(shown));
	answer = obey_text(&command, text);
	kfree(text);
	if (!answer) {
		pr_warn_ratelimited("%s is refused: \"%*pE\"\n", watch->node, (int)strlen(shown),
				    shown);
		/* Before the state: domain 0 reads it when it has seen that. */
		strata_publish_reason(command.channel, strata_probe_reason());
	}
	strata_publish_state(command.channel, answer ?: "refused", command.seq);
}

/* Registers the watch of a channel.  0 or a negative error after a message. */
static int open_watch(unsigned int channel)
{
	struct channel_watch *its = &watches[channel];
	char dir[STRATA_PUBLISH_DIR_BYTES];
	int err;

	strata_publish_dir(channel, dir);
	snprintf(its->node, sizeof(its->node), "%s/ctl", dir);
	its->watch = (struct xenbus_watch){ .node = its->node, .callback = obey };
	err = register_xenbus_watch(&its->watch);
	if (err)
		pr_err("cannot watch %s in xenstore (error %d)\n", its->node, err);
	return err;
}

/* Waits for the callbacks, if they run. */
static void close_watches(unsigned int nr)
{
	while (nr-- > 0)
		unregister_xenbus_watch(&watches[nr].watch);
}

int strata_control_open(void)
{
	unsigned int channel;
	int err;

	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++) {
		err = open_watch(channel);
		if (err) {
			close_watches(channel);
			return err;
		}
	}
	watching = true;
	return 0;
}

void strata_control_close(void)
{
	unsigned int channel;

	/* Starting another kernel was attempted, but failed. */
	if (!watching)
		return;
	watching = false;
	close_watches(STRATA_GUEST_CHANNELS_MAX);
	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++) {
		if (!strata_channel_shared(channel))
			continue;
		stop_counting(channel);
		strata_filter_replace(channel, NULL);
	}
}

void strata_control_clear(void)
{
	unsigned int channel;

	for (channel = STRATA_GUEST_CHANNELS_MAX - 1; channel > 0; channel--)
		if (strata_channel_shared(channel))
			destroy(channel);
}
