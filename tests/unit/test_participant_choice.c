// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_participant_choice.c - what the recorder remembers of a kernel's events and filters when
 * they are selected again: the new ones if the kernel is told, else the old ones, which it still
 * has.
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

#define sources_add_events     play_add_events
#define xenstore_requests_tell play_tell
#define participants_now_ms    play_now
#include "../../dom0-tools/stratad/domains/participant_commands.c"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_a_kernel_is_told_is_remembered, begin, end),
		cmocka_unit_test_setup_teardown(events_that_cannot_be_added_change_nothing, begin,
						end),
		cmocka_unit_test_setup_teardown(a_command_that_cannot_be_sent_changes_nothing,
						begin, end),
		cmocka_unit_test_setup_teardown(a_kernel_is_told_the_contexts_before_the_filters,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
