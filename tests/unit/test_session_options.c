// SPDX-License-Identifier: GPL-2.0-or-later
/* test_session_options.c - the model of a session: its text form, and what its recorder is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "control/app_rings.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "stratad/session_options.h"

static struct strata_session session;
static struct session_options options;
static struct strata_error failure;

static int begin(void **state)
{
	(void)state;
	return session_model_init(&session, "web", "/traces/web", &failure);
}

static int end(void **state)
{
	(void)state;
	session_options_clear(&options);
	session_model_clear(&session);
	return 0;
}

static struct strata_rule make(enum strata_rule_kind kind, const char *target, const char *text)
{
	struct strata_rule rule = { .kind = kind };

	snprintf(rule.target, sizeof(rule.target), "%s", target);
	snprintf(rule.text, sizeof(rule.text), "%s", text);
	return rule;
}

static int add(enum strata_domain domain, enum strata_rule_kind kind, const char *target,
	       const char *text)
{
	const struct strata_rule rule = make(kind, target, text);

	return session_model_add_rule(&session, &session.channels[0], domain, &rule, &failure);
}

static void add_some_of_all(void)
{
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, "", "sched"), 0);
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_XEN_DOMAIN, "", "g1/0-3"), 0);
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, "", "!runstate*"), 0);
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_XEN_DOMAIN, "", "!g1/2"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "g1", "sched_*"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "g2", "default"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "g1", "irq/*"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_KPROBE, "g1",
			     "open=do_sys_openat2 a=$arg1:u64"),
			 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_KRETPROBE, "g1", "do_nanosleep"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_TID, "g1", "7"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_TID, "g1", "9"), 0);
	/* Commas do not separate two probes. */
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_UPROBE, "g1", "/bin/a,b:main"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_URETPROBE, "g1", "/bin/cat:main"),
			 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_FUNCTION, "g1", "vfs_*"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_FUNCTION, "g1", "tcp_*"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_TRACEPOINT, "g1",
			     "ext4_free_inode inode->i_ino"),
			 0);
	assert_int_equal(add(STRATA_DOMAIN_APP, STRATA_RULE_EVENT, "nginx", "request*"), 0);
	assert_int_equal(add(STRATA_DOMAIN_APP, STRATA_RULE_EVENT, "all", "error"), 0);
	assert_int_equal(add(STRATA_DOMAIN_APP, STRATA_RULE_EVENT, "nginx", "reply"), 0);
}

static void rules_of_one_target_are_one_option(void **state)
{
	const struct record_options *record = &options.record;

	(void)state;
	add_some_of_all();
	assert_int_equal(
		session_options_build(&options, &session, &session.channels[0], "/out", &failure),
		0);
	assert_string_equal(record->xen_events, "sched,!runstate*");
	assert_string_equal(record->xen_domains, "g1/0-3,!g1/2");
	assert_true(record->xen->nr > 0);
	assert_int_equal(record->nr_kernels, 10);
	assert_string_equal(record->kernels[0].domain, "g1");
	assert_string_equal(record->kernels[0].text, "sched_*,irq/*");
	assert_string_equal(record->kernels[1].domain, "g2");
	assert_string_equal(record->kernels[1].text, "default");
	assert_int_equal(record->kernels[2].kind, SELECT_KPROBE);
	assert_string_equal(record->kernels[2].text, "open=do_sys_openat2 a=$arg1:u64");
	assert_int_equal(record->kernels[3].kind, SELECT_KRETPROBE);
	assert_int_equal(record->kernels[4].kind, SELECT_TID);
	assert_string_equal(record->kernels[4].text, "7,9");
	assert_int_equal(record->kernels[5].kind, SELECT_UPROBE);
	assert_string_equal(record->kernels[5].text, "/bin/a,b:main");
	assert_int_equal(record->kernels[6].kind, SELECT_URETPROBE);
	assert_int_equal(record->kernels[7].kind, SELECT_FUNCTION);
	assert_string_equal(record->kernels[7].text, "vfs_*");
	assert_string_equal(record->kernels[8].text, "tcp_*");
	assert_int_equal(record->kernels[9].kind, SELECT_TRACEPOINT);
	assert_string_equal(record->kernels[9].text, "ext4_free_inode inode->i_ino");
	assert_int_equal(record->nr_apps, 2);
	assert_string_equal(record->apps[0].program, "nginx");
	assert_string_equal(record->apps[0].events, "request*,reply");
	assert_string_equal(record->apps[1].program, "all");
	assert_string_equal(record->apps[1].events, "error");
	assert_false(record->apps_may_do);
}

