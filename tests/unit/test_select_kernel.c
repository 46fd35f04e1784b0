// SPDX-License-Identifier: GPL-2.0-or-later
/* test_select_kernel.c - the options of a command line for kernels: --kernel, --kprobe, --tid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <strata/abi/guest_context.h>

#include "stratad/select/select_kernel.h"

#define NR_EVENTS(events) (sizeof(events) / sizeof((events)[0]))

static const struct strata_event_desc kernel_events[] = {
	{ .id = 0, .name = "sched_switch", .group = "sched" },
	{ .id = 1, .name = "sched_wakeup", .group = "sched" },
	{ .id = 2, .name = "irq_handler_entry", .group = "irq" },
	{ .id = 3, .name = "page_fault_user", .group = "exceptions" },
	{ .id = 4, .name = "sys_enter", .group = "raw_syscalls" },
};

static struct strata_error failure;

/* The set as a command's MASK. */
static const char *chosen(const char *patterns)
{
	static char text[EVENT_SET_HEX_BYTES];
	struct event_set set;

	assert_int_equal(select_kernel_events(patterns, kernel_events, NR_EVENTS(kernel_events),
					      &set, &failure),
			 0);
	return event_set_hex(&set, text);
}

static int parse(enum select_kind kind, const char *argument, struct kernel_selection *selection)
{
	memset(&failure, 0, sizeof(failure));
	return select_parse_kernel(kind, argument, selection, &failure);
}

static void a_kernel_is_named_with_or_without_events(void **state)
{
	struct kernel_selection selection;

	(void)state;
	assert_int_equal(parse(SELECT_EVENTS, "g1:sched_*,irq_*", &selection), 0);
	assert_string_equal(selection.domain, "g1");
	assert_string_equal(selection.text, "sched_*,irq_*");
	assert_false(selection.found);
	assert_int_equal(parse(SELECT_EVENTS, "g1", &selection), 0);
	assert_string_equal(selection.domain, "g1");
	assert_string_equal(selection.text, "default");
	/* The last colon divides: names of domains may hold one. */
	assert_int_equal(parse(SELECT_EVENTS, "a:b:all", &selection), 0);
	assert_string_equal(selection.domain, "a:b");
}

static void a_kernel_without_a_domain_or_events_is_refused(void **state)
{
	struct kernel_selection selection;
	char longest[sizeof(selection.domain) + 1];

	(void)state;
	assert_int_equal(parse(SELECT_EVENTS, "", &selection), -1);
	assert_int_equal(parse(SELECT_EVENTS, ":all", &selection), -1);
	assert_int_equal(parse(SELECT_EVENTS, "g1:", &selection), -1);
	assert_non_null(strstr(failure.text, "DOMAIN:EVENTS"));

	memset(longest, 'x', sizeof(longest));
	longest[sizeof(selection.domain)] = '\0';
	assert_int_equal(parse(SELECT_EVENTS, longest, &selection), -1);
	longest[sizeof(selection.domain) - 1] = '\0';
	assert_int_equal(parse(SELECT_EVENTS, longest, &selection), 0);
	assert_string_equal(selection.domain, longest);
}

static void a_probe_is_a_symbol_and_perhaps_an_offset(void **state)
{
	static const char *const wrong[] = {
		"g1",
		"g1:",
		"g1:a ",
		"g1:a  b",
		"g1:a b;c",
		"g1:a b\tc",
		"g1:a $arg1 ",
		"g1:=a",
		"g1:1n=a",
		"g1:n-n=a",
		"g1:n=",
		"g1:n=+4",
		"g1 n=a:b",
		"g1:a+",
		"g1:+4",
		"g1:a+4x",
		"g1:a+-4",
		"g1:a\n",
		"g1:a+4+4",
		"g1:a;b",
		"g1:a+ 4",
		":a",
		"g1:a+99999999999999999999",
	};
	struct kernel_selection selection;
	size_t i;

	(void)state;
	assert_int_equal(parse(SELECT_KPROBE, "g1:do_nanosleep", &selection), 0);
	assert_string_equal(selection.text, "do_nanosleep");
	assert_int_equal(parse(SELECT_KPROBE, "g1:do_nanosleep.cold+0x1f", &selection), 0);
	assert_int_equal(parse(SELECT_KRETPROBE, "g1:do_nanosleep", &selection), 0);
	assert_int_equal(parse(SELECT_KRETPROBE, "g1:do_nanosleep+4", &selection), -1);
	assert_non_null(strstr(failure.text, "--kretprobe"));
	for (i = 0; i < NR_EVENTS(wrong); i++) {
		if (!parse(SELECT_KPROBE, wrong[i], &selection))
			fail_msg("\"%s\" is taken", wrong[i]);
	}
}

