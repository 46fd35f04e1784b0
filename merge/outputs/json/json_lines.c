// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_lines.c - one JSON object for each event, on a line of its own:
 *
 *     ns              nanoseconds since 1970, as a string: they are beyond 2^53
 *     time            the same in UTC, for people
 *     bound_ns        largest error of the time; absent: unknown
 *     unordered       true: the order of this and the previous event is uncertain
 *     late            true: later events had been written already; else absent
 *     source, layer   where it comes from; the layer is absent if unknown
 *     cpu, pcpu, domain, vcpu     numbers; each is absent if unknown
 *     event           its name
 *     message         its format with its fields, if it has a format (message.h)
 *     packet, stream_context, context, fields     objects of fields, see json_text.h
 *
 * An event without a time has neither ns nor time.
 *
 * And one for each loss, at its place, which has no `event`:
 *
 *     discarded         events that the tracer discarded
 *     reasons           the same by reason, where it is known: buffer_full, nested_wrap,
 *                       record_too_large
 *     missing_packets   packets that are absent: overwritten, or lost in transfer
 *     from_ns, to_ns    it happened between these times, in the format of ns; absent: no clock
 *     from, to          the same in UTC, for people
 *     source, layer, cpu    as for an event
 *     stream            the name of the stream's file
 */
#include <stdlib.h>

#include "outputs/json/json.h"
#include "outputs/json/json_text.h"

static void put_unknown_or(struct strata_buffer *buffer, const char *name, uint32_t number)
{
	char *out;

	if (number == STRATA_SHOWN_UNKNOWN)
		return;
	out = strata_buffer_room(buffer, 2 * STRATA_PUT_BYTES);
	if (!out)
		return;
	out = strata_put_text(out, name);
	strata_buffer_advance(buffer, strata_put_decimal(out, number));
}

/* "2023-11-14T22:13:20.000000113Z" */
static char *put_time(char *out, struct strata_put_clock *clock, uint64_t ns)
{
	char *const end = strata_put_date(out, clock, ns, true, true);

	out[STRATA_PUT_DATE_BYTES - 1] = 'T';
	*end = 'Z';
	return end + 1;
}

static void put_times(struct strata_buffer *buffer, const struct strata_shown_event *event)
{
	char *out = strata_buffer_room(buffer, 6 * STRATA_PUT_BYTES);

	if (!out)
		return;
	*out++ = '{';
	if (event->has_time) {
		out = strata_put_text(out, "\"ns\":\"");
		out = strata_put_decimal(out, event->ns);
		out = strata_put_text(out, "\",\"time\":\"");
		out = put_time(out, &buffer->clock, event->ns);
		out = strata_put_text(out, "\",");
		if (event->bound_ns != UINT64_MAX) {
			out = strata_put_text(out, "\"bound_ns\":");
			out = strata_put_decimal(out, event->bound_ns);
			*out++ = ',';
		}
	}
	out = strata_put_text(out, "\"unordered\":");
	out = strata_put_text(out, event->unordered ? "true" : "false");
	if (event->late)
		out = strata_put_text(out, ",\"late\":true");
	strata_buffer_advance(buffer, out);
}

static void json_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
		       const struct strata_shown_event *event)
{
	(void)writer;
	put_times(buffer, event);
	strata_json_member(buffer, "source", event->source);
	if (*event->layer)
		strata_json_member(buffer, "layer", event->layer);
	put_unknown_or(buffer, ",\"cpu\":", event->cpu);
	put_unknown_or(buffer, ",\"pcpu\":", event->pcpu);
	put_unknown_or(buffer, ",\"domain\":", event->domain);
	put_unknown_or(buffer, ",\"vcpu\":", event->vcpu);
	strata_json_member(buffer, "event", event->name);
	strata_json_message(buffer, event);
	strata_json_scopes(buffer, event);
	strata_buffer_put(buffer, "}\n", 2);
}

static char *put_loss_time(char *out, struct strata_put_clock *clock, const char *name, uint64_t ns)
{
	out = strata_put_text(strata_put_text(out, ",\""), name);
	out = strata_put_decimal(strata_put_text(out, "_ns\":\""), ns);
	out = strata_put_text(strata_put_text(out, "\",\""), name);
	out = put_time(strata_put_text(out, "\":\""), clock, ns);
	*out++ = '"';
	return out;
}

static void json_loss(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_loss *lost)
{
	char *out = strata_buffer_room(buffer, 10 * STRATA_PUT_BYTES + STRATA_JSON_LOSS_BYTES);

	(void)writer;
	if (!out)
		return;
	*out++ = '{';
	out = strata_json_put_loss(out, lost->loss);
	if (lost->has_time) {
		out = put_loss_time(out, &buffer->clock, "from", lost->loss->from_ns);
		out = put_loss_time(out, &buffer->clock, "to", lost->loss->to_ns);
	}
	strata_buffer_advance(buffer, out);
	strata_json_member(buffer, "source", lost->source);
	if (*lost->layer)
		strata_json_member(buffer, "layer", lost->layer);
	put_unknown_or(buffer, ",\"cpu\":", lost->cpu);
	strata_json_member(buffer, "stream", lost->stream);
	strata_buffer_put(buffer, "}\n", 2);
}

static void json_free(struct strata_event_writer *writer)
{
	free(writer);
}

struct strata_event_writer *strata_json_lines_new(void)
{
	struct strata_event_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->event = json_event;
	writer->loss = json_loss;
	writer->free = json_free;
	return writer;
}
