// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_participant_choice.c - what the recorder remembers of a kernel's events and filters when
 * they are selected again: the new ones if the kernel is told, else the old ones, which it still
 * has.  And which counters it has of those that it was asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumerd/sources.h"
#include "stratad/domains/participant.h"

static bool classes_fit, command_fits;
static struct guest_command sent;

static int play_add_events(struct recorder *recorder, size_t index, const struct guest_map *map,
			   const struct event_set *events, struct strata_error *error)
{
	(void)recorder;
	(void)index;
	(void)map;
	(void)events;
	return classes_fit ? 0 : strata_fail(error, "out of memory");
}

static bool play_tell(struct xenstore_requests *requests, uint32_t domain, uint64_t serial,
		      uint32_t sequence, const struct guest_command *command)
{
	(void)requests;
	(void)domain;
	(void)serial;
	(void)sequence;
	sent = *command;
	return command_fits;
}

static uint64_t play_now(const struct participants *all)
{
	(void)all;
	return 1;
}

static struct strata_guest_counter entries[STRATA_COUNTERS_MAX];
static uint32_t ring_contexts;

static int play_map_counters(struct guest_map *map, const struct guest *guest,
			     struct strata_error *error)
{
	(void)guest;
	(void)error;
	memcpy(map->counters, entries, sizeof(entries));
	return 0;
}

static uint32_t play_map_contexts(const struct guest_map *map)
{
	(void)map;
	return ring_contexts;
}

#define guest_map_counters     play_map_counters
#define guest_map_contexts     play_map_contexts
#define sources_add_events     play_add_events
#define xenstore_requests_tell play_tell
#define participants_now_ms    play_now
#include "../../dom0-tools/stratad/domains/participant_commands.c"
#include "../../dom0-tools/stratad/domains/participant_counters.c"
#include "../../dom0-tools/stratad/domains/participant_events.c"

static struct strata_event_desc table[] = {
	{ .id = 0,
	  .name = "first",
	  .group = "made",
	  .nr_fields = 1,
	  .fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } } },
	{ .id = 1,
	  .name = "second",
	  .group = "made",
	  .nr_fields = 1,
	  .fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } } },
};

/* With an event of a probe, which another recorder made. */
static struct strata_event_desc probed[] = {
	{ .id = 0, .name = "first", .group = "made" },
	{ .id = 1, .name = "open", .group = "kprobe" },
};

static struct kernel_selection selections[3];
static struct participants all;
static struct participant one;

static void choose(const char *events, const char *tid, const char *filter)
{
	struct strata_error error = { "" };

	all.selections = selections;
	all.nr_selections = 3;
	assert_int_equal(select_parse_kernel(SELECT_EVENTS, events, &selections[0], &error), 0);
	assert_int_equal(select_parse_kernel(SELECT_TID, tid, &selections[1], &error), 0);
	assert_int_equal(select_parse_kernel(SELECT_FILTER, filter, &selections[2], &error), 0);
}

/* A kernel that records the first event by a filter. */
static int begin(void **state)
{
	struct participant_choice none;
	struct strata_error error = { "" };

	(void)state;
	classes_fit = command_fits = true;
	all = (struct participants){ .sequence = 1 };
	one = (struct participant){ .domain = 1,
				    .step = PARTICIPANT_RECORDING,
				    .guest = { .domain = 1, .name = "g1" },
				    .map = { .events = table, .nr_events = 2 } };
	choose("g1:first", "g1:7", "g1:first: number == 1");
	assert_int_equal(participant_choose_again(&all, &one, &none, &error), 0);
	participant_choice_clear(&none);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(one.filter);
	select_filters_clear(&one.field_filters);
	return 0;
}

/* Selects the other event by other filters, and checks whether that is what is remembered. */
static void reselect_is_remembered(bool is)
{
	char *words = strdup(one.field_filters.words);
	struct strata_error error = { "" };

	choose("g1:second", "g1:8", "g1:second: number == 2");
	assert_int_equal(participant_reselect(&all, &one, &error), is ? 0 : -1);
	assert_string_equal(one.filter, is ? "tid=8" : "tid=7");
	assert_int_equal(!strcmp(one.field_filters.words, words), !is);
	assert_int_equal(event_set_has(&one.events, 0), !is);
	assert_int_equal(event_set_has(&one.events, 1), is);
	assert_int_equal(event_set_has(&one.field_filters.events, 1), is);
	free(words);
}

static void what_a_kernel_is_told_is_remembered(void **state)
{
	(void)state;
	reselect_is_remembered(true);
	assert_int_equal(one.step, PARTICIPANT_STARTING);
}

static void events_that_cannot_be_added_change_nothing(void **state)
{
	(void)state;
	classes_fit = false;
	reselect_is_remembered(false);
	assert_int_equal(one.step, PARTICIPANT_RECORDING);
}

static void a_command_that_cannot_be_sent_changes_nothing(void **state)
{
	(void)state;
	command_fits = false;
	reselect_is_remembered(false);
	assert_int_equal(one.step, PARTICIPANT_RECORDING);
}

