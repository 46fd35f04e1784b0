// SPDX-License-Identifier: GPL-2.0-or-later
/* tree.c - see tree.h. */
#include "tracks/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/glob.h>

#include "analyses/report.h"
#include "base/array.h"
#include "base/escape.h"
#include "xen/domain_numbers.h"

const char *const strata_track_kind_names[STRATA_NR_TRACK_KINDS] = {
	[STRATA_TRACK_GROUP] = "group",       [STRATA_TRACK_PCPU] = "pcpu",
	[STRATA_TRACK_REQUESTS] = "requests", [STRATA_TRACK_VCPU] = "vcpu",
	[STRATA_TRACK_EXITS] = "exits",       [STRATA_TRACK_HYPERCALLS] = "hypercalls",
	[STRATA_TRACK_IRQS] = "irqs",         [STRATA_TRACK_SOFTIRQS] = "softirqs",
	[STRATA_TRACK_SOURCE] = "source",     [STRATA_TRACK_TASK] = "task",
	[STRATA_TRACK_SYSCALLS] = "syscalls", [STRATA_TRACK_QUEUE] = "queue",
	[STRATA_TRACK_MESSAGES] = "messages",
};

/* Largest number of tracks of one name, for overlapping slices. */
#define PLACES_MAX 256u

/* What a group contains. */
enum group { GROUP_HOST, GROUP_PCPUS, GROUP_DOMAIN, GROUP_PROGRAM };

/* Machines, traces and tasks' kernels are numbered by trace, and traces are few. */
static uint64_t key_of(unsigned int kind, unsigned int group, size_t high, uint32_t low)
{
	return (uint64_t)kind << 56 | (uint64_t)group << 52 | (uint64_t)(high & 0xfffff) << 32 |
	       low;
}

static struct strata_track *find(const struct strata_tree *tree, uint64_t key)
{
	return strata_id_map_find(&tree->by_key, key);
}

/* @owner: whose share of the tracks it and those below it count for.  @above: NULL: top level.
 * Returns NULL if the owner has too many, or out of memory. */
static struct strata_track *make_of(struct strata_tree *tree, enum strata_track_kind kind,
				    const struct strata_track *above, uint64_t rank, uint64_t owner)
{
	struct strata_track *track;

	tree->reason = STRATA_TREE_FULL;
	if (!strata_shares_take(&tree->shares, owner, STRATA_TRACKS_MAX))
		return NULL;
	track = calloc(1, sizeof(*track));
	if (!track || !STRATA_GROW(tree->all, tree->nr, tree->room)) {
		free(track);
		tree->no_memory = true;
		return NULL;
	}
	track->owner = owner;
	track->id = (uint32_t)tree->nr;
	track->parent = above ? above->id : STRATA_NO_TRACK;
	track->kind = kind;
	track->host = above ? above->host : "";
	track->domain = above ? above->domain : "";
	track->process = above ? above->process : "";
	track->rank = rank;
	track->next = STRATA_NO_TRACK;
	tree->all[tree->nr++] = track;
	return track;
}

static struct strata_track *make(struct strata_tree *tree, enum strata_track_kind kind,
				 const struct strata_track *above, uint64_t rank)
{
	return make_of(tree, kind, above, rank, above->owner);
}

/* Announces a track, once it has its name. */
static struct strata_track *add(struct strata_tree *tree, uint64_t key, struct strata_track *track)
{
	if (strata_id_map_add(&tree->by_key, key, track)) {
		tree->no_memory = true;
		return NULL;
	}
	tree->added(tree->data, track);
	return track;
}

/* Groups -------------------------------------------------------------------------------------- */

static size_t machine_of(const struct strata_tree *tree, size_t trace)
{
	return tree->shown->set->traces[trace]->machine;
}

static struct strata_track *host_group(struct strata_tree *tree, size_t trace)
{
	const struct strata_shown_source *source = &tree->shown->sources[trace];
	const size_t machine = machine_of(tree, trace);
	const uint64_t key = key_of(STRATA_TRACK_GROUP, GROUP_HOST, machine, 0);
	struct strata_track *track = find(tree, key);
	const char *slash = strrchr(source->name, '/');

