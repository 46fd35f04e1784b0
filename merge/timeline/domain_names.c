// SPDX-License-Identifier: GPL-2.0-or-later
/* domain_names.c - see domain_names.h; for filters and outputs. */
#include "timeline/domain_names.h"

#include <stdlib.h>
#include <string.h>

#include "ctf/types/ctf_arena.h"
#include "timeline/event_place.h"
#include "timeline/source_name.h"
#include "xen/domain_numbers.h"

bool strata_is_same_host(const struct strata_ctf_trace *one, const struct strata_ctf_trace *other)
{
	return one->clock_group == other->clock_group ||
	       (one->recording && one->recording == other->recording) ||
	       strata_ctf_converted_alike(one, other);
}

/* Reports the names of guests in a recording's table, also of those without events: the trace of
 * its hypervisor carries them (STRATA_CTF_DOMAIN_NAME). */
static void tell_table(const struct strata_ctf_trace *trace, strata_domain_name_fn *tell,
		       void *data)
{
	const size_t prefix = strlen(STRATA_CTF_DOMAIN_NAME);
	size_t i;

	for (i = 0; i < trace->metadata.nr_env; i++) {
		const struct strata_ctf_env *env = &trace->metadata.env[i];
		unsigned long id;
		char *end;

		if (!env->text || strncmp(env->name, STRATA_CTF_DOMAIN_NAME, prefix) != 0)
			continue;
		id = strtoul(env->name + prefix, &end, 10);
		if (end != env->name + prefix && !*end && id <= UINT16_MAX)
			tell(data, (uint32_t)id, env->text);
	}
}

/* Traces that may name domains. */
struct namers {
	const struct strata_ctf_trace **traces;
	size_t nr;
};

/* Whether a trace may name domains: a hypervisor's or a kernel's. */
static bool is_namer(const struct strata_ctf_trace *trace)
{
	const char *layer = strata_ctf_env_text(trace, "layer");

	return layer && (!strcmp(layer, "xen") || !strcmp(layer, "kernel"));
}

/* Reports the names of the host's kernels: each source's, and the domain's name in Xen, which
 * several may share.  Returns whether the host's hypervisor is among the namers. */
static bool tell_kernels(const struct namers *namers, const struct strata_ctf_trace *trace,
			 strata_domain_name_fn *tell, void *data)
{
	bool is_under_xen = false;
	size_t i;

	for (i = 0; i < namers->nr; i++) {
		const struct strata_ctf_trace *other = namers->traces[i];
		const char *layer = strata_ctf_env_text(other, "layer");
		const char *name = strata_ctf_env_text(other, "domain");
		const char *source = strata_source_name(other);
		int64_t id;

		if (!layer || !strata_is_same_host(other, trace))
			continue;
		if (strcmp(layer, "xen") == 0) {
			is_under_xen = true;
			if (tell)
				tell_table(other, tell, data);
		}
		if (!tell || strcmp(layer, "kernel") != 0 ||
		    !strata_ctf_env_number(other, "domain_id", &id) || id < 0 || id > UINT16_MAX)
			continue;
		if (source)
			tell(data, (uint32_t)id, source);
		if (name && (!source || strcmp(name, source) != 0))
			tell(data, (uint32_t)id, name);
	}
	return is_under_xen;
}

const char *strata_fixed_domain_name(uint32_t domain, bool is_under_xen)
{
	switch (domain) {
	case 0:
		return is_under_xen ? STRATA_DOM0_NAME : "host";
	case STRATA_DOMID_XEN:
		return "xen";
	case STRATA_DOMID_IDLE:
		return "idle";
	case STRATA_DOMID_UNKNOWN:
		return "unknown";
	}
	return NULL;
}

static void tell_names(const struct namers *namers, const struct strata_ctf_trace *trace,
		       strata_domain_name_fn *tell, void *data)
{
	static const uint32_t others[] = { STRATA_DOMID_XEN, STRATA_DOMID_IDLE,
					   STRATA_DOMID_UNKNOWN };
	const bool is_under_xen = tell_kernels(namers, trace, NULL, NULL);
	size_t i;

	tell(data, 0, strata_fixed_domain_name(0, is_under_xen));
	tell_kernels(namers, trace, tell, data);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		tell(data, others[i], strata_fixed_domain_name(others[i], is_under_xen));
}

void strata_domain_names(const struct strata_trace_set *set, const struct strata_ctf_trace *trace,
			 strata_domain_name_fn *tell, void *data)
{
	const struct namers all = { (const struct strata_ctf_trace **)set->traces, set->nr_traces };

	tell_names(&all, trace, tell, data);
}

/* The table of one trace while it grows. */
struct table {
	struct strata_ctf_arena *arena;
	struct strata_name_range *ranges;
	size_t nr;
	bool no_memory;
};

static void count(void *data, uint32_t domain, const char *name)
{
	size_t *nr = data;

	(void)domain;
	(void)name;
	++*nr;
}

static void add(void *data, uint32_t domain, const char *name)
{
	struct table *table = data;
	const char **names = strata_ctf_arena_get(table->arena, 1, sizeof(*names));

	table->no_memory |= !names;
	if (!names)
		return;
	*names = name;
	table->ranges[table->nr++] =
		(struct strata_name_range){ .first = domain, .names = names, .nr = 1 };
}

/* Makes room for @room names.  0 or -1. */
static int begin(struct table *table, struct strata_ctf_trace *trace, size_t room)
{
	strata_ctf_arena_free(trace->domains_arena);
	memset(&trace->domains, 0, sizeof(trace->domains));
	trace->domains_arena = strata_ctf_arena_new(SIZE_MAX);
	table->arena = trace->domains_arena;
	table->nr = 0;
	if (table->arena)
		table->ranges = strata_ctf_arena_get(table->arena, room, sizeof(*table->ranges));
	return table->arena && table->ranges ? 0 : -1;
}

static int set_trace(const struct namers *namers, struct strata_ctf_trace *trace)
{
	struct table table = { 0 };
	size_t nr = 0;

	tell_names(namers, trace, count, &nr);
	if (begin(&table, trace, nr))
		return -1;
	tell_names(namers, trace, add, &table);
	if (table.no_memory)
		return -1;
	trace->domains.ranges = table.ranges;
	trace->domains.nr_ranges = table.nr;
	return 0;
}

/* The namers are found once: a user may have thousands of programs in a recording. */
int strata_domain_names_set(const struct strata_trace_set *set, struct strata_error *error)
{
	struct namers namers = { calloc(set->nr_traces + 1, sizeof(*namers.traces)), 0 };
	int status = namers.traces ? 0 : -1;
	size_t i;

	for (i = 0; !status && i < set->nr_traces; i++) {
		if (is_namer(set->traces[i]))
			namers.traces[namers.nr++] = set->traces[i];
	}
	for (i = 0; !status && i < set->nr_traces; i++)
		status = set_trace(&namers, set->traces[i]);
	free(namers.traces);
	return status ? strata_fail(error, "out of memory for the names of domains") : 0;
}
