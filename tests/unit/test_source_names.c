// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_source_names.c - a source has one name, whatever shows it, and is found by it; a domain is
 * found by the name that Xen has for it, too.
 *
 * The recording is of dom0, of two lives of g1, and of an application.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "outputs_fixture.h"
#include "synthetic.h"

static struct synthetic rec;
static struct outputs_world world;

static void name_domain(const char *source, const char *name)
{
	unsigned int i;

	for (i = 0; i < rec.nr_sources; i++) {
		if (strcmp(rec.sources[i].name, source) == 0)
			rec.sources[i].domain_name = name;
	}
}

static int set_up(void **state)
{
	const struct synthetic_host host = { .turns = 20,
					     .marks = 2,
					     .slack_before = 1000,
					     .slack_after = 1000,
					     .clock = { .is_hvm = true, .offset = 123456789 } };
	const struct synthetic_clock clock = { .is_hvm = true, .ratio = 1 };
	uint64_t ticks;
	char top[4096];
	unsigned int i;

	(void)state;
	synthetic_build_host(&rec, &host);
	ticks = synthetic_stream(&rec, "xen", 0)->last_ticks;
	synthetic_add_source(&rec, "g1-5", "kernel", 5);
	synthetic_add_source(&rec, "app-server", "app", 0);
	name_domain("dom0", "Domain-0");
	name_domain("g1-5", "g1");
	name_domain("app-server", "server");
	synthetic_vcpu_clock(&rec, 0, ticks + 10, 5, 0, &clock);
	synthetic_runstate(&rec, 0, ticks + 20, 5, 0, 1, 0);
	for (i = 0; i < 5; i++)
		synthetic_mark(&rec, "g1-5", 0, ticks + 30 + i, i);
	synthetic_app_mark(&rec, "app-server", 0, SYNTHETIC_ANCHOR_TICKS + 5000, 3);
	synthetic_runstate(&rec, 0, ticks + 90, 5, 0, 0, 1);
	synthetic_write(&rec);
	assert_non_null(getcwd(top, sizeof(top)));
	assert_int_equal(setenv("strata", "./strata", 1), 0);
	outputs_begin(&world);
	assert_int_equal(setenv("raw", rec.dir, 1), 0);
	assert_int_equal(setenv("top", top, 1), 0);
	outputs_run(&world, "ln -s $top/out/bin/strata strata; cp -r $raw raw");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	outputs_end(&world);
	synthetic_free(&rec);
	return 0;
}

#define NAMES "app-server\ndom0\ng1\ng1-5\ng2\nxen\n"

static void all_that_is_shown_has_one_name(void **state)
{
	(void)state;
	outputs_run(&world,
		    "printf '" NAMES "' >names;"
		    "$strata merge raw -o merged >report 2>err || { cat err >&2; exit 1; }");
	outputs_run(&world, "$strata view --json raw | jq -r .source | sort -u | cmp - names");
	outputs_run(&world,
		    "$strata view --json merged/ctf | jq -r .source | sort -u | cmp - names");
	outputs_run(&world, "$strata view --color=never raw | tail -n +2 | awk '{ print $4 }' |"
			    " sort -u | cmp - names");
	outputs_run(&world,
		    "$strata stat --json raw | jq -r '.traces[].source' | sort | cmp - names");
	outputs_run(
		&world,
		"$strata stat raw | sed -n '/ source /,/^$/p' | awk 'NR > 1 && NF { print $1 }' |"
		" sort | cmp - names");
	outputs_run(&world,
		    "jq -r '.streams[].source' merged/summary.json | sort -u | cmp - names");
	outputs_run(&world,
		    "sed -n '/ source /,/^[A-Z]/p' report | awk 'NR > 1 && /^ / { print $1 }' |"
		    " sort -u | cmp - names");
	outputs_run(&world,
		    "for name in $(cat names); do babeltrace2 --fields=trace:hostname raw/$name |"
		    " grep -q \" $name \" || exit 1; done");
}

/* Names of the domain: in the vCPU's column, in fields, and in the summary. */
static void so_has_a_domain(void **state)
{
	(void)state;
	outputs_run(&world,
		    "$strata view --color=never --source g1-5,dom0 raw | tail -n +2 |"
		    " awk '{ print $8 }' | sort -u | tr '\\n' ' ' | grep -qx 'dom0/0 g1-5/0 '");
	outputs_run(&world, "$strata view --color=never raw | grep -q 'of_domain=5(g1-5)'");
	outputs_run(&world, "! $strata view --color=never raw | grep Domain-0");
	outputs_run(&world,
		    "jq -r '.streams[].domain_name' merged/summary.json | sort -u | tr '\\n' ' ' |"
		    " grep -qx 'dom0 g1 g1-5 g2 xen '");
}

static void it_is_found_by_it_and_a_domain_by_xens_name_too(void **state)
{
	(void)state;
	outputs_run(
		&world,
		"$strata view --json --source dom0 raw | jq -se 'length > 0 and all(.source == \"dom0\")'");
	outputs_run(&world, "$strata view --json --domain dom0 raw >a && [ -s a ] &&"
			    " $strata view --json --domain Domain-0 raw | cmp - a");
	outputs_run(&world,
		    "$strata view --json --layer kernel --domain g1 raw | jq -r .source | sort -u |"
		    " tr '\\n' ' ' | grep -qx 'g1 g1-5 '");
	outputs_run(
		&world,
		"$strata view --json --layer kernel --domain g1-5 raw | jq -r .source | sort -u |"
		" grep -qx 'g1-5'");
	outputs_run(
		&world,
		"! $strata view --source Domain-0 raw 2>err && grep -q 'the nearest is \"dom0\"' err");
}

/* Where another recording uses a name, the output tells whose it is. */
static void sources_of_two_recordings_are_told_apart(void **state)
{
	(void)state;
	outputs_run(&world,
		    "mkdir other && cp -r raw other/b;"
		    " $strata stat --json raw other/b 2>err | jq -r '.traces[].source' | sort >is;"
		    " { cat names; sed 's,^,b/,' names; } | sort | cmp - is");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_is_shown_has_one_name),
		cmocka_unit_test(so_has_a_domain),
		cmocka_unit_test(it_is_found_by_it_and_a_domain_by_xens_name_too),
		cmocka_unit_test(sources_of_two_recordings_are_told_apart),
	};

	return cmocka_run_group_tests_name("source names", tests, set_up, tear_down);
}
