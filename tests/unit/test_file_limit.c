// SPDX-License-Identifier: GPL-2.0-or-later
/* test_file_limit.c - the table of a process's files is made once, for all that it may open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "consumerd/host/file_limit.h"

/* The files that the kernel's table of ours has room for. */
static unsigned long table_size(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long size = 0;
	char line[256];

	assert_non_null(status);
	while (!size && fgets(line, sizeof(line), status))
		if (sscanf(line, "FDSize: %lu", &size) != 1)
			size = 0;
	fclose(status);
	return size;
}

static void the_table_is_as_large_as_the_limit(void **state)
{
	const struct rlimit low = { 512, 4096 };
	unsigned long files;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_true(table_size() < 4096);
	files = file_limit_raise();
	assert_true(files >= 4096);
	assert_true(table_size() >= 4096);
}

static void tables_need_files_of_some_size(void **state)
{
	const struct rlimit small = { 1 << 20, RLIM_INFINITY }, large = { 24 << 20, RLIM_INFINITY };
	struct strata_error error = { "" };

	(void)state;
	assert_int_equal(file_limit_check_size(&error), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(file_limit_check_size(&error), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &large), 0);
	assert_int_equal(file_limit_check_size(&error), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_as_large_as_the_limit),
		cmocka_unit_test(tables_need_files_of_some_size),
	};

	return cmocka_run_group_tests_name("file limit", tests, NULL, NULL);
}
