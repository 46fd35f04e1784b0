// SPDX-License-Identifier: GPL-2.0-or-later
/* excerpt.c - see excerpt.h; used by the analyses that show what they found. */
#include "analyses/excerpt.h"

#include "outputs/text/text_lines.h"

/* Where an event's contexts begin, so that its copy is aligned alike: all of a recording are
 * aligned to less. */
#define ALIGN_BYTES 8u

static uint32_t first_byte(const struct strata_lane_event *event)
{
	return event->body / 8 / ALIGN_BYTES * ALIGN_BYTES;
}

bool strata_saved_event_fits(const struct strata_lane_event *event)
{
	return (event->end + 7) / 8 - first_byte(event) <= STRATA_SAVED_EVENT_BYTES;
}

void strata_saved_event_set(struct strata_saved_event *saved, struct strata_shown_view *view,
			    size_t stream, struct strata_ctf_reader *reader,
			    const struct strata_lane_event *event, uint64_t ticks)
{
	const uint32_t from = first_byte(event);
	struct strata_ctf_cursor *cursor = &saved->shown.cursor;

	saved->ticks = ticks;
	strata_shown_run(view, stream, reader, &saved->shown);
	strata_shown_next(reader, event, &saved->shown);
	saved->shown.packet.type = NULL;
	saved->shown.is_first = saved->shown.unordered = false;
	memcpy(saved->bytes, reader->base + from, (cursor->end + 7) / 8 - from);
	cursor->at -= (uint64_t)from * 8;
	cursor->end -= (uint64_t)from * 8;
}

void strata_excerpt_add(struct strata_excerpt *excerpt, struct strata_shown_view *view,
			size_t stream, struct strata_ctf_reader *reader,
			const struct strata_lane_event *event, uint64_t ticks)
{
	if (!strata_saved_event_fits(event)) {
		excerpt->omitted++;
		return;
	}
	if (excerpt->nr == STRATA_EXCERPT_LINES) {
		excerpt->nr--;
		excerpt->omitted++;
	}
	strata_saved_event_set(&excerpt->lines[excerpt->nr++], view, stream, reader, event, ticks);
}

static void print(const struct strata_excerpt *excerpt, struct strata_event_writer *writer,
		  struct strata_buffer *buffer, const struct strata_shown *shown)
{
	uint64_t previous_ns = excerpt->nr ? excerpt->lines[0].shown.ns : 0;
	uint64_t slots[STRATA_CTF_SLOTS_MAX] = { 0 };
	unsigned int i;

	writer->begin(writer, buffer, shown->sources, shown->nr_sources);
	for (i = 0; i < excerpt->nr; i++) {
		struct strata_shown_event event = excerpt->lines[i].shown;
		char omitted[80];

		if (excerpt->omitted && i + 1 == excerpt->nr) {
			snprintf(omitted, sizeof(omitted), "# %llu more events of this vCPU\n",
				 (unsigned long long)excerpt->omitted);
			strata_buffer_text(buffer, omitted);
		}
		event.cursor.bytes = excerpt->lines[i].bytes;
		event.cursor.slots = slots;
		event.previous_ns = previous_ns;
		writer->event(writer, buffer, &event);
		previous_ns = event.ns;
	}
}

void strata_excerpt_print(const struct strata_excerpt *excerpt, const struct strata_shown *shown,
			  FILE *out)
{
	const struct strata_text_options options = { .seconds = false };
	struct strata_event_writer *writer = strata_text_columns_new(&options);
	struct strata_buffer buffer = { 0 };

	if (writer) {
		print(excerpt, writer, &buffer, shown);
		writer->free(writer);
	}
	if (buffer.used)
		fwrite(buffer.bytes, 1, buffer.used, out);
	if (!writer || buffer.no_memory)
		fprintf(out, "# out of memory for these events\n");
	strata_buffer_free(&buffer);
}
