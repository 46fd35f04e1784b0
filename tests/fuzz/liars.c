// SPDX-License-Identifier: GPL-2.0-or-later
/* liars.c - see liars.h. */
#include "liars.h"

#include <string.h>

/* How often a guest that floods writes its state in one wait of the recorder. */
#define FLOOD 20u

/* What one guest of a run does; of the honest one all is zero. */
struct liar {
	struct fake_guest *guest;
	uint32_t kinds;  /* of mutations, a bit each */
	uint32_t budget; /* of mutations */
	uint32_t per_wait;
	bool storms;                              /* notifies without end */
	bool floods;                              /* writes its state without end */
	uint32_t dies_in, unloads_in, reloads_in; /* so many waits; 0: it does not */
};

struct fake_guest guests[NR_GUESTS];
uint64_t mutations[NR_MUTATIONS];

static struct liar liars[NR_GUESTS];
static struct randomness truth; /* what the guests do, lies apart */
static struct randomness lies;
static bool scribbled;

/* The word that is false while it is read. */
static struct {
	unsigned char *where;
	unsigned char was[sizeof(uint64_t)];
	size_t bytes; /* 0: there is none */
} glance;

static void lie(struct liar *liar, uint32_t of_kinds)
{
	uint32_t kinds = liar->kinds & of_kinds & ~(1u << MUTATE_GLANCE), kind;

	if (!kinds || !liar->budget)
		return;
	do
		kind = random_below(&lies, NR_MUTATIONS);
	while (!(kinds & 1u << kind));
	/* A page is thousands of words: let it be rare. */
	if (kind == MUTATE_PAGE && !random_one_in(&lies, 8))
		return;
	liar->budget--;
	mutations[kind] += mutate(liar->guest, kind, &lies);
}

/* In each call of the recorder: what it read before may be different now. */
static void between(void *unused)
{
	uint32_t i;

	(void)unused;
	for (i = 0; i < NR_GUESTS; i++) {
		if (random_one_in(&lies, 12))
			lie(&liars[i], liars[i].guest->recording ? ~0u : MUTATE_WHEN_MAPPED);
		if (liars[i].storms)
			liars[i].guest->pending |= liars[i].guest->bound;
	}
}

/* Rare where one lie is the end of it: most guests are to get as far as packets. */
static uint32_t glance_chances(size_t bytes)
{
	if (bytes >= STRATA_PAGE_BYTES)
		return 2;
	return bytes <= sizeof(uint64_t) ? 60 : 20;
}

/* A word is something else just while it is read: who looks twice sees two things. */
static void copying(void *unused, const void *from, size_t bytes)
{
	struct fake_guest *guest;
	unsigned char *own = fake_own_view(from, &guest);
	struct liar *liar;
	uint32_t at;

	(void)unused;
	glance.bytes = 0;
	if (!own || guest == &guests[HONEST])
		return;
	liar = &liars[guest - guests];
	if (!(liar->kinds & 1u << MUTATE_GLANCE) || !random_one_in(&lies, glance_chances(bytes)))
		return;
	if (bytes > sizeof(uint64_t)) {
		at = bytes < STRATA_PAGE_BYTES ? random_below(&lies, (uint32_t)bytes) & ~3u
					       : mutate_place_in_packet(from, bytes, &lies);
		own = fake_own_view((const char *)from + at, &guest);
		bytes = sizeof(uint32_t);
	}
	glance.where = own;
	glance.bytes = bytes;
	memcpy(glance.was, own, bytes);
	mutations[MUTATE_GLANCE] += mutate_number(own, bytes, &lies);
}

static void copied(void *unused)
{
	(void)unused;
	if (glance.bytes && !random_one_in(&lies, 4))
		memcpy(glance.where, glance.was, glance.bytes);
}

static bool falls_due(uint32_t *in)
{
	return *in && --*in == 0;
}

