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

size_t tracks_pass_observers(const struct tracks_pass *pass, struct strata_slice_sink **observers)
{
	observers[0] = strata_host_state_observer(pass->state);
	observers[1] = strata_tracks_observer(pass->tracks);
	observers[2] = pass->observer;
	return pass->observer ? 3 : 2;
}

int tracks_pass_begin(struct tracks_pass *pass, struct strata_error *error)
{
	pass->tracks = strata_tracks_new(pass->shown, &pass->options, pass->sinks, pass->nr_sinks);
	if (!pass->tracks)
		return strata_fail(error, "out of memory");
	pass->listeners[0] = strata_tracks_listener(pass->tracks);
	pass->listeners[1] = pass->also;
	pass->state = state_pass_begin(pass->traces, pass->requests, pass->listeners,
				       pass->also ? 2 : 1, error);
	return pass->state ? 0 : -1;
}

int tracks_pass_finish(struct tracks_pass *pass, struct strata_error *error)
{
	if (strata_host_state_finish(pass->state, error))
		return -1;
	return strata_tracks_finish(pass->tracks, &pass->order, error);
}

int tracks_pass_run(struct tracks_pass *pass, struct strata_error *error)
{
	struct strata_slice_sink *observers[TRACKS_OBSERVERS];
	int status = tracks_pass_begin(pass, error);

	if (status)
		return status;
	status = state_pass_read(pass->traces, observers, tracks_pass_observers(pass, observers),
				 pass->options.to_ns, error);
	if (status)
		return status;
	if (pass->options.to_ns == UINT64_MAX)
		strata_trace_set_name_cut(&pass->traces->set);
	return tracks_pass_finish(pass, error);
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
