// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_outputs_losses.c - discarded events appear in every form, at their place: between the last
 * event of the stream before them and the end of the packet that reports them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "filter/filter.h"
#include "outputs/json/json.h"
#include "outputs/perfetto/perfetto.h"
#include "outputs/text/text_lines.h"
#include "outputs_fixture.h"

static const struct rich_trace lossy = {
	.streams = 3,
	.packets = 5,
	.events = 40,
	.seed = 71,
	.begin_ns = 1700000000123456789ull,
	.step_ns_max = 3000000,
	.is_lossy = true,
	.env = "hostname = \"h1\"; domain = \"kernel\";",
};

static const struct rich_trace whole = {
	.streams = 2,
	.packets = 3,
	.events = 100,
	.seed = 72,
	.begin_ns = 1700000000123456789ull,
	.step_ns_max = 3000000,
};

static const struct strata_text_options text = { .gmt = true };

static void begin_two(struct outputs_world *world)
{
	outputs_begin(world);
	outputs_add(world, "one", &lossy);
	outputs_add(world, "two", &whole);
}

static void json_has_an_object_for_each_loss(void **data)
{
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	assert_int_equal(outputs_write(&world, "lines", strata_json_lines_new(), 1), 1200);
	outputs_run(&world, "jq -c 'select(has(\"discarded\"))' lines >losses");
	outputs_run(&world, "jq -se 'length == 15 and (map(.discarded) | add) == 69 and"
			    " (map(.missing_packets) | add) == 12 and (all(has(\"event\") | not))'"
			    " losses");
	outputs_run(&world, "jq -se 'map([.source, .layer, .cpu, .stream]) | unique =="
			    " [[\"h1\", \"kernel\", 0, \"stream_0\"], [\"h1\", \"kernel\", 1, "
			    "\"stream_1\"], [\"h1\", \"kernel\", 2, \"stream_2\"]]' losses");
	outputs_run(&world, "jq -se 'map(select(.missing_packets > 0)) | length == 3 and"
			    " all(.discarded == 5)' losses");
	outputs_run(&world, "test $(jq -c 'select(.event)' lines | wc -l) = 1200");
	outputs_end(&world);
}

static void each_loss_is_in_its_place(void **data)
{
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	outputs_write(&world, "lines", strata_json_lines_new(), 1);
	/* Times never fall, and a loss begins with the event of that CPU before it. */
	outputs_run(&world, "jq -se 'map(.ns // .from_ns) | . == sort' lines");
	outputs_run(&world, "jq -se 'map(select(.discarded)) | all(.from_ns <= .to_ns)' lines");
	outputs_run(&world, "jq -se '[.[] | select(.source == \"h1\" and .cpu == 1)] as $all |"
			    " [range(1; $all | length) | select($all[.] | has(\"discarded\"))] |"
			    " length == 4 and all($all[. - 1].ns == $all[.].from_ns and"
			    " $all[. + 1].ns <= $all[.].to_ns)' lines");
	/* Before the first event it begins with its packet. */
	outputs_run(&world, "jq -se '[.[] | select(.source == \"h1\" and .cpu == 1)] |"
			    " .[0].discarded == 3 and .[0].from_ns <= .[1].ns and"
			    " (.[0].from_ns | startswith(\"17000000001234567\"))' lines");
	outputs_end(&world);
}

static void several_threads_tell_the_same(void **data)
{
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	outputs_write(&world, "lines1", strata_json_lines_new(), 1);
	outputs_write(&world, "lines5", strata_json_lines_new(), 5);
	outputs_assert_same(&world, "lines1", "lines5");
	outputs_write(&world, "text1", strata_text_columns_new(&text), 1);
	outputs_write(&world, "text5", strata_text_columns_new(&text), 5);
	outputs_assert_same(&world, "text1", "text5");
	outputs_end(&world);
}

