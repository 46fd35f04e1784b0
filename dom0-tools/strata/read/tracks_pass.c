// SPDX-License-Identifier: GPL-2.0-or-later
/* tracks_pass.c - see tracks_pass.h. */
#include "strata/read/tracks_pass.h"

#include <stdlib.h>
#include <string.h>

int tracks_read_domains(struct tracks_domains *domains, char *text)
{
	const char *pattern;

	while ((pattern = strsep(&text, ","))) {
		if (!*pattern || domains->nr == TRACKS_DOMAINS_MAX)
			return -1;
		domains->patterns[domains->nr++] = pattern;
	}
	return 0;
}

static int read_events(struct tracks_pass *pass, struct strata_error *error)
{
	struct strata_slice_sink *observers[3] = { strata_host_state_observer(pass->state),
						   strata_tracks_observer(pass->tracks),
						   pass->observer };
	/* States at the beginning follow from all that was before. */
	struct strata_slice_options slices = {
		.to_ns = pass->options.to_ns,
		.threads = traces_threads(),
		.observers = observers,
		.nr_observers = pass->observer ? 3 : 2,
	};
	int status;

	traces_progress_begin(pass->traces,
			      strata_trace_set_bytes(&pass->traces->set, 0, pass->options.to_ns));
	status = strata_slices_run(&pass->traces->set, &slices, NULL, error);
	traces_progress_end(pass->traces);
	return status;
}

int tracks_pass_run(struct tracks_pass *pass, struct strata_error *error)
{
	const struct strata_request_forms forms = { pass->requests->forms, pass->requests->nr };
	int status;

	pass->tracks = strata_tracks_new(pass->shown, &pass->options, pass->sinks, pass->nr_sinks);
	if (!pass->tracks)
		return strata_fail(error, "out of memory");
	pass->listener = strata_tracks_listener(pass->tracks);
	/* The state looks for the end of each stream. */
	if (strata_trace_set_make_index(&pass->traces->set, error))
		return -1;
	pass->state = strata_host_state_new(&pass->traces->set, &forms, &pass->listener, 1, error);
	if (!pass->state)
		return -1;
	status = read_events(pass, error);
	if (status)
		return status;
	if (strata_host_state_finish(pass->state, error))
		return -1;
	if (pass->options.to_ns == UINT64_MAX)
		strata_trace_set_name_cut(&pass->traces->set);
	return strata_tracks_finish(pass->tracks, &pass->order, error);
}

void tracks_pass_clear(struct tracks_pass *pass)
{
	free(pass->order);
	strata_tracks_free(pass->tracks);
	strata_host_state_free(pass->state);
	pass->order = NULL;
	pass->tracks = NULL;
	pass->state = NULL;
}
