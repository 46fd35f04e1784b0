// SPDX-License-Identifier: GPL-2.0-or-later
/* test_source_name.c - which directory a domain's recording goes to, whatever its name is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumerd/source_name.h"

static struct strata_recording recording;

/* Names the next source and adds it. */
static const char *next_name(uint32_t domain, const char *domain_name)
{
	static char name[sizeof(recording.sources->name)];

	source_name(&recording, domain, domain_name, name, sizeof(name));
	assert_non_null(strata_recording_add_source(&recording, name));
	return name;
}

static int clear(void **state)
{
	(void)state;
	strata_recording_clear(&recording);
	return 0;
}

static void a_domain_that_comes_again_gets_its_own_directory(void **state)
{
	(void)state;
	assert_string_equal(next_name(1, "g1"), "g1");
	/* Restarted: another domain of that name. */
	assert_string_equal(next_name(5, "g1"), "g1-5");
	/* Its module was loaded anew, and again. */
	assert_string_equal(next_name(5, "g1"), "g1-5-2");
	assert_string_equal(next_name(5, "g1"), "g1-5-3");
	/* Another domain has this name. */
	assert_string_equal(next_name(7, "g1-5"), "g1-5-7");
}

static void no_guest_gets_the_directory_of_another_layer(void **state)
{
	(void)state;
	/* Not even where the other is not there yet. */
	assert_string_equal(next_name(3, "dom0"), "dom0-3");
	assert_string_equal(next_name(0, "Domain-0"), "dom0");
	assert_string_equal(next_name(4, "xen"), "xen-4");
	assert_string_equal(next_name(0, "Domain-0"), "dom0-0");
}

static void names_that_a_file_system_may_take_for_one_are_not_two_directories(void **state)
{
	(void)state;
	assert_string_equal(next_name(1, "app-server"), "app-server");
	assert_string_equal(next_name(2, "app-SERVER"), "app-SERVER-2");
	assert_string_equal(next_name(3, "Xen"), "Xen-3");
	assert_string_equal(next_name(4, "DOM0"), "DOM0-4");
}

static void no_guest_gets_the_directory_of_rings(void **state)
{
	(void)state;
	assert_string_equal(next_name(4, "rings"), "rings-4");
	assert_string_equal(next_name(5, "Rings"), "Rings-5");
}

static void no_name_leads_out_of_the_recording(void **state)
{
	char longest[80];

	(void)state;
	assert_string_equal(next_name(1, "../../etc"), "______etc");
	assert_string_equal(next_name(2, ""), "-2");
	assert_string_equal(next_name(3, "a/b\n"), "a_b_");
	/* Two of the longest name still differ. */
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_string_equal(next_name(4, longest), longest);
	assert_non_null(strstr(next_name(65535, longest), "xxx-65535"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_domain_that_comes_again_gets_its_own_directory, clear),
		cmocka_unit_test_teardown(no_guest_gets_the_directory_of_another_layer, clear),
		cmocka_unit_test_teardown(
			names_that_a_file_system_may_take_for_one_are_not_two_directories, clear),
		cmocka_unit_test_teardown(no_guest_gets_the_directory_of_rings, clear),
		cmocka_unit_test_teardown(no_name_leads_out_of_the_recording, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