static void probes_are_events(void **state)
{
	static const enum strata_rule_kind kinds[] = {
		STRATA_RULE_KPROBE,    STRATA_RULE_KRETPROBE, STRATA_RULE_UPROBE,
		STRATA_RULE_URETPROBE, STRATA_RULE_FUNCTION,  STRATA_RULE_TRACEPOINT
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_TID, "g1", "7"), 0);
		assert_false(session_model_records(&session.channels[0]));
		assert_int_equal(add(STRATA_DOMAIN_KERNEL, kinds[i], "g1", "/bin/cat:main"), 0);
		assert_true(session_model_records(&session.channels[0]));
		end(state);
		begin(state);
	}
}

static void a_domain_without_rules_is_left_out(void **state)
{
	const struct record_options *record = &options.record;

	(void)state;
	assert_int_equal(add(STRATA_DOMAIN_APP, STRATA_RULE_EVENT, "all", "all"), 0);
	assert_int_equal(
		session_options_build(&options, &session, &session.channels[0], "/out", &failure),
		0);
	assert_int_equal(record->xen->nr, 0);
	assert_int_equal(record->nr_kernels, 1);
	assert_string_equal(record->kernels[0].domain, "none");
	assert_true(record->apps_may_do);
}

static void a_flight_recorder_writes_on_request_only(void **state)
{
	(void)state;
	session.snapshot = true;
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, "", "all"), 0);
	assert_int_equal(
		session_options_build(&options, &session, &session.channels[0], "/out", &failure),
		0);
	assert_true(options.record.overwrite);
	assert_int_equal(options.record.switch_ms, 0);
}

static void expect_change(enum strata_domain domain, enum strata_rule_kind kind, const char *target,
			  const char *request)
{
	const struct strata_rule rule = make(kind, target, "changed");
	char text[256];

	assert_int_equal(session_options_reselect(&session, &session.channels[0], domain, &rule,
						  text, sizeof(text), &failure),
			 0);
	assert_string_equal(text, request);
}

static void a_change_names_all_rules_of_its_target(void **state)
{
	const struct strata_rule probe = make(STRATA_RULE_KPROBE, "g1", "x");
	const struct strata_rule of_program = make(STRATA_RULE_UPROBE, "g1", "/x:y");
	const struct strata_rule pid = make(STRATA_RULE_PID, "g1", "1");
	char text[256], little[16];

	(void)state;
	add_some_of_all();
	expect_change(STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, "", "xen=sched,!runstate*");
	expect_change(STRATA_DOMAIN_XEN, STRATA_RULE_XEN_DOMAIN, "", "xen-domain=g1/0-3,!g1/2");
	expect_change(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "g1", "kernel=g1:sched_*,irq/*");
	expect_change(STRATA_DOMAIN_KERNEL, STRATA_RULE_TID, "g1", "tid=g1:7,9");
	expect_change(STRATA_DOMAIN_APP, STRATA_RULE_EVENT, "nginx", "app=nginx:request*,reply");
	/* The last rule is gone: nothing of that target. */
	expect_change(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "g3", "kernel=g3:none");
	expect_change(STRATA_DOMAIN_APP, STRATA_RULE_EVENT, "apache", "app=apache:none");
	assert_int_equal(session_options_reselect(&session, &session.channels[0],
						  STRATA_DOMAIN_KERNEL, &probe, text, sizeof(text),
						  &failure),
			 -1);
	assert_int_equal(session_options_reselect(&session, &session.channels[0],
						  STRATA_DOMAIN_KERNEL, &of_program, text,
						  sizeof(text), &failure),
			 -1);
	assert_int_equal(session_options_reselect(&session, &session.channels[0],
						  STRATA_DOMAIN_KERNEL, &pid, text, sizeof(text),
						  &failure),
			 -1);
	assert_int_equal(
		session_options_reselect(&session, &session.channels[0], STRATA_DOMAIN_APP,
					 &session.channels[0].domains[STRATA_DOMAIN_APP].rules[0],
					 little, sizeof(little), &failure),
		-1);
}

static void rules_that_the_recorder_would_misread_are_refused(void **state)
{
	(void)state;
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, "", "a,b"), -1);
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, "g1", "a"), -1);
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, "", ""), -1);
	assert_int_equal(add(STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, "", "a\tb"), -1);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "", "a"), -1);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "g:1", "a"), -1);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_XEN_DOMAIN, "g1", "a"), -1);
	assert_int_equal(add(STRATA_DOMAIN_APP, STRATA_RULE_KPROBE, "a", "a"), -1);
}

