// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_bind_operand.c - see filter_binder.h: finds where a class of events has an operand's
 * value. */
#include <string.h>

#include "filter/filter_binder.h"

static void set_text(struct bound_operand *bound, const char *text)
{
	if (text && *text)
		bound->value = strata_value_text(text, strlen(text));
}

static bool find(struct strata_binder *binder, struct bound_operand *bound,
		 enum bound_operand_kind kind, const struct strata_ctf_type *const *before,
		 size_t nr_before, uint32_t align, const struct strata_ctf_type *structure,
		 const struct strata_ctf_path_part *parts, size_t nr_parts)
{
	const int found = strata_ctf_access_make(&bound->access, binder->arena, before, nr_before,
						 align, structure, parts, nr_parts);

	if (found < 0)
		binder->no_memory = true;
	if (found <= 0)
		return false;
	bound->kind = kind;
	binder->reads_packet |= kind == BOUND_PACKET;
	return true;
}

/* Compares the wanted name with those of existing fields, to suggest the nearest. */
static void compare_fields(struct strata_nearest *nearest, const char *wanted,
			   const struct strata_ctf_type *structure)
{
	size_t i;

	for (i = 0; wanted && structure && structure->kind == STRATA_CTF_STRUCT &&
		    i < structure->nr_fields;
	     i++)
		strata_nearest_name(nearest, wanted, strlen(wanted), false,
				    structure->fields[i].name, strlen(structure->fields[i].name));
}

static bool find_field(struct strata_binder *binder, struct bound_operand *bound,
		       const struct strata_ctf_path_part *parts, size_t nr_parts)
{
	const struct strata_ctf_type *const before[] = { binder->kind->class->event_context,
							 binder->class->context };

	return find(binder, bound, BOUND_FIELD, before, 2, 1, binder->class->payload, parts,
		    nr_parts);
}

/* In the event's own context, then its stream's, then its packet's. */
static bool find_context(struct strata_binder *binder, struct bound_operand *bound,
			 const struct strata_ctf_path_part *parts, size_t nr_parts)
{
	const struct strata_ctf_stream_class *stream = binder->kind->class;
	const struct strata_ctf_type *packet = stream->packet_context;

	return find(binder, bound, BOUND_FIELD, &stream->event_context, 1, 1,
		    binder->class->context, parts, nr_parts) ||
	       find(binder, bound, BOUND_FIELD, NULL, 0, 1, stream->event_context, parts,
		    nr_parts) ||
	       find(binder, bound, BOUND_PACKET, NULL, 0, packet ? packet->align : 1, packet, parts,
		    nr_parts);
}

static bool find_one_of(struct strata_binder *binder, struct bound_operand *bound,
			const struct strata_ctf_path_part *names, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (find_context(binder, bound, &names[i], 1))
			return true;
	}
	return false;
}

/* The running task, if the stream's events show it. */
static void bind_task(struct strata_binder *binder, struct bound_operand *bound,
		      enum bound_operand_kind kind)
{
	if (!binder->tasks)
		return;
	bound->kind = kind;
	binder->asks_for_task = true;
}

/* The kernel's information on the process takes precedence over the process's own, and what is
 * specific to the event over what holds for all of its trace. Its thread is used only if nothing
 * else is known. */
static void find_process_number(struct strata_binder *binder, struct bound_operand *bound)
{
	static const struct strata_ctf_path_part known[] = { { .name = "pid" } };
	static const struct strata_ctf_path_part own[] = { { .name = "vpid" } };
	static const struct strata_ctf_path_part threads[] = { { .name = "tid" },
							       { .name = "vtid" } };
	int64_t pid;

	if (find_one_of(binder, bound, known, 1))
		return;
	if (strata_ctf_env_number(binder->trace, "pid", &pid) && pid >= 0)
		bound->value = strata_value_unsigned((uint64_t)pid);
	else if (find_one_of(binder, bound, own, 1))
		return;
	else if (strata_ctf_env_number(binder->trace, "vpid", &pid) && pid >= 0)
		bound->value = strata_value_unsigned((uint64_t)pid);
	else if (!find_one_of(binder, bound, threads, 2))
		bind_task(binder, bound, BOUND_TASK_NUMBER);
}

