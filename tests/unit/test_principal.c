// SPDX-License-Identifier: GPL-2.0-or-later
/* test_principal.c - the shares of one user or domain, and the rest for others. */
#include "consumerd/shares/principal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/shares/subordinate_uids.h"
#include "consumerd/shares/token_bucket.h"

#define TOTAL 80u
#define SHARE 10u

static struct principals *all;
static struct principal *one, *other;

static int open_table(void **state)
{
	(void)state;
	all = principals_new();
	assert_non_null(all);
	principals_set_total(all, PRINCIPAL_RINGS, TOTAL);
	/* No user of the machine has these. */
	one = principals_user(all, 3000000001u);
	other = principals_user(all, 3000000002u);
	assert_non_null(one);
	assert_non_null(other);
	return 0;
}

static int close_table(void **state)
{
	(void)state;
	principals_free(all);
	return 0;
}

static void a_user_gets_his_share_and_no_more(void **state)
{
	struct strata_error error = { "" };

	(void)state;
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, SHARE - 1, &error), 0);
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, 2, &error), -1);
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, UINT64_MAX, &error), -1);
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, 1, &error), 0);
	assert_int_equal(one->used[PRINCIPAL_RINGS], SHARE);
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, 1, &error), -1);
	/* No other user's share is used, nor this user's share of anything else. */
	assert_int_equal(principal_claim(other, PRINCIPAL_RINGS, SHARE, &error), 0);
	assert_int_equal(principal_claim(one, PRINCIPAL_STREAMS, SHARE, &error), 0);
}

static void what_is_given_back_can_be_claimed_again(void **state)
{
	struct strata_error error = { "" };

	(void)state;
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, SHARE, &error), 0);
	principal_give_back(one, PRINCIPAL_RINGS, 4);
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, 5, &error), -1);
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, 4, &error), 0);
}

static void a_refusal_says_who_holds_what(void **state)
{
	struct strata_error error = { "" };

	(void)state;
	assert_false(principals_refused(all));
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, 7, &error), 0);
	assert_int_equal(principal_claim(other, PRINCIPAL_RINGS, 3, &error), 0);
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, 4, &error), -1);
	assert_string_equal(error.text,
			    "user 3000000001 holds 7 of its share of 10 rings and asks for 4 "
			    "more; 10 of 80 are in use; the others: user 3000000002 3");
	assert_true(principals_refused(all));
}

static void root_may_have_all_that_is_left(void **state)
{
	struct principal *root = principals_user(all, 0);
	struct strata_error error = { "" };

	(void)state;
	assert_true(root->trusted);
	assert_int_equal(principal_claim(one, PRINCIPAL_RINGS, SHARE, &error), 0);
	assert_int_equal(principal_claim(root, PRINCIPAL_RINGS, TOTAL - SHARE, &error), 0);
	assert_int_equal(principal_claim(root, PRINCIPAL_RINGS, 1, &error), -1);
	assert_int_equal(principal_claim(other, PRINCIPAL_RINGS, 1, &error), -1);
}

static void a_user_writes_no_more_than_is_left_for_others(void **state)
{
	const struct principal *root = principals_user(all, 0);

	(void)state;
	assert_true(principal_may_write(one, 500, 1000));
	assert_false(principal_may_write(one, 501, 1000));
	principal_note_written(one, 500);
	assert_false(principal_may_write(one, 1, 500));
	assert_true(principal_may_write(other, 250, 500));
	assert_true(principal_may_write(one, 1, 502));
	assert_false(principal_may_write(one, 2, 1));
	assert_true(principal_may_write(root, 501, 500));
}

static void a_user_makes_no_more_files_than_are_left_for_others(void **state)
{
	const struct principal *root = principals_user(all, 0);

	(void)state;
	assert_true(principal_may_make_files(one, 50, 100));
	assert_false(principal_may_make_files(one, 51, 100));
	principal_note_files(one, 3);
	assert_false(principal_may_make_files(one, 1, 4));
	assert_true(principal_may_make_files(one, 1, 5));
	assert_false(principal_may_make_files(one, 2, 1));
	principal_note_removed(one, 0, 2);
	assert_true(principal_may_make_files(one, 1, 3));
	assert_true(principal_may_make_files(other, 50, 100));
	assert_true(principal_may_make_files(root, 51, 100));
}

