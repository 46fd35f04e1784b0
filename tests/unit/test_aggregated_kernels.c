// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregated_kernels.c - kernels that begin, stop and end to count: those that answer at once,
 * late, with a refusal or never.  What they say in xenstore is played; a silent one costs itself
 * only, and the time of one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/xen/guest_tables.h"

/* Domains 1 to PLAYED. */
#define PLAYED 4u

struct played {
	unsigned int looks;  /* until it answers */
	const char *refuses; /* the command that it does not obey */
	bool is_silent;
	bool has_bad_root; /* page */
	char command[32];  /* of the last one */
	char started[64];  /* what follows the number of the command that started it */
	uint32_t sequence;
	unsigned int told, destroyed, looked;
};

static struct played played[PLAYED + 1];
static unsigned int tables_read[PLAYED + 1];
static volatile sig_atomic_t interrupted;

static const char *answer_to(const char *command)
{
	return !strcmp(command, "aggregate") ? "aggregated"
	       : !strcmp(command, "start")   ? "started"
	       : !strcmp(command, "stop")    ? "stopped"
					     : "destroyed";
}

static void play_look(struct xs_handle *xenstore, uint32_t domain, uint32_t channel,
		      struct guest *guest)
{
	struct played *one = &played[domain];

	(void)xenstore;
	*guest = (struct guest){
		.domain = domain, .channel = channel, .module = GUEST_READY, .nonce = domain
	};
	if (!channel)
		return;
	one->looked++;
	if (one->is_silent || !one->sequence || (one->looks && one->looked <= one->looks))
		return;
	guest->answered = one->sequence;
	strcpy(guest->state, one->refuses && !strcmp(one->refuses, one->command)
				     ? "error"
				     : answer_to(one->command));
}

static int play_tell(struct xs_handle *xenstore, uint32_t domain, uint32_t channel,
		     const struct guest_command *command, struct strata_error *error)
{
	struct played *one = &played[domain];

	(void)xenstore;
	(void)error;
	assert_int_equal(channel, 7);
	assert_int_equal(sscanf(command->text, "%31s %u", one->command, &one->sequence), 2);
	if (!strcmp(one->command, "start"))
		assert_int_equal(sscanf(command->text, "%*s %*u %63[^\n]", one->started), 1);
	one->told++;
	one->looked = 0;
	one->destroyed += !strcmp(one->command, "destroy");
	return 0;
}

static int play_find(struct xs_handle *xenstore, uint32_t channel, struct guest **guests,
		     size_t *nr, struct strata_error *error)
{
	(void)error;
	*guests = calloc(PLAYED, sizeof(**guests));
	*nr = PLAYED;
	for (uint32_t i = 0; i < PLAYED; i++) {
		play_look(xenstore, i + 1, channel, &(*guests)[i]);
		snprintf((*guests)[i].name, sizeof((*guests)[i].name), "g%u", i + 1);
	}
	return 0;
}

static int play_map(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
		    bool with_rings, struct strata_error *error)
{
	static struct strata_event_desc events[] = { { .name = "sched_switch", .group = "sched" },
						     { .name = "open", .group = "kprobe" } };

	(void)gnttab;
	(void)with_rings;
	if (played[guest->domain].has_bad_root)
		return strata_fail(error, "its root page has a wrong magic number");
	*map = (struct guest_map){ .events = events, .nr_events = 2 };
	return 0;
}

static int play_map_tables(struct guest_map *map, xengnttab_handle *gnttab,
			   const struct guest *guest, const struct strata_aggregate_spec *spec,
			   struct guest_tables *tables, struct strata_error *error)
{
	(void)spec;
	*tables = (struct guest_tables){ .refs = malloc(1), .nr_cpus = 1, .tsc_khz = 1 };
	return play_map(map, gnttab, guest, false, error);
}

static void play_unmap(struct guest_map *map)
{
	*map = (struct guest_map){ 0 };
}

