// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_select_xen.c - from a command line to the decision of a probe in Xen: the words of --xen and
 * --xen-domain become rules, and the hypervisor's own files turn the rules into the selection of
 * one channel, beside another that takes everything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stratad/select/select_xen.h"
#include "xen/xen_event_table.h"

/* The files themselves; Xen compiles them with fewer warnings than we do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "../../xen-patch/src/common/strata/selection.c"
#include "../../xen-patch/src/common/strata/set.c"
#pragma GCC diagnostic pop

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define RUNNING_TO_BLOCKED 0x00021021u
#define VM_EXIT            0x00081102u
#define GRANT_MAP          0x0010f001u
#define GRANT_COPY         0x0010f006u
#define EVTCHN_SEND        0x01001001u
#define SOFTIRQ_ENTRY      0x02001001u
#define FROM_A_GUEST       0x0800f123u
#define CREDIT2_BURN       0x00022203u
#define VCPU_WAKE          0x00028004u

static const struct xen_domain running[] = { { 0, "Domain-0" }, { 1, "g1" }, { 7, "g2" } };

/* The other channel takes everything. */
#define CHANNEL 2u
#define ANOTHER 5u

static struct strata_error failure;
static struct xen_selection selection;

/* One call of SELECT, as select.c executes it. */
static int call_select(struct strata_channel *channel, const struct strata_hv_op *op)
{
	int rc = strata_selection_draft(channel, op);

	if (rc || !(op->u.select.flags & STRATA_HV_SELECT_APPLY))
		return rc;
	assert_int_equal(strata_set_make(), 0);
	rc = strata_set_change(channel, op->u.select.budget_per_s);
	strata_set_free_retired(channel);
	return rc;
}

/* Hands the rules over as hypervisor_select() does, a few a call. */
static int hand_over_to(unsigned int channel)
{
	size_t sent = 0;
	int result;

	do {
		struct strata_hv_op op = { .operation = STRATA_HV_SELECT };
		size_t nr = selection.nr - sent;

		nr = nr < STRATA_HV_RULES_PER_CALL ? nr : STRATA_HV_RULES_PER_CALL;
		op.u.select.nr = (uint32_t)nr;
		op.u.select.budget_per_s = selection.budget_per_s;
		memcpy(op.u.select.rules, selection.rules + sent, nr * sizeof(*selection.rules));
		op.u.select.flags |= sent ? 0 : STRATA_HV_SELECT_BEGIN;
		sent += nr;
		op.u.select.flags |= sent < selection.nr ? 0 : STRATA_HV_SELECT_APPLY;
		result = call_select(&strata_channels[channel], &op);
	} while (!result && sent < selection.nr);
	return result;
}

static int hand_over(void)
{
	return hand_over_to(CHANNEL);
}

static const struct strata_selection *in_effect(void)
{
	return strata_set->selection[CHANNEL];
}

/* The channels that take an event while that vCPU runs, if both are started. */
static unsigned int takers_of(uint32_t event, struct vcpu *v)
{
	unsigned int started = strata_set->started, takers;

	strata_set->started = STRATA_ALL_CHANNELS;
	v->strata.runner = 0;
	takers = strata_takers(strata_set, (unsigned int)strata_event_index(event), v);
	strata_set->started = started;
	return strata_takers_channels(takers);
}

static bool taken(uint32_t event, struct vcpu *v)
{
	unsigned int takers = takers_of(event, v);

	assert_int_equal(takers & ~(1u << CHANNEL), 1u << ANOTHER);
	return takers & 1u << CHANNEL;
}

static void choose(const char *events, const char *domains)
{
	if (select_xen_events(&selection, events, &failure) ||
	    (domains &&
	     select_xen_domains(&selection, domains, running, LENGTH(running), false, &failure)))
		fail_msg("%s", failure.text);
	assert_int_equal(hand_over(), 0);
}

static bool wants(const char *events, uint32_t event)
{
	struct domain d = { .domain_id = 1 };
	struct vcpu v = { .domain = &d };

	choose(events, NULL);
	return taken(event, &v);
}

static bool runs(const char *domains, uint16_t domain, unsigned int vcpu)
{
	struct domain d = { .domain_id = domain };
	struct vcpu v = { .domain = &d, .vcpu_id = vcpu };

	choose("all", domains);
	/* Changes of runstates prove the order: they go to every channel. */
	assert_true(taken(RUNNING_TO_BLOCKED, &v));
	return taken(VM_EXIT, &v);
}