static void a_probe_of_a_program_is_a_path_and_a_place_in_it(void **state)
{
	static const char *const wrong[] = {
		"g1:bin/cat:main", "g1:/bin/cat",    "g1:/bin/cat:",      "/bin/cat:main",
		"g1:main",         ":/bin/cat:main", "g1:/bin/c\tt:main", "g1:/bin/cat:main+",
		"g1:/bin/cat:a;b", "g1:=/bin/cat:a", "g1:/bin/cat:a a;b",
	};
	struct kernel_selection selection;
	char name[STRATA_EVENT_NAME_BYTES], other[STRATA_EVENT_NAME_BYTES];
	size_t i;

	(void)state;
	assert_int_equal(parse(SELECT_UPROBE,
			       "g:1:go=/opt/a:b/c++:f+0x4 n=$arg1:s32 t=+0(%si):string",
			       &selection),
			 0);
	assert_string_equal(selection.domain, "g:1");
	assert_string_equal(select_probe_place(&selection),
			    "/opt/a:b/c++:f+0x4 n=$arg1:s32 t=+0(%si):string");
	select_probe_name(&selection, name);
	assert_string_equal(name, "go");
	assert_int_equal(parse(SELECT_UPROBE, "g1:/bin/cat:0x1234", &selection), 0);
	assert_int_equal(parse(SELECT_URETPROBE, "g1:/bin/cat:main+4", &selection), -1);
	assert_non_null(strstr(failure.text, "--uretprobe"));
	for (i = 0; i < NR_EVENTS(wrong); i++) {
		if (!parse(SELECT_UPROBE, wrong[i], &selection))
			fail_msg("\"%s\" is taken", wrong[i]);
	}
	/* Another file of that name, another event. */
	assert_int_equal(parse(SELECT_URETPROBE, "g1:/usr/bin/cat.x:main", &selection), 0);
	select_probe_name(&selection, name);
	assert_memory_equal(name, "return_cat_x_main_", 18);
	assert_int_equal(strlen(name), 22);
	assert_int_equal(parse(SELECT_URETPROBE, "g1:/bin/cat.x:main", &selection), 0);
	select_probe_name(&selection, other);
	assert_string_not_equal(name, other);
}

static void check_functions(const char *argument, const char *wanted)
{
	struct kernel_selection selection;
	char name[STRATA_EVENT_NAME_BYTES];

	assert_int_equal(parse(SELECT_FUNCTION, argument, &selection), 0);
	assert_true(select_is_probe(selection.kind));
	select_probe_name(&selection, name);
	assert_string_equal(name, wanted);
}

static void functions_are_a_pattern_that_may_have_arguments(void **state)
{
	static const char *const wrong[] = { "vfs_*",  "g1:",       "g1:a,b",   "g1:9=a",
					     "g1:n=",  "g1:a+4",    "g1:a=b=c", "g1:vfs_{r}",
					     "g1:a;b", ":vfs_read", "g1:a ;b",  "g1:a\n",
					     "g1:a/b", "g1:=a",     "g1:a  b" };
	struct kernel_selection selection;
	char argument[300];
	size_t i;

	(void)state;
	check_functions("g1:net=tcp_[!r]*", "net");
	check_functions("g1:sent=tcp_*msg? bytes=$arg3:u64", "sent");
	assert_int_equal(parse(SELECT_FUNCTION, "g1:sent=tcp_*msg? bytes=$arg3:u64", &selection),
			 0);
	assert_string_equal(select_probe_place(&selection), "tcp_*msg? bytes=$arg3:u64");
	for (i = 0; i < NR_EVENTS(wrong); i++) {
		if (!parse(SELECT_FUNCTION, wrong[i], &selection))
			fail_msg("\"%s\" is taken", wrong[i]);
	}
	assert_non_null(strstr(failure.text, "--function"));
	/* Room for _entry. */
	snprintf(argument, sizeof(argument), "g1:%057d=a", 0);
	argument[3] = 'n';
	assert_int_equal(parse(SELECT_FUNCTION, argument, &selection), 0);
	snprintf(argument, sizeof(argument), "g1:%058d=a", 0);
	argument[3] = 'n';
	assert_int_equal(parse(SELECT_FUNCTION, argument, &selection), -1);
}

