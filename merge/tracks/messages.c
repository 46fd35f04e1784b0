// SPDX-License-Identifier: GPL-2.0-or-later
/* messages.c - see recorder.h: makes slices of length zero from the messages of strata_printf(),
 * one track for each program. */
#include <stdlib.h>

#include "analyses/report.h"
#include "base/escape.h"
#include "ctf/types/ctf_formats.h"
#include "outputs/message.h"
#include "tracks/recorder.h"

int strata_messages_init(struct strata_recorder *recorder)
{
	const struct strata_shown *shown = recorder->tracks.shown;
	struct strata_messages *messages = &recorder->messages;
	size_t i;

	if (strata_shown_view_init(&messages->view, shown))
		return -1;
	messages->has_view = true;
	messages->may_have = calloc(shown->nr_sources + 1, sizeof(*messages->may_have));
	for (i = 0; messages->may_have && i < shown->nr_sources; i++) {
		const struct strata_ctf_metadata *metadata = &shown->set->traces[i]->metadata;

		messages->may_have[i] =
			strata_ctf_nr_formats(metadata->streams, metadata->nr_streams) > 0;
	}
	return messages->may_have ? 0 : -1;
}

void strata_messages_clear(struct strata_recorder *recorder)
{
	if (recorder->messages.has_view)
		strata_shown_view_clear(&recorder->messages.view);
	free(recorder->messages.may_have);
	strata_buffer_free(&recorder->messages.detail);
}

/* Writes the message as a slice's detail. False: out of memory, or the event is cut short. */
static bool put_detail(struct strata_buffer *detail, const struct strata_shown_event *event)
{
	struct strata_ctf_cursor cursor;

	if (!strata_message_find(event, &cursor))
		return false;
	detail->used = 0;
	strata_buffer_text(detail, "message=");
	strata_message_put(detail, event->format, event->types[STRATA_SHOWN_TYPES - 1], cursor,
			   strata_message_escape);
	strata_buffer_put(detail, "", 1);
	return !detail->no_memory;
}

static void take(struct strata_recorder *recorder, size_t trace,
		 const struct strata_shown_event *event)
{
	struct strata_messages *messages = &recorder->messages;
	struct strata_tracks *tracks = &recorder->tracks;
	struct strata_track_slice slice = {
		.category = STRATA_HUE_MESSAGE,
		.from_ns = event->ns,
		.to_ns = event->ns,
		.bound_ns = event->bound_ns,
	};
	char name[STRATA_TRACK_NAME];

	if (!put_detail(&messages->detail, event) ||
	    !strata_slices_place(recorder, strata_tree_messages(&recorder->tree, trace), &slice))
		return;
	strata_escape_name(name, sizeof(name), event->name);
	slice.name = strata_names_get(&tracks->names, name,
				      strata_report_owner(tracks->shown, trace, NULL));
	slice.detail = messages->detail.bytes;
	if (!tracks->names.no_memory)
		strata_recorder_tell_slice(recorder, &slice);
}

void strata_messages_take(struct strata_recorder *recorder, size_t stream,
			  struct strata_ctf_reader *reader, const struct strata_lane_event *events,
			  size_t nr)
{
	struct strata_messages *messages = &recorder->messages;
	const size_t trace = recorder->tracks.shown->set->streams[stream].trace;
	struct strata_shown_event *shown = NULL;
	size_t i;

	if (!messages->may_have[trace] || !reader->kind->has_time)
		return;
	for (i = 0; i < nr; i++) {
		if (!reader->kind->classes[events[i].class].event->format ||
		    events[i].ns < recorder->options->from_ns)
			continue;
		if (!shown)
			shown = strata_shown_run(&messages->view, stream, reader);
		strata_shown_next(reader, &events[i], shown);
		take(recorder, trace, shown);
	}
}
