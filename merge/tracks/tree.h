/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - finds and creates tracks: hosts, their physical CPUs and domains, and in each domain
 * programs, vCPUs, CPUs' interrupts and tasks. Internal to tracks.
 */
#ifndef STRATA_MERGE_TRACKS_TREE_H
#define STRATA_MERGE_TRACKS_TREE_H

#include "base/fair_share.h"
#include "tracks/tracks.h"

struct strata_tree {
	const struct strata_shown *shown;
	const struct strata_tracks_options *options;
	struct strata_track **all;
	size_t nr, room;
	struct strata_id_map by_key;
	struct strata_shares shares;
	bool has_hosts; /* several hosts, so each has a group */
	bool no_memory;
	/* Why the last lookup returned NULL. */
	enum strata_tree_reason { STRATA_TREE_FULL, STRATA_TREE_NOT_WANTED } reason;
	/* Called for each new track. */
	void (*added)(void *data, const struct strata_track *track);
	void *data;
};

/* Each finds or creates a track; NULL: see `reason`. @trace: index in the set of the trace that
 * reports it */
struct strata_track *strata_tree_pcpu(struct strata_tree *tree, size_t trace, uint32_t number);
struct strata_track *strata_tree_vcpu(struct strata_tree *tree, size_t trace,
				      const struct strata_vcpu *vcpu);
struct strata_track *strata_tree_task(struct strata_tree *tree, const struct strata_task *task);
/* What lies below a vCPU or a task. */
struct strata_track *strata_tree_below(struct strata_tree *tree, struct strata_track *above,
				       enum strata_track_kind kind);
/* Interrupts or softirqs of a CPU of a kernel. */
struct strata_track *strata_tree_cpu(struct strata_tree *tree, size_t trace, uint32_t cpu,
				     enum strata_track_kind kind);
/* Requests of a program or kernel. @name: number of their name, whose text is @text */
struct strata_track *strata_tree_requests(struct strata_tree *tree, size_t trace, uint32_t name,
					  const char *text);
/* Messages of a program. */
struct strata_track *strata_tree_messages(struct strata_tree *tree, size_t trace);
/* The number of waiters for a CPU of a kernel; STRATA_NO_CPU: of vCPUs waiting for physical
 * ones. */
struct strata_track *strata_tree_queue(struct strata_tree *tree, size_t trace, uint32_t cpu);
/* The losses of a stream. @cpu: STRATA_NO_PCPU: of no CPU */
struct strata_track *strata_tree_source(struct strata_tree *tree, size_t trace, uint32_t cpu);

/* Returns the track itself, or an overflow track, that is free from @from_ns on. */
struct strata_track *strata_tree_free_at(struct strata_tree *tree, struct strata_track *track,
					 uint64_t from_ns);

/* Gives tracks of tasks their current names. */
void strata_tree_name_tasks(struct strata_tree *tree);

/* Returns the ids of all tracks in drawing order; NULL: out of memory. */
uint32_t *strata_tree_order(const struct strata_tree *tree);

void strata_tree_clear(struct strata_tree *tree);

#endif /* STRATA_MERGE_TRACKS_TREE_H */
