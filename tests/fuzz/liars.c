// SPDX-License-Identifier: GPL-2.0-or-later
/* liars.c - see liars.h. */
#include "liars.h"

#include <stdio.h>
#include <string.h>

#include "clients.h"
#include "fake_hypervisor.h"

#include <strata/switch_period.h>

/* How often a guest that floods writes its state in one wait of the recorder. */
#define FLOOD 20u

/* After this many waits a resting guest counts as asleep. */
#define SWITCH_MS STRATA_SWITCH_MS_MIN
#define RESTS     4u

/* The behaviour of one guest of a run; all zero for the honest one. */
struct liar {
	struct fake_guest *guest;
	uint32_t kinds;  /* of mutations, a bit each */
	uint32_t budget; /* of mutations */
	uint32_t per_wait;
	bool storms;   /* notifies without end */
	bool floods;   /* writes its state without end */
	bool vanishes; /* while it is looked at */
	/* in this many waits; 0: never */
	uint32_t ends_in, wakes_in, returns_in, unloads_in, reloads_in;
	enum fake_life end;
};

struct fake_guest guests[NR_GUESTS];
uint64_t mutations[NR_MUTATIONS];

static struct liar liars[NR_GUESTS];
static struct randomness truth; /* the guests' work, besides lies */
static struct randomness lies;
static struct plan plan;

