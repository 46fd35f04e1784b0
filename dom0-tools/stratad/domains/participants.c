// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * participants.c - tracks domains that appear, leave and answer; see participants.h.
 *
 * Watches in xenstore tell where to look. A guest can fire its own without end, so a domain is read
 * at most every LOOK_MS, a few domains per turn, round robin, in a separate thread
 * (xenstore_requests.h).  All are read every LOOK_ANYWAY_MS, in case a watch was missed.
 */
#include "stratad/domains/participants.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <strata/abi/guest.h>

#include <xen/xen.h>
#include <xen/sched.h>

#include "base/array.h"
#include "stratad/domains/participant.h"
#include "stratad/domains/participant_commands.h"

/* Many more than xenstored sends during a turn, so that events do not pile up in our memory.  It
 * takes at least ten times as long to send one as we take to read it. */
#define WATCHES_PER_TURN 16384u
#define LOOKS_PER_TURN   8u
#define LOOK_MS          50u
#define LOOK_ANYWAY_MS   10000u
#define LIST_MS          100u
#define LIST_ANYWAY_MS   1000u

/* Timeout for a guest's answer.  After a start it joins later; after a stop its committed records
 * are taken. */
#define START_MS 3000u
#define STOP_MS  10000u

/* How often answers are looked for before the recording begins. */
#define CREATE_LOOK_NS 5000000

#define DOMAINS_TOKEN "domains"

static struct participant *find(struct participants *all, uint32_t domain)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].domain == domain)
			return &all->list[i];
	return NULL;
}

static struct participant *add(struct participants *all, uint32_t domain)
{
	struct participant *one;

	if (!STRATA_GROW(all->list, all->nr, all->capacity))
		return NULL;
	one = &all->list[all->nr++];
	memset(one, 0, sizeof(*one));
	one->domain = domain;
	one->serial = ++all->serials;
	one->port = -1;
	one->due = true;
	/* If it fails, the domain is still read, only later. */
	xenstore_requests_watch(all->requests, domain, true);
	return one;
}

/* Who is let go may have all others flushed, for the copy of a flight recorder's memory: so all
 * that have gone are marked first, as they cannot answer, and the list is compacted last. */
static void forget_gone(struct participants *all)
{
	size_t kept = 0, i;

	for (i = 0; i < all->nr; i++)
		if (!all->list[i].seen && all->list[i].life != DOMAIN_SHUT_DOWN)
			all->list[i].life = DOMAIN_DYING;
	for (i = 0; i < all->nr; i++) {
		struct participant *one = &all->list[i];

		if (!one->seen && one->step != PARTICIPANT_NONE)
			participant_let_go(all, one, participant_end(one));
	}
	for (i = 0; i < all->nr; i++) {
		if (all->list[i].seen)
			all->list[kept++] = all->list[i];
		else
			xenstore_requests_watch(all->requests, all->list[i].domain, false);
	}
	all->nr = kept;
}

/* A crashed domain may be kept for inspection: it writes no more.  By kexec, another kernel may
 * follow in the same domain and memory. */
static bool is_over(const struct participant *one)
{
	return one->life == DOMAIN_SHUT_DOWN && (participant_end(one) == STRATA_SOURCE_CRASHED ||
						 one->reason == SHUTDOWN_soft_reset);
}

static void let_crashed_go(struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		struct participant *one = &all->list[i];

		if (one->step != PARTICIPANT_NONE && is_over(one))
			participant_let_go(all, one, participant_end(one));
	}
}