/* The patterns differ, and their events have names of one beginning that differ, too. */
static void check_differ(const char *argument, const char *other, const char *beginning)
{
	char names[2][STRATA_EVENT_NAME_BYTES];
	struct kernel_selection selection;

	assert_int_equal(parse(SELECT_FUNCTION, argument, &selection), 0);
	select_probe_name(&selection, names[0]);
	assert_int_equal(parse(SELECT_FUNCTION, other, &selection), 0);
	select_probe_name(&selection, names[1]);
	assert_string_not_equal(names[0], names[1]);
	assert_int_equal(strncmp(names[0], beginning, strlen(beginning)), 0);
	assert_int_equal(strncmp(names[1], beginning, strlen(beginning)), 0);
}

static void functions_name_their_events_by_the_pattern(void **state)
{
	char argument[300], name[STRATA_EVENT_NAME_BYTES];
	struct kernel_selection selection;

	(void)state;
	check_functions("g1:vfs_*", "call_vfs");
	check_functions("g:1:vfs_read", "call_vfs_read");
	/* Where more than the name tells patterns apart. */
	check_differ("g1:vfs_?", "g1:vfs_*", "call_vfs");
	check_differ("g1:vfs_?", "g1:vfs*", "call_vfs");
	check_differ("g1:vfs_[ab]", "g1:vfs_[!a]", "call_vfs_");
	check_differ("g1:a.cold", "g1:a_cold", "call_a_cold");
	check_differ("g1:vfs_* n=$arg1", "g1:vfs_* n=$arg2", "call_vfs_");
	check_differ("g1:*", "g1:_*", "call_");
	/* Room for _entry. */
	snprintf(argument, sizeof(argument), "g1:%0200d", 0);
	assert_int_equal(parse(SELECT_FUNCTION, argument, &selection), 0);
	select_probe_name(&selection, name);
	assert_int_equal(strlen(name), strlen("call_") + 50);
	snprintf(argument, sizeof(argument), "g1:%0200d*", 0);
	assert_int_equal(parse(SELECT_FUNCTION, argument, &selection), 0);
	select_probe_name(&selection, name);
	assert_int_equal(strlen(name), strlen("call_") + 45 + strlen("_xxxx"));
}

static bool makes(enum select_kind kind, const char *argument, const char *group, const char *event)
{
	struct strata_event_desc desc = { .id = 0 };
	struct kernel_selection selection;

	snprintf(desc.group, sizeof(desc.group), "%s", group);
	snprintf(desc.name, sizeof(desc.name), "%s", event);
	assert_int_equal(parse(kind, argument, &selection), 0);
	return select_probe_makes(&selection, &desc);
}

static void a_probe_knows_its_events(void **state)
{
	(void)state;
	assert_true(makes(SELECT_KPROBE, "g1:a=f", "kprobe", "a"));
	assert_false(makes(SELECT_KPROBE, "g1:a=f", "kretprobe", "a"));
	assert_false(makes(SELECT_KPROBE, "g1:a=f", "kprobe", "a_entry"));
	assert_true(makes(SELECT_TRACEPOINT, "g1:a=f", "tracepoint", "a"));
	assert_true(makes(SELECT_TRACEPOINT, "g1:ext4_free_inode", "tracepoint",
			  "tracepoint_ext4_free_inode"));
	assert_false(makes(SELECT_TRACEPOINT, "g1:a=f", "kprobe", "a"));
	assert_true(makes(SELECT_FUNCTION, "g1:vfs_*", "function", "call_vfs_entry"));
	assert_true(makes(SELECT_FUNCTION, "g1:vfs_*", "function", "call_vfs_exit"));
	assert_false(makes(SELECT_FUNCTION, "g1:vfs_*", "function", "call_vfs"));
	assert_false(makes(SELECT_FUNCTION, "g1:vfs_*", "function", "call_vfs_read_entry"));
	assert_false(makes(SELECT_FUNCTION, "g1:vfs_*", "function", "call_tcp_entry"));
	assert_false(makes(SELECT_FUNCTION, "g1:vfs_*", "kprobe", "call_vfs_entry"));
}

static void a_probe_gives_its_event_a_name_that_is_an_identifier(void **state)
{
	struct kernel_selection selection;
	char name[STRATA_EVENT_NAME_BYTES], argument[300] = "g1:";

	(void)state;
	assert_int_equal(parse(SELECT_KPROBE, "g1:a.part.0+0x10", &selection), 0);
	select_probe_name(&selection, name);
	assert_string_equal(name, "probe_a_part_0_0x10");
	assert_int_equal(parse(SELECT_KRETPROBE, "g1:vfs_read", &selection), 0);
	select_probe_name(&selection, name);
	assert_string_equal(name, "return_vfs_read");
	memset(argument + 3, 'x', 200);
	assert_int_equal(parse(SELECT_KRETPROBE, argument, &selection), 0);
	select_probe_name(&selection, name);
	assert_int_equal(strlen(name), STRATA_EVENT_NAME_BYTES - 1);
	memset(argument + 3, 'x', 296);
	assert_int_equal(parse(SELECT_KRETPROBE, argument, &selection), -1);
}

