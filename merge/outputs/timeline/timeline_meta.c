// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline_meta.c - the description of a timeline: tracks, names, levels and chunks, losses, clocks
 * (docs/formats.md, "The timeline's page"). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "outputs/timeline/json_put.h"
#include "outputs/timeline/timeline_data.h"

#define BOUND_UNKNOWN ((uint64_t)0x1fffffffffffff)
#define TEXT_BYTES    1024u

static uint64_t since_begin(const struct strata_timeline *timeline, uint64_t ns)
{
	return ns > timeline->options->begin_ns ? ns - timeline->options->begin_ns : 0;
}

static void put_tracks(struct strata_buffer *out, const struct strata_tracks *tracks,
		       const uint32_t *order)
{
	size_t i;

	strata_buffer_text(out, ",\n\"tracks\":[");
	for (i = 0; i < tracks->nr; i++) {
		const struct strata_track *track = tracks->all[order[i]];

		strata_json_number(out, i ? ",\n{\"id\":" : "\n{\"id\":", track->id);
		if (track->parent == STRATA_NO_TRACK)
			strata_buffer_text(out, ",\"parent\":-1");
		else
			strata_json_number(out, ",\"parent\":", track->parent);
		strata_json_string(out, ",\"kind\":", strata_track_kind_names[track->kind]);
		strata_json_string(out, ",\"name\":", track->name);
		strata_json_string(out, ",\"detail\":", track->detail);
		strata_json_string(out, ",\"domain\":", track->domain);
		strata_json_string(out, ",\"host\":", track->host);
		strata_json_string(out, ",\"process\":", track->process);
		strata_buffer_text(out, "}");
	}
	strata_buffer_text(out, "]");
}

/* Writes the names of slices, then those of the histograms of waits. */
static void put_strings(struct strata_buffer *out, const struct strata_timeline *timeline,
			const struct strata_tracks *tracks)
{
	char text[STRATA_TRACK_NAME + 64];
	size_t i;

	strata_buffer_text(out, ",\n\"strings\":[");
	for (i = 0; i < tracks->names.nr; i++)
		strata_json_string(out, i ? ",\n" : "\n", tracks->names.texts[i]);
	for (i = 0; i < timeline->waits.nr; i++) {
		snprintf(text, sizeof(text), "tasks of %s wait for a CPU",
			 tracks->all[timeline->waits.all[i]->id]->name);
		strata_json_string(out, ",\n", text);
	}
	strata_buffer_text(out, "]");
}

static void put_categories(struct strata_buffer *out, const struct strata_tracks *tracks)
{
	size_t i;

	strata_buffer_text(out, ",\n\"categories\":[");
	for (i = 0; i < tracks->nr_categories; i++) {
		const struct strata_track_category *category = &tracks->categories[i];

		strata_json_number(out, i ? ",\n{\"id\":" : "\n{\"id\":", i);
		strata_json_string(out, ",\"key\":", strata_hue_names[category->hue]);
		strata_json_number(out, ",\"name\":", category->name);
		strata_json_string(out, ",\"hue\":", strata_hue_names[category->hue]);
		strata_json_number(out, ",\"index\":", category->index);
		strata_buffer_text(out, "}");
	}
	strata_buffer_text(out, "]");
}

/* @unit: "spans" or "arrows" */
static void put_chunk(struct strata_buffer *out, const struct strata_timeline *timeline,
		      uint32_t number, const char *unit, bool is_first)
{
	const struct strata_chunk *chunk = strata_chunk_store_get(timeline->store, number);

	strata_json_number(out, is_first ? "\n{\"id\":" : ",\n{\"id\":", number);
	strata_json_number(out, ",\"from\":", chunk->from_ns);
	strata_json_number(out, ",\"to\":", chunk->to_ns);
	strata_json_number(out, ",\"longest\":", chunk->longest_ns);
	strata_buffer_text(out, ",\"");
	strata_buffer_text(out, unit);
	strata_json_number(out, "\":", chunk->entries);
	strata_json_number(out, ",\"bytes\":", chunk->bytes);
	strata_buffer_text(out, "}");
}