static int play_read(xengnttab_handle *gnttab, uint32_t domain, const struct guest_tables *tables,
		     const struct strata_aggregate_spec *spec, struct aggregate_rows *rows,
		     struct strata_error *error)
{
	(void)gnttab;
	(void)tables;
	(void)spec;
	(void)rows;
	(void)error;
	tables_read[domain]++;
	return 0;
}

#define guest_look  play_look
#define guest_tell  play_tell
#define guests_find play_find
/* These are names of structures, too. */
#define guest_map(...)    play_map(__VA_ARGS__)
#define guest_map_tables  play_map_tables
#define guest_unmap       play_unmap
#define guest_tables_read play_read
#include "../../dom0-tools/stratad/domains/aggregated_kernels.c"
#include "../../dom0-tools/stratad/domains/kernel_steps.c"

static struct aggregated_kernels all;
static struct strata_error failure;
static const struct aggregate_choice counts = { .kind = STRATA_AGGREGATE_COUNT };
static const struct aggregate_choice *choice;
static struct kernel_selection named[2];

static int begin(void **state)
{
	(void)state;
	memset(played, 0, sizeof(played));
	memset(tables_read, 0, sizeof(tables_read));
	interrupted = 0;
	choice = &counts;
	/* A TSC that lets 10 s pass in one or two, however fast the real one is. */
	all = (struct aggregated_kernels){ .channel = 7,
					   .tsc_khz = 40000,
					   .interrupted = &interrupted };
	return 0;
}

static int start(const char *first, const char *second)
{
	const char *texts[] = { first, second };
	size_t nr = 0;

	for (; nr < 2 && texts[nr]; nr++)
		assert_int_equal(
			select_parse_kernel(SELECT_EVENTS, texts[nr], &named[nr], &failure), 0);
	return aggregated_kernels_start(&all, choice, named, nr, &failure);
}

static uint64_t steps_of_time(uint64_t since_ticks)
{
	return (strata_clock() - since_ticks) / ((uint64_t)KERNEL_ANSWER_MS * all.tsc_khz);
}

static void all_that_answer_count(void **state)
{
	(void)state;
	played[2].looks = 3;
	assert_int_equal(start("*:sched_switch", NULL), 0);
	assert_int_equal(aggregated_kernels_counting(&all), PLAYED);
	for (uint32_t i = 1; i <= PLAYED; i++) {
		assert_string_equal(played[i].command, "start");
		assert_true(all.list[i - 1].start_ticks);
	}
	aggregated_kernels_read(&all);
	aggregated_kernels_stop(&all);
	assert_false(aggregated_kernels_end(&all));
	for (uint32_t i = 1; i <= PLAYED; i++) {
		assert_int_equal(tables_read[i], 1);
		assert_int_equal(played[i].told, 4);
		assert_int_equal(played[i].destroyed, 1);
	}
}

/* Two are silent: all together take the time of one. */
static void silent_ones_cost_themselves_only(void **state)
{
	uint64_t began = strata_clock();

	(void)state;
	played[1].is_silent = played[3].is_silent = true;
	assert_int_equal(start("g1:sched_switch", "*:sched_switch"), 0);
	assert_int_equal(steps_of_time(began), 1);
	assert_int_equal(aggregated_kernels_counting(&all), 2);
	assert_true(all.list[0].silent && all.list[2].silent);
	/* Each was told to free what it may yet make, once, and is not waited for again. */
	assert_int_equal(played[1].destroyed, 1);
	began = strata_clock();
	aggregated_kernels_read(&all);
	aggregated_kernels_stop(&all);
	assert_true(aggregated_kernels_end(&all));
	assert_int_equal(steps_of_time(began), 0);
	assert_int_equal(played[1].destroyed, 1);
	assert_int_equal(played[2].destroyed, 1);
	assert_int_equal(tables_read[1], 0);
	assert_int_equal(tables_read[2], 1);
}