static void work_of(struct liar *liar)
{
	struct fake_guest *guest = liar->guest;
	uint32_t i;

	fake_guest_write(guest, &truth, guest == &guests[HONEST] ? 12 : 80);
	if (guest->recording)
		for (i = random_below(&lies, liar->per_wait + 1); i > 0; i--)
			lie(liar, MUTATE_WHEN_RECORDED);
	for (i = 0; liar->floods && i < FLOOD; i++)
		fake_guest_set_node(guest, FAKE_STATE, guest->nodes[FAKE_STATE].value,
				    guest->nodes[FAKE_STATE].length);
	if (falls_due(&liar->dies_in)) {
		guest->alive = false;
		fake_host.domain_events++;
	}
	if (falls_due(&liar->unloads_in))
		for (i = 0; i < FAKE_NR_NODES; i++)
			fake_guest_remove_node(guest, i);
	if (falls_due(&liar->reloads_in))
		fake_guest_load(guest, &truth);
}

/* While the recorder waits. */
static void work(void *unused)
{
	uint32_t i;

	(void)unused;
	for (i = 0; i < NR_GUESTS; i++)
		work_of(&liars[i]);
}

static void choose(struct liar *liar)
{
	static const uint32_t kinds[] = {
		MUTATE_WHEN_RECORDED,
		1u << MUTATE_GLANCE,
		1u << MUTATE_GLANCE | 1u << MUTATE_PACKET,
		1u << MUTATE_COMMIT | 1u << MUTATE_HEADER | 1u << MUTATE_RECORD,
		1u << MUTATE_PACKET | 1u << MUTATE_RECORD | 1u << MUTATE_HEADER,
		1u << MUTATE_PACKET,
		1u << MUTATE_EVENT,
		1u << MUTATE_ROOT | 1u << MUTATE_REFERENCE | 1u << MUTATE_GRANT,
		1u << MUTATE_NODE | 1u << MUTATE_STATE,
		1u << MUTATE_RING | 1u << MUTATE_REFERENCE,
		(1u << NR_MUTATIONS) - 1u,
	};
	uint32_t i, first = random_below(&lies, 4);

	liar->kinds = kinds[random_below(&lies, sizeof(kinds) / sizeof(kinds[0]))];
	liar->budget = 20 + random_below(&lies, 300);
	liar->per_wait = 1 + random_below(&lies, 24);
	liar->storms = random_one_in(&lies, 6);
	liar->floods = random_one_in(&lies, 40);
	/* The flood lasts as long as its answer is awaited. */
	liar->guest->deaf = random_one_in(&lies, liar->floods ? 2 : 40);
	liar->dies_in = random_one_in(&lies, 12) ? 1 + random_below(&lies, 20) : 0;
	liar->unloads_in = random_one_in(&lies, 20) ? 1 + random_below(&lies, 20) : 0;
	/* Not while another thread writes there. */
	if (!scribbled && random_one_in(&lies, 20))
		liar->reloads_in = 1 + random_below(&lies, 20);
	for (i = 0; i < first; i++)
		lie(liar, MUTATE_WHEN_MAPPED);
	/* Where the reader is to begin. */
	if (random_one_in(&lies, 6))
		mutations[MUTATE_READER] += mutate(liar->guest, MUTATE_READER, &lies);
}

void liars_make(void)
{
	static const char *const names[NR_GUESTS] = { "liar-a", "honest", "liar-b" };
	uint32_t i;

	for (i = 0; i < NR_GUESTS; i++)
		fake_guest_make(&guests[i], i + 1, names[i]);
}

void liars_begin(uint64_t seed, bool lying)
{
	uint32_t i;

	truth.state = seed;
	lies.state = ~seed;
	scribbled = lying && random_one_in(&lies, 3);
	fake_host_reset(guests, NR_GUESTS);
	fake_host.between = between;
	fake_host.work = work;
	fake_host.copying = copying;
	fake_host.copied = copied;
	for (i = 0; i < NR_GUESTS; i++) {
		memset(&liars[i], 0, sizeof(liars[i]));
		liars[i].guest = &guests[i];
		fake_guest_load(&guests[i], &truth);
		if (lying && i != HONEST)
			choose(&liars[i]);
	}
}

bool liars_scribbled(void)
{
	return scribbled;
}

bool liars_decide(uint32_t chances)
{
	return random_one_in(&truth, chances);
}

uint64_t nr_mutations(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < NR_MUTATIONS; i++)
		sum += mutations[i];
	return sum;
}

uint64_t honest_records(void)
{
	uint64_t records = 0;
	uint32_t i;

	for (i = 0; i < guests[HONEST].nr_rings; i++)
		records += guests[HONEST].rings[i].nr_records;
	return records;
}
