/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracks_world.h - a simulated host whose spans tests tell to the model of tracks, and what its
 * sink gets of them: domains dom0, g1 and g2 with a vCPU each; tasks 0 and 1 of dom0, 2 of g1.
 */
#ifndef STRATA_TEST_TRACKS_WORLD_H
#define STRATA_TEST_TRACKS_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracks/tracks.h"
#include "xen/domain_numbers.h"

#define SLICES_MAX 512u
#define ARROWS_MAX 64u

/* Traces of the host. */
enum { XEN, DOM0, G1, SERVER, NR_TRACES };

struct seen {
	struct strata_track_slice slice;
	char detail[256];
};

struct world {
	struct strata_track_sink sink, *sinks[1];
	struct strata_ctf_trace traces[NR_TRACES];
	struct strata_ctf_trace *of_set[NR_TRACES];
	struct strata_shown_source sources[NR_TRACES];
	const char *domain_names[STRATA_SHOWN_DOMAINS];
	struct strata_trace_set set;
	struct strata_shown shown;
	struct strata_tracks_options options;
	struct strata_tracks *tracks;
	struct strata_kernel kernels[2];
	struct strata_vcpu vcpus[3];
	struct strata_task tasks[3];
	struct strata_pcpu pcpu;
	struct seen slices[SLICES_MAX];
	size_t nr_slices;
	struct strata_track_arrow arrows[ARROWS_MAX];
	size_t nr_arrows;
	size_t nr_tracks; /* that the sink was told of */
};

static inline void see_track(struct strata_track_sink *sink, const struct strata_tracks *tracks,
			     const struct strata_track *track)
{
	struct world *world = (struct world *)sink;

	/* Each once, by its number, parents before children. */
	assert_int_equal(track->id, world->nr_tracks++);
	assert_ptr_equal(tracks->all[track->id], track);
	assert_true(track->parent == STRATA_NO_TRACK || track->parent < track->id);
}

static inline void see_slice(struct strata_track_sink *sink, const struct strata_tracks *tracks,
			     const struct strata_track_slice *slice)
{
	struct world *world = (struct world *)sink;
	struct seen *seen = &world->slices[world->nr_slices];
	size_t i;

	assert_true(slice->track < world->nr_tracks && slice->name < tracks->names.nr &&
		    slice->category < tracks->nr_categories);
	if (world->nr_slices == SLICES_MAX)
		return;
	for (i = 0; i < world->nr_slices; i++) {
		const struct strata_track_slice *other = &world->slices[i].slice;

		assert_true(other->track != slice->track || other->to_ns <= slice->from_ns);
	}
	seen->slice = *slice;
	snprintf(seen->detail, sizeof(seen->detail), "%s", slice->detail);
	world->nr_slices++;
}

static inline void see_arrow(struct strata_track_sink *sink, const struct strata_tracks *tracks,
			     const struct strata_track_arrow *arrow)
{
	struct world *world = (struct world *)sink;

	(void)tracks;
	assert_true(world->nr_arrows < ARROWS_MAX);
	world->arrows[world->nr_arrows++] = *arrow;
}

static inline void make_sources(struct world *world)
{
	static const struct {
		const char *name, *layer;
		uint32_t domain;
	} sources[NR_TRACES] = {
		[XEN] = { "xen", "xen", STRATA_SHOWN_UNKNOWN },
		[DOM0] = { "dom0", "kernel", 0 },
		[G1] = { "g1", "kernel", 1 },
		[SERVER] = { "app-server", "app", 0 },
	};
	size_t i;

	world->domain_names[0] = "dom0";
	world->domain_names[1] = "g1";
	world->domain_names[2] = "g2";
	for (i = 0; i < NR_TRACES; i++) {
		world->of_set[i] = &world->traces[i];
		world->sources[i].name = sources[i].name;
		world->sources[i].layer = sources[i].layer;
		world->sources[i].domain = sources[i].domain;
		world->sources[i].domain_names = world->domain_names;
	}
	world->set.traces = world->of_set;
	world->set.nr_traces = NR_TRACES;
	world->shown.set = &world->set;
	world->shown.sources = world->sources;
	world->shown.nr_sources = NR_TRACES;
	assert_int_equal(strata_holders_find(&world->shown.holders, &world->set), 0);
}