static void the_text_form_keeps_everything(void **state)
{
	struct strata_session again;
	struct json_object *object, *parsed;
	char text[8192];
	size_t i, j;

	(void)state;
	add_some_of_all();
	session.snapshot = true;
	session.switch_ms = 250;
	session.rotation = (struct strata_rotation){ .bytes = 1 << 20, .ms = 5000, .keep = 3 };
	session.event_header = STRATA_HEADER_COMPACT;
	session.channels[0].domains[STRATA_DOMAIN_XEN].budget_per_s = 0;
	session.channels[0].domains[STRATA_DOMAIN_APP].rings = STRATA_APP_RESERVE_COMMIT;
	session.channels[0].domains[STRATA_DOMAIN_APP].nr_subbufs = 2;
	object = session_json_make(&session);
	snprintf(text, sizeof(text), "%s", json_object_to_json_string(object));
	json_object_put(object);
	parsed = session_json_parse(text, strlen(text), &failure);
	assert_non_null(parsed);
	assert_int_equal(session_json_read(parsed, &again, &failure), 0);
	json_object_put(parsed);
	assert_string_equal(again.name, "web");
	assert_string_equal(again.output, "/traces/web");
	assert_true(again.snapshot);
	assert_int_equal(again.switch_ms, 250);
	assert_memory_equal(&again.rotation, &session.rotation, sizeof(again.rotation));
	assert_int_equal(again.event_header, STRATA_HEADER_COMPACT);
	for (i = 0; i < STRATA_NR_DOMAINS; i++) {
		const struct strata_domain_channel *one = &session.channels[0].domains[i];
		const struct strata_domain_channel *other = &again.channels[0].domains[i];

		assert_int_equal(one->subbuf_bytes, other->subbuf_bytes);
		assert_int_equal(one->nr_subbufs, other->nr_subbufs);
		assert_int_equal(one->budget_per_s, other->budget_per_s);
		assert_int_equal(one->rings, other->rings);
		assert_int_equal(one->nr_rules, other->nr_rules);
		for (j = 0; j < one->nr_rules; j++)
			assert_memory_equal(&one->rules[j], &other->rules[j],
					    sizeof(one->rules[j]));
	}
	session_model_clear(&again);
}

/* Parses a text of a session, which the test clears. */
static void read_text(const char *text, struct strata_session *read)
{
	struct json_object *object = session_json_parse(text, strlen(text), &failure);

	assert_non_null(object);
	if (session_json_read(object, read, &failure))
		fail_msg("%s", failure.text);
	json_object_put(object);
}

static void the_earlier_form_has_one_channel(void **state)
{
	struct strata_session read;

	(void)state;
	read_text("{\"strata_session\":1,\"name\":\"web\",\"channels\":{\"app\":{\"nr_subbufs\":8,"
		  "\"rules\":[{\"target\":\"all\",\"text\":\"error\"}]}}}",
		  &read);
	assert_int_equal(read.nr_channels, 1);
	assert_string_equal(read.channels[0].name, STRATA_CHANNEL_DEFAULT);
	assert_int_equal(read.channels[0].domains[STRATA_DOMAIN_APP].nr_subbufs, 8);
	assert_int_equal(read.channels[0].domains[STRATA_DOMAIN_APP].nr_rules, 1);
	session_model_clear(&read);
}

