// SPDX-License-Identifier: GPL-2.0-or-later
/* test_memory_limit.c - the memory limit of control groups of either version, and the recorder's
 * score when the machine has no memory left. */
#include "consumerd/host/oom_score.h"
#include "consumerd/shares/memory_limit.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/strata-groups-XXXXXX";

static void make_dir(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The limit of a process whose groups are in @list. */
static uint64_t limit_of(const char *list)
{
	char path[256];

	write_file("list", list);
	snprintf(path, sizeof(path), "%s/list", root);
	return memory_limit_of_groups(path, root);
}

static void the_smallest_limit_on_the_way_up_counts(void **state)
{
	(void)state;
	make_dir("system");
	make_dir("system/recorder");
	write_file("system/memory.max", "1000000\n");
	write_file("system/recorder/memory.max", "2000000\n");
	assert_int_equal(limit_of("0::/system/recorder\n"), 1000000);
	write_file("system/memory.max", "max\n");
	assert_int_equal(limit_of("0::/system/recorder\n"), 2000000);
	/* As in a container, whose group is the top that it sees. */
	write_file("memory.max", "3000\n");
	assert_int_equal(limit_of("0::/\n"), 3000);
	assert_int_equal(limit_of("0::/system/recorder\n"), 3000);
}

static void version_1_has_a_hierarchy_for_memory(void **state)
{
	static char name[2 * PATH_MAX];
	size_t i;

	(void)state;
	make_dir("memory");
	make_dir("memory/recorder");
	write_file("memory/memory.limit_in_bytes", "9223372036854771712\n");
	write_file("memory/recorder/memory.limit_in_bytes", "5000\n");
	assert_int_equal(limit_of("7:cpu,cpuacct:/recorder\n3:memory:/recorder\n"), 5000);
	assert_int_equal(limit_of("7:cpu,memory:/recorder\n"), 5000);
	assert_int_equal(limit_of("3:memory:/\n"), 9223372036854771712u);
	assert_int_equal(limit_of("3:memoryless:/recorder\n"), UINT64_MAX);
	assert_int_equal(limit_of("3:mem,cpu:/recorder\n"), UINT64_MAX);
	/* A name that is too long may hold what looks like a line, from any place on. */
	for (i = 1; i < PATH_MAX + 600; i++) {
		memset(name, 'x', sizeof(name));
		memcpy(name, "1:name=systemd:/", 16);
		memcpy(name + 16 + i, "3:memory:/recorder\n", 20);
		assert_int_equal(limit_of(name), UINT64_MAX);
	}
	/* Beside version 2, without controllers: memory is the first version's, in any order. */
	assert_int_equal(limit_of("3:memory:/recorder\n0::/system/recorder\n"), 5000);
	assert_int_equal(limit_of("0::/system/recorder\n3:memory:/recorder\n7:cpu:/\n"), 5000);
}

static void without_groups_there_is_no_limit(void **state)
{
	(void)state;
	assert_int_equal(limit_of(""), UINT64_MAX);
	assert_int_equal(limit_of("nonsense\n\n:\n0:memory\n"), UINT64_MAX);
	assert_int_equal(memory_limit_of_groups("/nowhere/at/all", root), UINT64_MAX);
	/* The machine's own memory is a limit in any case. */
	assert_in_range(memory_limit(), 1,
			(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
}

static void assert_score(const char *before, const char *after)
{
	char path[256], text[16] = "";
	FILE *file;

	write_file("score", before);
	snprintf(path, sizeof(path), "%s/score", root);
	oom_score_lower(path);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, after);
}

static void a_score_that_nobody_has_set_is_lowered(void **state)
{
	(void)state;
	assert_score("0\n", "-900");
	assert_score("-1000\n", "-1000\n");
	assert_score("300\n", "300\n");
	oom_score_lower("/nowhere/at/all");
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smallest_limit_on_the_way_up_counts),
		cmocka_unit_test(version_1_has_a_hierarchy_for_memory),
		cmocka_unit_test(without_groups_there_is_no_limit),
		cmocka_unit_test(a_score_that_nobody_has_set_is_lowered),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
