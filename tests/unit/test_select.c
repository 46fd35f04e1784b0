// SPDX-License-Identifier: GPL-2.0-or-later
/* test_select.c - which of Xen's events a command line asks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../dom0-tools/strata/select.h"

#define NR_EVENTS(events) (sizeof(events) / sizeof((events)[0]))

static struct strata_error failure;

static uint32_t xen_mask(const char *events)
{
	uint32_t mask = 0xdeadbeef;

	assert_int_equal(select_xen(events, &mask, &failure), 0);
	return mask;
}

static void classes_of_xen_add_up(void **state)
{
	(void)state;
	assert_int_equal(xen_mask("sched"), 0x0002f000);
	assert_int_equal(xen_mask("sched,hvm"), 0x000af000);
	assert_int_equal(xen_mask("hvm,sched,hvm"), 0x000af000);
	assert_int_equal(xen_mask("all"), 0x07fff000);
	assert_int_equal(xen_mask("all,guest"), 0x0ffff000);
	assert_int_equal(xen_mask("all,sched"), xen_mask("all"));
	assert_int_equal(xen_mask("none"), 0);
	assert_int_equal(xen_mask("none,pv"), xen_mask("pv"));
}

static void a_number_is_a_mask_of_xen(void **state)
{
	(void)state;
	assert_int_equal(xen_mask("0x2f000"), 0x2f000);
	assert_int_equal(xen_mask("0"), 0);
	assert_int_equal(xen_mask("0x0fffffff"), 0x0fffffff);
	assert_int_equal(xen_mask("sched,0x80000"), 0xaf000);
}

static void what_is_no_class_of_xen_is_refused_by_name(void **state)
{
	static const char *const wrong[] = {
		"",     ",",      "sched,", ",sched",     "scheduler",
		"sche", "SCHED",  "12x",    "0x10000000", "4294967296",
		"-1",   " sched", "sched ", "0x",         "99999999999999999999999999999999999999",
	};
	uint32_t mask;
	size_t i;

	(void)state;
	for (i = 0; i < NR_EVENTS(wrong); i++) {
		memset(&failure, 0, sizeof(failure));
		if (!select_xen(wrong[i], &mask, &failure))
			fail_msg("\"%s\" is taken as %#x", wrong[i], mask);
		assert_non_null(strstr(failure.text, "strata list --events"));
	}
	assert_int_equal(select_xen("sched,bogus,hvm", &mask, &failure), -1);
	assert_non_null(strstr(failure.text, "\"bogus\""));
}

static void every_class_that_is_printed_is_known(void **state)
{
	char printed[4096] = "", name[32];
	FILE *out = fmemopen(printed, sizeof(printed) - 1, "w");
	unsigned int classes = 0;
	char *line, *rest;

	(void)state;
	assert_non_null(out);
	select_print_xen_classes(out, "  ");
	fclose(out);
	for (line = strtok_r(printed, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		assert_int_equal(strncmp(line, "  ", 2), 0);
		assert_int_equal(sscanf(line, "%31s", name), 1);
		xen_mask(name);
		classes++;
	}
	assert_in_range(classes, 10, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_of_xen_add_up),
		cmocka_unit_test(a_number_is_a_mask_of_xen),
		cmocka_unit_test(what_is_no_class_of_xen_is_refused_by_name),
		cmocka_unit_test(every_class_that_is_printed_is_known),
	};

	return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