static void channels_have_rings_and_rules_of_their_own(void **state)
{
	const struct strata_rule rule = make(STRATA_RULE_EVENT, "all", "error");
	struct strata_session copy, again;
	struct json_object *object;
	struct strata_channel *rare;

	(void)state;
	assert_int_equal(add(STRATA_DOMAIN_APP, STRATA_RULE_EVENT, "all", "all"), 0);
	assert_null(session_model_channel(&session, "rare"));
	assert_null(session_model_add_channel(&session, "a/b", &failure));
	rare = session_model_add_channel(&session, "rare", &failure);
	assert_ptr_equal(rare, session_model_add_channel(&session, "rare", &failure));
	assert_ptr_equal(rare, session_model_channel(&session, "rare"));
	assert_ptr_equal(&session.channels[0], session_model_channel(&session, NULL));
	assert_int_equal(session.nr_channels, 2);
	assert_int_equal(rare->domains[STRATA_DOMAIN_APP].nr_subbufs,
			 1 << app_rings_default(0).nr_subbufs_bits);
	rare->domains[STRATA_DOMAIN_APP].nr_subbufs = 2;
	assert_false(session_model_records(rare));
	assert_int_equal(session_model_count_recorded(&session), 1);
	assert_int_equal(session_model_add_rule(&session, rare, STRATA_DOMAIN_APP, &rule, &failure),
			 0);
	assert_int_equal(session_model_count_recorded(&session), 2);
	assert_int_equal(session_model_remove_rule(&session, &session.channels[0],
						   STRATA_DOMAIN_APP, &rule, &failure),
			 -1);
	assert_int_equal(session_options_build(&options, &session, rare, "/out", &failure), 0);
	assert_int_equal(options.record.nr_apps, 1);
	assert_string_equal(options.record.apps[0].events, "error");
	assert_int_equal(options.record.app_geometry.nr_subbufs_bits, 1);
	assert_string_equal(options.record.rotation_leaf, "rare");
	session_options_clear(&options);

	/* A disabled one is not recorded, and the other one is alone then. */
	rare->disabled = true;
	assert_int_equal(session_model_count_recorded(&session), 1);
	assert_int_equal(
		session_options_build(&options, &session, &session.channels[0], "/out", &failure),
		0);
	assert_null(options.record.rotation_leaf);

	/* The copy has rules of its own, and so has the text. */
	assert_int_equal(session_model_copy(&copy, &session, &failure), 0);
	assert_ptr_not_equal(copy.channels[1].domains[STRATA_DOMAIN_APP].rules,
			     rare->domains[STRATA_DOMAIN_APP].rules);
	object = session_json_make(&copy);
	session_model_clear(&copy);
	read_text(json_object_to_json_string(object), &again);
	json_object_put(object);
	assert_int_equal(again.nr_channels, 2);
	assert_string_equal(again.channels[1].name, "rare");
	assert_true(again.channels[1].disabled);
	assert_int_equal(again.channels[1].domains[STRATA_DOMAIN_APP].nr_subbufs, 2);
	assert_string_equal(again.channels[1].domains[STRATA_DOMAIN_APP].rules[0].text, "error");
	assert_string_equal(again.channels[0].domains[STRATA_DOMAIN_APP].rules[0].text, "all");
	session_model_clear(&again);
}

static void the_limit_of_rules_is_one_of_all_channels(void **state)
{
	struct strata_rule rule = make(STRATA_RULE_EVENT, "all", "");
	struct strata_channel *channel;
	unsigned int i;

	(void)state;
	for (i = 0; i < STRATA_SESSION_RULES_MAX; i++) {
		channel = session_model_add_channel(&session, i % 2 ? "odd" : "even", &failure);
		snprintf(rule.text, sizeof(rule.text), "event%u", i);
		assert_int_equal(session_model_add_rule(&session, channel, STRATA_DOMAIN_APP, &rule,
							&failure),
				 0);
	}
	snprintf(rule.text, sizeof(rule.text), "more");
	assert_int_equal(session_model_add_rule(&session, &session.channels[0], STRATA_DOMAIN_APP,
						&rule, &failure),
			 -1);
}