/* Updates the list of domains. 0 or -1. */
static int list_domains(struct participants *all, struct strata_error *error)
{
	const struct domain_state *states;
	size_t nr, i;

	all->domains_due = false;
	all->domains_ms = participants_now_ms(all);
	if (domains_list(all->domains, &states, &nr, error))
		return -1;
	for (i = 0; i < all->nr; i++)
		all->list[i].seen = false;
	for (i = 0; i < nr; i++) {
		struct participant *one = find(all, states[i].domain);

		if (states[i].life == DOMAIN_DYING)
			continue;
		if (!one)
			one = add(all, states[i].domain);
		if (!one)
			return strata_fail(error, "out of memory");
		one->seen = true;
		memcpy(one->uuid, states[i].uuid, sizeof(one->uuid));
		one->life = states[i].life;
		one->reason = states[i].reason;
	}
	forget_gone(all);
	let_crashed_go(all);
	return 0;
}

/* Drains watch events, and notes them for the next participants_tend(): they would pile up while
 * the caller waits. */
static void hear(struct participants *all)
{
	unsigned int i;

	for (i = 0; i < WATCHES_PER_TURN; i++) {
		char **event = xs_check_watch(all->xenstore);
		struct participant *one;

		if (!event)
			return;
		if (!strcmp(event[XS_WATCH_TOKEN], DOMAINS_TOKEN)) {
			all->domains_due = true;
		} else {
			one = find(all, (uint32_t)strtoul(event[XS_WATCH_TOKEN], NULL, 10));
			if (one)
				one->due = true;
		}
		free(event);
	}
}

static bool any_creates(const struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].step == PARTICIPANT_CREATING && all->list[i].life == DOMAIN_RUNS)
			return true;
	return false;
}

/* Waits until the modules have made the rings of our channel.  Late ones join later. */
static void await_rings(struct participants *all)
{
	const struct timespec pause = { .tv_nsec = CREATE_LOOK_NS };

	while (any_creates(all) && participants_now_ms(all) - all->gathered_ms < START_MS) {
		nanosleep(&pause, NULL);
		participants_tend(all);
	}
}

int participants_gather(struct participants *all, struct strata_error *error)
{
	size_t i;

	/* Distinguishes commands of different recorders. */
	all->sequence = (uint32_t)strata_clock();
	all->gathered_ms = participants_now_ms(all);
	all->requests = xenstore_requests_open(all->xenstore, all->channel, error);
	if (!all->requests)
		return -1;
	if (!xs_watch(all->xenstore, "@introduceDomain", DOMAINS_TOKEN) ||
	    !xs_watch(all->xenstore, "@releaseDomain", DOMAINS_TOKEN))
		return strata_fail(error, "xenstore does not watch for domains: %s",
				   strerror(errno));
	if (list_domains(all, error))
		return -1;
	for (i = 0; i < all->nr; i++)
		participant_look(all, &all->list[i]);
	if (participants_check_found(all, error))
		return -1;
	await_rings(all);
	return 0;
}

void participants_start(struct participants *all)
{
	size_t i;

	all->started = true;
	for (i = 0; i < all->nr; i++)
		participant_start(all, &all->list[i]);
}

/* Whether it is time to read this one. */
static bool is_time(const struct participant *one, uint64_t now_ms)
{
	uint64_t rest_ms = one->due || participant_owes_answer(one) ? LOOK_MS : LOOK_ANYWAY_MS;

	return !one->looking && now_ms - one->looked_ms >= rest_ms;
}

/* Requests a read of it; tries again later if out of memory. */
static void ask(struct participants *all, struct participant *one, uint64_t now_ms)
{
	one->looked_ms = now_ms;
	one->due = false;
	one->looking = xenstore_requests_look(all->requests, one->domain, one->serial);
}

static struct participant *find_serial(struct participants *all, uint64_t serial)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].serial == serial)
			return &all->list[i];
	return NULL;
}

/* Handles xenstore's replies about present participants.  @only_flushed: leaves everything but
 * flushes to a later read, and to participants_tend(). */
static void take_replies(struct participants *all, bool only_flushed)
{
	struct xenstore_reply reply;
	struct participant *one;

	while (xenstore_requests_take(all->requests, &reply)) {
		one = find_serial(all, reply.whose);
		if (!one)
			continue;
		if (!reply.is_look) {
			one->unwritten &= reply.sequence != one->sequence;
			if (reply.failed)
				participant_note_failure(all, one, &reply);
			continue;
		}
		one->looking = false;
		participant_note_flushed(one, &reply.guest);
		one->due |= only_flushed;
		if (!only_flushed)
			participant_take_look(all, one, &reply.guest);
	}
}