	if (track || !(track = make_of(tree, STRATA_TRACK_GROUP, NULL, machine, key)))
		return track;
	if (slash)
		snprintf(track->name, sizeof(track->name), "%.*s",
			 (int)(slash - source->name < 100 ? slash - source->name : 100),
			 source->name);
	else if (source->hostname && *source->hostname)
		strata_escape_name(track->name, sizeof(track->name), source->hostname);
	else
		snprintf(track->name, sizeof(track->name), "host %zu", machine);
	track->host = track->name;
	return add(tree, key, track);
}

/* Finds the host of a trace; @host is NULL if hosts have no groups of their own. False: no room. */
static bool host_of(struct strata_tree *tree, size_t trace, struct strata_track **host)
{
	*host = tree->has_hosts ? host_group(tree, trace) : NULL;
	return *host || !tree->has_hosts;
}

static bool is_wanted(const struct strata_tree *tree, const char *domain)
{
	size_t i;

	for (i = 0; i < tree->options->nr_domains; i++) {
		const char *pattern = tree->options->domains[i];

		if (strata_glob_fits(pattern, strlen(pattern), domain, strlen(domain)))
			return true;
	}
	return tree->options->nr_domains == 0;
}

/* Returns the group of a domain; without a known hypervisor, that of the machine. */
static struct strata_track *domain_group(struct strata_tree *tree, size_t trace, uint32_t domain)
{
	const struct strata_shown_source *source = &tree->shown->sources[trace];
	const uint64_t key =
		key_of(STRATA_TRACK_GROUP, GROUP_DOMAIN, machine_of(tree, trace), domain);
	struct strata_track *track = find(tree, key), *host;
	char text[STRATA_REPORT_NAME], escaped[STRATA_TRACK_NAME];
	const char *name;

	if (track)
		return track;
	if (domain != STRATA_NO_DOMAIN)
		name = strata_report_domain_name(text, tree->shown, trace, domain);
	else if (source->hostname && *source->hostname)
		name = strata_escape_name(escaped, sizeof(escaped), source->hostname);
	else
		name = source->name;
	tree->reason = STRATA_TREE_NOT_WANTED;
	if (!is_wanted(tree, name) || !host_of(tree, trace, &host) ||
	    !(track = make_of(tree, STRATA_TRACK_GROUP, host, (uint64_t)domain + 1, key)))
		return NULL;
	snprintf(track->name, sizeof(track->name), "%.127s", name);
	if (domain != STRATA_NO_DOMAIN)
		snprintf(track->detail, sizeof(track->detail), "domain %" PRIu32, domain);
	track->domain = track->name;
	return add(tree, key, track);
}

/* Returns the group of a program, in its domain. */
static struct strata_track *program_group(struct strata_tree *tree, size_t trace)
{
	const struct strata_shown_source *source = &tree->shown->sources[trace];
	const uint64_t key = key_of(STRATA_TRACK_GROUP, GROUP_PROGRAM, trace, 0);
	struct strata_track *track = find(tree, key), *domain;

	if (track)
		return track;
	domain = domain_group(tree, trace, source->domain);
	if (!domain || strcmp(source->layer, "app") != 0)
		return domain;
	/* A user may have many. */
	track = make_of(
		tree, STRATA_TRACK_GROUP, domain, trace,
		key_of(STRATA_TRACK_GROUP, GROUP_PROGRAM, tree->shown->holders.of[trace], 0));
	if (!track)
		return NULL;
	snprintf(track->name, sizeof(track->name), "%.127s", source->name);
	snprintf(track->detail, sizeof(track->detail), "program");
	track->process = track->name;
	return add(tree, key, track);
}

/* Tracks -------------------------------------------------------------------------------------- */

/* Returns the group of a machine's physical CPUs. */
static struct strata_track *pcpus_group(struct strata_tree *tree, size_t trace)
{
	const uint64_t key = key_of(STRATA_TRACK_GROUP, GROUP_PCPUS, machine_of(tree, trace), 0);
	struct strata_track *group = find(tree, key), *host;

	if (group || !host_of(tree, trace, &host) ||
	    !(group = make_of(tree, STRATA_TRACK_GROUP, host, 0, key)))
		return group;
	snprintf(group->name, sizeof(group->name), "Physical CPUs");
	return add(tree, key, group);
}