static void a_text_that_is_wrong_is_refused(void **state)
{
	static const struct {
		const char *members, *because;
	} cases[] = {
		{ "\"strata_session\":3,\"name\":\"web\"",
		  "version 3; this program reads versions 1 and 2" },
		{ "\"strata_session\":2,\"name\":\"web\",\"channels\":{}",
		  "\"channels\" is not an array" },
		{ "\"strata_session\":2,\"name\":\"web\",\"channels\":[{}]", "channel: \"name\"" },
		{ "\"strata_session\":2,\"name\":\"web\",\"channels\":[{\"name\":\"a:b\"}]",
		  "a channel's name has" },
		{ "\"strata_session\":2,\"name\":\"web\",\"channels\":[{\"name\":\"a\"},{\"name\":\"a\"}]",
		  "two channels a" },
		{ "\"strata_session\":2,\"name\":\"web\",\"channels\":[{\"name\":\"a\",\"disabled\":1}]",
		  "channel a: \"disabled\" is neither" },
		{ "\"strata_session\":2,\"name\":\"web\",\"channels\":[{\"name\":\"a\"},{\"name\":\"b\"},"
		  "{\"name\":\"c\"},{\"name\":\"d\"},{\"name\":\"e\"},{\"name\":\"f\"},{\"name\":\"g\"},"
		  "{\"name\":\"h\"}]",
		  "has 8 channels, as many as there can be" },
		{ "\"strata_session\":1,\"name\":\"-web\"", "a session's name has" },
		{ "\"strata_session\":1,\"name\":\"web\",\"colour\":1",
		  "unknown member \"colour\"" },
		{ "\"strata_session\":1,\"name\":\"web\",\"output\":\"here\"",
		  "not an absolute path" },
		{ "\"strata_session\":1,\"name\":\"web\",\"rotation\":{\"bytes\":1}",
		  "are too small" },
		{ "\"strata_session\":1,\"name\":\"web\",\"channels\":{\"app\":{\"nr_subbufs\":1}}",
		  "a single sub-buffer" },
		{ "\"strata_session\":1,\"name\":\"web\",\"channels\":{\"kernel\":{\"rings\":\"default\"}}",
		  "unknown member \"rings\"" },
	};
	struct strata_session read;
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_object *object;

		snprintf(text, sizeof(text), "{%s}", cases[i].members);
		object = session_json_parse(text, strlen(text), &failure);
		assert_non_null(object);
		if (!session_json_read(object, &read, &failure))
			fail_msg("accepted: %s", text);
		if (!strstr(failure.text, cases[i].because))
			fail_msg("%s: \"%s\" does not say \"%s\"", text, failure.text,
				 cases[i].because);
		json_object_put(object);
	}
}

static void a_rule_is_there_once(void **state)
{
	const struct strata_rule rule = make(STRATA_RULE_EVENT, "a", "b");

	(void)state;
	assert_int_equal(session_model_add_rule(&session, &session.channels[0], STRATA_DOMAIN_APP,
						&rule, &failure),
			 0);
	assert_int_equal(session_model_add_rule(&session, &session.channels[0], STRATA_DOMAIN_APP,
						&rule, &failure),
			 0);
	assert_int_equal(session.channels[0].domains[STRATA_DOMAIN_APP].nr_rules, 1);
	assert_int_equal(session_model_remove_rule(&session, &session.channels[0],
						   STRATA_DOMAIN_APP, &rule, &failure),
			 0);
	assert_int_equal(session.channels[0].domains[STRATA_DOMAIN_APP].nr_rules, 0);
	assert_int_equal(session_model_remove_rule(&session, &session.channels[0],
						   STRATA_DOMAIN_APP, &rule, &failure),
			 -1);
	assert_false(session_model_records(&session.channels[0]));
}

static void filters_are_options_of_their_own(void **state)
{
	const struct strata_rule rule = make(STRATA_RULE_FILTER, "g1", "sched_*,irq_*: a == 1");
	char request[256];

	(void)state;
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "g1", "sched_*"), 0);
	assert_int_equal(
		add(STRATA_DOMAIN_KERNEL, STRATA_RULE_FILTER, "g1", "sched_*,irq_*: b == 2"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_FILTER, "g1", "sched_*: c == 3"), 0);
	/* The filter of the same events is replaced, and no other. */
	assert_int_equal(session_model_add_rule(&session, &session.channels[0],
						STRATA_DOMAIN_KERNEL, &rule, &failure),
			 0);
	assert_int_equal(session.channels[0].domains[STRATA_DOMAIN_KERNEL].nr_rules, 3);
	assert_int_equal(
		session_options_build(&options, &session, &session.channels[0], "/out", &failure),
		0);
	assert_int_equal(options.record.nr_kernels, 3);
	assert_int_equal(options.record.kernels[1].kind, SELECT_FILTER);
	assert_string_equal(options.record.kernels[1].domain, "g1");
	assert_int_equal(session_options_reselect(&session, &session.channels[0],
						  STRATA_DOMAIN_KERNEL, &rule, request,
						  sizeof(request), &failure),
			 0);
	assert_string_equal(request, "kernel-filter=g1:sched_*,irq_*: a == 1");
	/* Without it, all pass again. */
	assert_int_equal(session_model_remove_rule(&session, &session.channels[0],
						   STRATA_DOMAIN_KERNEL, &rule, &failure),
			 0);
	assert_int_equal(session_options_reselect(&session, &session.channels[0],
						  STRATA_DOMAIN_KERNEL, &rule, request,
						  sizeof(request), &failure),
			 0);
	assert_string_equal(request, "kernel-filter=g1:sched_*,irq_*: 1");
	assert_int_equal(session_options_reselect(&session, &session.channels[0],
						  STRATA_DOMAIN_KERNEL, &rule, request, 20,
						  &failure),
			 -1);
	/* What does not parse is refused before anything is recorded. */
	session_options_clear(&options);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_FILTER, "g1", "sched_*: c =="), 0);
	assert_int_equal(
		session_options_build(&options, &session, &session.channels[0], "/out", &failure),
		-1);
	assert_int_equal(add(STRATA_DOMAIN_APP, STRATA_RULE_FILTER, "a", "a: 1"), -1);
}