static void one_that_falls_silent_is_waited_for_once(void **state)
{
	uint64_t began;

	(void)state;
	assert_int_equal(start("*:sched_switch", NULL), 0);
	played[4].is_silent = true;
	began = strata_clock();
	aggregated_kernels_stop(&all);
	aggregated_kernels_end(&all);
	assert_int_equal(steps_of_time(began), 1);
	for (uint32_t i = 1; i <= PLAYED; i++)
		assert_int_equal(played[i].destroyed, 1);
}

static void one_that_refuses_costs_itself_only(void **state)
{
	(void)state;
	played[2].refuses = "start";
	assert_int_equal(start("*:sched_switch", NULL), 0);
	assert_int_equal(aggregated_kernels_counting(&all), PLAYED - 1);
	assert_int_equal(played[2].destroyed, 1);
	assert_true(aggregated_kernels_end(&all));
	/* Also if it is named. */
	assert_int_equal(start("g2:sched_switch", "g3:sched_switch"), 0);
	assert_int_equal(aggregated_kernels_counting(&all), 1);
	assert_true(all.list[1].counts);
	assert_true(aggregated_kernels_end(&all));
	for (uint32_t i = 1; i <= PLAYED; i++)
		assert_string_equal(played[i].command, "destroy");
}

static void one_with_a_bad_root_page_costs_itself_only(void **state)
{
	(void)state;
	played[2].has_bad_root = true;
	assert_int_equal(start("g2:sched_switch", "g3:sched_switch"), 0);
	assert_int_equal(aggregated_kernels_counting(&all), 1);
	assert_true(all.list[1].counts);
	assert_int_equal(played[2].told, 0);
	assert_true(aggregated_kernels_end(&all));
}

static void an_interrupt_ends_the_wait(void **state)
{
	const uint64_t began = strata_clock();

	(void)state;
	played[1].is_silent = true;
	interrupted = 1;
	assert_int_equal(start("*:sched_switch", NULL), -1);
	assert_non_null(strstr(failure.text, "interrupted"));
	aggregated_kernels_end(&all);
	assert_int_equal(steps_of_time(began), 0);
}

/* What domain 1 was started with. */
static void started_with(const char *events, bool without_probes, char text[64])
{
	all.without_probes = without_probes;
	assert_int_equal(start(events, NULL), 0);
	strcpy(text, played[1].started);
	aggregated_kernels_end(&all);
}

static void patterns_count_events_of_probes_for_root_alone(void **state)
{
	static const char *const patterns[] = { "g1:all", "g1:*", "g1:sched_switch,open" };
	char one[64], both[64], text[64];
	size_t i;

	(void)state;
	started_with("g1:sched_switch", false, one);
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		started_with(patterns[i], false, both);
		assert_string_not_equal(both, one);
		started_with(patterns[i], true, text);
		assert_string_equal(text, one);
	}
}

static void times_between_events_of_probes_are_for_root_alone(void **state)
{
	static const struct aggregate_choice times[] = {
		{ .kind = STRATA_AGGREGATE_TIME, .begin = "open", .end = "sched_switch" },
		{ .kind = STRATA_AGGREGATE_TIME, .begin = "sched_switch", .end = "open" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		choice = &times[i];
		all.without_probes = false;
		assert_int_equal(start("*:all", NULL), 0);
		assert_int_equal(aggregated_kernels_counting(&all), PLAYED);
		aggregated_kernels_end(&all);
		all.without_probes = true;
		assert_int_equal(start("*:all", NULL), 0);
		assert_int_equal(aggregated_kernels_counting(&all), 0);
		assert_true(aggregated_kernels_end(&all));
	}
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_that_answer_count),
		TEST(silent_ones_cost_themselves_only),
		TEST(one_that_falls_silent_is_waited_for_once),
		TEST(one_that_refuses_costs_itself_only),
		TEST(one_with_a_bad_root_page_costs_itself_only),
		TEST(an_interrupt_ends_the_wait),
		TEST(patterns_count_events_of_probes_for_root_alone),
		TEST(times_between_events_of_probes_are_for_root_alone),
	};

	return cmocka_run_group_tests_name("aggregated_kernels", tests, NULL, NULL);
}