static int fill_the_other(void **state)
{
	static const char everything[] = "all,xen,guest";

	(void)state;
	assert_int_equal(select_xen_events(&selection, everything, &failure), 0);
	assert_int_equal(hand_over_to(ANOTHER), 0);
	select_xen_clear(&selection);
	memset(&selection, 0, sizeof(selection));
	return 0;
}

static int forget(void **state)
{
	(void)state;
	select_xen_clear(&selection);
	memset(&selection, 0, sizeof(selection));
	for (unsigned int i = 0; i < STRATA_HV_CHANNELS; i++) {
		strata_set_forget(&strata_channels[i]);
		strata_set_free_retired(&strata_channels[i]);
	}
	assert_null(strata_set);
	return 0;
}

static void a_class_selects_its_events_and_no_others(void **state)
{
	(void)state;
	assert_true(wants("hvm", VM_EXIT));
	assert_true(wants("hvm,mem", GRANT_MAP));
	assert_false(wants("hvm", GRANT_MAP));
	assert_true(wants("evtchn", EVTCHN_SEND));
	assert_true(wants("all", EVTCHN_SEND));
	assert_true(wants("none,pv", 0x0020100f));
}

static void all_is_without_what_comes_in_masses(void **state)
{
	struct domain d = { .domain_id = 1 };
	struct vcpu v = { .domain = &d };
	size_t i;

	(void)state;
	assert_false(wants("all", FROM_A_GUEST));
	assert_false(wants("all", SOFTIRQ_ENTRY));
	assert_true(wants("all,guest", FROM_A_GUEST));
	assert_true(wants("xen,all", SOFTIRQ_ENTRY));
	choose("all,xen", NULL);
	for (i = 0; i < strata_xen_event_table_rows; i++)
		if (!(takers_of(strata_xen_event_table[i].id, &v) & 1u << CHANNEL))
			fail_msg("%s is left out", strata_xen_event_table[i].name);
}

static void a_pattern_selects_events_by_name(void **state)
{
	(void)state;
	assert_true(wants("grant_map", GRANT_MAP));
	assert_false(wants("grant_map", GRANT_COPY));
	assert_true(wants("grant_*", GRANT_COPY));
	assert_true(wants("vm_exit", VM_EXIT));
	assert_false(wants("vm_exit", 0x00081001));
	assert_true(wants("sched,grant_map,evtchn_*", CREDIT2_BURN));
}

static void an_exclamation_mark_takes_away(void **state)
{
	(void)state;
	assert_false(wants("sched,!credit2_*", CREDIT2_BURN));
	assert_true(wants("sched,!credit2_*", VCPU_WAKE));
	assert_true(wants("!credit2_*", GRANT_MAP));
	assert_false(wants("!credit2_*", CREDIT2_BURN));
	assert_false(wants("all,!mem", GRANT_MAP));
	/* From left to right. */
	assert_true(wants("!mem,grant_map", GRANT_MAP));
	assert_false(wants("grant_map,!mem", GRANT_MAP));
}

static void runstate_changes_come_along_unless_they_are_named(void **state)
{
	(void)state;
	assert_true(wants("grant_map", RUNNING_TO_BLOCKED));
	assert_true(wants("all,!sched", RUNNING_TO_BLOCKED));
	assert_false(wants("all,!runstate_*", RUNNING_TO_BLOCKED));
	assert_false(wants("all,!runstate_running_to_blocked", RUNNING_TO_BLOCKED));
	assert_true(wants("all,!runstate_running_to_blocked", 0x00021011));
	assert_true(strata_runstate_change(RUNNING_TO_BLOCKED));
	assert_false(strata_runstate_change(0x00021002));
	assert_false(strata_runstate_change(0x00031001));
}

static void none_leaves_the_hypervisor_out(void **state)
{
	static const char *const nothing[] = { "none", "0", "none,!sched" };
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(nothing); i++) {
		assert_int_equal(select_xen_events(&selection, nothing[i], &failure), 0);
		assert_int_equal(selection.nr, 0);
	}
}

