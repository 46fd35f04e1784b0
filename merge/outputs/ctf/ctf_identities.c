// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_identities.c - see ctf_identities.h. */
#include "outputs/ctf/ctf_identities.h"

#include <string.h>

#include "base/derived_uuid.h"
#include "base/escape.h"
#include "base/id_rows.h"
#include "base/identity.h"

/* Traces that have a UUID, a machine or a clock in common. */
struct kin {
	size_t first; /* of them in the set */
	size_t nr;    /* so far */
	/* Of a clock: the first one whose own clock has a UUID; NULL: none so far. */
	const struct strata_ctf_trace *known;
};

struct kinships {
	struct strata_id_rows uuids, machines, clocks;
};

/* Adds a trace to its kin. Returns them, or NULL: out of memory. */
static struct kin *join(struct strata_id_rows *rows, uint64_t id, size_t at)
{
	struct kin *kin = strata_id_rows_find(rows, id);

	if (!kin) {
		kin = strata_id_rows_add(rows, id, sizeof(*kin));
		if (!kin)
			return NULL;
		kin->first = at;
	}
	kin->nr++;
	return kin;
}

/* A trace written by an earlier conversion keeps its UUID.  Traces with the same one may be parts
 * of one trace. */
static int set_uuid(struct strata_ctf_plan *plan, const struct strata_ctf_trace *trace,
		    struct kinships *kinships)
{
	const struct kin *kin;

	if (!trace->metadata.has_uuid) {
		strata_derive_uuid(plan->uuid, STRATA_DERIVED_NAMED, 0, plan->name,
				   strlen(plan->name));
		return 0;
	}
	kin = join(&kinships->uuids, strata_identity_add_text(0, trace->metadata.uuid, 16),
		   plan->place);
	if (!kin)
		return -1;
	if (kin->nr > 1 || !strata_ctf_env_text(trace, STRATA_CTF_MERGE))
		strata_derive_uuid(plan->uuid, STRATA_DERIVED_COPY, kin->nr - 1,
				   trace->metadata.uuid, 16);
	else
		memcpy(plan->uuid, trace->metadata.uuid, 16);
	return 0;
}

static bool has_clock_uuid(const struct strata_ctf_trace *trace)
{
	return trace->metadata.nr_clocks && trace->metadata.clocks[0].has_uuid;
}

/* Finds the traces of the same machine, and of the same clock. */
static int set_kin(struct strata_ctf_plan *plan, const struct strata_ctf_trace *trace,
		   struct kinships *kinships)
{
	const struct kin *machine = join(&kinships->machines, trace->machine, plan->place);
	struct kin *clock = join(&kinships->clocks, trace->clock_group, plan->place);

	if (!machine || !clock)
		return -1;
	if (!clock->known && has_clock_uuid(trace))
		clock->known = trace;
	plan->machine = machine->first;
	plan->clock = clock->first;
	return 0;
}

/* The UUID of the trace's own clock, or of its clock group. */
static void set_clock_uuid(struct strata_ctf_plan *plans, size_t at,
			   const struct strata_ctf_trace *trace, const struct kinships *kinships)
{
	const struct kin *clock = strata_id_rows_find(&kinships->clocks, trace->clock_group);
	const struct strata_ctf_trace *known = has_clock_uuid(trace) ? trace : clock->known;

	if (known)
		memcpy(plans[at].clock_uuid, known->metadata.clocks[0].uuid, 16);
	else
		strata_derive_uuid(plans[at].clock_uuid, STRATA_DERIVED_CLOCK, 0,
				   plans[clock->first].uuid, 16);
}

/* Returns the name of the earlier merge to which all traces belong; NULL: none. */
static const char *common_merge(const struct strata_trace_set *set)
{
	const char *common = NULL;
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		const char *merge = strata_ctf_env_text(set->traces[i], STRATA_CTF_MERGE);

		if (!merge || (common && strcmp(common, merge) != 0))
			return NULL;
		common = merge;
	}
	return common;
}

/* Derives the merge's name from all traces of the set; those with known times are on its
 * timeline. */
static void name_merge(struct strata_ctf_plan *plans, const struct strata_trace_set *set,
		       char name[STRATA_UUID_TEXT_BYTES])
{
	const char *common = common_merge(set);
	uint8_t uuid[16] = { 0 };
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		uint8_t both[32];

		memcpy(both, uuid, 16);
		memcpy(both + 16, plans[i].uuid, 16);
		strata_derive_uuid(uuid, STRATA_DERIVED_MERGE, i, both, sizeof(both));
	}
	strata_uuid_text(name, uuid);
	for (i = 0; i < set->nr_traces; i++) {
		plans[i].merge = common ? common : name;
		plans[i].is_on_timeline = set->traces[i]->times_are_tied;
	}
}

int strata_ctf_identify(struct strata_ctf_plan *plans, const struct strata_trace_set *set,
			char merge[STRATA_UUID_TEXT_BYTES])
{
	struct kinships kinships = { 0 };
	int status = 0;
	size_t i;

	for (i = 0; i < set->nr_traces && !status; i++) {
		plans[i].place = i;
		if (set_uuid(&plans[i], set->traces[i], &kinships) ||
		    set_kin(&plans[i], set->traces[i], &kinships))
			status = -1;
	}
	for (i = 0; i < set->nr_traces && !status; i++)
		set_clock_uuid(plans, i, set->traces[i], &kinships);
	if (!status)
		name_merge(plans, set, merge);
	strata_id_rows_clear(&kinships.uuids, NULL);
	strata_id_rows_clear(&kinships.machines, NULL);
	strata_id_rows_clear(&kinships.clocks, NULL);
	return status;
}
