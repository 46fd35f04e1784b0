// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chrome_tracks.c - see chrome_tracks.h: a process for each group at the top, a thread for each of
 * the tracks below it, a complete event ("X") for each slice, and a flow for each arrow.
 *
 * Readers store times as microseconds in doubles. So times count from the trace's first event, with
 * nanoseconds as three decimal places; otherData contains the time of that event.
 */
#include "outputs/chrome/chrome_tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/json/json_text.h"
#include "tracks/tracks.h"

#define TEXT_BYTES (1u << 16) /* flushed at this size */

struct strata_chrome_tracks {
	struct strata_track_sink sink;
	struct strata_out_file *out;
	struct strata_buffer text;
	uint64_t origin_ns, flows;
	bool has_any;
};

static void write_out(struct strata_chrome_tracks *chrome, size_t least)
{
	if (chrome->text.used < least)
		return;
	strata_out_write(chrome->out, chrome->text.bytes, chrome->text.used);
	chrome->text.used = 0;
}

static void put_number(struct strata_buffer *out, const char *before, uint64_t value)
{
	char *end = strata_buffer_room(out, strlen(before) + STRATA_PUT_BYTES);

	if (end)
		strata_buffer_advance(out, strata_put_decimal(strata_put_text(end, before), value));
}

/* Writes a time in microseconds. */
static void put_time(struct strata_buffer *out, const char *before, uint64_t ns)
{
	char *end = strata_buffer_room(out, strlen(before) + 2 * STRATA_PUT_BYTES);

	if (!end)
		return;
	end = strata_put_decimal(strata_put_text(end, before), ns / 1000);
	*end++ = '.';
	strata_buffer_advance(out, strata_put_digits(end, ns % 1000, 3));
}

/* Returns the top-level group of a track. */
static uint32_t process_of(const struct strata_tracks *tracks, uint32_t track)
{
	while (tracks->all[track]->parent != STRATA_NO_TRACK)
		track = tracks->all[track]->parent;
	return track;
}

/* Begins an event of the given phase on a track. */
static void begin_event(struct strata_chrome_tracks *chrome, const struct strata_tracks *tracks,
			const char *kind, uint32_t track)
{
	strata_buffer_text(&chrome->text, chrome->has_any ? ",\n{\"ph\":\"" : "{\"ph\":\"");
	chrome->has_any = true;
	strata_buffer_text(&chrome->text, kind);
	put_number(&chrome->text, "\",\"pid\":", (uint64_t)process_of(tracks, track) + 1);
	put_number(&chrome->text, ",\"tid\":", (uint64_t)track + 1);
}

static void put_since(struct strata_chrome_tracks *chrome, uint64_t ns)
{
	put_time(&chrome->text, ",\"ts\":", ns > chrome->origin_ns ? ns - chrome->origin_ns : 0);
}

static void put_name(struct strata_chrome_tracks *chrome, const struct strata_tracks *tracks,
		     const struct strata_track *track, const char *what)
{
	const size_t length = strlen(track->name);
	char *out;

	begin_event(chrome, tracks, "M", track->id);
	strata_json_member(&chrome->text, "name", what);
	out = strata_buffer_room(&chrome->text, STRATA_JSON_BYTES(length) + 32);
	if (!out)
		return;
	out = strata_json_put_text(strata_put_text(out, ",\"args\":{\"name\":\""), track->name,
				   length);
	strata_buffer_advance(&chrome->text, strata_put_text(out, "\"}}"));
}

/* The name of a track below a vCPU or a task includes that of its parent: threads cannot be
 * nested. */
static void take_track(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track *track)
{
	struct strata_chrome_tracks *chrome = (struct strata_chrome_tracks *)sink;
	const struct strata_track *above =
		track->parent == STRATA_NO_TRACK ? NULL : tracks->all[track->parent];
	struct strata_track named = *track;

	if (above && above->parent != STRATA_NO_TRACK)
		snprintf(named.name, sizeof(named.name), "%.60s: %.60s", above->name, track->name);
	if (track->kind != STRATA_TRACK_GROUP) {
		put_name(chrome, tracks, &named, "thread_name");
		begin_event(chrome, tracks, "M", track->id);
		put_number(&chrome->text,
			   ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":",
			   (uint64_t)track->kind << 20 |
				   (track->rank < 0xfffff ? track->rank : 0xfffff));
		strata_buffer_text(&chrome->text, "}}");
	} else if (!above) {
		put_name(chrome, tracks, track, "process_name");
	}
	write_out(chrome, TEXT_BYTES);
}

/* Writes lines of KEY=VALUE as members. */
static void put_details(struct strata_buffer *out, const char *detail)
{
	while (*detail) {
		const size_t line = strcspn(detail, "\n"), name = strcspn(detail, "=");
		char *end = strata_buffer_room(out, STRATA_JSON_BYTES(line) + 8);

		if (!end)
			return;
		if (name < line) {
			end = strata_json_put_text(strata_put_text(end, ",\""), detail, name);
			end = strata_put_text(end, "\":\"");
			end = strata_json_put_text(end, detail + name + 1, line - name - 1);
			strata_buffer_advance(out, strata_put_text(end, "\""));
		}
		detail += line + (detail[line] == '\n');
	}
}

