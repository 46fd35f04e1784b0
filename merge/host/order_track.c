// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_track.c - see order_track.h; order_check.c has three tracks for each vCPU.
 *
 * Only the start and the last event of an interval are stored: every event is compared with the
 * start when it arrives, and the last one with the end. An event outside is compared with the
 * previous interval when it arrives. If the event is too far from that interval, it is stored, and
 * compared with the next one when that begins, or when time has passed beyond the event's bound.
 *
 * The first record of a track also says what the state was before. So events between the start of
 * coverage (or the end of an uncertain stretch) and that record are summarised, and judged when it
 * comes. If they were outside, and one of them may lie as late as the next interval, none of them
 * is judged.
 */
#include "host/order_track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX

void strata_track_result_init(struct strata_track_result *result)
{
	memset(result, 0, sizeof(*result));
	result->slack_before_ticks = STRATA_SLACK_NONE;
	result->slack_after_ticks = STRATA_SLACK_NONE;
}

void strata_track_init(struct strata_track *track, uint32_t key)
{
	memset(track, 0, sizeof(*track));
	track->key = key;
}

void strata_track_clear(struct strata_track *track)
{
	free(track->pending);
	memset(track, 0, sizeof(*track));
}

static uint64_t add_held(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t subtract_held(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

static void note_slack(uint64_t *smallest, uint64_t ticks)
{
	if (ticks < *smallest)
		*smallest = ticks;
}

/* Counts @count violations, and names the first of them if there is still room. */
static void note_violation(struct strata_track *track, struct strata_track_result *result,
			   uint64_t count, const struct strata_pending_event *event)
{
	struct strata_violation *violation;

	result->checks += count;
	result->violations += count;
	if (result->nr_named == STRATA_VIOLATIONS_NAMED)
		return;
	violation = &result->named[result->nr_named++];
	violation->domain = (uint16_t)(track->key >> 16);
	violation->vcpu = (uint16_t)track->key;
	violation->ticks = event->ticks;
	violation->bound = event->bound;
	snprintf(violation->event, sizeof(violation->event), "%s", event->name);
	violation->state = track->state;
	violation->late_ticks = track->ended == NEVER ? NEVER
						      : subtract_held(event->ticks, track->ended);
	violation->early_ticks = NEVER;
	if (!track->open_violation)
		track->open_violation = result->nr_named;
}

/* An interval begins: the violations since the previous one ended now get early_ticks. */
static void close_violations(struct strata_track *track, struct strata_track_result *result,
			     uint64_t ticks)
{
	unsigned int i;

	if (!track->open_violation)
		return;
	for (i = track->open_violation - 1; i < result->nr_named; i++) {
		struct strata_violation *violation = &result->named[i];

		if (((uint32_t)violation->domain << 16 | violation->vcpu) == track->key &&
		    violation->early_ticks == NEVER)
			violation->early_ticks = subtract_held(ticks, violation->ticks);
	}
	track->open_violation = 0;
}

/* Judges pending events that can no longer lie after @ticks. */
static void judge_passed(struct strata_track *track, struct strata_track_result *result,
			 uint64_t ticks)
{
	unsigned int i, kept = 0;

	if (track->waiting && track->waiting_latest < ticks) {
		note_violation(track, result, track->waiting, &track->waiting_first);
		track->waiting = 0;
	}
	for (i = 0; i < track->nr_pending; i++) {
		const struct strata_pending_event event = track->pending[i];

		if (add_held(event.ticks, event.bound) < ticks)
			note_violation(track, result, 1, &event);
		else
			track->pending[kept++] = event;
	}
	track->nr_pending = kept;
}

void strata_track_begin(struct strata_track *track, struct strata_track_result *result,
			uint64_t ticks)
{
	unsigned int i;

	judge_passed(track, result, ticks);
	close_violations(track, result, ticks);
	result->unchecked += track->waiting;
	track->waiting = 0;
	for (i = 0; i < track->nr_pending; i++) {
		result->checks++;
		note_slack(&result->slack_before_ticks,
			   add_held(track->pending[i].ticks, track->pending[i].bound) - ticks);
	}
	track->nr_pending = 0;
	track->inside = true;
	track->began = ticks;
	track->last_event = NEVER;
}

void strata_track_end(struct strata_track *track, struct strata_track_result *result,
		      uint64_t ticks, const char *state)
{
	if (track->inside) {
		if (track->last_event != NEVER)
			note_slack(&result->slack_after_ticks, ticks - track->last_event);
		track->ended = ticks;
	}
	track->inside = false;
	track->state = state;
}

void strata_track_learn(struct strata_track *track, struct strata_track_result *result, bool inside,
			const char *state)
{
	track->known = true;
	track->inside = inside;
	track->state = state;
	track->began = NEVER;
	track->ended = NEVER;
	track->last_event = NEVER;
	track->open_violation = 0;
	if (track->waiting && inside) {
		result->checks += track->waiting;
		track->last_event = track->waiting_last;
		track->waiting = 0;
	}
}

static void wait_for_record(struct strata_track *track, const struct strata_pending_event *event)
{
	const uint64_t latest = add_held(event->ticks, event->bound);

	if (track->waiting++ == 0) {
		track->waiting_first = *event;
		track->waiting_latest = 0;
	}
	track->waiting_last = subtract_held(event->ticks, event->bound);
	if (latest > track->waiting_latest)
		track->waiting_latest = latest;
}

/* An event that is too late for the previous interval may be an early one of the next. */
static void keep_pending(struct strata_track *track, struct strata_track_result *result,
			 const struct strata_pending_event *event)
{
	if (!track->pending && event->bound)
		track->pending = calloc(STRATA_TRACK_PENDING, sizeof(track->pending[0]));
	if (event->bound == 0)
		note_violation(track, result, 1, event);
	else if (!track->pending || track->nr_pending == STRATA_TRACK_PENDING)
		result->unchecked++;
	else
		track->pending[track->nr_pending++] = *event;
}

void strata_track_event(struct strata_track *track, struct strata_track_result *result,
			uint64_t ticks, uint64_t bound, const char *name)
{
	const struct strata_pending_event event = { ticks, bound, name };
	uint64_t earliest = subtract_held(ticks, bound);

	if (!track->known) {
		wait_for_record(track, &event);
		return;
	}
	judge_passed(track, result, ticks);
	if (track->inside) {
		result->checks++;
		if (track->began != NEVER)
			note_slack(&result->slack_before_ticks,
				   add_held(ticks - track->began, bound));
		if (track->last_event == NEVER || earliest > track->last_event)
			track->last_event = earliest;
		return;
	}
	/* The boundary belongs to the interval. */
	if (track->ended != NEVER && earliest <= track->ended) {
		result->checks++;
		note_slack(&result->slack_after_ticks, track->ended - earliest);
		return;
	}
	keep_pending(track, result, &event);
}

void strata_track_forget(struct strata_track *track, struct strata_track_result *result)
{
	result->unchecked += track->waiting + track->nr_pending;
	track->waiting = 0;
	track->nr_pending = 0;
	track->known = false;
	track->open_violation = 0;
}

void strata_track_finish(struct strata_track *track, struct strata_track_result *result,
			 uint64_t until_ticks)
{
	if (track->known)
		judge_passed(track, result, until_ticks);
	strata_track_forget(track, result);
}