static void a_number_is_an_event_or_a_mask_as_xentrace_takes_it(void **state)
{
	(void)state;
	assert_true(wants("0x0010f001", GRANT_MAP));
	assert_false(wants("0x0010f001", GRANT_COPY));
	assert_true(wants("0x2f000", CREDIT2_BURN));
	assert_true(wants("0x28000", VCPU_WAKE));
	assert_false(wants("0x28000", CREDIT2_BURN));
	assert_true(wants("0x0a8000", VCPU_WAKE));
	/* Of memory, each event has every subclass. */
	assert_true(wants("0x108000", GRANT_MAP));
	assert_true(wants("0x80000", VM_EXIT));
	assert_true(wants("0x0ffff000", FROM_A_GUEST));
	/* An event that has no name. */
	assert_true(wants("0x00408fff", 0x00408fff));
}

static void a_word_that_means_nothing_is_refused_by_name(void **state)
{
	static const char *const wrong[] = {
		"",           "sched,",     ",sched",
		"scheduler",  "SCHED",      "12x",
		"0x10000000", "-1",         " sched",
		"sched ",     "0x",         "!",
		"!!sched",    "grant_mop",  "nothing_*",
		"0x00428fff", "4294967296", "99999999999999999999999999",
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(wrong); i++) {
		memset(&failure, 0, sizeof(failure));
		if (!select_xen_events(&selection, wrong[i], &failure))
			fail_msg("\"%s\" is taken", wrong[i]);
		assert_non_null(strstr(failure.text, "strata list --events"));
		assert_int_equal(selection.nr, 0);
	}
	assert_int_equal(select_xen_events(&selection, "sched,bogus,hvm", &failure), -1);
	assert_non_null(strstr(failure.text, "\"bogus\""));
}

static void domains_that_are_named_are_the_only_ones(void **state)
{
	(void)state;
	assert_true(runs("g1", 1, 0));
	assert_false(runs("g1", 7, 0));
	assert_false(runs("g1", 0, 0));
	assert_false(runs("g1", 0x7fff, 0));
	assert_true(runs("g*", 7, 3));
	assert_true(runs("dom0,idle", 0, 0));
	assert_true(runs("dom0,idle", 0x7fff, 1));
	/* A number may be that of a domain to come. */
	assert_true(runs("9", 9, 0));
	assert_false(runs("9", 1, 0));
}

static void domains_that_are_left_out_leave_the_others(void **state)
{
	(void)state;
	assert_false(runs("!g1", 1, 0));
	assert_true(runs("!g1", 7, 0));
	assert_true(runs("!g1", 1234, 0));
	assert_false(runs("g*,!g2", 7, 0));
	assert_true(runs("g*,!g2", 1, 0));
}

static void vcpus_are_named_behind_a_slash(void **state)
{
	(void)state;
	assert_true(runs("g1/2", 1, 2));
	assert_false(runs("g1/2", 1, 1));
	assert_false(runs("g1/2", 7, 2));
	assert_true(runs("g1/2-4", 1, 4));
	assert_false(runs("g1/2-4", 1, 5));
	assert_false(runs("g1,!g1/0", 1, 0));
	assert_true(runs("g1,!g1/0", 1, 1));
	assert_false(runs("!g2/1", 7, 1));
	assert_true(runs("!g2/1", 7, 0));
	/* Later words overrule. */
	assert_true(runs("!g2/1,g2", 7, 1));
}

static void of_rules_for_vcpus_that_overlap_the_last_one_holds(void **state)
{
	(void)state;
	assert_true(runs("g1/0-3,!g1/2", 1, 0));
	assert_true(runs("g1/0-3,!g1/2", 1, 1));
	assert_false(runs("g1/0-3,!g1/2", 1, 2));
	assert_true(runs("g1/0-3,!g1/2", 1, 3));
	assert_false(runs("g1/0-3,!g1/2", 1, 4));
	assert_true(runs("g1/0-3,!g1/1-2,g1/2", 1, 2));
	assert_false(runs("g1/0-3,!g1/1-2,g1/2", 1, 1));
	assert_false(runs("!g1/2,!g1/0-3", 1, 2));
	/* Of another domain none of them speaks. */
	assert_false(runs("g1/0-3,!g1/2", 7, 0));
	assert_true(runs("!g1/0-3,g1/2", 7, 1));
	/* The whole domain, said later, leaves the others' rules. */
	assert_true(runs("!g1/2,!g2/1,g1", 1, 2));
	assert_false(runs("!g1/2,!g2/1,g1", 7, 1));
}

