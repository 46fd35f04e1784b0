// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * participant.c - maps, starts, stops and unmaps one kernel of a recording.
 *
 * Everything that it publishes and answers is hostile; its cost is bounded by its allowance
 * (allowance.h), by STRATA_SOURCES_MAX and by the rate of participants_tend().
 */
#include "stratad/domains/participant.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/abi/guest.h>

#include <xen/xen.h>
#include <xen/sched.h>

#include "base/escape.h"
#include "xen/domain_numbers.h"
#include "stratad/domains/participant_commands.h"
#include "stratad/domains/participant_counters.h"
#include "stratad/domains/participant_events.h"
#include "consumerd/sources.h"

uint64_t participants_now_ms(const struct participants *all)
{
	return strata_clock() / all->tsc_khz;
}

static const char *shown_name(const struct participant *one, char *shown, size_t bytes)
{
	return strata_escape_name(shown, bytes,
				  strata_domain_shown_name(one->domain, one->guest.name));
}

/* How long guests are mapped before the recording begins; the rest is mapped afterwards. A
 * well-behaved guest is mapped by then on any host, so its records can be read even if it dies
 * right away. */
#define GATHER_MS 30000u

#define SHOWN_BYTES STRATA_ESCAPED_BYTES(sizeof(((struct guest *)0)->name))

static struct principal *answers_for(struct participants *all, const struct participant *one)
{
	return principals_domain(recorder_principals(all->recorder), one->domain, one->uuid,
				 one->guest.name);
}

void participant_say(struct participants *all, const struct participant *one, const char *format,
		     ...)
{
	struct principal *who = answers_for(all, one);
	struct strata_error rest = { "" };
	char name[SHOWN_BYTES];
	va_list args;

	if (!who)
		return; /* out of memory: do not report it */
	va_start(args, format);
	vsnprintf(rest.text, sizeof(rest.text), format, args);
	va_end(args);
	principal_complain(who, "domain %u (%s) %s", one->domain,
			   shown_name(one, name, sizeof(name)), rest.text);
}

void participant_leave_out(struct participants *all, const struct participant *one,
			   const struct strata_error *why)
{
	char name[SHOWN_BYTES];

	/* Always printed. Its number is bounded by the allowance for loading modules (allowance.h),
	 * plus one. */
	fprintf(stderr, "strata: domain %u (%s) is left out: %s\n", one->domain,
		shown_name(one, name, sizeof(name)), why->text);
	all->left_out++;
}

static enum recorder_begin begin_of(const struct participant *one)
{
	return one->flying ? RECORDER_WITH_PAST : RECORDER_FROM_NOW;
}

/* Makes it a source of the recording, without rings yet. */
static int begin_source(struct participants *all, struct participant *one,
			struct strata_error *error)
{
	int result = sources_begin_kernel(all->recorder, &one->guest, one->uuid, &one->map,
					  participant_records(one), begin_of(one),
					  all->started ? strata_clock() : 0, &one->source, error);

	if (result != -2)
		one->step = PARTICIPANT_ADDING;
	one->next_ring = 0;
	return result ? -1 : 0;
}

void participant_refuse(struct participants *all, struct participant *one,
			const struct strata_error *why)
{
	participant_leave_out(all, one, why);
	one->refused = true;
	one->refused_nonce = one->guest.module_nonce;
	one->refused_root = one->guest.root_ref;
	if (one->step == PARTICIPANT_NONE)
		participant_unmap(all, one);
	else
		participant_let_go(all, one, STRATA_SOURCE_LEFT_OUT);
}

static void take_part(struct participants *all, struct participant *one)
{
	one->step = PARTICIPANT_READY;
	if (one->awaited) {
		one->awaited = false;
		all->left_out--;
	}
	if (all->evtchn)
		one->port = xenevtchn_bind_interdomain(all->evtchn, one->domain, one->guest.port);
	if (one->port < 0)
		participant_say(all, one, "is polled: its event channel cannot be bound");
	if (!all->started)
		return;
	participant_say(all, one, "is recorded from now on, as %s",
			recorder_recording(all->recorder)->sources[one->source].name);
	participant_start(all, one);
}

