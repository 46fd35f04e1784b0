// SPDX-License-Identifier: GPL-2.0-only
/* probes.c - see probes.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "assembled.h"
#include "btf_names.h"
#include "event_table.h"
#include "probes.h"
#include "record.h"

static struct strata_probe *probes[STRATA_GUEST_PROBES_MAX];
static u32 nr_probes;

/* Why the last probe was refused, if there is more to say than an error's number. */
static char reason[STRATA_BTF_WHY_BYTES];

/* The fields of each kind around the arguments. */
static const struct {
	u32 nr_numbers;
	bool has_function; /* behind the arguments, as its length varies */
	struct strata_field_desc numbers[STRATA_PROBE_NUMBERS_MAX];
} kinds[] = {
	[STRATA_PROBE_HIT] = { 1, false, { { "ip", STRATA_FIELD_HEX, 8, 1 } } },
	[STRATA_PROBE_RETURN] = { 2,
				  false,
				  { { "ip", STRATA_FIELD_HEX, 8, 1 },
				    { "ret", STRATA_FIELD_HEX, 8, 1 } } },
	[STRATA_PROBE_ENTRY] = { 2,
				 true,
				 { { "ip", STRATA_FIELD_HEX, 8, 1 },
				   { "parent_ip", STRATA_FIELD_HEX, 8, 1 } } },
	[STRATA_PROBE_EXIT] = { 3,
				true,
				{ { "ip", STRATA_FIELD_HEX, 8, 1 },
				  { "parent_ip", STRATA_FIELD_HEX, 8, 1 },
				  { "ret", STRATA_FIELD_HEX, 8, 1 } } },
	[STRATA_PROBE_TRACEPOINT] = { 0, false, {} },
};

static const struct strata_field_desc function_field = { "name", STRATA_FIELD_STRING, 1, 1 };

static __always_inline void fill(const struct strata_probe *probe, const void *from,
				 const struct strata_probe_hit *hit, void *payload)
{
	const u32 bytes = kinds[probe->kind].nr_numbers * sizeof(hit->numbers[0]);

	memcpy(payload, hit->numbers, bytes);
	strata_probe_args_write(&probe->args, from, payload, bytes);
	memcpy(payload + probe->args.end, hit->function, hit->function_bytes);
}

/* No payload is too long for a record: set_fields() sees to that. */
static void record_assembled(const struct strata_probe *probe, const void *from,
			     const struct strata_probe_hit *hit, unsigned long channels, u64 ticks)
{
	const u32 bytes = probe->args.end + hit->function_bytes;
	void *payload = strata_assembled_begin(bytes);

	fill(probe, from, hit, payload);
	strata_assembled_record(&probe->event, channels, payload, bytes, ticks);
}

static void record_each(const struct strata_probe *probe, const void *from,
			const struct strata_probe_hit *hit, unsigned long channels, u64 ticks)
{
	const u32 bytes = probe->args.end + hit->function_bytes;
	struct strata_open_record record __uninitialized;
	unsigned long channel;

	strata_for_each_channel (channel, channels) {
		if (!strata_record_begin(&record, channel, probe->event.id, bytes, ticks))
			continue;
		fill(probe, from, hit, record.payload);
		strata_record_end(&record);
	}
}

