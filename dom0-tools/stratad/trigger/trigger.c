// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger.c - see trigger.h. */
#include "stratad/trigger/trigger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "outputs/table.h"
#include "stratad/aggregate_names.h"

/* The first bucket whose times meet the condition. */
static unsigned int first_bucket(const struct strata_trigger *model, uint32_t tsc_khz)
{
	const unsigned __int128 ticks = (unsigned __int128)model->above_ns * tsc_khz / 1000000u;
	unsigned int bucket = 0;

	while (bucket + 1 < STRATA_AGGREGATE_BUCKETS && (ticks >> (bucket + 1)))
		bucket++;
	return bucket;
}

uint64_t trigger_least_ns(const struct strata_trigger *model, uint32_t tsc_khz)
{
	const unsigned int bucket = first_bucket(model, tsc_khz);

	return bucket ? (uint64_t)(((unsigned __int128)1 << bucket) * 1000000u / tsc_khz) : 0;
}

/* The number of new events or times of a row that meet the condition. */
static uint64_t hits(const struct trigger *trigger, const struct aggregate_row *row)
{
	if (row->source->spec->kind != STRATA_AGGREGATE_TIME)
		return row->delta;
	return aggregate_row_new_above(row, first_bucket(trigger->model, row->source->tsc_khz));
}

/* Describes the condition that was met: "g1: 3 times of 8.004 ms or more from vm_exit to vm_entry,
 * the longest 12.1 ms".
 */
static void describe(const struct trigger *trigger, const struct aggregate_look *look,
		     const struct aggregate_row *row, uint64_t nr, char *text, size_t bytes)
{
	char name[AGGREGATE_NAME_BYTES], owner[AGGREGATE_NAME_BYTES] = "";
	char least[STRATA_NS_TEXT_BYTES], longest[STRATA_NS_TEXT_BYTES];
	const char *of = aggregate_owner_name(look, row, owner);
	int length = snprintf(text, bytes, "%s%s%s: ", aggregate_source_name(row->source, name),
			      of ? ", " : "", of ? of : "");

	if (length < 0 || (size_t)length >= bytes)
		return;
	if (row->source->spec->kind != STRATA_AGGREGATE_TIME)
		snprintf(text + length, bytes - (size_t)length, "%" PRIu64 " %s", nr,
			 aggregate_event_name(row, name));
	else
		snprintf(text + length, bytes - (size_t)length,
			 "%" PRIu64 " time%s of %s or more from %s to %s, the longest so far %s",
			 nr, nr == 1 ? "" : "s",
			 strata_ns_text(least,
					trigger_least_ns(trigger->model, row->source->tsc_khz)),
			 trigger->what->begin, trigger->what->end,
			 strata_ns_text(longest,
					aggregate_row_ns(row, row->words[STRATA_AGGREGATE_MAX])));
}

/* Notes what met the condition, and whose it is: no more of it is noted until the action for it has
 * ended, and its pause.  0, or -1: out of memory. */
static int note(struct trigger *trigger, const struct aggregate_look *look,
		const struct aggregate_row *row, uint64_t found)
{
	struct trigger_seen *seen;

	if (!STRATA_GROW(trigger->next.list, trigger->next.nr, trigger->next.capacity))
		return -1;
	seen = &trigger->next.list[trigger->next.nr];
	describe(trigger, look, row, found, seen->text, sizeof(seen->text));
	if (trigger_owners_begin(&trigger->owners, look, row, &seen->owner))
		return -1;
	trigger->next.nr++;
	return 0;
}

void trigger_tell(struct trigger *trigger)
{
	const struct trigger_action *action = &trigger->action;
	size_t i;

	trigger->nr_actions += action->counts;
	trigger->failed |= action->failed;
	for (i = 0; i < trigger->now.nr; i++) {
		const struct trigger_seen *seen = &trigger->now.list[i];

		trigger->tell(trigger->data, seen->text, action->done, action->failed);
		trigger_owners_end(&trigger->owners, seen->owner,
				   clock_now_ms(CLOCK_MONOTONIC) + trigger->model->pause_ms);
	}
	trigger->now.nr = 0;
}

static bool has_had_all(const struct trigger *trigger)
{
	return trigger->model->max && trigger->nr_actions >= trigger->model->max;
}

int trigger_idle(void *data)
{
	struct trigger *trigger = data;
	struct trigger_seen_list done;

	/* A session that is being stopped refuses the action: trigger_run() knows of that. */
	if (trigger->of_session && aggregate_session_is_interrupted())
		return 0;
	if (trigger_action_ends(&trigger->action))
		trigger_tell(trigger);
	if (trigger->action.is_under_way)
		return 0;
	if (has_had_all(trigger))
		return 1;
	if (!trigger->next.nr)
		return 0;
	done = trigger->now;
	trigger->now = trigger->next;
	trigger->next = done;
	trigger_action_begin(&trigger->action);
	return 0;
}

int trigger_look(void *data, const struct aggregate_look *look, struct strata_error *error)
{
	struct trigger *trigger = data;
	const uint64_t began_ms = clock_now_ms(CLOCK_MONOTONIC);
	struct aggregate_row *rows;
	int result = 0;
	size_t nr, i;

	/* Its session is about to end, and waits for it. */
	if (trigger->of_session && look->is_last)
		return 0;
	if (aggregate_rows_list(look, &rows, &nr))
		return strata_fail(error, "out of memory");
	for (i = 0; i < nr && !result; i++) {
		const uint64_t found = hits(trigger, &rows[i]);

		if (found >= trigger->model->least_count &&
		    !trigger_owners_pauses(&trigger->owners, look, &rows[i], began_ms) &&
		    note(trigger, look, &rows[i], found))
			result = strata_fail(error, "out of memory");
	}
	free(rows);
	return result ? result : trigger_idle(trigger);
}