/* The word that is false while it is read. */
static struct {
	unsigned char *where;
	unsigned char was[sizeof(uint64_t)];
	size_t bytes; /* 0: nothing is watched */
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

static void live(struct fake_guest *guest, enum fake_life life)
{
	if (guest->life == life)
		return;
	guest->life = life;
	/* The recorder also looks at the list without a notification, only later. */
	if (!random_one_in(&lies, 4) || guest == &guests[HONEST])
		fake_host_domains_change();
}

/* Runs in each call of the recorder: words that it read before may be different now. */
static void between(void *unused)
{
	uint32_t i;

	(void)unused;
	for (i = 0; i < NR_GUESTS; i++) {
		if (random_one_in(&lies, 12))
			lie(&liars[i], liars[i].guest->recording ? ~0u : MUTATE_WHEN_MAPPED);
		if (liars[i].vanishes && random_one_in(&lies, 150))
			live(liars[i].guest, random_one_in(&lies, 2) ? FAKE_GONE : FAKE_DYING);
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

/* Changes a word just while it is read: a reader that loads it twice sees two values. */
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

void liars_come_again(struct fake_guest *guest)
{
	guest->domain += NR_GUESTS;
	guest->watched = false;
	guest->watch_events = 0;
	fake_guest_load(guest, &truth);
	fake_host_domains_change();
}

/* Decides the fate of its domain and its module. */
static void fate_of(struct liar *liar)
{
	struct fake_guest *guest = liar->guest;
	uint32_t i;

	if (falls_due(&liar->ends_in))
		live(guest, liar->end);
	if (falls_due(&liar->wakes_in) && fake_guest_has_nodes(guest))
		live(guest, FAKE_RUNS);
	if (falls_due(&liar->unloads_in))
		for (i = 0; i < FAKE_NR_NODES; i++)
			fake_guest_remove_node(guest, i);
	if (falls_due(&liar->returns_in))
		liars_come_again(guest);
	if (falls_due(&liar->reloads_in))
		fake_guest_load(guest, &truth);
}

static void work_of(struct liar *liar)
{
	struct fake_guest *guest = liar->guest;
	uint32_t i;

	/* The honest one never fills its rings, but where that loses nothing.  A flight recorder
	 * may find them in the mode of a recorder that died, which discards. */
	if (!plan.rests || random_one_in(&truth, RESTS))
		fake_guest_write(guest, &truth,
				 guest == &guests[HONEST] && !guest->rings[0].ring->overwrite
					 ? (plan.contexts ? 6 : 12)
					 : 80);
	if (guest->recording)
		for (i = random_below(&lies, liar->per_wait + 1); i > 0; i--)
			lie(liar, MUTATE_WHEN_RECORDED);
	for (i = 0; liar->floods && i < FLOOD; i++)
		fake_guest_set_node(guest, FAKE_STATE, guest->nodes[FAKE_STATE].value,
				    guest->nodes[FAKE_STATE].length);
	fate_of(liar);
}

/* While the recorder waits. */
static void work(void *unused)
{
	uint32_t i;

	(void)unused;
	for (i = 0; i < NR_GUESTS; i++)
		work_of(&liars[i]);
	fake_hypervisor_write(&truth, plan.overwrite ? 80 : 12);
	if (plan.asked)
		clients_turn(&lies);
}

/* How a domain may end, or at least stop. */
static void choose_end(struct liar *liar, struct randomness *random)
{
	static const enum fake_life ends[] = { FAKE_PAUSED, FAKE_SHUT_DOWN, FAKE_SHUT_DOWN,
					       FAKE_DYING, FAKE_GONE };

	liar->ends_in = 1 + random_below(random, 20);
	liar->end = ends[random_below(random, sizeof(ends) / sizeof(ends[0]))];
	liar->guest->reason = (uint8_t)random_below(random, 6);
}

/* Gives the guest a name similar to the honest guest's, or to names that the recorder uses. */
static void choose_name(struct fake_guest *guest)
{
	static const char *const names[] = {
		"HONEST",      "honest_2", "honest-2", "honest-2-2", "xen",         "Domain-0",
		"app-program", "metadata", "rings",    "cpu_0",      "raw-died",    "..",
		"/honest",     "",         "honest\n", "\x1b[2J",    "died-honest",
	};

	snprintf(guest->name, sizeof(guest->name), "%s",
		 names[random_below(&lies, sizeof(names) / sizeof(names[0]))]);
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
		1u << MUTATE_REPLAY | 1u << MUTATE_COMMIT | 1u << MUTATE_HEADER,
		1u << MUTATE_EVENT,
		1u << MUTATE_ROOT | 1u << MUTATE_REFERENCE | 1u << MUTATE_GRANT,
		1u << MUTATE_NODE | 1u << MUTATE_STATE,
		1u << MUTATE_RING | 1u << MUTATE_REFERENCE,
		1u << MUTATE_TABLE | 1u << MUTATE_PLACE | 1u << MUTATE_COMMIT,
		1u << MUTATE_TABLE | 1u << MUTATE_COMMIT | 1u << MUTATE_PACKET,
		(1u << NR_MUTATIONS) - 1u,
	};
	uint32_t i, first = random_below(&lies, 4);

	if (random_one_in(&lies, 3))
		choose_name(liar->guest);
	liar->kinds = kinds[random_below(&lies, sizeof(kinds) / sizeof(kinds[0]))];
	liar->budget = 20 + random_below(&lies, 300);
	liar->per_wait = 1 + random_below(&lies, 24);
	liar->storms = random_one_in(&lies, 6);
	liar->floods = random_one_in(&lies, 40);
	/* The flood lasts as long as its answer is awaited. */
	liar->guest->deaf = random_one_in(&lies, liar->floods ? 2 : 40);
	liar->vanishes = random_one_in(&lies, 20);
	if (random_one_in(&lies, 6))
		choose_end(liar, &lies);
	liar->unloads_in = random_one_in(&lies, 20) ? 1 + random_below(&lies, 20) : 0;
	if (liar->ends_in && random_one_in(&lies, 3))
		liar->wakes_in = liar->ends_in + 1 + random_below(&lies, 10);
	/* Not while another thread writes there. */
	if (!plan.scribbled && random_one_in(&lies, 20))
		liar->reloads_in = 1 + random_below(&lies, 20);
	if (!plan.scribbled && liar->end == FAKE_GONE && random_one_in(&lies, 2))
		liar->returns_in = liar->ends_in + 1 + random_below(&lies, 10);
	for (i = 0; i < first; i++)
		lie(liar, MUTATE_WHEN_MAPPED);
	/* Where the reader is to begin. */
	if (random_one_in(&lies, 6))
		mutations[MUTATE_READER] += mutate(liar->guest, MUTATE_READER, &lies);
}

static const char *const usual_names[NR_GUESTS] = { "liar-a", "honest", "liar-b" };

void liars_make(void)
{
	uint32_t i;

	for (i = 0; i < NR_GUESTS; i++)
		fake_guest_make(&guests[i], i + 1, usual_names[i]);
}

static void make_plan(bool lying)
{
	memset(&plan, 0, sizeof(plan));
	plan.overwrite = random_one_in(&truth, 3);
	plan.form = random_below(&truth, STRATA_NR_HEADER_FORMS);
	plan.xen = random_one_in(&truth, 3);
	plan.some = random_one_in(&truth, 4);
	plan.probes = random_one_in(&truth, 5);
	plan.contexts = random_one_in(&truth, 3);
	plan.asked = random_one_in(&truth, plan.overwrite ? 2 : 8);
	plan.ends = random_one_in(&truth, 6);
	plan.rests = random_one_in(&truth, 2);
	plan.switch_ms = random_one_in(&truth, 3) ? 0 : SWITCH_MS;
	plan.left = random_one_in(&truth, 6);
	/* One that dies while its probes are added has not taken part. */
	plan.probes &= !plan.left;
	plan.defaults = !plan.some && !plan.probes && !plan.contexts && random_one_in(&truth, 6);
	plan.scribbled = lying && random_one_in(&lies, 3);
}

static void leave(struct fake_guest *guest)
{
	bool overwrite = random_one_in(&truth, 2);

	/* The losses of a ring that was full are in a flight recording, too. */
	fake_guest_leave(guest, overwrite, plan.overwrite, &truth, overwrite ? 1000 : 60);
}

const struct plan *liars_begin_beside(uint64_t seed, bool lying, uint32_t number)
{
	bool xen_flies, elsewhere;
	uint32_t i;

	truth.state = seed;
	lies.state = ~seed;
	make_plan(lying);
	fake_host_reset(guests, NR_GUESTS);
	/* Not while another thread writes to rings that are to be replaced. */
	fake_host.recorders = plan.scribbled && plan.left ? 0 : number;
	xen_flies = random_one_in(&truth, 2);
	fake_hypervisor_reset(plan.left, xen_flies);
	/* Only a flight recorder of Xen takes the number of another one that died. */
	elsewhere = plan.left && xen_flies && !(plan.xen && plan.overwrite);
	fake_host.between = between;
	fake_host.work = work;
	fake_host.copying = copying;
	fake_host.copied = copied;
	for (i = 0; i < NR_GUESTS; i++) {
		memset(&liars[i], 0, sizeof(liars[i]));
		liars[i].guest = &guests[i];
		guests[i].domain = i + 1;
		snprintf(guests[i].name, sizeof(guests[i].name), "%s", usual_names[i]);
		guests[i].channel = fake_host.recorders + elsewhere;
		fake_guest_load(&guests[i], &truth);
		if (plan.left && !elsewhere)
			leave(&guests[i]);
		if (lying && i != HONEST)
			choose(&liars[i]);
	}
	if (plan.ends)
		choose_end(&liars[HONEST], &truth);
	return &plan;
}

const struct plan *liars_begin(uint64_t seed, bool lying)
{
	return liars_begin_beside(seed, lying, 0);
}

bool liars_scribbled(void)
{
	return plan.scribbled;
}

bool liars_are_alone(void)
{
	return !plan.xen && guests[HONEST].life != FAKE_RUNS;
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