static void however_many_users_there_are_a_share_is_left_for_root(void **state)
{
	struct principal *root = principals_user(all, 0);
	struct strata_error error = { "" };
	uint32_t i;

	(void)state;
	for (i = 0; i < 2 * PRINCIPAL_SHARES; i++)
		principal_claim(principals_user(all, 3000001000u + i), PRINCIPAL_RINGS, SHARE,
				&error);
	assert_int_equal(principal_claim(root, PRINCIPAL_RINGS, SHARE, &error), 0);
}

static const uint8_t no_uuid[PRINCIPAL_UUID_BYTES];

static void a_domain_is_the_same_after_a_reboot(void **state)
{
	static const uint8_t g1[PRINCIPAL_UUID_BYTES] = { 1 }, g2[PRINCIPAL_UUID_BYTES] = { 2 };
	struct principal *before = principals_domain(all, 7, g1, "g1");

	(void)state;
	assert_ptr_equal(principals_domain(all, 8, g1, "g1"), before);
	assert_ptr_equal(principals_domain(all, 8, g1, "renamed"), before);
	assert_ptr_not_equal(principals_domain(all, 7, g2, "g1"), before);
	assert_ptr_not_equal(principals_domain(all, 7, no_uuid, ""),
			     principals_domain(all, 8, no_uuid, ""));
	assert_ptr_equal(principals_domain(all, 7, no_uuid, ""),
			 principals_domain(all, 7, no_uuid, ""));
	assert_false(before->trusted);
	assert_true(principals_domain(all, 0, no_uuid, "Domain-0")->trusted);
	assert_ptr_not_equal(principals_user(all, 7), principals_domain(all, 7, no_uuid, ""));
}

static void a_name_is_shown_escaped(void **state)
{
	(void)state;
	assert_null(strchr(principals_domain(all, 9, no_uuid, "\x1b[31m")->name, 0x1b));
}

static void subordinate_uids_are_their_owners(void **state)
{
	char path[] = "/tmp/strata-subuid-XXXXXX";
	struct subordinate_uids uids = { 0 };
	int fd = mkstemp(path);
	static const char text[] = "root:100000:65536\n"
				   "3000000001:200000:10\n"
				   "nobody-has-this-name:300000:65536\n"
				   "nonsense\n"
				   "root:x:1\n"
				   "root:0:1000\n";

	(void)state;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	subordinate_uids_read(&uids, path, "/etc/passwd");
	unlink(path);
	assert_int_equal(uids.nr, 3);
	/* A range that root owns makes no user root. */
	assert_int_equal(subordinate_uids_owner(&uids, 5), 5);
	assert_int_equal(subordinate_uids_owner(&uids, 99999), 99999);
	assert_int_equal(subordinate_uids_owner(&uids, 100000), 100000);
	assert_int_equal(subordinate_uids_owner(&uids, 165535), 100000);
	assert_int_equal(subordinate_uids_owner(&uids, 165536), 165536);
	assert_int_equal(subordinate_uids_owner(&uids, 200009), 3000000001u);
	assert_int_equal(subordinate_uids_owner(&uids, 300000), 300000);
	assert_int_equal(subordinate_uids_owner(&uids, 365535), 300000);
	subordinate_uids_clear(&uids);
}

static void a_debt_is_paid_in_later_turns(void **state)
{
	(void)state;
	assert_true(principal_has_credit(one, PRINCIPAL_DRAINING));
	principal_charge(one, PRINCIPAL_DRAINING, PRINCIPAL_DRAINING_BYTES - 1);
	assert_true(principal_has_credit(one, PRINCIPAL_DRAINING));
	principal_charge(one, PRINCIPAL_DRAINING, 2ull * PRINCIPAL_DRAINING_BYTES + 1);
	assert_false(principal_has_credit(one, PRINCIPAL_DRAINING));
	assert_true(principal_has_credit(other, PRINCIPAL_DRAINING));
	assert_true(principal_has_credit(one, PRINCIPAL_TALKING));
	principals_begin_turn(all);
	assert_false(principal_has_credit(one, PRINCIPAL_DRAINING));
	principals_begin_turn(all);
	assert_false(principal_has_credit(one, PRINCIPAL_DRAINING));
	principals_begin_turn(all);
	assert_true(principal_has_credit(one, PRINCIPAL_DRAINING));
}

