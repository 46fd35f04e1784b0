// SPDX-License-Identifier: GPL-2.0-or-later
/* cost_turns.c - guests with much to map, add, read or tell: each has its share, in bounded steps.
 */
#include "guest_costs.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "consumerd/shares/principal.h"
#include "consumerd/xen/grant_call.h"
#include "verbs.h"

/* The honest one has its share and no more; so has another that is no larger. */
static const char *pages_are_shared_out(const char *raw)
{
	uint64_t seed = 0;
	char *text = NULL;
	const char *wrong;
	struct plan plan;

	do {
		plan = cost_begin_from(&seed, false, NULL);
	} while (guests[SILENT].root->nr_refs <= guests[HONEST].root->nr_refs ||
		 guests[HONEST].root->nr_refs * 3 < guests[SILENT].root->nr_refs);
	plan.guest_pages = guests[HONEST].root->nr_refs * PRINCIPAL_SHARES;
	wrong = record_checked(raw, &plan, true, &text);
	if (!wrong &&
	    !strstr(text, "domain 1 (liar-a) is left out: domain liar-a holds 0 of its share"))
		wrong = "one takes more than its share";
	free(text);
	return honest_is_whole(raw, wrong);
}

/* Stream files of a guest that comes while the others are recorded. */
static struct {
	char pattern[200];
	size_t files;   /* in the turn before */
	size_t at_once; /* most that were made between two waits */
} coming;

static void come_late(void *data)
{
	glob_t found = { 0 };
	size_t files;

	guests_work(data);
	glob(coming.pattern, 0, NULL, &found);
	files = found.gl_pathc;
	globfree(&found);
	if (files > coming.files && files - coming.files > coming.at_once)
		coming.at_once = files - coming.files;
	coming.files = files;
	if (guests[SILENT].life == FAKE_RUNS || ms_since_begin() < 100)
		return;
	guests[SILENT].life = FAKE_RUNS;
	liars_come_again(&guests[SILENT]);
}

/* Each is a file, and others are drained in between.  SOURCES_RINGS_PER_TURN is 1 here; there may
 * be turns without a wait. */
static const char *rings_are_added_over_turns(const char *raw)
{
	uint64_t seed = 0;
	const char *wrong;
	struct plan plan;

	snprintf(coming.pattern, sizeof(coming.pattern), "%s/liar-a*/cpu_*", raw);
	do {
		plan = cost_begin_from(&seed, false, come_late);
		coming.files = coming.at_once = 0;
		guests[SILENT].life = FAKE_DYING;
		plan.duration_ms = 2000;
		wrong = record_checked(raw, &plan, true, NULL);
	} while (!wrong && guests[SILENT].nr_rings < FAKE_RINGS_MAX);
	if (!wrong && coming.files < guests[SILENT].nr_rings)
		wrong = "the guest that came was not recorded";
	if (!wrong && coming.at_once == FAKE_RINGS_MAX)
		wrong = "all rings of a guest are added in one turn";
	return honest_is_whole(raw, wrong);
}

/* The host waits for a guest's lock for each of its pages. */
#define PAGE_NS 10000000ull

/* Loads of the guest with such pages; the second ends the first. */
static unsigned int slow_loads;

static void come_slowly(void *data)
{
	guests_work(data);
	if (ms_since_begin() < 100 ||
	    (slow_loads && (slow_loads == 2 || !guests[SILENT].recording)))
		return;
	slow_loads++;
	do
		liars_come_again(&guests[SILENT]);
	while (guests[SILENT].nr_pages < 3 * GRANT_CALL_PAGES);
}

/* Neither mapping nor unmapping its pages, which a guest can make as slow as it likes, is done in
 * one go: others are drained in between.  @probed: it adds an event, so its table is read again. */
static const char *record_slow(const char *raw, bool probed)
{
	/* A piece is mapped, or two pieces' worth of time goes into unmapping one; a piece of the
	 * table is mapped, copied and unmapped. */
	const uint64_t limit_ns = ((probed ? 3 : 2) * GRANT_CALL_PAGES + 1) * PAGE_NS;
	struct plan plan = cost_begin(false, come_slowly);
	char *text = NULL;
	const char *wrong;

	slow_loads = 0;
	guests[SILENT].life = FAKE_DYING;
	guests[SILENT].page_ns = PAGE_NS;
	if (probed)
		guests[SILENT].table_bytes = 3 * GRANT_CALL_PAGES * STRATA_PAGE_BYTES;
	plan.probes = probed;
	plan.duration_ms = 15000;
	wrong = record_checked(raw, &plan, true, &text);
	guests[SILENT].page_ns = 0;
	guests[SILENT].table_bytes = FAKE_TABLE_BYTES;
	if (!wrong && slow_loads < 2)
		wrong = "the guest whose pages are slow was not recorded";
	if (!wrong && !strstr(text, "(liar-a) goes: "))
		wrong = "it was not unmapped";
	if (!wrong && fake_host.longest_turn_ns > limit_ns)
		wrong = "the recorder stands still while it maps or unmaps a guest's pages";
	free(text);
	return honest_is_whole(raw, wrong);
}

static const char *slow_pages_are_mapped_over_turns(const char *raw)
{
	return record_slow(raw, false);
}

static const char *a_slow_table_is_read_again_over_turns(const char *raw)
{
	return record_slow(raw, true);
}

/* A guest writes its nodes as fast as xenstored takes that, and a turn may last 20 ms. */
#define EVENTS_PER_TURN 2000u

static void write_nodes(void *data)
{
	struct fake_guest *guest = &guests[SILENT];
	unsigned int i;

	guests_work(data);
	for (i = 0; i < EVENTS_PER_TURN && guest->watched; i++)
		fake_guest_set_node(guest, FAKE_STATE, guest->nodes[FAKE_STATE].value,
				    guest->nodes[FAKE_STATE].length);
}

/* The fake host counts the events that wait in the recorder's memory. */
static const char *events_of_watches_do_not_pile_up(const char *raw)
{
	struct plan plan = cost_begin(false, write_nodes);
	const char *wrong;

	plan.duration_ms = 1000;
	wrong = record_checked(raw, &plan, true, NULL);
	return honest_is_whole(raw, wrong);
}

const struct guest_cost turn_costs[] = {
	{ "pages that are mapped are shared out", pages_are_shared_out },
	{ "rings of a guest that comes are added over several turns", rings_are_added_over_turns },
	{ "pages of a guest that makes the host wait for each are mapped over several turns",
	  slow_pages_are_mapped_over_turns },
	{ "the event table of such a guest is read again over several turns",
	  a_slow_table_is_read_again_over_turns },
	{ "events of watches do not pile up, however fast a guest writes its nodes",
	  events_of_watches_do_not_pile_up },
	{ NULL, NULL },
};
