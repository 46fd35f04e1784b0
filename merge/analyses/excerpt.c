// SPDX-License-Identifier: GPL-2.0-or-later
/* excerpt.c - see excerpt.h; used by the analyses that show what they found. */
#include "analyses/excerpt.h"

#include <string.h>

#include "host/event_text.h"

bool strata_saved_event_fits(const struct strata_timeline_event *event)
{
	return event->payload_bytes <= STRATA_SAVED_PAYLOAD_BYTES;
}

void strata_saved_event_set(struct strata_saved_event *saved,
			    const struct strata_timeline_event *event)
{
	uint32_t context = strata_event_payload_bytes(strata_layer_context(event->class->layer));

	saved->event = *event;
	memcpy(saved->context, event->context, context);
	memcpy(saved->payload, event->payload, event->payload_bytes);
}

void strata_excerpt_add(struct strata_excerpt *excerpt, const struct strata_timeline_event *event)
{
	if (!strata_saved_event_fits(event)) {
		excerpt->omitted++;
		return;
	}
	if (excerpt->nr == STRATA_EXCERPT_LINES) {
		excerpt->nr--;
		excerpt->omitted++;
	}
	strata_saved_event_set(&excerpt->lines[excerpt->nr++], event);
}

void strata_excerpt_print(const struct strata_excerpt *excerpt, const struct strata_merge *merge,
			  FILE *out)
{
	static char line[STRATA_EVENT_TEXT_BYTES + 1];
	uint64_t first_ns = strata_merge_result(merge)->first_ns;
	uint64_t previous_ns = excerpt->nr ? excerpt->lines[0].event.ns : 0;
	unsigned int i;

	fprintf(out, "%s\n", STRATA_EVENT_TEXT_HEADING);
	for (i = 0; i < excerpt->nr; i++) {
		const struct strata_saved_event *saved = &excerpt->lines[i];
		struct strata_timeline_event event = saved->event;

		if (excerpt->omitted && i + 1 == excerpt->nr)
			fprintf(out, "        ... %llu more events of this vCPU ...\n",
				(unsigned long long)excerpt->omitted);
		event.context = saved->context;
		event.payload = saved->payload;
		*strata_event_text(line, merge, &event, first_ns, previous_ns) = '\0';
		fprintf(out, "%s\n", line);
		previous_ns = event.ns;
	}
}