/* Selects events, of which the first one is recorded, and the probe's if that is allowed. */
static void the_probe_is_selected(const char *events, bool without_probes)
{
	struct participant_choice before;
	struct strata_error error = { "" };

	all.without_probes = without_probes;
	all.nr_selections = 1;
	one.map.events = probed;
	assert_int_equal(select_parse_kernel(SELECT_EVENTS, events, &selections[0], &error), 0);
	assert_int_equal(participant_choose_again(&all, &one, &before, &error), 0);
	participant_choice_clear(&before);
	assert_int_equal(event_set_has(&one.events, 1), !without_probes);
}

static void patterns_select_probes_of_others_for_root_alone(void **state)
{
	static const char *const patterns[] = { "g1:all", "g1:*", "g1:first,open", "g1:kprobe/*" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		the_probe_is_selected(patterns[i], false);
		the_probe_is_selected(patterns[i], true);
		assert_int_equal(event_set_has(&one.events, 0), i < 3);
	}
}

static void a_kernel_is_told_the_contexts_before_the_filters(void **state)
{
	struct strata_error error = { "" };

	(void)state;
	one.map.contexts = STRATA_CONTEXT_BIT(STRATA_CONTEXT_PRIO) |
			   STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_USER);
	choose("g1:second", "g1:8", "g1:second: number == 2");
	assert_int_equal(participant_reselect(&all, &one, &error), 0);
	assert_non_null(strstr(sent.text, "start "));
	assert_non_null(strstr(sent.text, " 2 contexts=84 tid=8 where="));
	one.map.contexts = 0;
	assert_int_equal(participant_reselect(&all, &one, &error), 0);
	assert_non_null(strstr(sent.text, " 2 tid=8 where="));
}

/* Asks for cycles and page faults. */
static void ask_for_counters(void)
{
	struct kernel_selection asked;
	struct strata_error error = { "" };

	assert_int_equal(select_parse_kernel(SELECT_CONTEXT,
					     "g1:pid,perf:cpu:cycles,perf:cpu:faults", &asked,
					     &error),
			 0);
	assert_int_equal(select_contexts_choose(&asked, 1, 1, "g1", &one.contexts, &error), 0);
	one.map.contexts = one.contexts.contexts;
	memset(entries, 0xff, sizeof(entries));
}

static void counters_are_asked_for_one_by_one(void **state)
{
	struct strata_error error = { "" };

	(void)state;
	ask_for_counters();
	assert_int_equal(participant_next_counter(&all, &one, &error), 1);
	assert_string_equal(sent.text, "counter 1 0 0");
	/* It has none: the others stay. */
	assert_int_equal(participant_take_counter(&all, &one, false, &error), 0);
	assert_int_equal(all.left_out, 1);
	assert_int_equal(participant_next_counter(&all, &one, &error), 1);
	assert_string_equal(sent.text, "counter 2 1 2");
	entries[9] = (struct strata_guest_counter){ .type = 1, .config = 2 };
	assert_int_equal(participant_take_counter(&all, &one, true, &error), 0);
	assert_int_equal(participant_next_counter(&all, &one, &error), 0);
	assert_int_equal(all.left_out, 1);
	assert_int_equal(one.map.contexts,
			 STRATA_CONTEXT_BIT(STRATA_CONTEXT_PID) | STRATA_COUNTER_BIT(9));
	assert_string_equal(one.map.counter_fields.field[9], "perf_cpu_faults");
	/* A module that lies. */
	one.next_counter = 0;
	assert_int_equal(participant_take_counter(&all, &one, true, &error), -1);
	assert_non_null(strstr(error.text, "says that it counts perf:cpu:cycles, but"));
}

static void a_flight_recorder_keeps_its_counters(void **state)
{
	struct strata_error error = { "" };

	(void)state;
	ask_for_counters();
	one.flying = true;
	assert_int_equal(participant_next_counter(&all, &one, &error), 0);
	entries[0] = (struct strata_guest_counter){ .type = 1, .config = 2 };
	entries[1] = (struct strata_guest_counter){ .type = 0, .config = 0 };
	memcpy(one.map.counters, entries, sizeof(entries));
	ring_contexts = STRATA_CONTEXT_BIT(STRATA_CONTEXT_PID) | STRATA_COUNTER_BIT(0);
	assert_false(participant_continue_contexts(&one));
	assert_int_equal(one.map.contexts, ring_contexts);
	assert_string_equal(one.map.counter_fields.field[0], "perf_cpu_page_faults");
	ring_contexts |= STRATA_COUNTER_BIT(1);
	assert_true(participant_continue_contexts(&one));
	assert_int_equal(one.map.contexts, ring_contexts);
	assert_string_equal(one.map.counter_fields.field[0], "perf_cpu_faults");
	assert_string_equal(one.map.counter_fields.field[1], "perf_cpu_cycles");
	ring_contexts |= STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE);
	assert_false(participant_continue_contexts(&one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_a_kernel_is_told_is_remembered, begin, end),
		cmocka_unit_test_setup_teardown(events_that_cannot_be_added_change_nothing, begin,
						end),
		cmocka_unit_test_setup_teardown(a_command_that_cannot_be_sent_changes_nothing,
						begin, end),
		cmocka_unit_test_setup_teardown(patterns_select_probes_of_others_for_root_alone,
						begin, end),
		cmocka_unit_test_setup_teardown(a_kernel_is_told_the_contexts_before_the_filters,
						begin, end),
		cmocka_unit_test_setup_teardown(counters_are_asked_for_one_by_one, begin, end),
		cmocka_unit_test_setup_teardown(a_flight_recorder_keeps_its_counters, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
