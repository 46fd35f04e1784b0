// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregate_rows.c - what `strata top` shows of two looks: new counts, the busiest first, and
 * percentiles of a histogram; and as JSON, also what a guest may have made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stratad/aggregate_rows.h"
#include "stratad/domains/aggregated_apps.h"
#include "strata/aggregate_view.h"

static const struct strata_aggregate_spec counts = { .version = 1,
						     .kind = STRATA_AGGREGATE_COUNT,
						     .row_bits = 4 };
static const struct strata_aggregate_spec times = { .version = 1,
						    .kind = STRATA_AGGREGATE_TIME,
						    .row_bits = 1 };

static uint64_t first_words[] = { 0, 0, 0, 0 }, second_words[] = { 0, 0, 0, 0, 0, 0 };
static struct aggregate_rows first = { .words = first_words, .nr = 2 };
static struct aggregate_rows second = { .words = second_words, .nr = 3 };

static struct aggregate_source source = {
	.name = "xen",
	.spec = &counts,
	.now = &second,
	.before = &first,
	.interval_ns = 500000000,
	.tsc_khz = 1000000,
};
static struct aggregate_totals totals;
static struct aggregated_kernels kernels;
static const struct aggregate_choice choice = { .begin = "vm_exit", .end = "vm_entry" };
static struct aggregate_look seen = {
	.sources = &source,
	.nr_sources = 1,
	.interval_ns = 500000000,
	.total_ns = 1000000000,
	.totals = &totals,
	.kernels = &kernels,
};

/* Event 2 is between the two that were there before. */
static int two_looks(void **state)
{
	(void)state;
	first_words[0] = second_words[0] = strata_aggregate_key(1, 0);
	first_words[2] = second_words[4] = strata_aggregate_key(3, 0);
	second_words[2] = strata_aggregate_key(2, 0);
	first_words[1] = 100;
	second_words[1] = 101;
	second_words[3] = 50;
	first_words[3] = 10;
	second_words[5] = 40;
	return 0;
}

