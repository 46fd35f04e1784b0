// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_guest_pages.c - recorders share dom0's table of mappings, in a /run of the test's own: so it
 * runs as root.  Two lists in one process exclude each other as those of two recorders do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "consumerd/shares/guest_pages.h"

#include "own_run.h"

#define TOTAL 800u
#define SHARE 100u

/* A recorder with two guests and dom0. */
struct recorder {
	struct guest_pages *pages;
	struct principals *all;
	struct principal *guest, *neighbour, *dom0;
};

static struct recorder first, second;
static struct strata_error failure;

static void begin_one(struct recorder *recorder, unsigned int number)
{
	static const uint8_t none[PRINCIPAL_UUID_BYTES], one[PRINCIPAL_UUID_BYTES] = { 1 },
							 two[PRINCIPAL_UUID_BYTES] = { 2 };

	recorder->pages = guest_pages_open(number, &failure);
	if (!recorder->pages)
		fail_msg("%s", failure.text);
	recorder->all = principals_new();
	assert_non_null(recorder->all);
	principals_set_total(recorder->all, PRINCIPAL_GUEST_PAGES, TOTAL);
	recorder->guest = principals_domain(recorder->all, 1, one, "g1");
	recorder->neighbour = principals_domain(recorder->all, 2, two, "g2");
	recorder->dom0 = principals_domain(recorder->all, 0, none, "Domain-0");
}

static void end_one(struct recorder *recorder)
{
	guest_pages_close(recorder->pages);
	principals_free(recorder->all);
	memset(recorder, 0, sizeof(*recorder));
}

static int begin(void **state)
{
	(void)state;
	umask(022);
	if (mount_own_run())
		return -1;
	begin_one(&first, 0);
	begin_one(&second, 7);
	return 0;
}

static int end(void **state)
{
	end_one(&first);
	end_one(&second);
	return unmount_own_run(state);
}

static int claim(struct recorder *recorder, struct principal *who, uint64_t nr)
{
	return guest_pages_claim(recorder->pages, who, nr, &failure);
}

static void a_guest_has_one_share_of_all_recorders(void **state)
{
	(void)state;
	assert_int_equal(claim(&first, first.guest, SHARE - 10), 0);
	assert_int_equal(claim(&second, second.guest, 11), -1);
	assert_non_null(strstr(failure.text, "holds 90 of its share of 100"));
	assert_non_null(strstr(failure.text, "other recorders: 90"));
	assert_int_equal(second.guest->used[PRINCIPAL_GUEST_PAGES], 0);
	assert_int_equal(claim(&second, second.guest, 10), 0);
	assert_int_equal(claim(&first, first.guest, 1), -1);
	/* Its neighbour has a share of its own. */
	assert_int_equal(claim(&second, second.neighbour, SHARE), 0);
}

static void what_is_given_back_is_free_for_all(void **state)
{
	(void)state;
	assert_int_equal(claim(&first, first.guest, SHARE), 0);
	assert_int_equal(claim(&first, first.neighbour, 5), 0);
	guest_pages_give_back(first.pages, first.guest, SHARE);
	assert_int_equal(claim(&second, second.guest, SHARE), 0);
	assert_int_equal(claim(&second, second.neighbour, SHARE - 5), 0);
	assert_int_equal(claim(&second, second.neighbour, 1), -1);
}

static void totals_count_all_recorders(void **state)
{
	(void)state;
	assert_int_equal(claim(&first, first.dom0, TOTAL - 50), 0);
	assert_int_equal(claim(&second, second.dom0, 51), -1);
	assert_int_equal(claim(&second, second.guest, 51), -1);
	assert_int_equal(claim(&second, second.dom0, 50), 0);
}

static void the_eighth_of_the_trusted_stays_free(void **state)
{
	uint8_t uuid[PRINCIPAL_UUID_BYTES] = { 9 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 7; i++) {
		struct recorder *recorder = i % 2 ? &first : &second;

		uuid[1] = (uint8_t)i;
		assert_int_equal(
			claim(recorder, principals_domain(recorder->all, 10 + i, uuid, "g"), SHARE),
			0);
	}
	assert_int_equal(claim(&first, first.guest, 1), -1);
	assert_int_equal(claim(&first, first.dom0, SHARE), 0);
}

static void the_pages_of_a_recorder_that_died_are_free(void **state)
{
	int status;

	(void)state;
	end_one(&second);
	if (!fork()) {
		begin_one(&second, 7);
		_exit(claim(&second, second.guest, SHARE) != 0);
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	assert_int_equal(claim(&first, first.guest, SHARE), 0);
	/* The next one with its number begins with an empty list. */
	begin_one(&second, 7);
	guest_pages_give_back(first.pages, first.guest, SHARE);
	assert_int_equal(claim(&first, first.guest, SHARE), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_guest_has_one_share_of_all_recorders, begin, end),
		cmocka_unit_test_setup_teardown(what_is_given_back_is_free_for_all, begin, end),
		cmocka_unit_test_setup_teardown(totals_count_all_recorders, begin, end),
		cmocka_unit_test_setup_teardown(the_eighth_of_the_trusted_stays_free, begin, end),
		cmocka_unit_test_setup_teardown(the_pages_of_a_recorder_that_died_are_free, begin,
						end),
	};

	return cmocka_run_group_tests_name("pages of guests", tests, own_mounts, NULL);
}
