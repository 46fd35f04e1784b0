// SPDX-License-Identifier: GPL-2.0-only
/* probes.c - see probes.h. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "assembled.h"
#include "event_table.h"
#include "probes.h"
#include "record.h"

static struct strata_probe *probes[STRATA_GUEST_PROBES_MAX];
static u32 nr_probes;

/* A plain hit has no second value. */
struct payload {
	u64 ip;
	u64 second;
} __packed __aligned(4);

static const struct strata_field_desc own_fields[][2] = {
	[STRATA_PROBE_HIT] = { { "ip", STRATA_FIELD_HEX, 8, 1 } },
	[STRATA_PROBE_RETURN] = { { "ip", STRATA_FIELD_HEX, 8, 1 },
				  { "ret", STRATA_FIELD_HEX, 8, 1 } },
	[STRATA_PROBE_CALL] = { { "ip", STRATA_FIELD_HEX, 8, 1 },
				{ "parent_ip", STRATA_FIELD_HEX, 8, 1 } },
};

static u32 count_own_fields(const struct strata_probe *probe)
{
	return probe->kind == STRATA_PROBE_HIT ? 1 : 2;
}

static __always_inline void fill(const struct strata_probe *probe, const struct pt_regs *regs,
				 u64 ip, u64 second, struct payload *payload)
{
	payload->ip = ip;
	if (probe->kind == STRATA_PROBE_HIT) {
		strata_probe_args_write(&probe->args, regs, payload, sizeof(payload->ip));
		return;
	}
	payload->second = second;
	strata_probe_args_write(&probe->args, regs, payload, sizeof(*payload));
}

/* No payload is too long for a record: set_fields() sees to that. */
static void record_assembled(const struct strata_probe *probe, const struct pt_regs *regs, u64 ip,
			     u64 second, unsigned long channels, u64 ticks)
{
	void *payload = strata_assembled_begin(probe->args.end);

	fill(probe, regs, ip, second, payload);
	strata_assembled_record(&probe->event, channels, payload, probe->args.end, ticks);
}

static void record_each(const struct strata_probe *probe, const struct pt_regs *regs, u64 ip,
			u64 second, unsigned long channels, u64 ticks)
{
	struct strata_open_record record __uninitialized;
	unsigned long channel;

	strata_for_each_channel (channel, channels) {
		if (!strata_record_begin(&record, channel, probe->event.id, probe->args.end, ticks))
			continue;
		fill(probe, regs, ip, second, record.payload);
		strata_record_end(&record);
	}
}

void strata_probe_record(const struct strata_probe *probe, struct pt_regs *regs, u64 ip, u64 second)
{
	unsigned long channels = strata_event_channels(&probe->event);
	u64 ticks;

	if (!strata_probe_enter(channels))
		return;
	ticks = strata_clock();
	if (unlikely(strata_channels_ask(channels)))
		record_assembled(probe, regs, ip, second, channels, ticks);
	else
		record_each(probe, regs, ip, second, channels, ticks);
	strata_probe_exit();
}

bool strata_probe_is_name(const char *name)
{
	size_t length = strlen(name), i;

	for (i = 0; i < length; i++)
		if (!isascii(name[i]) || !(isalnum(name[i]) || name[i] == '_'))
			return false;
	return length > 0 && length < STRATA_EVENT_NAME_BYTES && !isdigit(name[0]);
}

static bool equal_words(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int strata_probe_find(const struct strata_probe_request *request, struct strata_probe **probe)
{
	u32 i;

	*probe = NULL;
	for (i = 0; i < nr_probes; i++) {
		struct strata_probe *one = probes[i];

		if (strcmp(one->event.group, request->group) || strcmp(one->name, request->name))
			continue;
		if (strcmp(one->place, request->place) || !equal_words(one->words, request->words))
			return -EEXIST;
		*probe = one;
		return 0;
	}
	return 0;
}

/* Gives it its fields, and reads those that are arguments.  0 or a negative error. */
static int set_fields(struct strata_probe *probe, bool of_program)
{
	const u32 nr = count_own_fields(probe);
	char *words = probe->words ? kstrdup(probe->words, GFP_KERNEL) : NULL;
	int err;

	static_assert(ARRAY_SIZE(own_fields[0]) + STRATA_PROBE_ARGS_MAX <= STRATA_PROBE_FIELDS_MAX);
	static_assert(STRATA_PROBE_FIELDS_MAX <= STRATA_EVENT_FIELDS_MAX);
	if (probe->words && !words)
		return -ENOMEM;
	memcpy(probe->fields, own_fields[probe->kind], nr * sizeof(own_fields[0][0]));
	err = strata_probe_args_parse(words, probe->kind == STRATA_PROBE_RETURN, nr * sizeof(u64),
				      &probe->args, &probe->fields[nr]);
	kfree(words);
	if (err)
		return err;
	if (of_program)
		strata_probe_args_of_program(&probe->args);
	probe->event.fields = probe->fields;
	probe->event.nr_fields = nr + probe->args.nr;
	return sizeof(struct strata_guest_context) + probe->args.end > STRATA_PAYLOAD_BYTES_MAX
		       ? -E2BIG
		       : 0;
}

int strata_probe_init(struct strata_probe *probe, const struct strata_probe_request *request)
{
	int err = -ENOMEM;

	probe->kind = request->kind;
	probe->place = kstrdup(request->place, GFP_KERNEL);
	probe->words = request->words ? kstrdup(request->words, GFP_KERNEL) : NULL;
	strscpy(probe->name, request->name, sizeof(probe->name));
	probe->event.name = probe->name;
	probe->event.group = request->group;
	if (probe->place && (probe->words || !request->words))
		err = set_fields(probe, request->of_program);
	if (err)
		strata_probe_clear(probe);
	return err;
}

void strata_probe_clear(struct strata_probe *probe)
{
	kfree(probe->place);
	kfree(probe->words);
}

bool strata_probes_have_room(void)
{
	return nr_probes < STRATA_GUEST_PROBES_MAX &&
	       strata_events_count() < STRATA_GUEST_EVENTS_MAX;
}

void strata_probes_add(struct strata_probe *probe)
{
	strata_events_add(&probe->event);
	strata_event_table_add(&probe->event);
	probes[nr_probes++] = probe;
}

void strata_probes_clear(void)
{
	while (nr_probes > 0) {
		struct strata_probe *probe = probes[--nr_probes];

		probe->remove(probe);
	}
}
