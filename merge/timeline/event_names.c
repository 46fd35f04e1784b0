// SPDX-License-Identifier: GPL-2.0-or-later
/* event_names.c - see event_names.h. */
#include "timeline/event_names.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_names.h"
#include "timeline/event_place.h"
#include "linux/linux_names.h"
#include "xen/xen_names.h"

/* One kind of streams. */
struct namer {
	struct strata_ctf_arena *arena;
	struct strata_names_rules rules[2];
	const struct strata_number_names *domains;
	const struct strata_ctf_symbols *symbols; /* NULL: the owner of addresses is unknown */
	int16_t domain_slot; /* for the domain in events' contexts; or NO_SLOT */
	int16_t last_slot;   /* of all fields of the kind's events */
};

/* The highest slot in a type, or @least if that is higher. */
static int16_t highest_slot(const struct strata_ctf_type *type, int16_t least)
{
	size_t i;

	if (!type)
		return least;
	if (type->slot > least)
		least = type->slot;
	if (type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE)
		least = highest_slot(type->element, least);
	for (i = 0; i < type->nr_fields; i++)
		least = highest_slot(type->fields[i].type, least);
	return least;
}

static const struct strata_names_rule *find_rule(const struct namer *namer, const char *event,
						 const char *field)
{
	size_t i, j;

	for (i = 0; i < 2; i++) {
		for (j = 0; j < namer->rules[i].nr; j++) {
			const struct strata_names_rule *rule = &namer->rules[i].rules[j];

			if (strcmp(rule->field, field) == 0 && fnmatch(rule->event, event, 0) == 0)
				return rule;
		}
	}
	return NULL;
}

static struct strata_ctf_type *copy_type(struct strata_ctf_arena *arena,
					 const struct strata_ctf_type *type)
{
	struct strata_ctf_type *copy = strata_ctf_arena_get(arena, 1, sizeof(*copy));

	if (copy)
		*copy = *type;
	return copy;
}

/* Whether it is an integer without names in the trace itself. */
static bool is_nameless(const struct strata_ctf_type *type)
{
	return strata_ctf_is_integer(type) && !strata_ctf_has_labels(type) && !type->is_bit_map &&
	       !type->is_bool;
}

/* Returns the index of a structure's field; nr_fields: no field has that name. */
static size_t find_field(const struct strata_ctf_type *structure, const char *name)
{
	size_t i;

	for (i = 0; i < structure->nr_fields; i++) {
		if (strcmp(structure->fields[i].name, name) == 0)
			break;
	}
	return i;
}

/* Changes the slot of the field @at of a copied structure. Returns 0, or -1: out of memory. */
static int set_slot(struct strata_ctf_arena *arena, struct strata_ctf_type *structure, size_t at,
		    int16_t slot)
{
	struct strata_ctf_field *field = (struct strata_ctf_field *)&structure->fields[at];
	struct strata_ctf_type *type = copy_type(arena, field->type);

	if (!type)
		return -1;
	type->slot = slot;
	field->type = type;
	return 0;
}

/* Assigns a slot to a field before field @before. Returns the slot; NO_SLOT: there is no such
 * field, no slot is left, or, with @no_memory, out of memory. */
static int16_t provide_slot(struct namer *namer, struct strata_ctf_type *payload, const char *name,
			    size_t before, bool *no_memory)
{
	const size_t at = find_field(payload, name);
	int16_t slot;

	if (at >= before || !strata_ctf_is_integer(payload->fields[at].type))
		return STRATA_CTF_NO_SLOT;
	if (payload->fields[at].type->slot >= 0)
		return payload->fields[at].type->slot;
	slot = (int16_t)(highest_slot(payload, namer->last_slot) + 1);
	if (slot >= (int16_t)STRATA_CTF_SLOTS_MAX)
		return STRATA_CTF_NO_SLOT;
	*no_memory = set_slot(namer->arena, payload, at, slot) != 0;
	return *no_memory ? STRATA_CTF_NO_SLOT : slot;
}

/* Gives names to a field of a payload that is already a copy. 0, or -1: out of memory. */
static int name_field(struct namer *namer, struct strata_ctf_type *payload, size_t at,
		      const struct strata_names_rule *rule)
{
	struct strata_ctf_field *field = (struct strata_ctf_field *)&payload->fields[at];
	const bool is_array = field->type->kind == STRATA_CTF_ARRAY;
	struct strata_ctf_type *type, *array;
	struct strata_ctf_names *names;
	bool no_memory = false;
	int16_t slot = STRATA_CTF_NO_SLOT;

	if (rule->chosen_by)
		slot = provide_slot(namer, payload, rule->chosen_by, at, &no_memory);
	if (no_memory)
		return -1;
	if (rule->chosen_by && slot < 0)
		return 0;
	names = strata_ctf_arena_get(namer->arena, 1, sizeof(*names));
	type = copy_type(namer->arena, is_array ? field->type->element : field->type);
	array = is_array ? copy_type(namer->arena, field->type) : type;
	if (!names || !type || !array)
		return -1;
	names->table = rule->of == STRATA_NAMES_DOMAIN ? namer->domains : rule->names;
	names->slot = rule->of == STRATA_ADDRESS_OF_DOMAIN ? namer->domain_slot : slot;
	if (rule->of > STRATA_NAMES_DOMAIN)
		names->symbols = namer->symbols;
	type->names = names;
	if (is_array)
		array->first = type;
	field->type = array;
	return 0;
}

