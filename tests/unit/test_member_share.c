// SPDX-License-Identifier: GPL-2.0-or-later
/* test_member_share.c - the shares of members of the group tracing: how many channels record at a
 * time, and what the recorder of one is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "control/session_model.h"
#include "control/session_trigger.h"
#include "stratad/sessions/member_share.h"
#include "stratad/sessions/session_table.h"

static struct strata_error failure;

/* A session whose channels have an event each. */
static void make(struct strata_session *session, const char *name, unsigned int nr_channels)
{
	const struct strata_rule rule = { .kind = STRATA_RULE_EVENT, .text = "sched" };
	static const char *const names[] = { STRATA_CHANNEL_DEFAULT, "b", "c" };
	unsigned int i;

	assert_int_equal(session_model_init(session, name, "/traces", &failure), 0);
	for (i = 0; i < nr_channels; i++) {
		struct strata_channel *channel =
			session_model_add_channel(session, names[i], &failure);

		assert_non_null(channel);
		assert_int_equal(session_model_add_rule(session, channel, STRATA_DOMAIN_XEN, &rule,
							&failure),
				 0);
	}
}

static struct managed_session *add(const char *name)
{
	struct strata_session model;
	struct managed_session *session;

	make(&model, name, 1);
	session = session_table_add(&model, &failure);
	assert_non_null(session);
	return session;
}

/* Has a trigger of a session counted for by a process, which ends when it is asked to. */
static void count(struct managed_session *session, const char *name)
{
	struct strata_channel channel = { .disabled = false };
	struct consumer consumer = { .number = -1 };
	struct session_consumer of;

	strcpy(channel.name, name);
	of = session_files_consumer(&session->model, &channel);
	consumer.pid = fork();
	assert_true(consumer.pid >= 0);
	if (!consumer.pid) {
		pause();
		_exit(0);
	}
	consumer.process = (int)syscall(SYS_pidfd_open, consumer.pid, 0);
	assert_true(consumer.process >= 0);
	assert_int_equal(session_table_watch(session_table_trigger(session, &of, true), &of,
					     &consumer, &failure),
			 0);
}

/* Adds a trigger to a session's model. */
static int add_trigger(struct strata_session *session, const char *name, uint32_t interval_ms,
		       uint32_t pause_ms)
{
	struct strata_trigger trigger;
	int result;

	assert_int_equal(session_trigger_init(&trigger, name, "count", &failure), 0);
	trigger.rotate = true;
	trigger.interval_ms = interval_ms;
	trigger.pause_ms = pause_ms;
	result = session_trigger_add(session, &trigger, &failure);
	session_trigger_clear(&trigger);
	return result;
}

static void end(struct managed_session *session)
{
	session_table_end_start(session);
	session_table_remove(session);
	session_table_release(session);
}

static void all_members_have_so_many_channels(void **state)
{
	struct managed_session *one = add("a@1"), *other = add("a@2"), *third = add("a@3");

	(void)state;
	assert_int_equal(session_table_begin_start(one, 2, 1, 4, &failure), 0);
	assert_int_equal(session_table_begin_start(other, 1, 1, 4, &failure), 0);
	assert_int_equal(session_table_begin_start(third, 2, 1, 4, &failure), -1);
	assert_non_null(
		strstr(failure.text, "take 3 of the machine's recorders, and may take 4 together"));
	assert_int_equal(session_table_begin_start(third, 1, 1, 4, &failure), 0);
	end(one);
	end(other);
	end(third);
}

static void a_member_records_one_session(void **state)
{
	struct managed_session *one = add("a@1"), *other = add("b@1");

	(void)state;
	assert_int_equal(session_table_begin_start(one, 1, 1, 4, &failure), 0);
	assert_int_equal(session_table_begin_start(other, 1, 1, 4, &failure), -1);
	session_table_end_start(one);
	assert_int_equal(session_table_begin_start(other, 1, 1, 4, &failure), 0);
	end(one);
	end(other);
}

static void triggers_that_count_have_recorders(void **state)
{
	struct managed_session *one = add("a@1"), *other = add("a@2"), *mine = add("b@1");

	(void)state;
	count(one, "first");
	count(one, "second");
	assert_int_equal(session_table_count_recording(one), 0);
	assert_int_equal(session_table_count_counting(one), 2);
	assert_int_equal(session_table_begin_start(other, 3, 1, 4, &failure), -1);
	assert_int_equal(session_table_begin_start(other, 2, 1, 4, &failure), 0);
	/* Their own session starts them again; another one of its owner does not record beside. */
	assert_int_equal(session_table_begin_start(one, 2, 1, 4, &failure), 0);
	assert_int_equal(session_table_begin_start(mine, 1, 1, 4, &failure), -1);
	session_table_end(one);
	assert_int_equal(session_table_count_counting(one), 0);
	end(one);
	assert_int_equal(session_table_begin_start(mine, 2, 1, 4, &failure), 0);
	end(other);
	end(mine);
}