static void text_has_a_line_for_each(void **data)
{
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	outputs_write(&world, "columns", strata_text_columns_new(&text), 1);
	outputs_write(&world, "babeltrace", strata_text_babeltrace_new(&text), 1);
	outputs_run(&world, "grep discarded columns >losses && test $(wc -l <losses) = 15 &&"
			    " grep discarded babeltrace | cmp - losses");
	outputs_run(&world, "test $(grep -cE '^\\[22:13:20.[0-9]{9} - 22:13:20.[0-9]{9}\\] "
			    "5 events discarded; h1, stream stream_[0-2], CPU [0-2]$' losses) = 9");
	outputs_run(&world, "test $(grep -c '5 events discarded; 4 packets missing; h1' losses)"
			    " = 3");
	outputs_end(&world);
}

static void viewers_get_an_instant_for_each(void **data)
{
	char command[2048], here[1024];
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	outputs_write(&world, "lines", strata_json_lines_new(), 1);
	outputs_write(&world, "chrome", strata_chrome_json_new(lossy.begin_ns), 3);
	outputs_write(&world, "perfetto", strata_perfetto_new(), 3);
	outputs_run(&world, "jq -c 'select(has(\"discarded\")) | [.discarded, .missing_packets,"
			    " .cpu, .to_ns]' lines >losses && test $(wc -l <losses) = 15");
	outputs_run(&world, "jq -c '.traceEvents[] | select(.cat == \"loss\") | [.args.discarded,"
			    " .args.missing_packets, .tid - 1, .args.to_ns]' chrome "
			    "| cmp - losses");
	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(command, sizeof(command),
		 "python3 %s/tests/unit/perfetto_events.py perfetto >decoded", here);
	outputs_run(&world, command);
	outputs_run(&world, "jq -c 'select(.category == \"loss\") | [.annotations.discarded,"
			    " .annotations.missing_packets, (.track | split(\" \") | .[-1] |"
			    " tonumber), .event]' decoded >got");
	outputs_run(&world, "jq -c '[.[0], .[1], .[2], \"\\(.[0]) events discarded\" +"
			    " (if .[1] > 0 then \"; \\(.[1]) packets missing\" else \"\" end)]'"
			    " losses | cmp - got");
	outputs_end(&world);
}

static void filter(struct outputs_world *world, struct strata_filter *filter, const char *option,
		   enum strata_attribute attribute, const char *value)
{
	static const char *const names[] = { "h1", "two" };
	struct strata_error error;

	assert_non_null(filter);
	assert_int_equal(strata_filter_option(filter, option, attribute, value, &error), 0);
	assert_int_equal(strata_filter_bind(filter, &world->set, names, &error), 0);
	world->set.filter = strata_filter_of_set(filter);
}

static void losses_are_those_of_streams_that_are_wanted(void **data)
{
	static const struct {
		const char *option, *value;
		enum strata_attribute attribute;
		const char *losses;
	} cases[] = {
		{ "--cpu", "1", STRATA_ATTRIBUTE_CPU, "test $(grep -c discarded lines) = 5" },
		{ "--source", "two", STRATA_ATTRIBUTE_SOURCE, "! grep -q discarded lines" },
		{ "--source", "h1", STRATA_ATTRIBUTE_SOURCE,
		  "test $(grep -c discarded lines) = 15" },
		{ "--event", "bare", STRATA_ATTRIBUTE_EVENT,
		  "test $(grep -c discarded lines) = 15" },
		{ "--event", "none", STRATA_ATTRIBUTE_EVENT, "! grep -q discarded lines" },
	};
	unsigned int i, threads;

	(void)data;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strata_filter *wanted = strata_filter_new();
		struct outputs_world world;

		begin_two(&world);
		filter(&world, wanted, cases[i].option, cases[i].attribute, cases[i].value);
		for (threads = 1; threads <= 3; threads += 2) {
			outputs_write(&world, "lines", strata_json_lines_new(), threads);
			outputs_run(&world, cases[i].losses);
		}
		outputs_end(&world);
		strata_filter_free(wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_an_object_for_each_loss),
		cmocka_unit_test(each_loss_is_in_its_place),
		cmocka_unit_test(several_threads_tell_the_same),
		cmocka_unit_test(text_has_a_line_for_each),
		cmocka_unit_test(viewers_get_an_instant_for_each),
		cmocka_unit_test(losses_are_those_of_streams_that_are_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