static void put_bound(struct strata_buffer *out, uint64_t bound_ns)
{
	if (bound_ns == UINT64_MAX)
		strata_buffer_text(out, ",\"args\":{\"bound_ns\":null");
	else
		put_number(out, ",\"args\":{\"bound_ns\":", bound_ns);
}

static void take_slice(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track_slice *slice)
{
	struct strata_chrome_tracks *chrome = (struct strata_chrome_tracks *)sink;

	begin_event(chrome, tracks, "X", slice->track);
	put_since(chrome, slice->from_ns);
	put_time(&chrome->text, ",\"dur\":", slice->to_ns - slice->from_ns);
	strata_json_member(&chrome->text, "name", tracks->names.texts[slice->name]);
	strata_json_member(&chrome->text, "cat",
			   strata_hue_names[tracks->categories[slice->category].hue]);
	put_bound(&chrome->text, slice->bound_ns);
	put_details(&chrome->text, slice->detail);
	strata_buffer_text(&chrome->text, "}}");
	write_out(chrome, TEXT_BYTES);
}

static void put_end_of_flow(struct strata_chrome_tracks *chrome, const struct strata_tracks *tracks,
			    const struct strata_track_arrow *arrow, bool is_begin)
{
	static const char *const names[STRATA_NR_ARROWS] = {
		[STRATA_ARROW_WAKEUP] = "wake-up",
		[STRATA_ARROW_EVENT_CHANNEL] = "event channel",
		[STRATA_ARROW_INTERRUPT] = "interrupt",
	};

	begin_event(chrome, tracks, is_begin ? "s" : "f",
		    is_begin ? arrow->from_track : arrow->to_track);
	put_since(chrome, is_begin ? arrow->from_ns : arrow->to_ns);
	strata_json_member(&chrome->text, "name", names[arrow->kind]);
	/* Binds the arrow to the enclosing slice, not to the next one. */
	strata_buffer_text(&chrome->text,
			   is_begin ? ",\"cat\":\"flow\"" : ",\"cat\":\"flow\",\"bp\":\"e\"");
	put_number(&chrome->text, ",\"id\":", chrome->flows);
	strata_buffer_text(&chrome->text, "}");
}

static void take_arrow(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track_arrow *arrow)
{
	struct strata_chrome_tracks *chrome = (struct strata_chrome_tracks *)sink;

	if (arrow->kind == STRATA_ARROW_HELD)
		return;
	chrome->flows++;
	put_end_of_flow(chrome, tracks, arrow, true);
	put_end_of_flow(chrome, tracks, arrow, false);
	write_out(chrome, TEXT_BYTES);
}

static void take_queue(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		       const struct strata_track_queue *queue)
{
	struct strata_chrome_tracks *chrome = (struct strata_chrome_tracks *)sink;

	begin_event(chrome, tracks, "C", queue->track);
	put_since(chrome, queue->from_ns);
	strata_json_member(&chrome->text, "name", tracks->all[queue->track]->name);
	put_number(&chrome->text, ",\"args\":{\"waiting\":", queue->waiting);
	strata_buffer_text(&chrome->text, "}}");
	write_out(chrome, TEXT_BYTES);
}

static void take_loss(struct strata_track_sink *sink, const struct strata_tracks *tracks,
		      const struct strata_track_loss *loss)
{
	struct strata_chrome_tracks *chrome = (struct strata_chrome_tracks *)sink;

	begin_event(chrome, tracks, "i", loss->track);
	put_since(chrome, loss->from_ns);
	strata_buffer_text(&chrome->text, ",\"s\":\"t\",\"name\":\"events lost\",\"cat\":\"loss\"");
	put_number(&chrome->text, ",\"args\":{\"discarded\":", loss->discarded);
	put_number(&chrome->text, ",\"to_ns\":\"", loss->to_ns);
	strata_buffer_text(&chrome->text, "\"}}");
	write_out(chrome, TEXT_BYTES);
}

struct strata_chrome_tracks *strata_chrome_tracks_new(struct strata_out_file *out,
						      uint64_t origin_ns)
{
	struct strata_chrome_tracks *chrome = calloc(1, sizeof(*chrome));

	if (!chrome)
		return NULL;
	chrome->out = out;
	chrome->origin_ns = origin_ns;
	chrome->sink.track = take_track;
	chrome->sink.slice = take_slice;
	chrome->sink.arrow = take_arrow;
	chrome->sink.loss = take_loss;
	chrome->sink.queue = take_queue;
	put_number(&chrome->text, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"origin_ns\":\"",
		   origin_ns);
	strata_buffer_text(&chrome->text, "\"},\"traceEvents\":[\n");
	return chrome;
}

struct strata_track_sink *strata_chrome_tracks_sink(struct strata_chrome_tracks *chrome)
{
	return &chrome->sink;
}

int strata_chrome_tracks_finish(struct strata_chrome_tracks *chrome, struct strata_error *error)
{
	strata_buffer_text(&chrome->text, "\n]}\n");
	write_out(chrome, 1);
	return chrome->text.no_memory ? strata_fail(error, "out of memory") : 0;
}

void strata_chrome_tracks_free(struct strata_chrome_tracks *chrome)
{
	if (!chrome)
		return;
	strata_buffer_free(&chrome->text);
	free(chrome);
}