static void a_session_has_two_recorders_for_channels_and_triggers(void **state)
{
	struct strata_session session;

	(void)state;
	make(&session, "a@1", 1);
	assert_int_equal(add_trigger(&session, "x", 100, 1000), 0);
	assert_int_equal(member_share_check_number(&session, &failure), 0);
	assert_int_equal(add_trigger(&session, "y", 100, 1000), 0);
	assert_int_equal(member_share_check_number(&session, &failure), -1);
	assert_non_null(strstr(failure.text, "1 of the machine's recorders for channels, and 2"));
	assert_int_equal(member_share_check_recorders(&session, 1, 1, &failure), 0);
	assert_int_equal(member_share_check_recorders(&session, 2, 1, &failure), -1);
	session_model_clear(&session);
}

static void triggers_of_members_look_and_act_at_a_limited_rate(void **state)
{
	static const struct {
		uint32_t interval_ms, pause_ms;
		int result;
	} cases[] = { { 100, 1000, 0 }, { 99, 1000, -1 }, { 100, 999, -1 } };
	struct strata_session session;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make(&session, "a@1", 1);
		assert_int_equal(
			add_trigger(&session, "x", cases[i].interval_ms, cases[i].pause_ms), 0);
		assert_int_equal(member_share_check(&session, &failure), cases[i].result);
		session_model_clear(&session);
	}
}

static void a_recorder_of_a_member_begins_empty_and_has_no_probes(void **state)
{
	struct record_options options = { .overwrite = true };
	struct strata_session session;

	(void)state;
	make(&session, "a@1", 1);
	member_share_limit(&session, &options);
	assert_true(options.begins_empty);
	assert_true(options.without_probes);
	assert_int_equal(options.guest_pages, MEMBER_GUEST_PAGES);
	assert_true(member_share_is_limited(&session));
	session_model_clear(&session);
}

static void channels_share_the_recordings_of_a_start(void **state)
{
	struct record_options one = { .begins_empty = false }, two = { .begins_empty = false };
	struct strata_session session;

	(void)state;
	make(&session, "a@1", 1);
	member_share_limit(&session, &one);
	assert_int_equal(one.rotation.keep, MEMBER_KEEP);
	assert_int_equal(one.final_max, MEMBER_KEEP - 1);
	session_model_clear(&session);
	make(&session, "a@1", 2);
	member_share_limit(&session, &two);
	assert_int_equal(two.rotation.keep, MEMBER_KEEP / 2);
	assert_int_equal(two.final_max, MEMBER_KEEP / 2 - 1);
	session_model_clear(&session);
}

static void sessions_of_root_have_no_limits(void **state)
{
	struct record_options options = { .rotation.keep = 99 };
	struct strata_session session;

	(void)state;
	make(&session, "a", 3);
	assert_false(member_share_is_limited(&session));
	assert_int_equal(add_trigger(&session, "x", 1, 1), 0);
	session.channels[0].domains[STRATA_DOMAIN_XEN].nr_subbufs = 256;
	member_share_limit(&session, &options);
	assert_false(options.begins_empty);
	assert_false(options.without_probes);
	assert_int_equal(options.guest_pages, 0);
	assert_int_equal(options.rotation.keep, 99);
	assert_int_equal(options.final_max, 0);
	assert_int_equal(member_share_check(&session, &failure), 0);
	assert_int_equal(member_share_check_number(&session, &failure), 0);
	session_model_clear(&session);
}

static void names_that_are_lists_are_no_context(void **state)
{
	(void)state;
	assert_int_equal(member_share_check_context("procname", &failure), 0);
	assert_int_equal(member_share_check_context("procname,callstack-user", &failure), -1);
	assert_int_equal(member_share_check_context("", &failure), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_members_have_so_many_channels),
		cmocka_unit_test(a_member_records_one_session),
		cmocka_unit_test(triggers_that_count_have_recorders),
		cmocka_unit_test(a_session_has_two_recorders_for_channels_and_triggers),
		cmocka_unit_test(triggers_of_members_look_and_act_at_a_limited_rate),
		cmocka_unit_test(a_recorder_of_a_member_begins_empty_and_has_no_probes),
		cmocka_unit_test(channels_share_the_recordings_of_a_start),
		cmocka_unit_test(sessions_of_root_have_no_limits),
		cmocka_unit_test(names_that_are_lists_are_no_context),
	};

	/* A shell that runs us in the background has us ignore the signal that ends a consumer, and
	 * so would the processes that play one. */
	signal(SIGINT, SIG_DFL);
	return cmocka_run_group_tests_name("member_share", tests, NULL, NULL);
}