static void what_is_no_domain_is_refused_by_name(void **state)
{
	static const char *const wrong[] = { "",       "g3",       "g1,",   "g1/",     "g1/x",
					     "g1/2-1", "g1/65536", "32768", "!nobody", "g1/1-" };
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(wrong); i++) {
		assert_int_equal(select_xen_events(&selection, "all", &failure), 0);
		if (!select_xen_domains(&selection, wrong[i], running, LENGTH(running), false,
					&failure))
			fail_msg("\"%s\" is taken", wrong[i]);
	}
	assert_int_equal(
		select_xen_domains(&selection, "g3", running, LENGTH(running), false, &failure),
		-1);
	assert_non_null(strstr(failure.text, "\"g3\""));
	assert_int_equal(
		select_xen_domains(&selection, "g1/2-1", running, LENGTH(running), false, &failure),
		-1);
	assert_non_null(strstr(failure.text, "\"g1/2-1\""));
}

static void a_domain_may_come_later(void **state)
{
	(void)state;
	assert_int_equal(select_xen_events(&selection, "all", &failure), 0);
	assert_int_equal(
		select_xen_domains(&selection, "g3,g1", running, LENGTH(running), true, &failure),
		0);
	assert_int_equal(hand_over(), 0);
	assert_true(strata_bit(in_effect()->domains, 1));
	assert_false(strata_bit(in_effect()->domains, 7));
	/* A pattern is no name that must be there; nothing is no name. */
	assert_int_equal(
		select_xen_domains(&selection, "x*", running, LENGTH(running), false, &failure), 0);
	assert_int_equal(
		select_xen_domains(&selection, "g1,", running, LENGTH(running), true, &failure),
		-1);
}

static void too_many_rules_for_vcpus_are_refused_as_a_whole(void **state)
{
	unsigned int i;

	(void)state;
	choose("all", "g1");
	for (i = 0; i <= STRATA_HV_VCPU_RULES_MAX; i++)
		assert_int_equal(select_xen_domains(&selection, "!g2/1", running, LENGTH(running),
						    false, &failure),
				 0);
	assert_int_equal(hand_over(), -E2BIG);
	/* Earlier rules stay in effect. */
	assert_true(strata_bit(in_effect()->domains, 1));
	assert_false(strata_bit(in_effect()->domains, 7));
}

static void the_hypervisor_refuses_rules_that_make_no_sense(void **state)
{
	static const struct strata_hv_rule wrong[] = {
		{ .kind = 0 },
		{ .kind = 4 },
		{ .kind = STRATA_HV_RULE_EVENTS, .recorded = 2 },
		{ .kind = STRATA_HV_RULE_EVENTS, .a = 1, .b = 2 },
		{ .kind = STRATA_HV_RULE_EVENTS, .b = 0x10000000 },
		{ .kind = STRATA_HV_RULE_DOMAINS, .a = 0, .b = 0x8000 },
		{ .kind = STRATA_HV_RULE_DOMAINS, .a = 2, .b = 1 },
		{ .kind = STRATA_HV_RULE_VCPUS, .a = 0x10000, .b = 0x20000 },
		{ .kind = STRATA_HV_RULE_VCPUS, .a = 0x80000000, .b = 0x80000001 },
	};
	struct strata_hv_op op = { .u.select.flags = STRATA_HV_SELECT_BEGIN };
	struct strata_channel *channel = &strata_channels[CHANNEL];
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(wrong); i++) {
		op.u.select.nr = 1;
		op.u.select.rules[0] = wrong[i];
		assert_int_equal(call_select(channel, &op), -EINVAL);
	}
	op.u.select.nr = STRATA_HV_RULES_PER_CALL + 1;
	assert_int_equal(call_select(channel, &op), -EINVAL);
	/* Rules want a draft. */
	forget(NULL);
	op.u.select.nr = 0;
	op.u.select.flags = STRATA_HV_SELECT_APPLY;
	assert_int_equal(call_select(channel, &op), -ENOENT);
	assert_null(strata_set);
}