static void a_probe_may_have_a_name_and_arguments(void **state)
{
	struct kernel_selection selection;
	char name[STRATA_EVENT_NAME_BYTES], other[STRATA_EVENT_NAME_BYTES], argument[300];

	(void)state;
	assert_int_equal(parse(SELECT_KPROBE,
			       "g:1:open=do_sys_open+4 $arg1:s32 f=+u0($arg2):string[32]",
			       &selection),
			 0);
	assert_string_equal(selection.domain, "g:1");
	assert_string_equal(select_probe_place(&selection),
			    "do_sys_open+4 $arg1:s32 f=+u0($arg2):string[32]");
	select_probe_name(&selection, name);
	assert_string_equal(name, "open");
	assert_int_equal(parse(SELECT_KRETPROBE, "g1:vfs_read got=$retval:s64", &selection), 0);
	assert_string_equal(select_probe_place(&selection), "vfs_read got=$retval:s64");
	select_probe_name(&selection, name);
	assert_memory_equal(name, "return_vfs_read_", 16);
	assert_int_equal(strlen(name), 20);
	assert_int_equal(parse(SELECT_FUNCTION, "g1:vfs_read i=file->f_path.mnt $arg*", &selection),
			 0);
	assert_string_equal(select_probe_place(&selection), "vfs_read i=file->f_path.mnt $arg*");
	assert_int_equal(parse(SELECT_KRETPROBE, "g1:vfs_read got=$retval:s64", &selection), 0);
	select_probe_name(&selection, name);
	/* Other arguments, another event. */
	assert_int_equal(parse(SELECT_KRETPROBE, "g1:vfs_read got=$retval:s32", &selection), 0);
	select_probe_name(&selection, other);
	assert_string_not_equal(name, other);
	snprintf(argument, sizeof(argument), "g1:%0200d a=%%di", 0);
	assert_int_equal(parse(SELECT_KRETPROBE, argument, &selection), 0);
	select_probe_name(&selection, name);
	assert_int_equal(strlen(name), STRATA_EVENT_NAME_BYTES - 1);
	snprintf(argument, sizeof(argument), "g1:%0200d a=%%si", 0);
	assert_int_equal(parse(SELECT_KRETPROBE, argument, &selection), 0);
	select_probe_name(&selection, other);
	assert_string_not_equal(name, other);
}

static void a_filter_is_a_list_of_numbers(void **state)
{
	static const char *const wrong[] = {
		"g1",      "g1:",   "g1:,",           "g1:1,",         "g1:,1", "g1:1x",
		"g1:1,,2", "g1:-1", "g1:99999999999", "g1:2147483648", "g1: 1"
	};
	struct kernel_selection selection;
	char many[400] = "g1:1";
	size_t i;

	(void)state;
	assert_int_equal(parse(SELECT_TID, "g1:42", &selection), 0);
	assert_string_equal(selection.text, "42");
	assert_int_equal(parse(SELECT_PID, "g1:1,2,3", &selection), 0);
	assert_int_equal(parse(SELECT_PID, "g1:2147483647", &selection), 0);
	for (i = 0; i < NR_EVENTS(wrong); i++) {
		if (!parse(SELECT_TID, wrong[i], &selection))
			fail_msg("\"%s\" is taken", wrong[i]);
	}
	for (i = 1; i < STRATA_GUEST_FILTER_MAX; i++)
		strcat(many, ",7");
	assert_int_equal(parse(SELECT_TID, many, &selection), 0);
	strcat(many, ",7");
	assert_int_equal(parse(SELECT_TID, many, &selection), -1);
}

static bool names(const char *argument, uint32_t domain, const char *name)
{
	struct kernel_selection selection;

	assert_int_equal(parse(SELECT_EVENTS, argument, &selection), 0);
	return select_matches_domain(&selection, domain, name);
}

static void a_domain_matches_by_name_number_or_pattern(void **state)
{
	(void)state;
	assert_true(names("g1", 5, "g1"));
	assert_true(names("5", 5, "g1"));
	assert_true(names("*", 5, "g1"));
	assert_true(names("g?", 5, "g1"));
	assert_true(names("dom0", 0, "Domain-0"));
	assert_true(names("0", 0, "Domain-0"));
	assert_false(names("g1", 5, "g11"));
	assert_false(names("5", 15, "g1"));
	assert_false(names("dom0", 5, "g1"));
	assert_true(names("4294967295", UINT32_MAX, "g1"));
}

