// SPDX-License-Identifier: GPL-2.0-or-later
/* summary.c - a merge's result as summary.json, for programs. */
#include <string.h>

#include "files/safe_dir.h"
#include "outputs/figures_json.h"
#include "outputs/outputs.h"

/* A slack in ticks and in nanoseconds; null if nothing was checked. */
static void add_slack(struct json_object *object, const char *ticks_key, const char *ns_key,
		      uint32_t tsc_khz, uint64_t ticks)
{
	if (ticks == STRATA_SLACK_NONE) {
		json_object_object_add(object, ticks_key, NULL);
		json_object_object_add(object, ns_key, NULL);
		return;
	}
	strata_json_add_u64(object, ticks_key, ticks);
	strata_json_add_u64(object, ns_key, strata_ticks_to_ns(tsc_khz, ticks));
}

static struct json_object *stream_to_json(const struct strata_recorded_stream *recorded,
					  const struct strata_stream_figures *stream)
{
	const uint32_t tsc_khz = recorded->host->timebase.tsc_khz;
	const struct strata_source *source = recorded->source;
	const char *domain_name = strata_recorded_domain_name(recorded->host, source->domain);
	struct json_object *object = json_object_new_object();

	strata_json_add_text(object, "source", source->name);
	strata_json_add_text(object, "layer", strata_layer_name(source->layer));
	strata_json_add_u64(object, "domain", source->domain);
	if (domain_name)
		strata_json_add_text(object, "domain_name", domain_name);
	strata_json_add_u64(object, "cpu", recorded->cpu);
	strata_json_add_u64(object, "events", stream->events);
	strata_json_add_u64(object, "lost", stream->lost);
	if (source->layer == STRATA_LAYER_XEN)
		return object;
	strata_json_add_text(object, "clock", strata_clock_kind_name(recorded->kind));
	strata_json_add_u64(object, "clock_changes", recorded->clock_changes);
	strata_json_add_u64(object, "unsure", stream->unsure);
	strata_json_add_u64(object, "doubtful", stream->doubtful);
	/* An assumed clock (not recorded, taken as the host's) has no bound. */
	if (recorded->kind == STRATA_CLOCK_ASSUMED) {
		json_object_object_add(object, "bound_ns", NULL);
		return object;
	}
	strata_json_add_u64(object, "bound_ns",
			    strata_ticks_to_ns_up(tsc_khz, stream->bound_ticks + 1));
	strata_json_add_u64(object, "firm_bound_ns",
			    strata_ticks_to_ns_up(tsc_khz, stream->firm_bound_ticks + 1));
	return object;
}

static void add_track(struct json_object *object, const struct strata_track_result *track,
		      uint32_t tsc_khz)
{
	uint64_t smallest = track->slack_before_ticks < track->slack_after_ticks
				    ? track->slack_before_ticks
				    : track->slack_after_ticks;

	strata_json_add_u64(object, "checks", track->checks);
	strata_json_add_u64(object, "violations", track->violations);
	strata_json_add_u64(object, "unchecked", track->unchecked);
	add_slack(object, "smallest_slack_ticks", "smallest_slack_ns", tsc_khz, smallest);
	add_slack(object, "slack_before_ticks", "slack_before_ns", tsc_khz,
		  track->slack_before_ticks);
	add_slack(object, "slack_after_ticks", "slack_after_ns", tsc_khz, track->slack_after_ticks);
}

static struct json_object *clock_to_json(const struct strata_host_figures *figures)
{
	const struct strata_recorded_host *host = figures->host;
	const uint32_t tsc_khz = host->timebase.tsc_khz;
	struct json_object *object = json_object_new_object();
	struct json_object *guest_mode = json_object_new_object();
	struct json_object *applications = json_object_new_object();

	add_track(object, &figures->order.run, tsc_khz);
	add_track(guest_mode, &figures->order.guest_mode, tsc_khz);
	json_object_object_add(object, "guest_mode", guest_mode);
	add_track(applications, &figures->order.app, tsc_khz);
	strata_json_add_u64(applications, "bound_ns", figures->app_bound_ns);
	json_object_object_add(object, "applications", applications);
	/* The same for all of them together. */
	if (host->assumed_clocks)
		json_object_object_add(object, "bound_ns", NULL);
	else
		strata_json_add_u64(object, "bound_ns", figures->bound_ns);
	strata_json_add_u64(object, "assumed_clocks", host->assumed_clocks);
	strata_json_add_u64(object, "skew_ticks", figures->skew_ticks);
	strata_json_add_u64(object, "skew_ns", strata_ticks_to_ns_up(tsc_khz, figures->skew_ticks));
	strata_json_add_u64(object, "unmeasured_pcpus", host->scan.skew.nr_unmeasured);
	strata_json_add_u64(object, "tsc_khz", tsc_khz);
	return object;
}

struct json_object *strata_summary_to_json(const struct strata_host_figures *figures)
{
	struct json_object *root = json_object_new_object();
	struct json_object *streams = json_object_new_array();
	size_t i;

	strata_json_add_events(root, figures->events, figures->first_ns, figures->last_ns);
	strata_json_add_u64(root, "duration_ns", figures->duration_ns);
	strata_json_add_tally(root, &figures->tally);
	strata_json_add_u64(root, "left_out_sources", figures->left_out_sources);
	for (i = 0; i < figures->host->nr_streams; i++)
		json_object_array_add(
			streams, stream_to_json(&figures->host->streams[i], &figures->streams[i]));
	json_object_object_add(root, "streams", streams);
	json_object_object_add(root, "clock", clock_to_json(figures));
	return root;
}

int strata_summary_save(const struct strata_host_figures *figures, const char *dir,
			struct strata_error *error)
{
	struct json_object *root = strata_summary_to_json(figures);
	struct strata_dir opened;
	const char *text;
	int status = -1;

	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
	if (!text)
		strata_fail(error, "%s/summary.json: out of memory", dir);
	else if (!strata_dir_open(&opened, dir, error)) {
		status = strata_dir_replace(&opened, "summary.json", text, strlen(text), error);
		strata_dir_close(&opened);
	}
	json_object_put(root);
	return status;
}