static void a_budget_is_a_number_or_none(void **state)
{
	static const char *const wrong[] = { "", "-1", "0", "many", "10k", "4294967296", " 5" };
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(wrong); i++)
		assert_int_equal(select_xen_budget(&selection, wrong[i], &failure), -1);
	assert_int_equal(select_xen_budget(&selection, "200000", &failure), 0);
	choose("all", NULL);
	assert_int_equal(in_effect()->tokens, 200000 * STRATA_HV_BUDGET_WINDOW_MS / 1000);
	assert_int_equal(select_xen_budget(&selection, "1", &failure), 0);
	choose("all", NULL);
	assert_int_equal(in_effect()->tokens, 1);
	assert_int_equal(select_xen_budget(&selection, "none", &failure), 0);
	choose("all", NULL);
	assert_int_equal(in_effect()->tokens, 0);
}

/* Its last records of refusals are written after that. */
static void a_channel_that_is_forgotten_keeps_its_budget(void **state)
{
	(void)state;
	assert_int_equal(select_xen_budget(&selection, "200000", &failure), 0);
	choose("all", NULL);
	strata_channels[ANOTHER].complete = true;
	strata_set_forget(&strata_channels[CHANNEL]);
	strata_channels[ANOTHER].complete = false;
	assert_null(in_effect());
	assert_int_equal(strata_channels[CHANNEL].budget_per_s, 200000);
	/* A probe under way refills a bucket with that, not with 2^32 - 1. */
	assert_int_equal(strata_set->tokens[CHANNEL], 200000 * STRATA_HV_BUDGET_WINDOW_MS / 1000);
}

static void choose_class(void *data, const char *name, const char *what)
{
	unsigned int *seen = data;

	assert_true(what[0]);
	choose(name, NULL);
	(*seen)++;
}

static void every_class_that_is_visited_is_known(void **state)
{
	unsigned int seen = 0;

	(void)state;
	select_xen_each_class(choose_class, &seen);
	assert_in_range(seen, 10, 20);
}

static void choose_both(void *data, const char *class, const struct strata_event_desc *event)
{
	size_t *seen = data;

	choose(class, NULL);
	choose(event->name, NULL);
	(*seen)++;
}

static void is_sending(void *data, const char *class, const struct strata_event_desc *event)
{
	(void)data;
	assert_string_equal(class, "evtchn");
	assert_string_equal(event->name, "evtchn_send");
	assert_string_equal(event->fields[0].name, "port");
	assert_int_equal(event->fields[0].bytes, sizeof(uint32_t));
}

static void every_event_that_is_visited_can_be_selected(void **state)
{
	static char *const one[] = { "evtchn_s*" };
	size_t seen = 0;

	(void)state;
	assert_int_equal(select_xen_each_event(NULL, 0, choose_both, &seen),
			 strata_xen_event_table_rows + 12);
	assert_int_equal(seen, strata_xen_event_table_rows + 12);
	assert_int_equal(select_xen_each_event(one, 1, is_sending, NULL), 1);
}

#define SELECT_TEST(name) cmocka_unit_test_setup_teardown(name, fill_the_other, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SELECT_TEST(a_class_selects_its_events_and_no_others),
		SELECT_TEST(all_is_without_what_comes_in_masses),
		SELECT_TEST(a_pattern_selects_events_by_name),
		SELECT_TEST(an_exclamation_mark_takes_away),
		SELECT_TEST(runstate_changes_come_along_unless_they_are_named),
		SELECT_TEST(none_leaves_the_hypervisor_out),
		SELECT_TEST(a_number_is_an_event_or_a_mask_as_xentrace_takes_it),
		SELECT_TEST(a_word_that_means_nothing_is_refused_by_name),
		SELECT_TEST(domains_that_are_named_are_the_only_ones),
		SELECT_TEST(domains_that_are_left_out_leave_the_others),
		SELECT_TEST(vcpus_are_named_behind_a_slash),
		SELECT_TEST(of_rules_for_vcpus_that_overlap_the_last_one_holds),
		SELECT_TEST(what_is_no_domain_is_refused_by_name),
		SELECT_TEST(a_domain_may_come_later),
		SELECT_TEST(too_many_rules_for_vcpus_are_refused_as_a_whole),
		SELECT_TEST(the_hypervisor_refuses_rules_that_make_no_sense),
		SELECT_TEST(a_budget_is_a_number_or_none),
		SELECT_TEST(a_channel_that_is_forgotten_keeps_its_budget),
		SELECT_TEST(every_class_that_is_visited_is_known),
		SELECT_TEST(every_event_that_is_visited_can_be_selected),
	};

	return cmocka_run_group_tests_name("select_xen", tests, NULL, NULL);
}