static void patterns_of_a_kernel_choose_events_by_their_place(void **state)
{
	(void)state;
	assert_string_equal(chosen("sched_*"), "3");
	assert_string_equal(chosen("sched_*,irq_*"), "7");
	assert_string_equal(chosen("sys_enter"), "10");
	assert_string_equal(chosen("all"), "1f");
	assert_string_equal(chosen("*"), "1f");
	assert_string_equal(chosen("page_fault_user,page_fault_user"), "8");
}

static void a_pattern_with_a_slash_is_of_group_and_name(void **state)
{
	(void)state;
	assert_string_equal(chosen("sched/*"), "3");
	assert_string_equal(chosen("exceptions/*,irq/irq_handler_entry"), "c");
	assert_string_equal(chosen("*/sys_*"), "10");
}

static void the_default_is_what_the_kernel_has_of_a_small_set(void **state)
{
	(void)state;
	assert_string_equal(chosen("default"), "17");
	assert_string_equal(chosen("default,exceptions/*"), "1f");
	assert_string_equal(chosen("none"), "0");
	assert_string_equal(chosen("none,sched_switch"), "1");
}

static void a_pattern_that_names_no_event_is_refused(void **state)
{
	struct event_set set;
	char longest[256];

	(void)state;
	assert_int_equal(select_kernel_events("sched_*,none_*", kernel_events, 5, &set, &failure),
			 -1);
	assert_non_null(strstr(failure.text, "\"none_*\""));
	assert_int_equal(select_kernel_events("", kernel_events, 5, &set, &failure), -1);
	assert_int_equal(select_kernel_events("irq_*,", kernel_events, 5, &set, &failure), -1);
	assert_int_equal(select_kernel_events("all", kernel_events, 0, &set, &failure), -1);
	assert_int_equal(select_kernel_events("default", kernel_events, 0, &set, &failure), -1);
	memset(longest, '*', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(select_kernel_events(longest, kernel_events, 5, &set, &failure), -1);
	assert_non_null(strstr(failure.text, "too long"));
}

static void a_large_table_is_chosen_from_to_its_end(void **state)
{
	static struct strata_event_desc many[STRATA_GUEST_EVENTS_MAX];
	char text[EVENT_SET_HEX_BYTES];
	struct event_set set;
	size_t i;

	(void)state;
	for (i = 0; i < NR_EVENTS(many); i++)
		strcpy(many[i].name, i + 1 == NR_EVENTS(many) ? "late" : "early");
	assert_int_equal(select_kernel_events("late", many, NR_EVENTS(many), &set, &failure), 0);
	assert_true(event_set_has(&set, NR_EVENTS(many) - 1));
	event_set_hex(&set, text);
	assert_int_equal(strlen(text), STRATA_GUEST_EVENTS_MAX / 4);
	assert_int_equal(text[0], '8');
	assert_int_equal(strspn(text + 1, "0"), STRATA_GUEST_EVENTS_MAX / 4 - 1);
	assert_int_equal(select_kernel_events("all", many, NR_EVENTS(many), &set, &failure), 0);
	assert_int_equal(strspn(event_set_hex(&set, text), "f"), STRATA_GUEST_EVENTS_MAX / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_is_named_with_or_without_events),
		cmocka_unit_test(a_kernel_without_a_domain_or_events_is_refused),
		cmocka_unit_test(a_probe_is_a_symbol_and_perhaps_an_offset),
		cmocka_unit_test(a_probe_of_a_program_is_a_path_and_a_place_in_it),
		cmocka_unit_test(functions_are_a_pattern_that_may_have_arguments),
		cmocka_unit_test(functions_name_their_events_by_the_pattern),
		cmocka_unit_test(a_probe_knows_its_events),
		cmocka_unit_test(a_probe_gives_its_event_a_name_that_is_an_identifier),
		cmocka_unit_test(a_probe_may_have_a_name_and_arguments),
		cmocka_unit_test(a_filter_is_a_list_of_numbers),
		cmocka_unit_test(a_domain_matches_by_name_number_or_pattern),
		cmocka_unit_test(patterns_of_a_kernel_choose_events_by_their_place),
		cmocka_unit_test(a_pattern_with_a_slash_is_of_group_and_name),
		cmocka_unit_test(the_default_is_what_the_kernel_has_of_a_small_set),
		cmocka_unit_test(a_pattern_that_names_no_event_is_refused),
		cmocka_unit_test(a_large_table_is_chosen_from_to_its_end),
	};

	return cmocka_run_group_tests_name("select_kernel", tests, NULL, NULL);
}