static void contexts_are_options_of_their_kernel(void **state)
{
	const struct strata_rule rule = make(STRATA_RULE_CONTEXT, "g1", "pid");
	char request[256];

	(void)state;
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, "g1", "sched_*"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_CONTEXT, "g1", "pid"), 0);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_CONTEXT, "g1", "callstack-user"), 0);
	assert_int_equal(
		session_options_build(&options, &session, &session.channels[0], "/out", &failure),
		0);
	assert_int_equal(options.record.nr_kernels, 2);
	assert_int_equal(options.record.kernels[1].kind, SELECT_CONTEXT);
	assert_string_equal(options.record.kernels[1].text, "pid,callstack-user");
	/* The layout of records stays while they are recorded. */
	assert_int_equal(session_options_reselect(&session, &session.channels[0],
						  STRATA_DOMAIN_KERNEL, &rule, request,
						  sizeof(request), &failure),
			 -1);
	assert_non_null(strstr(failure.text, "a context cannot be changed while session"));
	session_options_clear(&options);
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_CONTEXT, "g1", "colour"), 0);
	assert_int_equal(
		session_options_build(&options, &session, &session.channels[0], "/out", &failure),
		-1);
	assert_int_equal(add(STRATA_DOMAIN_APP, STRATA_RULE_CONTEXT, "a", "pid"), -1);
}

/* Alone they trace nothing, and have no kernel recorded. */
static void contexts_name_no_events(void **state)
{
	(void)state;
	assert_int_equal(add(STRATA_DOMAIN_KERNEL, STRATA_RULE_CONTEXT, "g1", "pid"), 0);
	assert_false(session_model_traces(&session.channels[0], STRATA_DOMAIN_KERNEL));
}

/* Checks the default rings of a machine. */
static void default_is(unsigned int nr_cpus, uint32_t subbuf_kib, uint32_t nr_subbufs)
{
	const struct strata_ring_geometry geometry = app_rings_default(nr_cpus);

	assert_int_equal(1u << geometry.subbuf_bits, subbuf_kib << 10);
	assert_int_equal(1u << geometry.nr_subbufs_bits, nr_subbufs);
}

static void many_cpus_have_smaller_rings(void **state)
{
	(void)state;
	default_is(1, 64, 16);
	default_is(16, 64, 16);
	default_is(17, 64, 8);
	default_is(64, 64, 4);
	default_is(65, 32, 4);
	default_is(1024, 4, 4);
	default_is(4096, 4, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_cpus_have_smaller_rings),
		cmocka_unit_test_setup_teardown(rules_of_one_target_are_one_option, begin, end),
		cmocka_unit_test_setup_teardown(probes_are_events, begin, end),
		cmocka_unit_test_setup_teardown(a_domain_without_rules_is_left_out, begin, end),
		cmocka_unit_test_setup_teardown(a_flight_recorder_writes_on_request_only, begin,
						end),
		cmocka_unit_test_setup_teardown(a_change_names_all_rules_of_its_target, begin, end),
		cmocka_unit_test_setup_teardown(rules_that_the_recorder_would_misread_are_refused,
						begin, end),
		cmocka_unit_test_setup_teardown(the_text_form_keeps_everything, begin, end),
		cmocka_unit_test(the_earlier_form_has_one_channel),
		cmocka_unit_test_setup_teardown(channels_have_rings_and_rules_of_their_own, begin,
						end),
		cmocka_unit_test_setup_teardown(the_limit_of_rules_is_one_of_all_channels, begin,
						end),
		cmocka_unit_test(a_text_that_is_wrong_is_refused),
		cmocka_unit_test_setup_teardown(a_rule_is_there_once, begin, end),
		cmocka_unit_test_setup_teardown(filters_are_options_of_their_own, begin, end),
		cmocka_unit_test_setup_teardown(contexts_are_options_of_their_kernel, begin, end),
		cmocka_unit_test_setup_teardown(contexts_name_no_events, begin, end),
	};

	return cmocka_run_group_tests_name("session_options", tests, NULL, NULL);
}
