// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger.c - see trigger.h. */
#include "stratad/trigger/trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "outputs/table.h"
#include "stratad/aggregate_names.h"

/* The action of a look. */
struct action {
	bool taken, failed;
	char done[PATH_MAX + 1024]; /* what it did, or why it failed */
};

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

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
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

/* Whether the disk with the snapshots has room for another one.  Whoever can cause the condition
 * can have snapshots taken without end.  @why: OUT, if not */
static bool has_room(const struct trigger *trigger, char *why, size_t bytes)
{
	struct statvfs disk;
	uint64_t percent;

	if (trigger->model->rotate || !trigger->written[0] || !trigger->model->keep_free)
		return true;
	if (statvfs(trigger->written, &disk)) {
		snprintf(why, bytes,
			 "no snapshot is taken: %s: %s; --keep-free 0 takes them whatever is free",
			 trigger->written, strerror(errno));
		return false;
	}
	/* A file system that does not report its size sets no limit. */
	if (!disk.f_blocks)
		return true;
	percent = (uint64_t)((unsigned __int128)disk.f_bavail * 100 / disk.f_blocks);
	if (percent >= trigger->model->keep_free)
		return true;
	snprintf(why, bytes,
		 "no snapshot is taken: %" PRIu64 " %% of the disk of %s are free, and --keep-free "
		 "is %u %%; remove snapshots",
		 percent, trigger->written, trigger->model->keep_free);
	return false;
}

static void note_written(struct trigger *trigger, struct strata_control *control)
{
	const char *reply = strata_control_reply(control);
	struct json_object *object = reply ? json_tokener_parse(reply) : NULL, *output;

	if (json_object_object_get_ex(object, "output", &output)) {
		snprintf(trigger->written, sizeof(trigger->written), "%s",
			 json_object_get_string(output));
		/* The directory with all of them: this one may be removed. */
		dirname(trigger->written);
	}
	json_object_put(object);
}

/* Asks stratad for the action.  0, or -1: out of memory. */
static int ask(struct trigger *trigger, struct action *action)
{
	struct strata_control *control = trigger->open();
	enum strata_control_result result;

	if (!control)
		return -1;
	result = trigger->model->rotate ? strata_control_rotate(control, trigger->session)
					: strata_control_snapshot(control, trigger->session, NULL);
	snprintf(action->done, sizeof(action->done), "%s", strata_control_message(control));
	action->failed = result != STRATA_CONTROL_OK;
	note_written(trigger, control);
	strata_control_free(control);
	return 0;
}

/* 0, or -1: out of memory. */
static int act(struct trigger *trigger, struct action *action)
{
	action->taken = true;
	if (!has_room(trigger, action->done, sizeof(action->done))) {
		action->failed = true;
	} else {
		if (ask(trigger, action))
			return -1;
		trigger->nr_actions++;
	}
	trigger->failed |= action->failed;
	return 0;
}

/* Takes the look's action, unless an earlier row led to it, and begins the pause of the row's
 * owner.  Counts of the pause cause no action of its own.  0, or -1: out of memory. */
static int act_for(struct trigger *trigger, const struct aggregate_look *look,
		   const struct aggregate_row *row, uint64_t found, struct action *action)
{
	char seen[1024];

	describe(trigger, look, row, found, seen, sizeof(seen));
	if (!action->taken && act(trigger, action))
		return -1;
	trigger->tell(trigger->data, seen, action->done, action->failed);
	return trigger_owners_begin(&trigger->owners, look, row,
				    now_ms() + trigger->model->pause_ms);
}

int trigger_look(void *data, const struct aggregate_look *look, struct strata_error *error)
{
	struct action action = { .taken = false };
	struct trigger *trigger = data;
	const uint64_t began_ms = now_ms();
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

		if (found < trigger->model->least_count ||
		    trigger_owners_pauses(&trigger->owners, look, &rows[i], began_ms))
			continue;
		if (act_for(trigger, look, &rows[i], found, &action))
			result = strata_fail(error, "out of memory");
	}
	free(rows);
	if (!result && trigger->model->max && trigger->nr_actions >= trigger->model->max)
		return 1;
	return result;
}