static void what_is_new_is_shown_the_busiest_first(void **state)
{
	struct aggregate_row *rows;
	size_t nr;

	(void)state;
	assert_int_equal(aggregate_rows_list(&seen, &rows, &nr), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(rows[0].event, 2);
	assert_int_equal(rows[0].delta, 50);
	assert_int_equal(rows[1].event, 3);
	assert_int_equal(rows[1].delta, 30);
	assert_int_equal(rows[1].count, 40);
	assert_int_equal(rows[2].event, 1);
	assert_int_equal(rows[2].delta, 1);
	assert_int_equal(rows[2].count, 101);
	free(rows);
}

static void a_count_that_a_guest_lowers_is_nothing_new(void **state)
{
	const uint64_t lowered = second_words[1];
	struct aggregate_row *rows;
	size_t nr, i;

	(void)state;
	second_words[1] = 1;
	assert_int_equal(aggregate_rows_list(&seen, &rows, &nr), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(rows[2].event, strata_aggregate_key_event(second_words[0]));
	assert_int_equal(rows[2].count, 1);
	for (i = 0; i < nr; i++)
		assert_in_range(rows[i].delta, 0, 50);
	assert_int_equal(rows[2].delta, 0);
	free(rows);
	second_words[1] = lowered;
}

#define MANY 300u

/* A user whose programs count more than all others, in more rows than are shown. */
static void no_user_takes_all_rows_that_are_shown(void **state)
{
	const struct counted_program of_many = { .user = 61001 }, of_one = { .user = 61002 };
	const struct aggregate_source many = { .program = &of_many }, one = { .program = &of_one },
				      kernel = { .events = (void *)&of_one, .domain = 3 };
	struct aggregate_row rows[MANY + 3];
	uint32_t i;

	(void)state;
	for (i = 0; i < MANY; i++)
		rows[i] = (struct aggregate_row){ &many, .event = i, .delta = 1000 - i };
	rows[MANY] = (struct aggregate_row){ &one, .event = 7, .delta = 2 };
	rows[MANY + 1] = (struct aggregate_row){ &kernel, .event = 8, .delta = 1 };
	rows[MANY + 2] = (struct aggregate_row){ &source, .event = 9, .owner = 1 };
	assert_int_equal(aggregate_rows_divide(rows, MANY + 3, 200), 0);
	for (i = 0; i < 197; i++)
		assert_int_equal(rows[i].event, i);
	assert_ptr_equal(rows[197].source, &one);
	assert_ptr_equal(rows[198].source, &kernel);
	assert_ptr_equal(rows[199].source, &source);
	for (i = 197; i < MANY; i++)
		assert_int_equal(rows[i + 3].event, i);
	/* Where all are shown, the busiest are first. */
	assert_int_equal(aggregate_rows_divide(&rows[190], 20, 20), 0);
	assert_ptr_equal(rows[197].source, &one);
}

static void a_percentile_is_the_end_of_its_bucket(void **state)
{
	uint64_t words[STRATA_AGGREGATE_TIME_WORDS] = { 0 };
	struct aggregate_row row = { .source = &source, .count = 100, .words = words };

	(void)state;
	words[STRATA_AGGREGATE_BUCKET + 3] = 50;
	words[STRATA_AGGREGATE_BUCKET + 5] = 49;
	words[STRATA_AGGREGATE_BUCKET + 9] = 1;
	words[STRATA_AGGREGATE_MAX] = 700;
	assert_int_equal(aggregate_row_below(&row, 500000), 15);
	assert_int_equal(aggregate_row_below(&row, 500001), 63);
	assert_int_equal(aggregate_row_below(&row, 990000), 63);
	/* No time is longer than the longest one. */
	assert_int_equal(aggregate_row_below(&row, 1000000), 700);
	assert_int_equal(aggregate_row_fullest(&row), 50);
	words[STRATA_AGGREGATE_BUCKET + 63] = 1;
	words[STRATA_AGGREGATE_MAX] = UINT64_MAX;
	row.count = 101;
	assert_int_equal(aggregate_row_below(&row, 1000000), UINT64_MAX);
}

/* Shows a look on stdout, which goes to a pipe meanwhile; its text. */
static const char *shown(struct aggregate_view *view)
{
	static char text[65536];
	struct strata_error error;
	int pipes[2], out = dup(STDOUT_FILENO);
	ssize_t nr;

	fflush(stdout);
	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], STDOUT_FILENO);
	assert_in_range(aggregate_view_look(view, &seen, &error), 0, 1);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(pipes[1]);
	nr = read(pipes[0], text, sizeof(text) - 1);
	close(pipes[0]);
	assert_true(nr > 0);
	text[nr] = '\0';
	return text;
}

static void looks_are_lines_of_json(void **state)
{
	struct aggregate_view view = { .json = true, .what = choice };
	const char *text;

	(void)state;
	text = shown(&view);
	assert_int_equal(strchr(text, '\n') - text, (long)strlen(text) - 1);
	assert_non_null(strstr(text, "\"is_last\":false"));
	assert_non_null(strstr(text, "\"per_s\":100,\"delta\":50,\"count\":50"));
	assert_non_null(strstr(text, "\"event\":\"0x00000002\""));
}

static void names_of_guests_are_escaped(void **state)
{
	struct strata_event_desc events[3] = { { .name = "first" },
					       { .name = "bad\033[2J\"name" } };
	struct aggregate_view view = { .json = true, .what = choice };
	const char *text;

	(void)state;
	source.name = "g\n1";
	source.events = events;
	source.nr_events = 3;
	text = shown(&view);
	assert_null(strchr(text, '\033'));
	assert_int_equal(strchr(text, '\n') - text, (long)strlen(text) - 1);
	view.json = false;
	text = shown(&view);
	assert_null(strchr(text, '\033'));
	assert_null(strstr(text, "g\n1"));
	/* Nothing is counted by domain. */
	assert_null(strstr(text, "Domain"));
	/* A key that the guest made up. */
	second_words[2] = ~0ull;
	text = shown(&view);
	assert_non_null(strstr(text, "event-4294967295"));
	source.name = "xen";
	source.events = NULL;
}

