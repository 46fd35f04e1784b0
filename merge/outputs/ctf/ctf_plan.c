// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_plan.c - see ctf_plan.h; ctf_plan_metadata.c writes the plan as metadata. */
#include "outputs/ctf/ctf_plan.h"

#include <stdio.h>

#include "ctf/types/ctf_arena.h"
#include "ctf/types/ctf_event_types.h"
#include "outputs/ctf/ctf_flat.h"
#include "outputs/ctf/ctf_plan_header.h"

/* Bodies of events -------------------------------------------------------------------------- */

/* Returns the largest alignment in a type, including options and elements. */
static uint32_t largest_align(const struct strata_ctf_type *type)
{
	uint32_t largest = type->align, inner;
	size_t i;

	if (type->kind == STRATA_CTF_STRING && largest < 8)
		largest = 8;
	if (type->element) {
		inner = largest_align(type->element);
		largest = inner > largest ? inner : largest;
	}
	for (i = 0; i < type->nr_fields; i++) {
		inner = largest_align(type->fields[i].type);
		largest = inner > largest ? inner : largest;
	}
	return largest;
}

struct body {
	uint32_t first;   /* alignment of its first field, in bits */
	uint32_t largest; /* largest alignment of its fields, in bits */
	bool is_empty;
};

static struct body body_of(const struct strata_ctf_stream_class *stream,
			   const struct strata_ctf_event_class *event)
{
	const struct strata_ctf_type *const types[] = { stream->event_context, event->context,
							event->payload };
	struct body body = { 1, 1, true };
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		uint32_t align;

		if (!types[i])
			continue;
		align = largest_align(types[i]);
		if (align > body.largest)
			body.largest = align;
		/* Empty structures before the first field also advance its position. */
		if (body.is_empty && types[i]->align > body.first)
			body.first = types[i]->align;
		body.is_empty &= types[i]->nr_fields == 0;
	}
	return body;
}

static int plan_events(struct strata_ctf_plan_kind *plan, struct strata_ctf_arena *arena,
		       struct strata_error *error)
{
	const struct strata_ctf_stream_class *stream = plan->kind->class;
	bool fits = true;
	uint32_t modulus = 8;
	size_t i;

	plan->aligns = strata_ctf_arena_get(arena, stream->nr_events, sizeof(*plan->aligns));
	if (!plan->aligns)
		return strata_fail(error, "out of memory for %zu events", stream->nr_events);
	for (i = 0; i < stream->nr_events; i++)
		plan->aligns[i] = 8;
	for (i = 0; i < stream->nr_events && !plan->is_flat; i++) {
		const struct strata_ctf_event_class *event = &stream->events[i];
		const struct body body = body_of(stream, event);

		plan->aligns[i] = body.first;
		if (body.largest > modulus)
			modulus = body.largest;
		/* Bytes are copied, so the position within a byte must stay the same. */
		if (!body.is_empty && (body.first < body.largest || body.first < 8))
			fits = false;
	}
	plan->modulus = fits ? 0 : modulus;
	if (plan->modulus > STRATA_CTF_PLAN_FILLER_MAX)
		return strata_fail(error,
				   "events have fields aligned to %u bits, in structures with a "
				   "smaller alignment; at most %u is supported",
				   modulus, STRATA_CTF_PLAN_FILLER_MAX);
	return 0;
}

/* Headers of events -------------------------------------------------------------------------- */

/* Marks the slots that lengths and tags in a type refer to. */
static void find_references(const struct strata_ctf_type *type, bool *slots)
{
	size_t i;

	if (!type)
		return;
	if ((type->kind == STRATA_CTF_SEQUENCE || type->kind == STRATA_CTF_VARIANT) &&
	    type->slot >= 0)
		slots[type->slot] = true;
	find_references(type->element, slots);
	for (i = 0; i < type->nr_fields; i++)
		find_references(type->fields[i].type, slots);
}

