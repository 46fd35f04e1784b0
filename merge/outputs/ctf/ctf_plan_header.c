// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_plan_header.c - see ctf_plan_header.h. */
#include "outputs/ctf/ctf_plan_header.h"

#include <stdio.h>

#include "ctf/types/ctf_event_types.h"

#define FIELDS_MORE                                                                   \
	5u /* besides those that are needed: bound, CPU, tick, id, and time or filler \
	    */
#define NAME_BYTES 16u

struct maker {
	const struct strata_ctf_plan_kind *plan;
	struct strata_ctf_arena *arena;
	bool no_memory;
};

static void *get(struct maker *maker, size_t nr, size_t bytes)
{
	void *got = strata_ctf_arena_get(maker->arena, nr, bytes);

	maker->no_memory |= !got;
	return got;
}

static struct strata_ctf_type *make_integer(struct maker *maker, unsigned int bits,
					    unsigned int align)
{
	struct strata_ctf_type *type = get(maker, 1, sizeof(*type));

	if (type) {
		*type = strata_ctf_integer(bits, align);
		type->big_endian = maker->plan->big_endian;
	}
	return type;
}

/* An empty structure with room for @nr fields. */
static struct strata_ctf_type *make_struct(struct maker *maker, size_t nr, unsigned int align)
{
	struct strata_ctf_type *type = get(maker, 1, sizeof(*type));
	struct strata_ctf_field *fields = get(maker, nr, sizeof(*fields));

	if (type)
		*type = strata_ctf_struct(fields, 0, align);
	return fields ? type : NULL;
}

static void add(struct strata_ctf_type *structure, const char *name,
		const struct strata_ctf_type *type)
{
	struct strata_ctf_field *fields = (struct strata_ctf_field *)structure->fields;

	fields[structure->nr_fields++] = (struct strata_ctf_field){ name, type };
}

/* A structure with a single number, under the only name that babeltrace2 accepts silently. */
static struct strata_ctf_type *make_alone(struct maker *maker, unsigned int bits,
					  unsigned int align)
{
	struct strata_ctf_type *structure = make_struct(maker, 1, align);

	if (structure)
		add(structure, "id", make_integer(maker, bits, align));
	return structure;
}

static void add_id_and_time(struct maker *maker, struct strata_ctf_type *structure,
			    unsigned int align)
{
	struct strata_ctf_type *time = make_integer(maker, 64, align);

	add(structure, "id", make_integer(maker, 32, align));
	if (!time || !maker->plan->kind->has_time)
		return;
	time->clock = 0;
	add(structure, "timestamp", time);
}

/* Returns a slot that nothing else in the header uses. */
static int16_t free_slot(const struct strata_ctf_plan_kind *plan)
{
	int16_t slot = STRATA_CTF_SLOTS_MAX - 1;
	size_t i;

	for (i = 0; i < plan->nr_needed; i++) {
		if (plan->needed[i].is.slot != slot)
			continue;
		slot--;
		i = (size_t)-1;
	}
	return slot;
}

/* Adds a tag with the number of filler bits, and the variant that it selects. */
static void add_filled(struct maker *maker, struct strata_ctf_type *header)
{
	const uint32_t nr = maker->plan->modulus;
	struct strata_ctf_type *tag = make_integer(maker, 8, 8);
	struct strata_ctf_type *variant = make_struct(maker, nr, 1);
	struct strata_ctf_label *labels = get(maker, nr, sizeof(*labels));
	struct strata_ctf_choice *choices = get(maker, nr, sizeof(*choices));
	char(*names)[NAME_BYTES] = get(maker, nr, sizeof(*names));
	uint32_t i;

	if (maker->no_memory)
		return;
	for (i = 0; i < nr; i++) {
		struct strata_ctf_type *option = make_struct(maker, 3, 1);
		struct strata_ctf_type *filler = make_alone(maker, i + 1, 1);

		if (!option || !filler)
			return;
		snprintf(names[i], NAME_BYTES, "bits%u", i + 1);
		labels[i] = (struct strata_ctf_label){ names[i], i + 1, i + 1 };
		choices[i] = (struct strata_ctf_choice){ i + 1, i + 1, i };
		add(option, "filler", filler);
		add_id_and_time(maker, option, 1);
		add(variant, names[i], option);
	}
	tag->kind = STRATA_CTF_ENUM;
	tag->labels = labels;
	tag->nr_labels = nr;
	tag->slot = variant->slot = free_slot(maker->plan);
	variant->kind = STRATA_CTF_VARIANT;
	variant->choices = choices;
	variant->nr_choices = nr;
	add(header, "id", tag);
	add(header, "v", variant);
}

int strata_ctf_plan_make_header(struct strata_ctf_plan_kind *plan, struct strata_ctf_arena *arena)
{
	struct maker maker = { .plan = plan, .arena = arena };
	struct strata_ctf_type *header = make_struct(&maker, plan->nr_needed + FIELDS_MORE, 8);
	size_t i;

	if (!header)
		return -1;
	for (i = 0; i < plan->nr_needed; i++)
		add(header, plan->needed[i].name, &plan->needed[i].is);
	if (plan->kind->has_time) {
		add(header, STRATA_CTF_BOUND_NAME, make_alone(&maker, STRATA_CTF_BOUND_BITS, 8));
		add(header, "strata_pcpu", make_alone(&maker, 16, 8));
		add(header, "strata_tick", make_alone(&maker, 8, 8));
	}
	if (plan->modulus)
		add_filled(&maker, header);
	else
		add_id_and_time(&maker, header, 8);
	plan->header = header;
	return maker.no_memory ? -1 : 0;
}