static void times_are_drawn_at_the_end(void **state)
{
	uint64_t words[1 + STRATA_AGGREGATE_TIME_WORDS] = { 0 };
	struct aggregate_rows rows = { .words = words, .nr = 1 }, none = { .nr = 0 };
	struct aggregate_view view = { .json = false, .what = choice };
	const char *text;

	(void)state;
	words[0] = strata_aggregate_key(0, 0);
	words[1 + STRATA_AGGREGATE_SUM] = 1024;
	words[1 + STRATA_AGGREGATE_MAX] = 1024;
	words[1 + STRATA_AGGREGATE_MIN_INVERTED] = ~1024ull;
	words[1 + STRATA_AGGREGATE_BUCKET + 10] = 1;
	rows.others[STRATA_AGGREGATE_NO_BEGIN] = 7;
	source.spec = &times;
	source.now = &rows;
	source.before = &none;
	text = shown(&view);
	assert_null(strstr(text, "####"));
	assert_non_null(strstr(text, "xen: 7 events were ends whose begin is unknown"));
	seen.is_last = true;
	text = shown(&view);
	assert_non_null(strstr(text, "1.024 us or more            1 ####"));
	assert_non_null(strstr(text, "xen: 1 times from vm_exit to vm_entry"));
	view.json = true;
	text = shown(&view);
	assert_non_null(strstr(text, "\"buckets\":[[1024,1]]"));
	assert_non_null(strstr(text, "\"no_begin\":7"));
	assert_non_null(strstr(text, "\"min_ns\":1024"));
	seen.is_last = false;
	source.spec = &counts;
	source.now = &second;
	source.before = &first;
}

/* Also a guest that was folded since the previous look has no row there. */
static void who_is_folded_and_left_out_is_said(void **state)
{
	struct strata_aggregate_spec by_domain = counts;
	struct aggregated_kernel list[] = { { .name = "sil\033ent", .silent = true },
					    { .name = "fine", .counts = true } };
	struct counted_domain domains[] = { { .domain = 3, .exists = true, .name = "web1" } };
	struct aggregate_view view = { .json = false, .what = choice };
	const char *text;

	(void)state;
	by_domain.by_owner = 1;
	first_words[0] = strata_aggregate_key(1, 2);
	first_words[2] = second_words[0] = strata_aggregate_key(1, 3);
	second_words[2] = strata_aggregate_key(STRATA_HV_ID_GUEST, 3);
	second_words[4] = strata_aggregate_key(1, AGGREGATE_ENDED);
	source.spec = &by_domain;
	totals = (struct aggregate_totals){ .domains = domains, .nr = 1, .nr_ended = 10 };
	strcpy(totals.ended[1], "ol\033d");
	strcpy(totals.ended[2], "older");
	kernels = (struct aggregated_kernels){ .list = list, .nr = 2 };
	second.bad = 4;
	text = shown(&view);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "web1"));
	assert_non_null(strstr(text, "(guest's own)"));
	assert_non_null(strstr(text, "(ended): 10 domains that no longer exist, the last ones ol"));
	assert_non_null(strstr(text, "ent: not counted, because its kernel did not answer"));
	assert_null(strstr(text, "fine"));
	assert_non_null(strstr(text, "4 rows of its tables are not of its events"));
	/* 101 in all, 10 before. */
	assert_non_null(strstr(text, " 91 "));
	view.json = true;
	text = shown(&view);
	assert_non_null(strstr(text, "\"ended_domains\":10"));
	assert_non_null(strstr(text, "\"why\":\"did not answer\""));
	assert_non_null(strstr(text, "\"domain\":\"(ended)\",\"domain_id\":null"));
	source.spec = &counts;
	second.bad = 0;
	totals = (struct aggregate_totals){ .nr = 0 };
	kernels = (struct aggregated_kernels){ .nr = 0 };
}

#define TEST(name) cmocka_unit_test_setup(name, two_looks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_new_is_shown_the_busiest_first),
		TEST(a_count_that_a_guest_lowers_is_nothing_new),
		TEST(no_user_takes_all_rows_that_are_shown),
		TEST(a_percentile_is_the_end_of_its_bucket),
		TEST(looks_are_lines_of_json),
		TEST(names_of_guests_are_escaped),
		TEST(times_are_drawn_at_the_end),
		TEST(who_is_folded_and_left_out_is_said),
	};

	return cmocka_run_group_tests_name("aggregate_rows", tests, NULL, NULL);
}