static void take_failures(struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].failed)
			participant_take_failure(all, &all->list[i]);
}

void participants_hear_flushed(struct participants *all)
{
	hear(all);
	take_replies(all, true);
}

bool participants_unwritten(const struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].unwritten)
			return true;
	return false;
}

void participants_tend(struct participants *all)
{
	uint64_t now_ms = participants_now_ms(all);
	struct strata_error ignored;
	unsigned int looks = 0;
	size_t i;

	hear(all);
	leaving_tend(&all->leaving, all->recorder, all->pages);
	/* Retried on failure. */
	if (now_ms - all->domains_ms >= (all->domains_due ? LIST_MS : LIST_ANYWAY_MS))
		list_domains(all, &ignored);
	take_replies(all, false);
	take_failures(all);
	all->mapping = all->leaving != NULL;
	for (i = 0; i < all->nr && !all->stopping; i++) {
		const bool mapping = participant_is_mapping(&all->list[i]);

		all->mapping |= mapping;
		if (mapping)
			participant_map_some(all, &all->list[i]);
		else if (all->list[i].step == PARTICIPANT_ADDING)
			participant_add_rings(all, &all->list[i]);
	}
	for (i = 0; i < all->nr && looks < LOOKS_PER_TURN; i++) {
		struct participant *one = &all->list[all->next++ % all->nr];

		if (!is_time(one, now_ms))
			continue;
		ask(all, one, now_ms);
		looks++;
	}
}

bool participants_quiet(const struct participants *all)
{
	size_t i;

	if (all->mapping || all->domains_due || all->stopping || participants_unwritten(all))
		return false;
	for (i = 0; i < all->nr; i++) {
		const struct participant *one = &all->list[i];

		if ((one->step != PARTICIPANT_NONE && one->step != PARTICIPANT_RECORDING) ||
		    one->due || one->looking || one->failed || participant_owes_answer(one))
			return false;
	}
	return true;
}

/* Whether it is still waited for. */
static bool is_awaited(const struct participants *all, const struct participant *one,
		       uint64_t waited_ms)
{
	const uint64_t limit_ms =
		(all->stopping ? STOP_MS : START_MS) + participant_patience_ms(one);

	if (!participant_is_late(one) || one->life != DOMAIN_RUNS)
		return false;
	if (all->stopping && (one->step < PARTICIPANT_READY || participant_is_silent(all, one)))
		return false;
	return waited_ms < limit_ms;
}

bool participants_settled(const struct participants *all, uint64_t waited_ms)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (is_awaited(all, &all->list[i], waited_ms))
			return false;
	return true;
}

void participants_name_late(struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].life == DOMAIN_RUNS)
			participant_note_late(all, &all->list[i]);
}

void participants_stop(struct participants *all)
{
	struct strata_error ignored;
	size_t i;

	all->stopping = true;
	/* Finds paused domains, which are not waited for. */
	list_domains(all, &ignored);
	for (i = 0; i < all->nr; i++)
		participant_stop(all, &all->list[i]);
}

void participants_release(struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		/* The shares went with the recorder. */
		all->list[i].who = NULL;
		participant_unmap(all, &all->list[i]);
	}
	leaving_release(&all->leaving);
	guest_pages_close(all->pages);
	all->pages = NULL;
	for (i = 0; i < all->nr; i++)
		participant_destroy(all, &all->list[i]);
	if (all->requests)
		xenstore_requests_close(all->requests);
	else if (all->xenstore)
		xs_close(all->xenstore);
	all->requests = NULL;
	all->xenstore = NULL;
	allowances_clear(&all->allowances);
	free(all->list);
	all->list = NULL;
	all->nr = 0;
}
