// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_outputs_viewers.c - traces for Perfetto and Chrome: decoded by programs that share
 * nothing with the writers, they hold the events that JSON lines hold, on the right tracks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "outputs/json/json.h"
#include "outputs/perfetto/perfetto.h"
#include "outputs_fixture.h"

static const struct rich_trace little = {
	.streams = 3,
	.packets = 4,
	.events = 150,
	.seed = 61,
	.begin_ns = 1700000000123456789ull,
	.step_ns_max = 3000000,
	.empty_texts = true,
	.env = "hostname = \"h1\"; domain = \"kernel\";",
};

static const struct rich_trace big = {
	.big_endian = true,
	.streams = 2,
	.packets = 3,
	.events = 100,
	.seed = 62,
	.begin_ns = 1700000000000000000ull,
	.step_ns_max = 500000000,
	.empty_texts = true,
};

static void begin_two(struct outputs_world *world)
{
	outputs_begin(world);
	outputs_add(world, "one", &little);
	outputs_add(world, "two", &big);
	outputs_write(world, "lines", strata_json_lines_new(), 1);
}

static void decode_perfetto(const struct outputs_world *world, const char *name)
{
	char command[2048], here[1024];

	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(command, sizeof(command), "python3 %s/tests/unit/perfetto_events.py %s >decoded",
		 here, name);
	outputs_run(world, command);
}

static void perfetto_has_each_event_on_its_track(void **data)
{
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	assert_int_equal(outputs_write(&world, "trace", strata_perfetto_new(), 1), 2400);
	decode_perfetto(&world, "trace");
	outputs_run(&world, "jq -c '[.ns, .event, .track, .category]' decoded >got");
	outputs_run(&world, "jq -c '[.ns, .event, \"\\(.source)/CPU \\(.cpu)\", .layer]' lines "
			    "| cmp - got");
	outputs_run(&world, "test $(wc -l <got) = 2400");
	outputs_end(&world);
}

static void perfetto_has_the_fields(void **data)
{
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	outputs_write(&world, "trace", strata_perfetto_new(), 1);
	decode_perfetto(&world, "trace");
	outputs_run(&world, "jq -c '.annotations | [.packet, .stream_context.tid, .context,"
			    ".small, .plain, .outer, .grid, .pairs, .sign, .little]' "
			    "decoded >got");
	/* An enumeration's label replaces the value, if it has one; empty fields are left out. */
	outputs_run(&world, "jq -c '[.packet, .stream_context.tid, .context] + (.fields |"
			    "[.small, .plain, .outer, .grid, "
			    "(if .pairs == [] then null else .pairs end),"
			    "(.sign | if . then .label // .value else . end), .little])' lines"
			    "| cmp - got");
	outputs_end(&world);
}

static void perfetto_shows_a_cpu_that_nobody_knew_of_with_its_source(void **data)
{
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	world.shown.sources[0].nr_cpus = 2;
	outputs_write(&world, "trace", strata_perfetto_new(), 1);
	decode_perfetto(&world, "trace");
	outputs_run(&world, "jq -c '[.ns, .track]' decoded >got");
	outputs_run(
		&world,
		"jq -c '[.ns, (if .cpu == 2 then .source else \"\\(.source)/CPU \\(.cpu)\" end)]'"
		" lines | cmp - got && grep -q '\"h1\"' got");
	outputs_end(&world);
}

static void perfetto_is_the_same_by_several_threads(void **data)
{
	struct outputs_world world;

	(void)data;
	begin_two(&world);
	outputs_write(&world, "trace1", strata_perfetto_new(), 1);
	outputs_write(&world, "trace4", strata_perfetto_new(), 4);
	outputs_assert_same(&world, "trace1", "trace4");
	outputs_end(&world);
}

static void chrome_has_each_event_with_its_nanoseconds(void **data)
{
	struct strata_error error;
	struct outputs_world world;
	uint64_t origin = 0;

	(void)data;
	begin_two(&world);
	assert_int_equal(strata_trace_set_first(&world.set, &origin, &error), 0);
	outputs_write(&world, "trace", strata_chrome_json_new(origin), 3);
	outputs_run(&world, "jq -r '.otherData.origin_ns' trace >got");
	outputs_run(&world, "head -n 1 lines | jq -r .ns | cmp - got");
	/* Differences from the first, in ns, are small enough for jq to compute with. */
	outputs_run(&world, "jq -c '.traceEvents[] | select(.ph == \"i\") |"
			    "[(.ts * 1000 | round), .name, .pid, .tid - 1, .args.fields]' "
			    "trace >got");
	outputs_run(&world,
		    "jq -sc '(.[0].ns | [.[:10], .[10:]] | map(tonumber)) as $o | .[] |"
		    "(.ns | [.[:10], .[10:]] | map(tonumber)) as $t |"
		    "[($t[0] - $o[0]) * 1000000000 + $t[1] - $o[1], .event, "
		    "(if .source == \"h1\" then 1 else 2 end), .cpu, .fields]' lines | cmp - got");
	outputs_run(&world, "jq -e '[.traceEvents[] | select(.ph == \"M\")] | length == 7' trace");
	outputs_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfetto_has_each_event_on_its_track),
		cmocka_unit_test(perfetto_has_the_fields),
		cmocka_unit_test(perfetto_shows_a_cpu_that_nobody_knew_of_with_its_source),
		cmocka_unit_test(perfetto_is_the_same_by_several_threads),
		cmocka_unit_test(chrome_has_each_event_with_its_nanoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
