// SPDX-License-Identifier: GPL-2.0-or-later
/* participant_commands.c - see participant_commands.h. */
#include "stratad/domains/participant_commands.h"

#include <string.h>

#include "consumerd/sources.h"
#include "stratad/domains/participant.h"
#include "stratad/domains/participant_counters.h"
#include "stratad/domains/participant_events.h"

/* After this time without an answer the user gets a message, and the recorder no longer waits for
 * the guest. */
#define SILENCE_MS 10000u

/* A kernel patches its code and interrupts all CPUs for each event that it enables or disables:
 * that takes seconds for hundreds of events. */
#define EVENT_MS 100u

/* Before it adds a probe, a module looks up functions and types by name: on a slow CPU a second. */
#define PROBE_MS 1000u

int participant_give(struct participants *all, struct participant *one,
		     const struct guest_command *command, struct strata_error *error)
{
	if (!xenstore_requests_tell(all->requests, one->domain, one->serial, one->sequence,
				    command))
		return strata_fail(error, "out of memory");
	one->unwritten = true;
	one->failed = false;
	return 0;
}

void participant_await(struct participants *all, struct participant *one,
		       enum participant_step step)
{
	one->step = step;
	if (!one->owes_since_ms)
		one->owes_since_ms = participants_now_ms(all);
	one->silence_said = false;
	one->due = true;
}

/* Sends a command that has only a number.  0 or -1. */
static int give(struct participants *all, struct participant *one,
		void (*make)(struct guest_command *command, uint32_t sequence),
		struct strata_error *error)
{
	struct guest_command command;

	one->sequence = all->sequence++;
	make(&command, one->sequence);
	return participant_give(all, one, &command, error);
}

void participant_create(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	if (give(all, one, guest_command_create, &why))
		participant_refuse(all, one, &why);
	else
		participant_await(all, one, PARTICIPANT_CREATING);
}

void participant_destroy(struct participants *all, struct participant *one)
{
	struct strata_error ignored;

	/* If it fails, the next recorder with this number makes new ones. */
	if (one->has_channel)
		give(all, one, guest_command_destroy, &ignored);
}

void participant_quiet(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	if (give(all, one, guest_command_stop, &why))
		participant_refuse(all, one, &why);
	else
		participant_await(all, one, PARTICIPANT_QUIETING);
}

static int give_start(struct participants *all, struct participant *one, struct strata_error *error)
{
	const struct guest_start start = { .overwrite = all->overwrite,
					   .form = one->map.form,
					   .switch_ms = all->switch_ms,
					   .contexts = one->map.contexts,
					   .events = &one->events,
					   .filter = one->filter,
					   .field_filters = one->field_filters.words };
	const uint32_t last = one->sequence;
	struct guest_command command;

	one->sequence = all->sequence++;
	if (guest_command_start(&command, one->sequence, &start, error) ||
	    participant_give(all, one, &command, error)) {
		/* Its answer may be awaited. */
		one->sequence = last;
		return -1;
	}
	one->start_sequence = one->sequence;
	participant_await(all, one, PARTICIPANT_STARTING);
	return 0;
}

void participant_start(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	if (one->step != PARTICIPANT_READY || event_set_count(&one->events) == 0)
		return;
	if (give_start(all, one, &why))
		participant_leave_out(all, one, &why);
}

void participant_stop(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	/* A kernel that has not answered may start later, so stop it in any case. */
	if (one->step != PARTICIPANT_STARTING && one->step != PARTICIPANT_RECORDING)
		return;
	/* Its answer to the start may have arrived; read it before the stop is written. */
	if (one->step == PARTICIPANT_STARTING)
		xenstore_requests_look(all->requests, one->domain, one->serial);
	/* If its module is gone, the next look sees that. */
	give(all, one, guest_command_stop, &why);
	participant_await(all, one, PARTICIPANT_STOPPING);
}

/* Adds the classes of newly chosen events, and has the kernel start with them.  0 or -1. */
static int tell_choice(struct participants *all, struct participant *one,
		       struct strata_error *error)
{
	if (sources_add_events(all->recorder, one->source, &one->map, &one->events, error))
		return -1;
	/* The start command is sent when its rings are added. */
	return one->step == PARTICIPANT_ADDING ? 0 : give_start(all, one, error);
}

int participant_reselect(struct participants *all, struct participant *one,
			 struct strata_error *error)
{
	struct participant_choice before;

	if (one->step != PARTICIPANT_ADDING && one->step != PARTICIPANT_READY &&
	    one->step != PARTICIPANT_STARTING && one->step != PARTICIPANT_RECORDING)
		return 0;
	if (participant_choose_again(all, one, &before, error))
		return strata_fail_in(error, "domain %u", one->domain);
	if (tell_choice(all, one, error)) {
		participant_choice_restore(one, &before);
		return strata_fail_in(error, "domain %u", one->domain);
	}
	participant_choice_clear(&before);
	return 0;
}

void participant_flush(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	one->flushing = one->step == PARTICIPANT_RECORDING && one->life == DOMAIN_RUNS;
	if (one->flushing)
		one->flushing = !give(all, one, guest_command_flush, &why);
}