static void put_levels(struct strata_buffer *out, struct strata_timeline *timeline)
{
	const uint32_t wanted = strata_levels_wanted(&timeline->levels);
	unsigned int level;
	size_t i;

	strata_buffer_text(out, ",\n\"levels\":[");
	for (level = 0; level < STRATA_LEVELS; level++) {
		const size_t nr = strata_levels_chunks(&timeline->levels, level, NULL);
		uint32_t *chunks = calloc(nr + 1, sizeof(*chunks));

		if (!chunks) {
			timeline->no_memory = true;
			return;
		}
		if (wanted >> level & 1) {
			strata_json_number(
				out, level ? ",\n{\"resolution_ns\":" : "\n{\"resolution_ns\":",
				strata_level_resolution_ns(level));
			strata_buffer_text(out, ",\"chunks\":[");
			strata_levels_chunks(&timeline->levels, level, chunks);
			for (i = 0; i < nr; i++)
				put_chunk(out, timeline, chunks[i], "spans", i == 0);
			strata_buffer_text(out, "]}");
		}
		free(chunks);
	}
	strata_buffer_text(out, "]");
}

static void put_arrows(struct strata_buffer *out, const struct strata_timeline *timeline)
{
	bool is_first = true;
	size_t i, j;

	strata_buffer_text(out, ",\n\"arrows\":{\"chunks\":[");
	for (i = 0; i < STRATA_LEVELS; i++) {
		for (j = 0; j < timeline->arrows[i].nr_chunks; j++) {
			put_chunk(out, timeline, timeline->arrows[i].chunks[j], "arrows", is_first);
			is_first = false;
		}
	}
	strata_buffer_text(out, "]}");
}

static void put_requests(struct strata_buffer *out, const struct strata_timeline *timeline,
			 const struct strata_tracks *tracks)
{
	size_t i;

	strata_buffer_text(out, ",\n\"requests\":[");
	for (i = 0; i < timeline->requests.nr; i++) {
		strata_json_number(
			out, i ? ",\n{\"name\":" : "\n{\"name\":", timeline->requests.all[i]->id);
		strata_json_number(out, ",\"spans\":", timeline->requests.all[i]->count);
		strata_buffer_text(out, "}");
	}
	strata_buffer_text(out, "],\n\"histograms\":[");
	strata_latencies_json(&timeline->requests, UINT32_MAX, false, out);
	strata_latencies_json(&timeline->waits, (uint32_t)tracks->names.nr,
			      timeline->requests.nr != 0, out);
	strata_buffer_text(out, "]");
}

/* Writes the explanations of the longest requests, by track and begin. */
static void put_whys(struct strata_buffer *out, const struct strata_timeline *timeline)
{
	char key[64];
	bool is_first = true;
	size_t i;

	strata_buffer_text(out, ",\n\"why\":{");
	for (i = 0; i < timeline->nr_slowest; i++) {
		const struct strata_timeline_slow *slow = &timeline->slowest[i];

		if (!slow->why)
			continue;
		snprintf(key, sizeof(key),
			 "%s\"%" PRIu32 ":%" PRIu64 "\":", is_first ? "\n" : ",\n", slow->track,
			 slow->from_ns);
		strata_json_string(out, key, slow->why);
		is_first = false;
	}
	strata_buffer_text(out, "}");
}

static void put_losses(struct strata_buffer *out, const struct strata_timeline *timeline)
{
	size_t i;

	strata_buffer_text(out, ",\n\"losses\":[");
	for (i = 0; i < timeline->nr_losses; i++) {
		const struct strata_track_loss *loss = &timeline->losses[i];

		strata_json_number(out, i ? ",\n[" : "\n[", loss->track);
		strata_json_number(out, ",", since_begin(timeline, loss->from_ns));
		strata_json_number(out, ",", since_begin(timeline, loss->to_ns));
		strata_json_number(out, ",", loss->discarded);
		strata_buffer_text(out, "]");
	}
	strata_buffer_text(out, "]");
}