static void unused_credit_is_not_saved_up(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++)
		principals_begin_turn(all);
	principal_charge(one, PRINCIPAL_DRAINING, PRINCIPAL_DRAINING_BYTES);
	assert_false(principal_has_credit(one, PRINCIPAL_DRAINING));
}

static void new_sources_come_in_a_burst_and_then_at_a_rate(void **state)
{
	struct principal *root = principals_user(all, 0);
	unsigned int i, begun = 0;

	(void)state;
	for (i = 0; i < 1000; i++) {
		begun += principal_may_begin_source(one);
		assert_true(principal_may_begin_source(root));
	}
	assert_in_range(begun, 256, 999);
	assert_true(principal_may_begin_source(other));
}

static void a_bucket_fills_with_time_up_to_its_burst(void **state)
{
	struct token_bucket bucket = { .burst = 2, .per_1000_s = 500, .last_ms = 0 };

	(void)state;
	assert_true(token_bucket_take(&bucket, 10));
	assert_true(token_bucket_take(&bucket, 10));
	assert_false(token_bucket_take(&bucket, 10));
	assert_false(token_bucket_take(&bucket, 2009));
	assert_true(token_bucket_take(&bucket, 2010));
	assert_false(token_bucket_take(&bucket, 2010));
	assert_true(token_bucket_take(&bucket, 1000000));
	assert_true(token_bucket_take(&bucket, 1000000));
	assert_false(token_bucket_take(&bucket, 1000000));
}

static unsigned int lines_in(FILE *file, const char *wanted)
{
	unsigned int nr = 0;
	char line[1024];

	rewind(file);
	while (fgets(line, sizeof(line), file))
		nr += strstr(line, wanted) != NULL;
	return nr;
}

static void messages_are_bounded_and_summed_up(void **state)
{
	struct principal *root = principals_user(all, 0);
	FILE *file = tmpfile(), *real = stderr;
	unsigned int i;

	(void)state;
	assert_non_null(file);
	stderr = file;
	for (i = 0; i < 100; i++) {
		principal_complain(one, "it lies (%u)", i);
		principal_complain(root, "root's own (%u)", i);
	}
	principal_complain(other, "another");
	principals_sum_up(all);
	principals_sum_up(all);
	fflush(file);
	stderr = real;
	assert_in_range(lines_in(file, "strata: it lies ("), 20, 99);
	assert_int_equal(lines_in(file, "strata: root's own ("), 100);
	assert_int_equal(lines_in(file, "strata: another"), 1);
	assert_int_equal(lines_in(file, "user 3000000001 caused "), 1);
	assert_int_equal(lines_in(file, " caused "), 1);
	fclose(file);
}

#define test_in_table(test) cmocka_unit_test_setup_teardown(test, open_table, close_table)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_table(a_user_gets_his_share_and_no_more),
		test_in_table(what_is_given_back_can_be_claimed_again),
		test_in_table(a_refusal_says_who_holds_what),
		test_in_table(root_may_have_all_that_is_left),
		test_in_table(a_user_writes_no_more_than_is_left_for_others),
		test_in_table(a_user_makes_no_more_files_than_are_left_for_others),
		test_in_table(however_many_users_there_are_a_share_is_left_for_root),
		test_in_table(a_domain_is_the_same_after_a_reboot),
		test_in_table(a_name_is_shown_escaped),
		test_in_table(subordinate_uids_are_their_owners),
		test_in_table(a_debt_is_paid_in_later_turns),
		test_in_table(unused_credit_is_not_saved_up),
		test_in_table(new_sources_come_in_a_burst_and_then_at_a_rate),
		test_in_table(a_bucket_fills_with_time_up_to_its_burst),
		test_in_table(messages_are_bounded_and_summed_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