static struct strata_ctf_type whole_bytes(const struct strata_ctf_type *was, bool big_endian);

/* Plans the integers of a header whose slots are needed, each once. */
static void need(struct strata_ctf_plan_kind *plan, const struct strata_ctf_type *type, bool *slots,
		 bool big_endian)
{
	size_t i;

	if (type->kind <= STRATA_CTF_ENUM && type->slot >= 0 && slots[type->slot]) {
		struct strata_ctf_plan_needed *more = &plan->needed[plan->nr_needed];

		more->is = whole_bytes(type, big_endian);
		snprintf(more->name, sizeof(more->name), "kept%zu", plan->nr_needed++);
		plan->needed_bytes += more->is.bits / 8;
		slots[type->slot] = false;
	}
	for (i = 0; i < type->nr_fields; i++)
		need(plan, type->fields[i].type, slots, big_endian);
}

static int plan_header(struct strata_ctf_plan_kind *plan, struct strata_ctf_arena *arena,
		       bool big_endian, struct strata_error *error)
{
	const struct strata_ctf_stream_class *stream = plan->kind->class;
	bool slots[STRATA_CTF_SLOTS_MAX] = { false };
	size_t i, nr = 0;

	find_references(stream->event_context, slots);
	for (i = 0; i < stream->nr_events; i++) {
		find_references(stream->events[i].context, slots);
		find_references(stream->events[i].payload, slots);
	}
	for (i = 0; i < STRATA_CTF_SLOTS_MAX; i++)
		nr += slots[i];
	plan->needed = strata_ctf_arena_get(arena, nr, sizeof(*plan->needed));
	if (plan->needed && stream->event_header && !plan->is_flat)
		need(plan, stream->event_header, slots, big_endian);
	if (!plan->needed || strata_ctf_plan_make_header(plan, arena))
		return strata_fail(error, "out of memory for its events' headers");
	return 0;
}

/* Contexts of packets ----------------------------------------------------------------------- */

/* Whether a field repeats what every packet's context has, or is a time of the old clock. */
static bool is_own(const struct strata_ctf_field *field)
{
	return strata_ctf_is_packet_number(field->name) ||
	       (strata_ctf_is_integer(field->type) &&
		(field->type->roles || field->type->clock != STRATA_CTF_NO_CLOCK));
}

static struct strata_ctf_type whole_bytes(const struct strata_ctf_type *was, bool big_endian)
{
	struct strata_ctf_type is = *was;

	is.align = 8;
	is.big_endian = big_endian;
	is.clock = STRATA_CTF_NO_CLOCK;
	is.is_reversed = false;
	if (is.kind == STRATA_CTF_VARINT)
		is.kind = is.nr_labels ? STRATA_CTF_ENUM : STRATA_CTF_INTEGER;
	while (is.bits != 8 && is.bits != 16 && is.bits != 32 && is.bits != 64)
		is.bits++;
	return is;
}

static bool is_number(const struct strata_ctf_type *type)
{
	return type->kind <= STRATA_CTF_FLOAT;
}

/* Makes the type of a kept field in @is, followed by that of its elements. False: the field is left
 * out. */
static bool keep(const struct strata_ctf_type *was, struct strata_ctf_type is[2], bool big_endian)
{
	if (is_number(was) || was->kind == STRATA_CTF_VARINT) {
		is[0] = whole_bytes(was, big_endian);
	} else if (was->kind == STRATA_CTF_STRING && was->encoding == STRATA_CTF_UTF8) {
		is[0] = *was;
	} else if (was->kind == STRATA_CTF_ARRAY && is_number(was->element)) {
		is[1] = whole_bytes(was->element, big_endian);
		is[0] = *was;
		is[0].element = &is[1];
		is[0].align = 8;
	} else {
		return false;
	}
	return true;
}