void strata_probe_record(const struct strata_probe *probe, const void *from,
			 const struct strata_probe_hit *hit)
{
	unsigned long channels = strata_event_channels(&probe->event);
	u64 ticks;

	if (!channels || !strata_probe_enter(channels))
		return;
	ticks = strata_clock();
	if (unlikely(strata_channels_ask(channels)))
		record_assembled(probe, from, hit, channels, ticks);
	else
		record_each(probe, from, hit, channels, ticks);
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

/* Whether an argument is called as a field that each event of the kind has. */
static bool has_field_of_kind(const struct strata_probe *probe,
			      const struct strata_field_desc *args)
{
	const u32 nr = kinds[probe->kind].nr_numbers;
	u32 i, j;

	for (i = 0; i < probe->args.nr; i++) {
		for (j = 0; j < nr; j++)
			if (!strcmp(args[i].name, kinds[probe->kind].numbers[j].name))
				return true;
		if (kinds[probe->kind].has_function && !strcmp(args[i].name, function_field.name))
			return true;
	}
	return false;
}

void strata_probe_refuse(const struct strata_probe_request *request, const char *why)
{
	strscpy(reason, why, sizeof(reason));
	if (*why)
		pr_warn("no %s %s: %s\n", request->group, request->name, why);
}

const char *strata_probe_reason(void)
{
	return reason;
}

void strata_probe_forget_reason(void)
{
	*reason = '\0';
}

static enum strata_probe_args_of args_of(enum strata_probe_kind kind)
{
	switch (kind) {
	case STRATA_PROBE_RETURN:
	case STRATA_PROBE_EXIT:
		return STRATA_ARGS_OF_RETURN;
	case STRATA_PROBE_TRACEPOINT:
		return STRATA_ARGS_OF_TRACEPOINT;
	default:
		return STRATA_ARGS_OF_PLACE;
	}
}

/* Reads the arguments.  0, or a negative error; a refusal of a name is logged with its reason. */
static int read_args(struct strata_probe *probe, const struct strata_probe_request *request)
{
	const u32 nr = kinds[probe->kind].nr_numbers;
	const enum strata_probe_args_of of = args_of(probe->kind);
	char *words = probe->words ? kstrdup(probe->words, GFP_KERNEL) : NULL;
	struct strata_btf_names *names = kmalloc(sizeof(*names), GFP_KERNEL);
	int err = -ENOMEM;

	if (names && (words || !probe->words)) {
		strata_btf_names_init(names, request->function, of);
		err = strata_probe_args_parse(words, of, request->function ? names : NULL,
					      nr * sizeof(u64), &probe->args, &probe->fields[nr]);
		if (err)
			strata_probe_refuse(request, names->why);
		strata_btf_names_close(names);
	}
	kfree(names);
	kfree(words);
	return err;
}

/* Gives it its fields, and reads those that are arguments.  0 or a negative error. */
static int set_fields(struct strata_probe *probe, const struct strata_probe_request *request)
{
	const u32 nr = kinds[probe->kind].nr_numbers;
	u32 bytes;
	int err;

	static_assert(STRATA_PROBE_FIELDS_MAX <= STRATA_EVENT_FIELDS_MAX);
	memcpy(probe->fields, kinds[probe->kind].numbers, nr * sizeof(probe->fields[0]));
	err = read_args(probe, request);
	if (err)
		return err;
	if (has_field_of_kind(probe, &probe->fields[nr])) {
		strata_probe_refuse(
			request,
			"an argument is called as a field of each such event (ip, parent_ip, ret, name); name it: FIELD=...");
		return -EINVAL;
	}
	if (request->of_program)
		strata_probe_args_of_program(&probe->args);
	probe->event.fields = probe->fields;
	probe->event.nr_fields = nr + probe->args.nr;
	bytes = probe->args.end;
	if (kinds[probe->kind].has_function) {
		probe->fields[probe->event.nr_fields++] = function_field;
		bytes += KSYM_NAME_LEN;
	}
	return sizeof(struct strata_guest_context) + bytes > STRATA_PAYLOAD_BYTES_MAX ? -E2BIG : 0;
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
		err = set_fields(probe, request);
	if (err)
		strata_probe_clear(probe);
	return err;
}

void strata_probe_clear(struct strata_probe *probe)
{
	kfree(probe->place);
	kfree(probe->words);
}

bool strata_probes_have_room(u32 nr)
{
	return nr_probes + nr <= STRATA_GUEST_PROBES_MAX &&
	       strata_events_count() + nr <= STRATA_GUEST_EVENTS_MAX;
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