bool participant_flushed(struct participants *all, struct participant *one)
{
	if (one->flushing && !one->looking)
		one->looking = xenstore_requests_look(all->requests, one->domain, one->serial);
	return !one->flushing;
}

void participant_note_flushed(struct participant *one, const struct guest *now)
{
	if (now->module == GUEST_READY && now->answered != one->sequence)
		return;
	one->flushing = false;
	one->unflushed = false;
}

void participant_note_failure(struct participants *all, struct participant *one,
			      const struct xenstore_reply *reply)
{
	/* Superseded by a later command. */
	if (reply->sequence != one->sequence)
		return;
	one->failed = true;
	one->why_failed = reply->why;
	one->flushing = false;
	if (one->step != PARTICIPANT_STARTING || all->failed)
		return;
	all->failed = true;
	all->why_failed = reply->why;
	strata_fail_in(&all->why_failed, "domain %u", one->domain);
}

void participant_take_failure(struct participants *all, struct participant *one)
{
	struct strata_error why = one->why_failed;

	one->failed = false;
	switch (one->step) {
	case PARTICIPANT_CREATING:
	case PARTICIPANT_QUIETING:
	case PARTICIPANT_PROBING:
	case PARTICIPANT_COUNTING:
		participant_refuse(all, one, &why);
		break;
	case PARTICIPANT_STARTING:
		one->step = one->recorded ? PARTICIPANT_RECORDING : PARTICIPANT_READY;
		one->owes_since_ms = 0;
		participant_leave_out(all, one, &why);
		break;
	default:
		/* If its module is gone, the next look sees that. */
		break;
	}
}

bool participant_owes_answer(const struct participant *one)
{
	return one->step == PARTICIPANT_CREATING || one->step == PARTICIPANT_QUIETING ||
	       one->step == PARTICIPANT_PROBING || one->step == PARTICIPANT_COUNTING ||
	       one->step == PARTICIPANT_STARTING || one->step == PARTICIPANT_STOPPING;
}

bool participant_is_late(const struct participant *one)
{
	return participant_owes_answer(one) || participant_is_mapping(one) ||
	       one->step == PARTICIPANT_ADDING;
}

uint64_t participant_patience_ms(const struct participant *one)
{
	if (one->domain != 0)
		return 0;
	return (uint64_t)event_set_count(&one->events) * EVENT_MS +
	       (uint64_t)event_set_count(&one->probes) * PROBE_MS;
}

bool participant_is_silent(const struct participants *all, const struct participant *one)
{
	return participant_owes_answer(one) && participants_now_ms(all) - one->owes_since_ms >=
						       SILENCE_MS + participant_patience_ms(one);
}

void participant_note_late(struct participants *all, struct participant *one)
{
	if (!participant_is_late(one) || one->silence_said)
		return;
	one->silence_said = true;
	participant_say(all, one,
			"has not answered yet: the recording begins without it, and it is recorded "
			"as soon as it answers");
}

static void note_silence(struct participants *all, struct participant *one)
{
	if (one->silence_said || all->stopping ||
	    (one->life != DOMAIN_PAUSED && !participant_is_silent(all, one)))
		return;
	one->silence_said = true;
	participant_say(all, one, "%s: it is recorded as soon as it answers",
			one->life == DOMAIN_PAUSED ? "is paused" : "does not answer");
}

void participant_take_answer(struct participants *all, struct participant *one,
			     const struct guest *now)
{
	struct strata_error why = { "" };

	if (now->answered != one->sequence) {
		if (one->step == PARTICIPANT_STOPPING && now->answered == one->start_sequence &&
		    !strcmp(now->state, "started"))
			one->recorded = true;
		note_silence(all, one);
		return;
	}
	one->silence_said = false;
	one->owes_since_ms = 0;
	if (one->step == PARTICIPANT_CREATING) {
		participant_take_rings(all, one, now);
	} else if (one->step == PARTICIPANT_PROBING) {
		if (participant_take_probe(all, one, now, &why)) {
			participant_refuse(all, one, &why);
			return;
		}
		one->step = PARTICIPANT_READING;
		participant_map_some(all, one);
	} else if (one->step == PARTICIPANT_COUNTING) {
		if (participant_take_counter(all, one, !strcmp(now->state, "prepared"), &why))
			participant_refuse(all, one, &why);
		else
			participant_go_on(all, one);
	} else if (!strcmp(now->state, "refused")) {
		strata_fail(&why, "its module refused the command; its kernel log says why");
		participant_refuse(all, one, &why);
	} else if (one->step == PARTICIPANT_QUIETING && !strcmp(now->state, "stopped")) {
		participant_go_on(all, one);
	} else if (one->step == PARTICIPANT_STARTING && !strcmp(now->state, "started")) {
		one->step = PARTICIPANT_RECORDING;
		one->recorded = true;
	} else if (one->step == PARTICIPANT_STOPPING && !strcmp(now->state, "stopped")) {
		one->step = PARTICIPANT_STOPPED;
	}
}
