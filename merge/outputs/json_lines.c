// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_lines.c - one JSON object for each event, on a line of its own:
 *
 *     ns              nanoseconds since 1970, as a string: they are beyond 2^53
 *     time            the same in UTC, for people
 *     bound_ns        the time is off by no more; missing: not known
 *     unordered       true: it and the event before may have been the other way round
 *     late            true: it came when later ones had been written already; else missing
 *     source, layer   whose it is; the layer is missing where it is not known
 *     cpu, pcpu, domain, vcpu     numbers; each is missing where it is not known
 *     event           its name
 *     packet, stream_context, context, fields     objects of fields, as json_text.h says
 *
 * An event without a time has neither ns nor time.
 */
#include <stdlib.h>

#include "outputs/json.h"
#include "outputs/json_text.h"

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
	const uint64_t second = ns / 1000000000u;

	if (!strata_put_clock_set(clock, second, true))
		return strata_put_seconds(out, ns);
	out = strata_put_bytes(out, clock->text, STRATA_PUT_DATE_BYTES + STRATA_PUT_TIME_BYTES);
	out[-1 - (int)STRATA_PUT_TIME_BYTES] = 'T';
	*out++ = '.';
	out = strata_put_nine(out, (uint32_t)(ns - second * 1000000000u));
	*out++ = 'Z';
	return out;
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
			out = strata_json_put_unsigned(out, event->bound_ns);
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
	strata_json_scopes(buffer, event);
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
	writer->free = json_free;
	return writer;
}