void participant_add_rings(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	/* While the recording goes on, others are drained in between. */
	if (all->started && !principal_has_credit(one->who, PRINCIPAL_TALKING))
		return;
	if (sources_add_rings(
		    all->recorder, one->source, one->map.rings, one->map.nr_rings, &one->next_ring,
		    all->started ? SOURCES_RINGS_PER_TURN : one->map.nr_rings, begin_of(one), &why))
		participant_refuse(all, one, &why);
	else if (one->next_ring == one->map.nr_rings)
		take_part(all, one);
}

static void join(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	if (begin_source(all, one, &why))
		participant_refuse(all, one, &why);
	else
		participant_add_rings(all, one);
}

/* Claims entries of dom0's table of mapped pages, which all guests share. 0 or -1. */
static int claim_pages(struct participants *all, struct participant *one,
		       struct strata_error *error)
{
	struct principal *who = answers_for(all, one);
	uint32_t pages = guest_map_pages(all->gnttab, &one->guest, error);

	if (!pages)
		return -1;
	one->leaving = calloc(1, sizeof(*one->leaving));
	if (!who || !one->leaving)
		return strata_fail(error, "out of memory");
	if (guest_pages_claim(all->pages, who, pages, error))
		return -1;
	one->who = who;
	one->pages = pages;
	return 0;
}

/* Begins to map its module. 0 or -1. */
static int map_module(struct participants *all, struct participant *one, struct strata_error *error)
{
	if (one->guest.module == GUEST_OTHER_ABI)
		return strata_fail(error,
				   "its strata.ko speaks version %u, and this tool %u; load the "
				   "module of these sources",
				   one->guest.version, STRATA_GUEST_ABI_VERSION);
	if (one->guest.module == GUEST_BROKEN)
		return strata_fail(error, "what its module publishes in xenstore is incomplete; "
					  "reload strata.ko there");
	if (claim_pages(all, one, error) ||
	    guest_map_begin(&one->map, all->gnttab, &one->guest, one->pages, error) ||
	    participant_choose_filter(all, one, error) ||
	    select_contexts_choose(all->selections, all->nr_selections, one->guest.domain,
				   one->guest.name, &one->contexts, error))
		return -1;
	one->map.form = strata_header_form_among(one->map.header_forms, all->form);
	one->map.contexts = one->contexts.contexts;
	one->step = PARTICIPANT_MAPPING;
	return 0;
}

/*
 * Whether it is recording for an earlier recorder, with its events still in the rings.  Only a
 * guest that was there before the recording began can be: the times of such events are believed
 * since any time, and each guest may claim it.  A recorder that begins empty does not want them.
 */
static bool is_flying(const struct participants *all, const struct guest *guest)
{
	return all->overwrite && !all->begins_empty && !all->started &&
	       guest->module == GUEST_READY &&
	       (!strcmp(guest->state, "started") || !strcmp(guest->state, "flushed"));
}

void participant_go_on(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };
	int more = participant_next_probe(all, one, &why);

	if (more > 0) {
		participant_await(all, one, PARTICIPANT_PROBING);
		return;
	}
	if (!more)
		more = participant_next_counter(all, one, &why);
	if (more < 0)
		participant_refuse(all, one, &why);
	else if (more)
		participant_await(all, one, PARTICIPANT_COUNTING);
	else
		join(all, one);
}

static void set_overwrite(struct participant *one, bool overwrite)
{
	size_t i;

	for (i = 0; i < one->map.nr_rings; i++)
		one->map.rings[i].reader.overwrite = overwrite;
}

/* Whether its allowance permits another mapping: each load of the module and each boot takes
 * one. */
static bool is_allowed(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };
	bool news;

	if (allowance_come(&all->allowances, one->uuid, participants_now_ms(all), &news) ==
	    ALLOWANCE_GRANTED)
		return true;
	strata_fail(
		&why,
		"its module came %u times in a short time; it is recorded again about once a minute",
		ALLOWANCE_BURST);
	if (news)
		participant_leave_out(all, one, &why);
	return false;
}

/* Whether its domain has paid for its earlier mappings. If not, it is checked again soon. */
static bool may_be_mapped(struct participants *all, struct participant *one)
{
	const struct principal *who = answers_for(all, one);

	one->due = all->started && who && !principal_has_credit(who, PRINCIPAL_TALKING);
	return !one->due;
}

/* Maps its module, as far as its share of the time allows. */
static void map_or_refuse(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	if (map_module(all, one, &why))
		participant_refuse(all, one, &why);
	else
		participant_map_some(all, one);
}