static void put_clocks(struct strata_buffer *out, const struct strata_timeline *timeline)
{
	bool is_first = true;
	size_t i, j;

	strata_buffer_text(out, ",\n\"clock\":[");
	for (i = 0; i < timeline->shown->nr_sources; i++) {
		const struct strata_shown_source *source = &timeline->shown->sources[i];
		const struct strata_bounds *bounds = timeline->bounds[i];

		if (!bounds)
			continue;
		strata_json_string(out, is_first ? "\n{\"host\":" : ",\n{\"host\":",
				   source->hostname ? source->hostname : "");
		strata_json_string(out, ",\"domain\":", source->name);
		strata_json_string(out, ",\"layer\":", source->layer);
		strata_buffer_text(out, ",\"points\":[");
		for (j = 0; j < bounds->nr; j++) {
			const uint64_t bound_ns = bounds->steps[j].bound_ns;

			strata_json_number(out, j ? ",[" : "[", bounds->steps[j].from_ns);
			strata_json_number(out, ",",
					   bound_ns < BOUND_UNKNOWN ? bound_ns : BOUND_UNKNOWN);
			strata_buffer_text(out, "]");
		}
		strata_buffer_text(out, "]}");
		is_first = false;
	}
	strata_buffer_text(out, "]");
}

/* Appends a sentence if the number is not 0. */
static void say(char *text, size_t *used, uint64_t number, const char *one, const char *more)
{
	const int bytes = number ? snprintf(text + *used, TEXT_BYTES - *used, "%s%" PRIu64 " %s",
					    *used ? "; " : "", number, number == 1 ? one : more)
				 : 0;

	if (bytes > 0 && (size_t)bytes < TEXT_BYTES - *used)
		*used += (size_t)bytes;
}

static void put_facts(struct strata_buffer *out, const struct strata_timeline *timeline,
		      const struct strata_tracks *tracks, const struct strata_state_facts *facts)
{
	char text[TEXT_BYTES] = "";
	size_t used = 0;

	say(text, &used, tracks->facts.of_others, "span of a domain that was not asked for",
	    "spans of domains that were not asked for");
	say(text, &used, tracks->facts.not_shown, "span belongs to a track beyond the limit",
	    "spans belong to tracks beyond the limit");
	say(text, &used, facts->not_followed, "event belongs to a task or CPU beyond the limit",
	    "events belong to tasks or CPUs beyond the limit");
	say(text, &used, facts->requests_without_end, "request has no end", "requests have no end");
	say(text, &used, facts->requests_without_begin, "request has no beginning",
	    "requests have no beginning");
	say(text, &used, facts->requests_not_followed,
	    "request exceeded the limit of concurrent requests",
	    "requests exceeded the limit of concurrent requests");
	say(text, &used, facts->contradictions,
	    "change of a vCPU's state does not follow from the previous state",
	    "changes of a vCPU's state do not follow from the previous state");
	say(text, &used, facts->switches_missing, "switch between tasks was not recorded",
	    "switches between tasks were not recorded");
	say(text, &used, timeline->joined_losses, "loss is joined with the previous one",
	    "losses are joined with previous ones");
	strata_json_number(out, ",\n\"facts\":{\"events\":", facts->events);
	strata_json_number(out, ",\"spans\":", timeline->slices);
	strata_json_number(out, ",\"arrows\":", tracks->facts.arrows);
	strata_json_number(out, ",\"losses\":", tracks->facts.losses);
	strata_json_string(out, ",\"not_shown\":", text);
	strata_buffer_text(out, "}");
}

void strata_timeline_describe(struct strata_timeline *timeline, const struct strata_tracks *tracks,
			      const uint32_t *order, const struct strata_state_facts *facts)
{
	const struct strata_timeline_options *options = timeline->options;
	struct strata_buffer *out = &timeline->meta;
	const uint64_t last_ns = facts->last_ns > tracks->facts.last_ns ? facts->last_ns
									: tracks->facts.last_ns;
	char begin[STRATA_PUT_BYTES];

	*strata_put_decimal(begin, options->begin_ns) = '\0';
	strata_json_string(out, "{\"version\":1,\"title\":", options->title);
	strata_json_string(out, ",\"command\":", options->command);
	strata_buffer_text(out, options->is_served ? ",\"serve\":true" : ",\"serve\":false");
	strata_json_string(out, ",\"begin_ns\":", begin);
	strata_json_number(out, ",\"length_ns\":", since_begin(timeline, last_ns));
	put_tracks(out, tracks, order);
	put_strings(out, timeline, tracks);
	put_categories(out, tracks);
	put_levels(out, timeline);
	put_arrows(out, timeline);
	put_requests(out, timeline, tracks);
	put_whys(out, timeline);
	put_losses(out, timeline);
	put_clocks(out, timeline);
	put_facts(out, timeline, tracks, facts);
	strata_buffer_text(out, "}\n");
}