struct strata_track *strata_tree_pcpu(struct strata_tree *tree, size_t trace, uint32_t number)
{
	const uint64_t key = key_of(STRATA_TRACK_PCPU, 0, machine_of(tree, trace), number);
	struct strata_track *track = find(tree, key), *group;

	if (track)
		return track;
	group = pcpus_group(tree, trace);
	if (!group || !(track = make(tree, STRATA_TRACK_PCPU, group, number)))
		return NULL;
	snprintf(track->name, sizeof(track->name), "pCPU %" PRIu32, number);
	return add(tree, key, track);
}

struct strata_track *strata_tree_queue(struct strata_tree *tree, size_t trace, uint32_t cpu)
{
	const bool of_vcpus = cpu == STRATA_NO_CPU;
	const uint64_t key = key_of(STRATA_TRACK_QUEUE, of_vcpus,
				    of_vcpus ? machine_of(tree, trace) : trace, cpu);
	struct strata_track *track = find(tree, key), *group;

	if (track)
		return track;
	group = of_vcpus ? pcpus_group(tree, trace)
			 : domain_group(tree, trace, tree->shown->sources[trace].domain);
	if (!group || !(track = make(tree, STRATA_TRACK_QUEUE, group, cpu)))
		return NULL;
	if (of_vcpus)
		snprintf(track->name, sizeof(track->name), "vCPUs that wait");
	else
		snprintf(track->name, sizeof(track->name), "CPU %" PRIu32 " run queue", cpu);
	return add(tree, key, track);
}

static uint64_t vcpu_key(const struct strata_tree *tree, size_t trace, uint32_t domain,
			 uint32_t number)
{
	return key_of(STRATA_TRACK_VCPU, 0, machine_of(tree, trace),
		      domain << 16 | (number & 0xffff));
}

struct strata_track *strata_tree_vcpu(struct strata_tree *tree, size_t trace,
				      const struct strata_vcpu *vcpu)
{
	const uint64_t key = vcpu_key(tree, trace, vcpu->domain, vcpu->number);
	struct strata_track *track = find(tree, key), *domain;

	if (track)
		return track;
	domain = domain_group(tree, trace, vcpu->domain);
	if (!domain || !(track = make(tree, STRATA_TRACK_VCPU, domain, vcpu->number)))
		return NULL;
	snprintf(track->name, sizeof(track->name), "vCPU %" PRIu32, vcpu->number);
	return add(tree, key, track);
}

static void name_task(struct strata_track *track)
{
	char name[STRATA_REPORT_NAME];

	snprintf(track->name, sizeof(track->name), "%s",
		 strata_report_task_name(name, track->task));
}

struct strata_track *strata_tree_task(struct strata_tree *tree, const struct strata_task *task)
{
	const uint64_t key = key_of(STRATA_TRACK_TASK, 0, task->kernel->trace, task->tid);
	struct strata_track *track = find(tree, key), *domain;

	if (track)
		return track;
	domain = domain_group(tree, task->kernel->trace, task->kernel->domain);
	if (!domain || !(track = make(tree, STRATA_TRACK_TASK, domain, task->tid)))
		return NULL;
	track->task = task;
	track->process = track->name;
	name_task(track);
	return add(tree, key, track);
}

struct strata_track *strata_tree_below(struct strata_tree *tree, struct strata_track *above,
				       enum strata_track_kind kind)
{
	const uint64_t key = key_of(kind, 0, 0, above->id);
	struct strata_track *track = find(tree, key);

	if (track || !(track = make(tree, kind, above, 0)))
		return track;
	snprintf(track->name, sizeof(track->name), "%s",
		 kind == STRATA_TRACK_EXITS        ? "VM exits"
		 : kind == STRATA_TRACK_HYPERCALLS ? "hypercalls"
						   : "system calls");
	return add(tree, key, track);
}

struct strata_track *strata_tree_cpu(struct strata_tree *tree, size_t trace, uint32_t cpu,
				     enum strata_track_kind kind)
{
	const uint64_t key = key_of(kind, 0, trace, cpu);
	struct strata_track *track = find(tree, key), *domain;

	if (track)
		return track;
	domain = domain_group(tree, trace, tree->shown->sources[trace].domain);
	if (!domain || !(track = make(tree, kind, domain, cpu)))
		return NULL;
	snprintf(track->name, sizeof(track->name), "CPU %" PRIu32 " %s", cpu,
		 kind == STRATA_TRACK_IRQS ? "interrupts" : "softirqs");
	return add(tree, key, track);
}