void participant_take_rings(struct participants *all, struct participant *one,
			    const struct guest *now)
{
	struct strata_error why = { "" };

	if (now->module == GUEST_READY && !strcmp(now->state, "created")) {
		one->guest = *now;
		one->step = PARTICIPANT_NONE;
		map_or_refuse(all, one);
		return;
	}
	strata_fail(&why, "its module makes no rings for one more recorder (too few grants, or too "
			  "little memory?); its kernel log says why");
	participant_refuse(all, one, &why);
}

/* Whether it has not changed since.  Its module may have made other rings for our channel. */
static bool was_refused(const struct participants *all, const struct participant *one)
{
	return one->refused && one->refused_nonce == one->guest.module_nonce &&
	       (all->channel || one->refused_root == one->guest.root_ref);
}

/* Whether its module must make the rings.  Those of channel 0 are there; others that are there have
 * been left by a recorder that died. */
static bool needs_rings(const struct participants *all, const struct participant *one)
{
	return one->guest.module == GUEST_NO_RINGS ||
	       (all->channel && one->guest.module == GUEST_READY && !one->flying);
}

static void take_in(struct participants *all, struct participant *one)
{
	if (was_refused(all, one))
		return;
	if (!may_be_mapped(all, one) || !is_allowed(all, one))
		return;
	one->had_module = true;
	one->recorded = false;
	one->owes_since_ms = 0;
	one->port = -1;
	one->flying = is_flying(all, &one->guest);
	one->has_channel = all->channel && one->guest.module != GUEST_OTHER_ABI;
	if (needs_rings(all, one))
		participant_create(all, one);
	else
		map_or_refuse(all, one);
}

/* Takes over a flight recorder with the layout that its records have. */
static void continue_form(struct participants *all, struct participant *one)
{
	one->map.form = guest_map_form(&one->map);
	if (!participant_continue_contexts(one))
		participant_say(
			all, one,
			"goes on with the contexts of its flight recorder; for others, stop "
			"that one first");
}

/* All of its pages are mapped. */
static void begin_to_take_part(struct participants *all, struct participant *one)
{
	set_overwrite(one, all->overwrite);
	if (one->flying)
		continue_form(all, one);
	/* An earlier recorder may have died.  Its flight recorder is continued with all events;
	 * otherwise the rings must be stopped first. */
	if (guest_may_record(&one->guest) && !one->flying)
		participant_quiet(all, one);
	else
		participant_go_on(all, one);
}

/* Before the recording begins there is nothing to drain, but the user waits. */
static bool may_map_more(const struct participants *all, const struct participant *one)
{
	return all->started ? principal_has_credit(one->who, PRINCIPAL_TALKING)
			    : participants_now_ms(all) - all->gathered_ms < GATHER_MS;
}

void participant_map_some(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };
	uint64_t begin;
	int more = 1;

	while (more > 0 && may_map_more(all, one)) {
		begin = strata_clock();
		more = guest_map_step(&one->map, &why);
		/* The time used while nothing else had to wait must not delay it
		 * afterwards. */
		if (all->started)
			leaving_charge(one->who, strata_clock() - begin, all->tsc_khz);
	}
	if (!more && one->step == PARTICIPANT_READING)
		more = participant_find_probe(all, one, &why);
	if (more < 0)
		participant_refuse(all, one, &why);
	else if (!more && one->step == PARTICIPANT_READING)
		participant_go_on(all, one);
	else if (!more)
		begin_to_take_part(all, one);
}

/* Reports once that a domain named by the user has no module. */
static void note_missing_module(struct participants *all, struct participant *one)
{
	struct strata_error why = { "" };

	if (one->awaited || one->had_module)
		return;
	strata_fail(&why, "no strata.ko is loaded in it; it is recorded once one is");
	one->awaited = true;
	participant_leave_out(all, one, &why);
}

enum strata_source_end participant_end(const struct participant *one)
{
	if (one->life != DOMAIN_SHUT_DOWN)
		return STRATA_SOURCE_DESTROYED;
	switch (one->reason) {
	case SHUTDOWN_poweroff:
		return STRATA_SOURCE_SHUT_DOWN;
	case SHUTDOWN_reboot:
	case SHUTDOWN_soft_reset: /* by kexec */
		return STRATA_SOURCE_REBOOTED;
	case SHUTDOWN_suspend:
		return STRATA_SOURCE_SUSPENDED;
	case SHUTDOWN_crash:
	case SHUTDOWN_watchdog:
		return STRATA_SOURCE_CRASHED;
	default:
		return STRATA_SOURCE_DESTROYED;
	}
}