static void say_left_out(const struct strata_ctf_trace *trace, const char *name)
{
	char message[2048];

	if (!trace->complain)
		return;
	snprintf(message, sizeof(message),
		 "%s: the field %.200s of its packets' context is left out: "
		 "only numbers, strings and arrays of numbers with simple names "
		 "are converted",
		 trace->path, name);
	trace->complain(trace->complain_data, message);
}

static int plan_context(struct strata_ctf_plan_kind *plan, struct strata_ctf_arena *arena,
			const struct strata_ctf_trace *trace, struct strata_error *error)
{
	const struct strata_ctf_type *was = plan->kind->class->packet_context;
	const size_t nr_was = was ? was->nr_fields : 0;
	const size_t room = STRATA_CTF_PACKET_NUMBERS + 2 * nr_was;
	const bool big_endian = trace->metadata.big_endian;
	size_t i, nr;

	plan->context = strata_ctf_arena_get(arena, 1, sizeof(*plan->context));
	plan->fields = strata_ctf_arena_get(arena, room, sizeof(*plan->fields));
	plan->types = strata_ctf_arena_get(arena, room, sizeof(*plan->types));
	plan->kept = strata_ctf_arena_get(arena, nr_was, sizeof(*plan->kept));
	if (!plan->context || !plan->fields || !plan->types || !plan->kept)
		return strata_fail(error, "out of memory for its contexts");
	plan->form = (struct strata_ctf_packet_form){ .stream_id = plan->kind->class->id,
						      .has_time = plan->kind->has_time,
						      .big_endian = big_endian };
	nr = strata_ctf_packet_numbers(&plan->form, plan->fields, plan->types);
	for (i = 0; i < nr_was; i++) {
		struct strata_ctf_type *type = &plan->types[STRATA_CTF_PACKET_NUMBERS + 2 * i];

		plan->kept[i].was = was->fields[i].type;
		if (is_own(&was->fields[i]))
			continue;
		if (!strata_ctf_flat_is_name(was->fields[i].name) ||
		    !keep(was->fields[i].type, type, big_endian)) {
			say_left_out(trace, was->fields[i].name);
			continue;
		}
		plan->kept[i].is = type;
		if (strata_ctf_packet_is_lost(&was->fields[i]))
			plan->lost = &plan->kept[i];
		plan->keeps_any = true;
		plan->fields[nr].name = was->fields[i].name;
		plan->fields[nr++].type = type;
	}
	*plan->context = strata_ctf_struct(plan->fields, nr, 8);
	return 0;
}

int strata_ctf_plan_init(struct strata_ctf_plan *plan, const struct strata_ctf_trace *trace,
			 struct strata_error *error)
{
	const struct strata_ctf_metadata *metadata = &trace->metadata;
	size_t i;

	plan->trace = trace;
	plan->arena = strata_ctf_arena_new(SIZE_MAX);
	if (plan->arena)
		plan->kinds = strata_ctf_arena_get(plan->arena, metadata->nr_streams,
						   sizeof(*plan->kinds));
	if (!plan->kinds)
		return strata_fail(error, "%s: out of memory", trace->path);
	for (i = 0; i < metadata->nr_streams; i++) {
		plan->kinds[i].kind = &trace->kinds[i];
		plan->kinds[i].big_endian = metadata->big_endian;
		plan->kinds[i].is_flat = metadata->major > 1;
		if (metadata->streams[i].id > UINT32_MAX)
			return strata_fail(error, "%s: its stream id %llu is of more than 32 bits",
					   trace->path,
					   (unsigned long long)metadata->streams[i].id);
		if (plan_events(&plan->kinds[i], plan->arena, error) ||
		    plan_header(&plan->kinds[i], plan->arena, metadata->big_endian, error) ||
		    plan_context(&plan->kinds[i], plan->arena, trace, error))
			return strata_fail_in(error, "%s", trace->path);
	}
	return 0;
}

void strata_ctf_plan_clear(struct strata_ctf_plan *plan)
{
	strata_ctf_arena_free(plan->arena);
	plan->arena = NULL;
	plan->kinds = NULL;
}
