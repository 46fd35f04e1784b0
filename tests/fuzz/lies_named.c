// SPDX-License-Identifier: GPL-2.0-or-later
/* lies_named.c - see lies_named.h. */
#include "lies_named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liars.h"
#include "outcome.h"
#include "verbs.h"

static void root_ref_elsewhere(struct fake_guest *guest)
{
	fake_guest_set_node(guest, FAKE_ROOT_REF, "4000000000", 10);
}

static void root_ref_with_a_sign(struct fake_guest *guest)
{
	char value[32] = "+";
	size_t length = guest->nodes[FAKE_ROOT_REF].length;

	memcpy(value + 1, guest->nodes[FAKE_ROOT_REF].value, length);
	fake_guest_set_node(guest, FAKE_ROOT_REF, value, length + 1);
}

static void other_version(struct fake_guest *guest)
{
	fake_guest_set_node(guest, FAKE_VERSION, "77", 2);
}

static void no_magic(struct fake_guest *guest)
{
	guest->root->magic = 0x12345678;
}

static void other_nonce(struct fake_guest *guest)
{
	guest->root->nonce++;
}

static void counts_where_rings_are(struct fake_guest *guest)
{
	guest->root->tsc_khz = 1;
}

static void unknown_header_form(struct fake_guest *guest)
{
	guest->root->header_forms |= 0x100;
}

static void too_many_rings(struct fake_guest *guest)
{
	guest->root->nr_rings = 100000;
}

static void page_listed_twice(struct fake_guest *guest)
{
	guest->directory[guest->root->nr_refs - 1] = guest->directory[0];
}

static void page_not_granted(struct fake_guest *guest)
{
	guest->granted[guest->rings[0].first_page] = false;
}

static void name_of_no_event(struct fake_guest *guest)
{
	((struct strata_event_desc *)guest->events)->name[0] = '\x1b';
}

static void cpu_beyond_all(struct fake_guest *guest)
{
	guest->rings[0].writer->cpu = 0x10000;
}

static void ring_of_no_kind(struct fake_guest *guest)
{
	guest->rings[0].writer->magic++;
}

static void written_to_the_end(struct fake_guest *guest)
{
	strata_count_t half = (strata_count_t)1 << (STRATA_COUNT_BITS - 1);
	uint32_t i;

	for (i = 0; i < strata_nr_subbufs(guest->geo); i++)
		guest->rings[0].writer->commit_seq[i] =
			strata_commit_at_turn(guest->geo, half) + strata_subbuf_bytes(guest->geo);
}

static void table_too_long(struct fake_guest *guest)
{
	guest->root->table_bytes = 0x100001;
}

static void entry_over_the_end(struct fake_guest *guest)
{
	guest->root->nr_events = 1000;
}

static void entry_of_many_fields(struct fake_guest *guest)
{
	((struct strata_event_desc *)(guest->events + guest->event_at[1]))->nr_fields = 41;
}

static void string_of_many(struct fake_guest *guest)
{
	((struct strata_event_desc *)(guest->events + guest->event_at[5]))->fields[0].count = 2;
}

static void refuses(struct fake_guest *guest)
{
	guest->deaf = true;
}

static const struct {
	void (*tell)(struct fake_guest *guest);
	const char *said; /* after "domain 1 (liar-a) is left out: " */
} lies[] = {
	{ root_ref_elsewhere, "mapping its root (1 pages)" },
	{ root_ref_with_a_sign, "what its module publishes in xenstore is incomplete" },
	{ other_version, "its strata.ko speaks version 77" },
	{ no_magic, "bad root page: magic 0x12345678" },
	{ other_nonce, "its root page is of another load" },
	{ counts_where_rings_are, "bad root page: sub-buffers of 2^" },
	{ unknown_header_form, "bad root page: header forms 0x10" },
	{ too_many_rings, "bad root page: 8 events, 100000 rings" },
	{ table_too_long, "bad root page: an event table of 1048577 bytes" },
	{ entry_over_the_end, "bad event table: entry 8 has the id 0" },
	{ entry_of_many_fields, "bad event table: entry 1 has 41 fields" },
	{ string_of_many, "its event table: event 5 (said)" },
	{ page_listed_twice, "bad directory: it lists reference" },
	{ page_not_granted, "mapping its writer areas (" },
	{ name_of_no_event, "its event table: event 0 ((not a C identifier))" },
	{ cpu_beyond_all, "ring 0: bad CPU number 65536" },
	{ ring_of_no_kind, "ring 0: it has no ring header" },
	{ written_to_the_end, "ring 0: it claims to have been read up to 0x" },
	{ refuses, "its module never confirmed that it records" },
};

static const char *tell_one(const char *raw, size_t index)
{
	const struct plan *plan;
	uint64_t seed = index * 1000;
	char *text = NULL;
	const char *wrong;
	char expected[200];
	uint64_t records;

	/* A plain recording. */
	do
		plan = liars_begin(seed++, false);
	while (plan->overwrite || plan->some || plan->asked || plan->ends || plan->left ||
	       plan->defaults);
	lies[index].tell(&guests[0]);
	wrong = record_checked(raw, plan, true, &text);
	snprintf(expected, sizeof(expected), "domain 1 (%s) is left out: %s", guests[0].name,
		 lies[index].said);
	if (!wrong && !strstr(text, expected))
		wrong = lies[index].said;
	free(text);
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

const char *lies_are_named(const char *raw)
{
	const char *wrong = NULL;
	size_t i;

	for (i = 0; i < sizeof(lies) / sizeof(lies[0]) && !wrong; i++)
		wrong = tell_one(raw, i);
	return wrong;
}