/* Whether a rule applies to a field: in some formats the name is written as a separate
 * field. */
static bool can_name(const struct strata_ctf_type *payload, const struct strata_ctf_field *field)
{
	const struct strata_ctf_type *type = field->type;
	char name[256];

	snprintf(name, sizeof(name), "%s_name", field->name);
	if (find_field(payload, name) < payload->nr_fields)
		return false;
	return is_nameless(type) ||
	       (type->kind == STRATA_CTF_ARRAY && type->length > 0 && !type->is_blob &&
		!strata_ctf_is_text(type) && is_nameless(type->element));
}

/* Makes a copy of a structure, so that its fields can be changed.  NULL: out of memory. */
static struct strata_ctf_type *copy_structure(struct strata_ctf_arena *arena,
					      const struct strata_ctf_type *payload)
{
	struct strata_ctf_type *copy = copy_type(arena, payload);
	struct strata_ctf_field *fields =
		strata_ctf_arena_get(arena, payload->nr_fields, sizeof(*fields));

	if (!copy || !fields)
		return NULL;
	memcpy(fields, payload->fields, payload->nr_fields * sizeof(*fields));
	copy->fields = fields;
	return copy;
}

/* Whether the owner of an address is unknown, or one of many. */
static bool is_of_no_use(const struct namer *namer, const struct strata_names_rule *rule,
			 const struct strata_ctf_field *field)
{
	if (rule->of <= STRATA_NAMES_DOMAIN)
		return false;
	return !namer->symbols || field->type->kind == STRATA_CTF_ARRAY ||
	       (rule->of == STRATA_ADDRESS_OF_DOMAIN && namer->domain_slot < 0);
}

static int name_event(struct namer *namer, struct strata_ctf_event_class *event)
{
	const struct strata_ctf_type *payload = event->payload;
	const char *colon = strrchr(event->name, ':');
	const char *name = colon ? colon + 1 : event->name;
	struct strata_ctf_type *copy = NULL;
	size_t i;

	for (i = 0; payload && i < payload->nr_fields; i++) {
		const struct strata_names_rule *rule =
			find_rule(namer, name, payload->fields[i].name);

		if (!rule || !can_name(payload, &payload->fields[i]) ||
		    is_of_no_use(namer, rule, &payload->fields[i]))
			continue;
		if (!copy)
			copy = copy_structure(namer->arena, payload);
		if (!copy || name_field(namer, copy, i, rule))
			return -1;
	}
	if (copy)
		event->payload = copy;
	return 0;
}

/* Notes event classes of a hypervisor that exist on only one of the processors. */
static void note_class(struct strata_exits_evidence *evidence,
		       const struct strata_ctf_event_class *event)
{
	static const char *const of_vmx[] = { "hvm_clts", "hvm_realmode_emulate", "hvm_trap_debug",
					      "hvm_vlapic" };
	const char *colon = strrchr(event->name, ':');
	const char *name = colon ? colon + 1 : event->name;
	size_t i;

	if (strcmp(name, "hvm_smi") == 0 || strncmp(name, "nested_vm_", 10) == 0)
		evidence->svm++;
	if (strcmp(name, "hvm_interrupt") == 0)
		*(event->payload && event->payload->nr_fields ? &evidence->vmx : &evidence->svm) +=
			1;
	for (i = 0; i < sizeof(of_vmx) / sizeof(of_vmx[0]); i++) {
		if (strcmp(name, of_vmx[i]) == 0)
			evidence->vmx++;
	}
}

enum strata_exits strata_event_exits(const struct strata_ctf_trace *trace, size_t kind)
{
	const struct strata_ctf_stream_class *class = &trace->metadata.streams[kind];
	const char *named = strata_ctf_env_text(trace, "vm_exits");
	struct strata_exits_evidence evidence = { 0 };
	unsigned int exits;
	size_t i;

	if (trace->vm_exits != STRATA_EXITS_UNKNOWN)
		return trace->vm_exits;
	for (exits = STRATA_EXITS_VMX; named && exits < STRATA_NR_EXITS; exits++) {
		if (strcmp(named, strata_exits_name((enum strata_exits)exits)) == 0)
			return (enum strata_exits)exits;
	}
	for (i = 0; i < class->nr_events; i++)
		note_class(&evidence, &class->events[i]);
	return strata_exits_judge(&evidence);
}