struct strata_track *strata_tree_requests(struct strata_tree *tree, size_t trace, uint32_t name,
					  const char *text)
{
	const uint64_t key = key_of(STRATA_TRACK_REQUESTS, 0, trace, name);
	struct strata_track *track = find(tree, key), *group;

	if (track)
		return track;
	group = program_group(tree, trace);
	if (!group || !(track = make(tree, STRATA_TRACK_REQUESTS, group, name)))
		return NULL;
	snprintf(track->name, sizeof(track->name), "%.127s", text);
	return add(tree, key, track);
}

struct strata_track *strata_tree_messages(struct strata_tree *tree, size_t trace)
{
	const uint64_t key = key_of(STRATA_TRACK_MESSAGES, 0, trace, 0);
	struct strata_track *track = find(tree, key), *group;

	if (track)
		return track;
	group = program_group(tree, trace);
	if (!group || !(track = make(tree, STRATA_TRACK_MESSAGES, group, trace)))
		return NULL;
	snprintf(track->name, sizeof(track->name), "messages");
	return add(tree, key, track);
}

struct strata_track *strata_tree_source(struct strata_tree *tree, size_t trace, uint32_t cpu)
{
	const struct strata_shown_source *source = &tree->shown->sources[trace];
	const uint64_t key = key_of(STRATA_TRACK_SOURCE, 0, trace, cpu);
	struct strata_track *track = NULL, *group;

	if (strcmp(source->layer, "xen") == 0 && cpu != STRATA_NO_PCPU)
		return strata_tree_pcpu(tree, trace, cpu);
	if (strcmp(source->layer, "kernel") == 0 && source->domain != STRATA_NO_DOMAIN)
		track = find(tree, vcpu_key(tree, trace, source->domain, cpu));
	if (track || (track = find(tree, key)))
		return track;
	if (strcmp(source->layer, "xen") != 0 ? !(group = program_group(tree, trace))
					      : !host_of(tree, trace, &group))
		return NULL;
	if (!(track = make_of(tree, STRATA_TRACK_SOURCE, group, (uint64_t)trace << 32 | cpu,
			      group ? group->owner : key)))
		return NULL;
	if (cpu == STRATA_NO_PCPU)
		snprintf(track->name, sizeof(track->name), "%.127s", source->name);
	else
		snprintf(track->name, sizeof(track->name), "%.100s CPU %" PRIu32, source->name,
			 cpu);
	return add(tree, key, track);
}

/*
 * Best fit: slices come in the order of their ends, so of the free tracks the one that ended last
 * leaves most room for later slices. This needs no more tracks than there are concurrent slices.
 */
struct strata_track *strata_tree_free_at(struct strata_tree *tree, struct strata_track *track,
					 uint64_t from_ns)
{
	struct strata_track *best = NULL, *at = track, *more;

	for (;;) {
		if (at->end_ns <= from_ns && (!best || at->end_ns > best->end_ns))
			best = at;
		if (at->next == STRATA_NO_TRACK)
			break;
		at = tree->all[at->next];
	}
	if (best || at->place + 1 >= PLACES_MAX)
		return best;
	more = make_of(tree, track->kind,
		       track->parent == STRATA_NO_TRACK ? NULL : tree->all[track->parent],
		       track->rank, track->owner);
	if (!more)
		return NULL;
	memcpy(more->name, track->name, sizeof(more->name));
	snprintf(more->detail, sizeof(more->detail), "also");
	more->place = at->place + 1;
	more->task = track->task;
	at->next = more->id;
	tree->added(tree->data, more);
	return more;
}

void strata_tree_name_tasks(struct strata_tree *tree)
{
	size_t i;

	for (i = 0; i < tree->nr; i++) {
		if (tree->all[i]->task)
			name_task(tree->all[i]);
	}
}

void strata_tree_clear(struct strata_tree *tree)
{
	size_t i;

	for (i = 0; i < tree->nr; i++)
		free(tree->all[i]);
	free(tree->all);
	strata_id_map_clear(&tree->by_key);
	strata_shares_clear(&tree->shares);
}