/* A trace of a Strata application has its program's name. */
static void find_process_name(struct strata_binder *binder, struct bound_operand *bound)
{
	static const struct strata_ctf_path_part names[] = { { .name = "procname" } };
	const char *name = strata_ctf_env_text(binder->trace, "procname");
	int64_t domain;

	if (find_one_of(binder, bound, names, 1))
		return;
	if (!name && strcmp(binder->place->layer, "app") == 0 &&
	    strata_ctf_env_number(binder->trace, "domain_id", &domain))
		name = strata_ctf_env_text(binder->trace, "domain");
	if (name)
		set_text(bound, name);
	else
		bind_task(binder, bound, BOUND_TASK_NAME);
}

static void bind_place(struct bound_operand *bound, const struct strata_place_number *number,
		       const struct strata_number_names *names)
{
	if (number->in == STRATA_PLACE_FIXED) {
		bound->value = strata_value_unsigned(number->fixed);
		bound->value.names = names;
	} else if (number->in != STRATA_PLACE_NOWHERE) {
		bound->kind = BOUND_PLACE;
		bound->number = number;
		bound->names = names;
	}
}

/* The domain of the event, then the domains whose numbers are in its fields. */
static void bind_about(struct strata_binder *binder, struct bound_operand *bound)
{
	const struct strata_ctf_type *payload = binder->class->payload;
	const struct strata_number_names *domains = &binder->trace->domains;
	const struct strata_ctf_field *field;
	struct strata_ctf_path_part *part;

	if (binder->about == 0) {
		bind_place(bound, &binder->place->domain, domains);
		return;
	}
	field = &payload->fields[binder->about - 1];
	if (!field->type->names || field->type->names->table != domains)
		return;
	/* The access path keeps a pointer to it. */
	part = strata_ctf_arena_get(binder->arena, 1, sizeof(*part));
	binder->no_memory |= !part;
	if (part) {
		part->name = field->name;
		find_field(binder, bound, part, 1);
	}
}

static void bind_attribute(struct strata_binder *binder, const struct strata_operand *operand,
			   const struct strata_operand *other, struct bound_operand *bound)
{
	switch (operand->attribute) {
	case STRATA_ATTRIBUTE_EVENT:
		set_text(bound, binder->class->name);
		break;
	case STRATA_ATTRIBUTE_SOURCE:
		set_text(bound, binder->name);
		break;
	case STRATA_ATTRIBUTE_LAYER:
		set_text(bound, binder->place->layer);
		break;
	case STRATA_ATTRIBUTE_DOMAIN:
		bind_place(bound, &binder->place->domain, &binder->trace->domains);
		break;
	case STRATA_ATTRIBUTE_ABOUT:
		bind_about(binder, bound);
		break;
	case STRATA_ATTRIBUTE_VCPU:
		bind_place(bound, &binder->place->vcpu, NULL);
		binder->asks_for_vcpu |= binder->place->vcpu.in == STRATA_PLACE_FIELD;
		break;
	case STRATA_ATTRIBUTE_CPU:
		bound->kind = BOUND_CPU;
		break;
	case STRATA_ATTRIBUTE_PCPU:
		bind_place(bound, &binder->place->pcpu, NULL);
		break;
	case STRATA_ATTRIBUTE_PROCESS:
		if (other->value.kind == STRATA_VALUE_PATTERN)
			find_process_name(binder, bound);
		else
			find_process_number(binder, bound);
		break;
	case STRATA_ATTRIBUTE_TIME:
		if (binder->kind->has_time)
			bound->kind = BOUND_TIME;
		break;
	case STRATA_NR_ATTRIBUTES:
		break;
	}
}

void strata_bind_operand(struct strata_binder *binder, struct strata_operand *operand,
			 const struct strata_operand *other, struct bound_operand *bound)
{
	memset(bound, 0, sizeof(*bound));
	switch (operand->kind) {
	case STRATA_OPERAND_VALUE:
		bound->value = operand->value;
		break;
	case STRATA_OPERAND_FIELD:
		if (!find_field(binder, bound, operand->parts, operand->nr_parts))
			compare_fields(&operand->nearest, operand->parts[0].name,
				       binder->class->payload);
		break;
	case STRATA_OPERAND_CONTEXT:
		if (find_context(binder, bound, operand->parts, operand->nr_parts))
			break;
		compare_fields(&operand->nearest, operand->parts[0].name, binder->class->context);
		compare_fields(&operand->nearest, operand->parts[0].name,
			       binder->kind->class->event_context);
		compare_fields(&operand->nearest, operand->parts[0].name,
			       binder->kind->class->packet_context);
		break;
	case STRATA_OPERAND_ATTRIBUTE:
		bind_attribute(binder, operand, other, bound);
		break;
	}
	operand->was_found |= bound->kind != BOUND_CONSTANT ||
			      bound->value.kind != STRATA_VALUE_NONE;
}