/* Returns the highest slot used in a kind of streams. */
static int16_t last_slot(const struct strata_ctf_trace *trace,
			 const struct strata_ctf_stream_class *class)
{
	int16_t last = highest_slot(trace->metadata.packet_header, STRATA_CTF_NO_SLOT);
	size_t i;

	last = highest_slot(class->packet_context, last);
	last = highest_slot(class->event_header, last);
	last = highest_slot(class->event_context, last);
	for (i = 0; i < class->nr_events; i++) {
		last = highest_slot(class->events[i].context, last);
		last = highest_slot(class->events[i].payload, last);
	}
	return last;
}

static int name_kind(struct strata_ctf_trace *trace, size_t kind)
{
	const struct strata_ctf_stream_class *class = &trace->metadata.streams[kind];
	struct namer namer = { .arena = trace->names_arena, .domains = &trace->domains };
	struct strata_place place;
	size_t i;

	if (strata_place_find(&place, trace, kind, trace->names_arena))
		return -1;
	if (strcmp(place.layer, "xen") == 0) {
		namer.rules[0] = strata_exit_rules(strata_event_exits(trace, kind));
		namer.rules[1] = strata_xen_names;
	} else if (strcmp(place.layer, "kernel") == 0) {
		namer.rules[0] = strata_linux_names;
	} else {
		return 0;
	}
	/* A merged timeline does not say its layer: it has events of several sources. */
	if (strata_ctf_env_text(trace, "layer") || strata_ctf_env_text(trace, "domain"))
		namer.symbols = &trace->symbols;
	namer.last_slot = last_slot(trace, class);
	namer.domain_slot = STRATA_CTF_NO_SLOT;
	if (namer.last_slot + 1 < (int)STRATA_CTF_SLOTS_MAX)
		namer.domain_slot = ++namer.last_slot;
	for (i = 0; i < class->nr_events; i++) {
		/* The metadata belongs to the trace, and no thread reads it yet. */
		if (name_event(&namer, (struct strata_ctf_event_class *)&class->events[i]))
			return -1;
	}
	return 0;
}

int strata_event_names_set(struct strata_ctf_trace *trace, struct strata_error *error)
{
	size_t i;

	if (trace->names_arena)
		return 0;
	trace->names_arena = strata_ctf_arena_new(SIZE_MAX);
	for (i = 0; trace->names_arena && i < trace->metadata.nr_streams; i++) {
		if (name_kind(trace, i))
			return strata_fail(error, "%s: out of memory", trace->path);
	}
	return trace->names_arena ? 0 : strata_fail(error, "%s: out of memory", trace->path);
}

/* Returns the slot of the domain to which addresses in a kind's events belong; NO_SLOT: none. */
static int16_t slot_of_domain(const struct strata_ctf_stream_class *class)
{
	size_t i, j;

	for (i = 0; i < class->nr_events; i++) {
		const struct strata_ctf_type *payload = class->events[i].payload;

		for (j = 0; payload && j < payload->nr_fields; j++) {
			const struct strata_ctf_names *names = payload->fields[j].type->names;

			if (names && names->symbols && names->slot >= 0)
				return names->slot;
		}
	}
	return STRATA_CTF_NO_SLOT;
}

static int read_domains(struct strata_ctf_trace *trace, struct strata_ctf_stream_class *class)
{
	const struct strata_ctf_type *old = class->event_context;
	const size_t at = old ? find_field(old, "domain") : 0;
	const int16_t slot = slot_of_domain(class);
	struct strata_ctf_type *context;

	if (slot < 0 || !old || at == old->nr_fields || old->fields[at].type->slot >= 0 ||
	    !strata_ctf_is_integer(old->fields[at].type))
		return 0;
	context = copy_structure(trace->names_arena, old);
	if (!context || set_slot(trace->names_arena, context, at, slot))
		return -1;
	class->event_context = context;
	return 0;
}

int strata_event_names_add_symbols(struct strata_ctf_trace *trace, uint64_t domain,
				   const struct strata_symbols *symbols, struct strata_error *error)
{
	struct strata_ctf_symbols *all = &trace->symbols;
	struct strata_ctf_symbols_of *more =
		reallocarray(all->of_domains, all->nr_domains + 1, sizeof(*more));
	size_t i;

	if (more)
		all->of_domains = more;
	/* No thread reads the trace yet. */
	for (i = 0; more && i < trace->metadata.nr_streams; i++) {
		if (read_domains(trace,
				 (struct strata_ctf_stream_class *)&trace->metadata.streams[i]))
			more = NULL;
	}
	if (!more)
		return strata_fail(error, "out of memory for symbols");
	more[all->nr_domains++] = (struct strata_ctf_symbols_of){ domain, symbols };
	return 0;
}
