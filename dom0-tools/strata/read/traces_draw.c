// SPDX-License-Identifier: GPL-2.0-or-later
/* traces_draw.c - see traces_draw.h. */
#include "strata/read/traces_draw.h"

#include <stdlib.h>
#include <string.h>

#include "outputs/chrome/chrome_tracks.h"
#include "outputs/perfetto/perfetto_tracks.h"
#include "strata/read/tracks_pass.h"

/* One of the two formats. */
struct drawing {
	struct strata_perfetto_tracks *perfetto;
	struct strata_chrome_tracks *chrome;
	struct strata_track_sink *sink;
};

static bool is_perfetto(const struct write_options *options)
{
	return strcmp(options->format, "perfetto") == 0;
}

bool write_is_drawn(const struct write_options *options)
{
	return !options->events && strata_filter_is_empty(options->filter) &&
	       (is_perfetto(options) || strcmp(options->format, "chrome") == 0);
}

static int begin_drawing(struct drawing *drawing, const struct write_options *options,
			 struct strata_out_file *out, uint64_t first_ns, struct strata_error *error)
{
	if (is_perfetto(options)) {
		drawing->perfetto = strata_perfetto_tracks_new(out);
		if (drawing->perfetto)
			drawing->sink = strata_perfetto_tracks_sink(drawing->perfetto);
	} else {
		drawing->chrome = strata_chrome_tracks_new(out, first_ns);
		if (drawing->chrome)
			drawing->sink = strata_chrome_tracks_sink(drawing->chrome);
	}
	return drawing->sink ? 0 : strata_fail(error, "out of memory");
}

static int finish_drawing(struct drawing *drawing, struct strata_error *error)
{
	return drawing->perfetto ? strata_perfetto_tracks_finish(drawing->perfetto, error)
				 : strata_chrome_tracks_finish(drawing->chrome, error);
}

/* Reads the traces, for the tracks and the observers. */
static int read_events(struct traces *traces, struct tracks_pass *pass,
		       const struct strata_slice_options *slices, struct strata_error *error)
{
	struct strata_slice_options all = *slices;
	struct strata_slice_sink **observers =
		calloc(slices->nr_observers + TRACKS_OBSERVERS, sizeof(struct strata_slice_sink *));
	int status;

	if (!observers)
		return strata_fail(error, "out of memory");
	if (slices->nr_observers)
		memcpy(observers, slices->observers, slices->nr_observers * sizeof(*observers));
	all.nr_observers += tracks_pass_observers(pass, observers + slices->nr_observers);
	all.observers = observers;
	all.from_ns = 0;
	status = strata_slices_run(&traces->set, &all, NULL, error) < 0 ? -1 : 0;
	free(observers);
	return status;
}

int write_drawn(struct traces *traces, const struct write_options *options,
		const struct strata_shown *shown, const struct strata_slice_options *slices,
		uint64_t first_ns, uint64_t *events, struct strata_error *error)
{
	static const struct state_requests none;
	struct drawing drawing = { NULL, NULL, NULL };
	struct tracks_pass pass = {
		.traces = traces,
		.shown = shown,
		.requests = &none,
		.options = { .from_ns = slices->from_ns, .to_ns = slices->to_ns },
		.sinks = &drawing.sink,
		.nr_sinks = 1,
	};
	struct strata_out_file *out = strata_out_open(options->out, options->force, error);
	int status = out ? begin_drawing(&drawing, options, out, first_ns, error) : -1;

	if (!status)
		status = tracks_pass_begin(&pass, error);
	if (!status)
		status = read_events(traces, &pass, slices, error);
	if (!status)
		status = tracks_pass_finish(&pass, error);
	if (!status)
		status = finish_drawing(&drawing, error);
	if (!status) {
		const struct strata_tracks_facts *facts = &pass.tracks->facts;

		*events = facts->slices ? strata_host_state_facts(pass.state)->events : 0;
		if (!facts->slices)
			traces_remark(traces, "nothing to draw: the selected events make no spans; "
					      "--events writes an instant for each event");
		status = strata_out_close(out, error);
	} else if (out) {
		strata_out_abandon(out);
	}
	tracks_pass_clear(&pass);
	strata_perfetto_tracks_free(drawing.perfetto);
	strata_chrome_tracks_free(drawing.chrome);
	return status;
}
