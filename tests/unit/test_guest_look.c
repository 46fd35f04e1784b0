/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_guest_look.c - a guest's module changes its nodes in xenstore while the recorder reads them.
 *
 * The changes are made between all pairs of reads in all ways: no look may show an answer without
 * the rings that it is about.  This file takes the place of libxenstore.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xenstore.h>

#include <strata/abi/guest.h>

#include "consumerd/xen/guest.h"

#define DIR    "/local/domain/3/" STRATA_GUEST_XENSTORE_DIR
#define ANSWER 7
#define READS  16 /* more than a look makes */

struct node {
	const char *path, *value; /* NULL: the node is absent */
};

/* What xenstore changes at once. */
struct change {
	struct node nodes[4];
};

static struct node store[16];
static const struct change *changes;
static size_t nr_changes, made, reads;
static size_t before_read[8]; /* of each change: the read that it precedes */

static void put(const char *path, const char *value)
{
	size_t i;

	for (i = 0; store[i].path && strcmp(store[i].path, path) != 0; i++)
		;
	assert_true(i + 1 < sizeof(store) / sizeof(store[0]));
	store[i] = (struct node){ path, value };
}

static void make(const struct change *change)
{
	size_t i;

	for (i = 0; i < 4 && change->nodes[i].path; i++)
		put(change->nodes[i].path, change->nodes[i].value);
}

void *xs_read(struct xs_handle *xenstore, xs_transaction_t transaction, const char *path,
	      unsigned int *length)
{
	size_t i;

	(void)xenstore;
	(void)transaction;
	while (made < nr_changes && before_read[made] <= reads)
		make(&changes[made++]);
	reads++;
	for (i = 0; store[i].path; i++)
		if (!strcmp(store[i].path, path) && store[i].value) {
			*length = (unsigned int)strlen(store[i].value);
			return strdup(store[i].value);
		}
	return NULL;
}

static void begin(const struct node *nodes, size_t nr)
{
	static char version[16];
	size_t i;

	memset(store, 0, sizeof(store));
	made = reads = 0;
	snprintf(version, sizeof(version), "%u", STRATA_GUEST_ABI_VERSION);
	put(DIR "/version", version);
	put(DIR "/nonce", "1");
	put("/local/domain/3/name", "g3");
	for (i = 0; i < nr; i++)
		put(nodes[i].path, nodes[i].value);
}

/* One look, with the changes where before_read[] says. */
static void look_once(const struct node *nodes, size_t nr)
{
	struct guest guest;

	begin(nodes, nr);
	guest_look(NULL, 3, 2, &guest);
	assert_true(reads < READS);
	assert_true(guest.module == GUEST_READY || guest.module == GUEST_NO_RINGS);
	if (guest.answered == ANSWER) {
		assert_int_equal(guest.module, GUEST_READY);
		assert_int_equal(guest.root_ref, 200);
		assert_int_equal(guest.port, 20);
		assert_int_equal(guest.nonce, 0x22);
		assert_string_equal(guest.state, "created");
	}
}

/* All ways to put the changes from @first on between reads, none before read @from. */
static size_t look_in_all_ways(const struct node *nodes, size_t nr, size_t first, size_t from)
{
	size_t looks = 0;

	if (first == nr_changes) {
		look_once(nodes, nr);
		return 1;
	}
	for (; from <= READS; from++) {
		before_read[first] = from;
		looks += look_in_all_ways(nodes, nr, first + 1, from);
	}
	return looks;
}

#define NEW_RINGS                                           \
	{ { { DIR "/2/root-ref", "200" },                   \
	    { DIR "/2/event-channel", "20" },               \
	    { DIR "/2/nonce", "22" },                       \
	    { DIR "/2/state", "idle" } } },                 \
	{                                                   \
		{                                           \
			{                                   \
				DIR "/2/state", "created 7" \
			}                                   \
		}                                           \
	}

static void the_first_rings_of_a_channel_are_seen_with_their_answer(void **state)
{
	static const struct change first[] = { NEW_RINGS };

	(void)state;
	changes = first;
	nr_changes = 2;
	assert_int_equal(look_in_all_ways(NULL, 0, 0, 0), 153);
}

static void rings_that_take_the_place_of_others_are_seen_with_their_answer(void **state)
{
	static const struct node left[] = {
		{ DIR "/2/root-ref", "100" },
		{ DIR "/2/event-channel", "10" },
		{ DIR "/2/nonce", "11" },
		{ DIR "/2/state", "started 5" },
	};
	static const struct change anew[] = {
		{ { { DIR "/2/root-ref", NULL } } },
		{ { { DIR "/2/event-channel", NULL } } },
		{ { { DIR "/2/nonce", NULL } } },
		NEW_RINGS,
	};

	(void)state;
	changes = anew;
	nr_changes = 5;
	assert_int_equal(look_in_all_ways(left, 4, 0, 0), 20349);
}

static void an_answer_is_seen_in_the_end(void **state)
{
	static const struct change first[] = { NEW_RINGS };
	struct guest guest;

	(void)state;
	changes = first;
	nr_changes = 2;
	before_read[0] = before_read[1] = 0;
	begin(NULL, 0);
	guest_look(NULL, 3, 2, &guest);
	assert_int_equal(guest.module, GUEST_READY);
	assert_int_equal(guest.answered, ANSWER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_rings_of_a_channel_are_seen_with_their_answer),
		cmocka_unit_test(rings_that_take_the_place_of_others_are_seen_with_their_answer),
		cmocka_unit_test(an_answer_is_seen_in_the_end),
	};

	return cmocka_run_group_tests_name("guest_look", tests, NULL, NULL);
}
