// SPDX-License-Identifier: GPL-2.0-or-later
/* event_place.c - see event_place.h. */
#include "timeline/event_place.h"

#include <string.h>

/* Returns the layer of that name, as a static string; "": none. */
static const char *layer_of(const char *name)
{
	static const char *const names[] = { "xen", "kernel", "app" };
	size_t i;

	for (i = 0; name && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return names[i];
	}
	/* LTTng's term for applications. */
	return name && strcmp(name, "ust") == 0 ? "app" : "";
}

static int find_field(struct strata_place *place, struct strata_place_number *number,
		      const struct strata_ctf_type *context, const char *name,
		      struct strata_ctf_arena *arena)
{
	/* The access path keeps a pointer to it. */
	struct strata_ctf_path_part *part = strata_ctf_arena_get(arena, 1, sizeof(*part));
	int found;

	if (!part)
		return -1;
	part->name = name;
	found = strata_ctf_access_make(&number->access, arena, NULL, 0, 1, context, part, 1);
	if (found <= 0)
		return found;
	if (number->access.type->kind == STRATA_CTF_INTEGER ||
	    number->access.type->kind == STRATA_CTF_ENUM) {
		number->in = STRATA_PLACE_FIELD;
		place->has_fields = place->knows_any = true;
		number->plain = strata_ctf_plain_of(&number->access);
	}
	return 0;
}

static int find_fields(struct strata_place *place, const struct strata_ctf_type *context,
		       struct strata_ctf_arena *arena)
{
	if (!context)
		return 0;
	return find_field(place, &place->domain, context, "domain", arena) ||
			       find_field(place, &place->vcpu, context, "vcpu", arena)
		       ? -1
		       : 0;
}

int strata_place_find(struct strata_place *place, const struct strata_ctf_trace *trace, size_t kind,
		      struct strata_ctf_arena *arena)
{
	const struct strata_ctf_stream_class *class = &trace->metadata.streams[kind];
	int64_t domain;

	memset(place, 0, sizeof(*place));
	/* Strata's sources have a domain with a number; its name may be anything. */
	if (!strata_ctf_env_number(trace, "domain_id", &domain) ||
	    !strata_ctf_env_text(trace, "layer")) {
		place->layer = layer_of(strata_ctf_env_text(trace, "domain"));
		return 0;
	}
	place->layer = layer_of(strata_ctf_env_text(trace, "layer"));
	if (strcmp(place->layer, "xen") == 0) {
		place->pcpu.in = STRATA_PLACE_CPU;
		place->knows_any = true;
		return find_fields(place, class->event_context, arena);
	}
	place->vcpu.in = STRATA_PLACE_CPU;
	place->knows_any = true;
	if (domain >= 0 && domain <= UINT16_MAX) {
		place->domain.in = STRATA_PLACE_FIXED;
		place->domain.fixed = (uint32_t)domain;
	}
	return 0;
}

uint32_t strata_place_read_any(const struct strata_place_number *number,
			       const struct strata_ctf_cursor *cursor)
{
	struct strata_ctf_cursor moved = *cursor;
	const struct strata_ctf_type *type = strata_ctf_access_go(&number->access, &moved);
	uint64_t value;

	if (!type || !strata_ctf_read_number(&moved, type, &value))
		return STRATA_PLACE_UNKNOWN;
	return strata_place_known(value);
}
