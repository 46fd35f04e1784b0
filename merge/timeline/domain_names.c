// SPDX-License-Identifier: GPL-2.0-or-later
/* domain_names.c - see domain_names.h. */
#include "timeline/domain_names.h"

#include <string.h>

#include "ctf/types/ctf_arena.h"
#include "timeline/event_place.h"
#include "xen/domain_numbers.h"

/* The table of one trace while it grows. */
struct table {
	struct strata_ctf_arena *arena;
	struct strata_name_range *ranges;
	size_t nr, room;
};

static bool is_same_host(const struct strata_ctf_trace *one, const struct strata_ctf_trace *other)
{
	const char *timeline = strata_ctf_env_text(one, STRATA_CTF_TIMELINE);
	const char *others = strata_ctf_env_text(other, STRATA_CTF_TIMELINE);

	return one->clock_group == other->clock_group ||
	       (one->recording && one->recording == other->recording) ||
	       (timeline && others && strcmp(timeline, others) == 0);
}

static bool is_of_layer(const struct strata_ctf_trace *trace, const char *layer)
{
	const char *has = strata_ctf_env_text(trace, "layer");

	return has && strcmp(has, layer) == 0;
}

/* Whether a trace of the same host is of its hypervisor. */
static bool is_under_xen(const struct strata_trace_set *set, const struct strata_ctf_trace *trace)
{
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		if (is_of_layer(set->traces[i], "xen") && is_same_host(set->traces[i], trace))
			return true;
	}
	return false;
}

static int add(struct table *table, uint64_t domain, const char *name)
{
	const char **names = strata_ctf_arena_get(table->arena, 1, sizeof(*names));

	if (!names || table->nr == table->room)
		return -1;
	*names = name;
	table->ranges[table->nr++] =
		(struct strata_name_range){ .first = domain, .names = names, .nr = 1 };
	return 0;
}

/* Makes room for so many names.  0 or -1. */
static int begin(struct table *table, struct strata_ctf_trace *trace, size_t room)
{
	strata_ctf_arena_free(trace->domains_arena);
	memset(&trace->domains, 0, sizeof(trace->domains));
	trace->domains_arena = strata_ctf_arena_new(SIZE_MAX);
	table->arena = trace->domains_arena;
	table->room = room;
	table->nr = 0;
	if (table->arena)
		table->ranges = strata_ctf_arena_get(table->arena, room, sizeof(*table->ranges));
	return table->arena && table->ranges ? 0 : -1;
}

/* In a merged timeline the names are labels of the domain that each event's context has. */
static const struct strata_ctf_type *find_labels(struct strata_ctf_trace *trace)
{
	struct strata_place place;
	size_t i;

	for (i = 0; i < trace->metadata.nr_streams; i++) {
		if (strata_place_find(&place, trace, i, trace->domains_arena))
			return NULL;
		if (place.domain.in == STRATA_PLACE_FIELD &&
		    place.domain.access.type->kind == STRATA_CTF_ENUM)
			return place.domain.access.type;
	}
	return NULL;
}

static int add_labels(struct table *table, const struct strata_ctf_type *type)
{
	size_t i;

	for (i = 0; i < type->nr_labels; i++) {
		if (add(table, type->labels[i].low, type->labels[i].name))
			return -1;
	}
	return 0;
}

/* The domains that kernels on the same host say they are, and those that each host has. */
static int add_host(struct table *table, const struct strata_trace_set *set,
		    const struct strata_ctf_trace *trace)
{
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		const char *name = strata_ctf_env_text(set->traces[i], "domain");
		int64_t id;

		if (name && is_of_layer(set->traces[i], "kernel") &&
		    strata_ctf_env_number(set->traces[i], "domain_id", &id) &&
		    is_same_host(set->traces[i], trace) && add(table, (uint64_t)id, name))
			return -1;
	}
	return add(table, 0, is_under_xen(set, trace) ? "dom0" : "host") ||
			       add(table, STRATA_DOMID_XEN, "xen") ||
			       add(table, STRATA_DOMID_IDLE, "idle")
		       ? -1
		       : 0;
}

static int set_trace(const struct strata_trace_set *set, struct strata_ctf_trace *trace)
{
	const struct strata_ctf_type *labels;
	struct table table;

	if (begin(&table, trace, set->nr_traces + 3))
		return -1;
	labels = find_labels(trace);
	if (labels && (begin(&table, trace, labels->nr_labels) || add_labels(&table, labels)))
		return -1;
	if (!labels && add_host(&table, set, trace))
		return -1;
	trace->domains.ranges = table.ranges;
	trace->domains.nr_ranges = table.nr;
	return 0;
}

int strata_domain_names_set(const struct strata_trace_set *set, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		if (set_trace(set, set->traces[i]))
			return strata_fail(error, "out of memory for the names of domains");
	}
	return 0;
}