/* A domain is listed before it has a name, and may be renamed. */
static void note_name(struct participants *all, struct participant *one, const struct guest *now)
{
	if (!now->named || !strcmp(one->name, now->name))
		return;
	memcpy(one->name, now->name, sizeof(one->name));
	all->names_changed |= all->started;
}

void participant_take_look(struct participants *all, struct participant *one,
			   const struct guest *now)
{
	bool named;

	note_name(all, one, now);
	if (one->step == PARTICIPANT_CREATING && now->module_nonce == one->guest.module_nonce &&
	    (now->module == GUEST_READY || now->module == GUEST_NO_RINGS)) {
		participant_take_answer(all, one, now);
		return;
	}
	if (one->step != PARTICIPANT_NONE &&
	    (now->module != GUEST_READY || now->nonce != one->guest.nonce)) {
		/* xenstore removes a domain's nodes before the domain. */
		participant_let_go(all, one,
				   now->named ? STRATA_SOURCE_UNLOADED : participant_end(one));
		one->due = true;
		return;
	}
	if (one->step != PARTICIPANT_NONE) {
		if (participant_owes_answer(one))
			participant_take_answer(all, one, now);
		return;
	}
	one->guest = *now;
	/* A domain that has shut down may be kept for inspection; its rings are already drained. */
	if (all->stopping || !now->named || one->life == DOMAIN_SHUT_DOWN)
		return;
	if (!participant_patterns(all, now, &named))
		return;
	if (now->module != GUEST_NO_MODULE)
		take_in(all, one);
	else if (named)
		note_missing_module(all, one);
}

void participant_look(struct participants *all, struct participant *one)
{
	struct guest now;

	one->looked_ms = participants_now_ms(all);
	one->due = false;
	guest_look(all->xenstore, one->domain, all->channel, &now);
	participant_take_look(all, one, &now);
}

/* Hands its mapping over, to be unmapped when @source is drained. */
static void hand_over(struct participants *all, struct participant *one, size_t source)
{
	struct leaving *leaving = one->leaving;

	if (!leaving)
		return;
	*leaving = (struct leaving){ .next = all->leaving,
				     .map = one->map,
				     .who = one->who,
				     .pages = one->pages,
				     .source = source };
	all->leaving = leaving;
	one->leaving = NULL;
	one->who = NULL;
	memset(&one->map, 0, sizeof(one->map));
}

void participant_unmap(struct participants *all, struct participant *one)
{
	if (all->evtchn && one->port >= 0)
		xenevtchn_unbind(all->evtchn, (evtchn_port_t)one->port);
	one->port = -1;
	hand_over(all, one, LEAVING_NO_SOURCE);
	free(one->filter);
	one->filter = NULL;
	select_filters_clear(&one->field_filters);
	memset(&one->probes, 0, sizeof(one->probes));
	one->next_probe = 0;
	one->next_counter = 0;
	one->unwritten = false;
	one->failed = false;
	one->step = PARTICIPANT_NONE;
}

/* Only an unloaded module and a suspended domain stop and flush before they end. */
static bool is_complete(enum strata_source_end reason)
{
	return reason == STRATA_SOURCE_UNLOADED || reason == STRATA_SOURCE_SUSPENDED;
}

void participant_let_go(struct participants *all, struct participant *one,
			enum strata_source_end reason)
{
	struct strata_error why = { "" };

	/* First: after a soft reset another kernel runs in that memory. */
	if (guest_map_detach(&one->map, &why))
		participant_leave_out(all, one, &why);
	if (one->step >= PARTICIPANT_ADDING) {
		if (reason != STRATA_SOURCE_LEFT_OUT)
			participant_say(
				all, one, "goes: %s%s", strata_source_end_text(reason),
				is_complete(reason)
					? ""
					: "; its last packet is recorded up to the last committed record; later records are lost");
		if (reason != STRATA_SOURCE_LEFT_OUT && !is_complete(reason) && all->died &&
		    one->step >= PARTICIPANT_READY)
			all->died(all->data, one);
		recorder_leave_source(all->recorder, one->source, reason);
		hand_over(all, one, one->source);
	}
	/* Its nodes still exist for a while, but are outdated. */
	one->refused = true;
	one->refused_nonce = one->guest.module_nonce;
	one->refused_root = one->guest.root_ref;
	participant_unmap(all, one);
}
