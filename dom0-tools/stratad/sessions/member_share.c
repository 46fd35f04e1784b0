// SPDX-License-Identifier: GPL-2.0-or-later
/* member_share.c - see member_share.h. */
#include "stratad/sessions/member_share.h"

#include <string.h>

#include "control/session_model.h"
#include "control/session_trigger.h"
#include "recording/kernel_context.h"
#include "recording/kernel_counter.h"
#include "stratad/sessions/session_owner.h"

/* Of a trigger: each look reads the tables of all that count, and each action has all CPUs and
 * kernels flush, which a member's snapshots may once a second. */
#define TRIGGER_INTERVAL_MS SESSION_TRIGGER_INTERVAL_MS
#define TRIGGER_PAUSE_MS    1000u

bool member_share_is_limited(const struct strata_session *session)
{
	return session_owner(session->name) != SESSION_OWNER_SELF;
}

/* Checks the rings of a channel in Xen, where each physical CPU has one of them. */
static int check_xen(const struct strata_channel *channel, struct strata_error *error)
{
	const struct strata_domain_channel *xen = &channel->domains[STRATA_DOMAIN_XEN];
	const uint64_t bytes = (uint64_t)xen->subbuf_bytes * xen->nr_subbufs;
	const uint64_t max = 1ull << (SESSION_SUBBUF_BITS + SESSION_NR_BITS);

	if (bytes > max)
		return strata_fail(error,
				   "channel %s: its rings would have %llu KiB of each CPU, and "
				   "those of a member of the group tracing have %llu at most; "
				   "choose a smaller --buffer",
				   channel->name, (unsigned long long)bytes >> 10,
				   (unsigned long long)max >> 10);
	/* The recorder of a channel is a process of root's, which drains what guests cause. */
	if (!xen->budget_per_s || xen->budget_per_s > SESSION_BUDGET_PER_S)
		return strata_fail(error,
				   "channel %s: a guest may cause up to %u events a second in the "
				   "channels of a member of the group tracing; choose a --budget "
				   "from 1 to that",
				   channel->name, SESSION_BUDGET_PER_S);
	return 0;
}

/* Checks how often a trigger looks and acts. */
static int check_trigger(const struct strata_trigger *trigger, struct strata_error *error)
{
	if (trigger->interval_ms >= TRIGGER_INTERVAL_MS && trigger->pause_ms >= TRIGGER_PAUSE_MS)
		return 0;
	return strata_fail(error,
			   "trigger %s: a trigger of a member of the group tracing looks every %u "
			   "ms at most, and pauses for %u ms at least; choose a longer --interval, "
			   "or --pause",
			   trigger->counted.name, TRIGGER_INTERVAL_MS, TRIGGER_PAUSE_MS);
}

int member_share_check(const struct strata_session *session, struct strata_error *error)
{
	size_t i;

	if (!member_share_is_limited(session))
		return 0;
	for (i = 0; i < session->nr_channels; i++)
		if (check_xen(&session->channels[i], error))
			return -1;
	for (i = 0; i < session->nr_triggers; i++)
		if (check_trigger(&session->triggers[i], error))
			return -1;
	return 0;
}

int member_share_check_number(const struct strata_session *session, struct strata_error *error)
{
	return member_share_check_recorders(session, session_model_count_recorded(session),
					    session->nr_triggers, error);
}

int member_share_check_recorders(const struct strata_session *session, size_t nr_channels,
				 size_t nr_triggers, struct strata_error *error)
{
	if (!member_share_is_limited(session) || nr_channels + nr_triggers <= MEMBER_CHANNELS_MAX)
		return 0;
	if (nr_triggers)
		return strata_fail(
			error,
			"session %s would take %zu of the machine's recorders for channels, and "
			"%zu for triggers, and a member of the group tracing may take %u; `strata "
			"--system remove-trigger` or `disable-channel` leaves one out",
			session->name, nr_channels, nr_triggers, MEMBER_CHANNELS_MAX);
	return strata_fail(
		error,
		"session %s would record %zu channels, and a member of the group tracing "
		"may record %u; `strata --system disable-channel` leaves one out",
		session->name, nr_channels, MEMBER_CHANNELS_MAX);
}

/*
 * Call stacks of programs are root's: without frame pointers, they have words of other users'
 * stacks.  Call stacks of kernels and counters are, because they make each event several times as
 * expensive in kernels that are not the member's, and processors have few counters.
 */
int member_share_check_context(const char *name, struct strata_error *error)
{
	const uint32_t stacks = STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_KERNEL) |
				STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_USER);
	struct strata_kernel_counter counter;
	uint32_t contexts = 0;

	if (strata_kernel_context_find(name, strlen(name), &contexts) && !(contexts & stacks))
		return 0;
	if (!contexts && !strata_kernel_counter_find(name, strlen(name), &counter))
		return strata_fail(
			error, "\"%.64s\" is not a context; `strata add-context --list` lists them",
			name);
	return strata_fail(
		error,
		"the context %s is root's alone: call stacks and counters make each event "
		"of a kernel expensive, and can show what other programs compute; use "
		"others of `strata add-context --list`, or have root record",
		name);
}

/* Of several channels, each has a part of the recordings. */
void member_share_limit(const struct strata_session *session, struct record_options *options)
{
	const size_t nr = session_model_count_recorded(session);

	if (!member_share_is_limited(session))
		return;
	options->begins_empty = true;
	options->without_probes = true;
	options->guest_pages = MEMBER_GUEST_PAGES;
	options->rotation.keep = MEMBER_KEEP / (nr > 1 ? (unsigned int)nr : 1u);
	/* One is the flight recorder's own, which is written when it stops. */
	options->final_max = options->rotation.keep - 1;
}
