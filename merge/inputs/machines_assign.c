// SPDX-License-Identifier: GPL-2.0-or-later
/* machines_assign.c - see machines_assign.h. */
#include "inputs/machines_assign.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "host/one_boot.h"

/* What tells the machine of a trace, looked up once: its environment may have thousands of entries.
 */
struct identity {
	const char *host, *merge;
	int64_t merged; /* the machine's number in the merge */
	bool has_merged;
	size_t boot; /* of a recording: the first trace of those of its boot */
};

static bool same_clock(const struct strata_ctf_trace *a, const struct strata_ctf_trace *b,
		       const struct identity *of_a, const struct identity *of_b)
{
	const struct strata_ctf_clock *x = a->metadata.clocks, *y = b->metadata.clocks;

	if (a->metadata.nr_clocks == 0 || b->metadata.nr_clocks == 0)
		return false;
	if (x->has_uuid && y->has_uuid)
		return memcmp(x->uuid, y->uuid, 16) == 0;
	return of_a->host && of_b->host && strcmp(of_a->host, of_b->host) == 0 &&
	       strcmp(x->name, y->name) == 0;
}

/* Whether two traces were converted together, and are of one machine. */
static bool converted_alike(const struct identity *a, const struct identity *b)
{
	return a->merge && b->merge && a->has_merged && b->has_merged && a->merged == b->merged &&
	       strcmp(a->merge, b->merge) == 0;
}

static bool same_machine(const struct strata_trace_set *set, const struct identity *identities,
			 size_t a, size_t b)
{
	const struct strata_ctf_trace *x = set->traces[a], *y = set->traces[b];

	if (x->recording && y->recording)
		return identities[a].boot == identities[b].boot;
	if (x->recording || y->recording)
		return false;
	return same_clock(x, y, &identities[a], &identities[b]) ||
	       converted_alike(&identities[a], &identities[b]);
}

/* Joins the boots of two traces, and names the joint one after its first trace. */
static void join_boots(struct identity *identities, size_t nr, size_t a, size_t b)
{
	const size_t x = identities[a].boot, y = identities[b].boot;
	size_t i;

	for (i = 0; i < nr && x != y; i++) {
		if (identities[i].boot == x || identities[i].boot == y)
			identities[i].boot = x < y ? x : y;
	}
}

/* Returns what is known of each trace of the set; NULL: out of memory. */
static struct identity *identify(const struct strata_trace_set *set)
{
	struct identity *identities = calloc(set->nr_traces + 1, sizeof(*identities));
	size_t i, j;

	for (i = 0; identities && i < set->nr_traces; i++) {
		const struct strata_ctf_trace *trace = set->traces[i];

		identities[i].host = strata_ctf_env_text(trace, "hostname");
		identities[i].merge = strata_ctf_env_text(trace, STRATA_CTF_MERGE);
		identities[i].has_merged =
			strata_ctf_env_number(trace, STRATA_CTF_MACHINE, &identities[i].merged);
		identities[i].boot = i;
		for (j = 0; trace->recording && j < i; j++) {
			void *other = set->traces[j]->recording;

			if (other && (other == trace->recording ||
				      strata_recordings_of_one_boot(other, trace->recording)))
				join_boots(identities, i + 1, j, i);
		}
	}
	return identities;
}

/* The name of a trace's machine: its host's, or its own. */
static char *machine_name(const struct strata_ctf_trace *trace)
{
	const char *host = strata_ctf_env_text(trace, "hostname");
	const char *last = strrchr(trace->path, '/');
	char name[512];

	if (!host || !*host)
		host = last && last[1] ? last + 1 : trace->path;
	return strdup(strata_escape_name(name, sizeof(name), host));
}

bool strata_machines_same_timeline(const struct strata_ctf_trace *a,
				   const struct strata_ctf_trace *b)
{
	const char *x = strata_ctf_env_text(a, STRATA_CTF_TIMELINE);
	const char *y = strata_ctf_env_text(b, STRATA_CTF_TIMELINE);

	return x && y && strcmp(x, y) == 0;
}

/*
 * Whether two traces of one machine can share its clock.  Any trace can claim the host of another
 * one, and the first trace's timeline: times that an earlier conversion made are on the first
 * trace's clock, and others are not, unless their machine is the first trace's.
 * @machine: of the earlier one, @a
 */
static bool share_conversion(const struct strata_trace_set *set, size_t machine,
			     const struct strata_ctf_trace *a, const struct strata_ctf_trace *b)
{
	return machine == 0 || strata_machines_same_timeline(set->traces[0], a) ==
				       strata_machines_same_timeline(set->traces[0], b);
}

/* The first trace of a recording that names the same boot as a trace's; NULL: none. */
static const struct strata_ctf_trace *find_boot(const struct strata_trace_set *set, size_t at)
{
	const struct strata_ctf_trace *trace = set->traces[at];
	size_t i;

	for (i = 0; trace->recording && i < at; i++)
		if (set->traces[i]->recording &&
		    strata_recordings_name_one_boot(set->traces[i]->recording, trace->recording))
			return set->traces[i];
	return NULL;
}

/* Assigns a trace to the machine of an earlier trace, or to a new one. 0 or -1. */
static int assign(struct strata_machines *machines, const struct strata_trace_set *set,
		  const struct identity *identities, size_t at)
{
	struct strata_machine *machine;
	size_t i;

	for (i = 0; i < at; i++) {
		if (!same_machine(set, identities, i, at) ||
		    !share_conversion(set, machines->of_trace[i], set->traces[i], set->traces[at]))
			continue;
		machines->of_trace[at] = machines->of_trace[i];
		if (set->traces[at]->recording)
			strata_recording_share_dates(set->traces[at]->recording,
						     set->traces[identities[at].boot]->recording,
						     set->traces[at]);
		return 0;
	}
	machine = &machines->machines[machines->nr];
	machine->boot_of = find_boot(set, at);
	machine->name = machine_name(set->traces[at]);
	machine->tied = machines->nr == 0;
	machine->tied_to = machines->nr;
	machines->of_trace[at] = machines->nr++;
	return machine->name ? 0 : -1;
}

int strata_machines_assign(struct strata_machines *machines, const struct strata_trace_set *set)
{
	struct identity *identities = identify(set);
	int status = identities ? 0 : -1;
	size_t i;

	for (i = 0; i < set->nr_traces && !status; i++)
		status = assign(machines, set, identities, i);
	free(identities);
	return status;
}