/* @domain: the only one that is wanted; NULL: all */
static inline struct world *begin(uint64_t from_ns, uint64_t to_ns, const char *const *domain)
{
	struct world *world = calloc(1, sizeof(*world));
	uint32_t i;

	assert_non_null(world);
	make_sources(world);
	for (i = 0; i < 2; i++) {
		world->kernels[i].trace = i ? G1 : DOM0;
		world->kernels[i].domain = i;
	}
	for (i = 0; i < 3; i++) {
		world->vcpus[i].domain = i;
		world->tasks[i].kernel = &world->kernels[i == 2];
		world->tasks[i].tid = 100 + i;
		snprintf(world->tasks[i].comm, sizeof(world->tasks[i].comm), "task%u", i);
	}
	world->options = (struct strata_tracks_options){
		.from_ns = from_ns,
		.to_ns = to_ns,
		.domains = domain,
		.nr_domains = domain ? 1 : 0,
	};
	world->sink.track = see_track;
	world->sink.slice = see_slice;
	world->sink.arrow = see_arrow;
	world->sinks[0] = &world->sink;
	world->tracks = strata_tracks_new(&world->shown, &world->options, world->sinks, 1);
	assert_non_null(world->tracks);
	return world;
}

static inline void end(struct world *world)
{
	strata_tracks_free(world->tracks);
	strata_holders_clear(&world->shown.holders);
	free(world);
}

static inline void tell(struct world *world, const struct strata_span *span)
{
	struct strata_span_listener *listener = strata_tracks_listener(world->tracks);

	listener->span(listener, span);
}

static inline void tell_vcpu(struct world *world, size_t vcpu, enum strata_vcpu_state state,
			     uint64_t from_ns, uint64_t to_ns)
{
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_VCPU,
						 .from_ns = from_ns,
						 .to_ns = to_ns,
						 .bound_ns = 4,
						 .vcpu = &world->vcpus[vcpu],
						 .trace = XEN,
						 .number = state });
}

static inline void tell_task(struct world *world, size_t task, enum strata_task_state state,
			     uint64_t from_ns, uint64_t to_ns)
{
	struct strata_split split = { { { 0 } } };

	split.ns[state][STRATA_VCPU_GUEST] = to_ns - from_ns;
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_TASK,
						 .from_ns = from_ns,
						 .to_ns = to_ns,
						 .bound_ns = 4,
						 .task = &world->tasks[task],
						 .trace = world->tasks[task].kernel->trace,
						 .number = state,
						 .split = &split });
}

static inline void tell_request(struct world *world, uint64_t key, uint64_t from_ns, uint64_t to_ns)
{
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_REQUEST,
						 .from_ns = from_ns,
						 .to_ns = to_ns,
						 .bound_ns = 4,
						 .trace = SERVER,
						 .number = key,
						 .name = "server:ask",
						 .name_bytes = 10 });
}

static const struct strata_track *track_of(const struct world *world, const struct seen *seen)
{
	return world->tracks->all[seen->slice.track];
}

static const char *name_of(const struct world *world, const struct seen *seen)
{
	return world->tracks->names.texts[seen->slice.name];
}

static inline void expect(const struct world *world, size_t at, const char *track, const char *name,
			  uint64_t from_ns, uint64_t to_ns, const char *detail)
{
	const struct seen *seen = &world->slices[at];

	assert_true(at < world->nr_slices);
	assert_string_equal(track_of(world, seen)->name, track);
	assert_string_equal(name_of(world, seen), name);
	assert_int_equal(seen->slice.from_ns, from_ns);
	assert_int_equal(seen->slice.to_ns, to_ns);
	assert_string_equal(seen->detail, detail);
}

static inline enum strata_hue hue_of(const struct world *world, size_t at)
{
	return world->tracks->categories[world->slices[at].slice.category].hue;
}

#endif /* STRATA_TEST_TRACKS_WORLD_H */
