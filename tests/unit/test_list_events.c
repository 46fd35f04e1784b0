// SPDX-License-Identifier: GPL-2.0-or-later
/* test_list_events.c - the list of a kernel's events, and what members of the group tracing see of
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "stratad/listing/list_events.h"

static const struct strata_event_desc table[] = {
	{ .id = 0, .name = "sched_switch", .group = "sched" },
	{ .id = 1, .name = "open", .group = "kprobe" },
	{ .id = 2, .name = "opened", .group = "kretprobe" },
	{ .id = 3, .name = "query", .group = "uprobe" },
	{ .id = 4, .name = "queried", .group = "uretprobe" },
	{ .id = 5, .name = "vfs_entry", .group = "function" },
	{ .id = 6, .name = "raw", .group = "tracepoint" },
	{ .id = 7, .name = "tick", .group = "kernel" },
};

/* The names of the listed events. */
static const char *listed(const struct list_choice *choice)
{
	struct json_object *object = json_object_new_object(), *events;
	static char names[256];
	struct event_listing listing;
	size_t i;

	names[0] = '\0';
	list_events_begin(&listing, choice, object);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		list_events_next(&listing, &table[i]);
	list_events_end(&listing);
	assert_true(json_object_object_get_ex(object, "events", &events));
	for (i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);

		strcat(names, i ? " " : "");
		strcat(names, json_object_get_string(json_object_object_get(event, "name")));
	}
	json_object_put(object);
	return names;
}

static void root_sees_all_events(void **state)
{
	const struct list_choice choice = { .events = true };

	(void)state;
	assert_string_equal(listed(&choice),
			    "sched_switch open opened query queried vfs_entry raw tick");
}

static void a_member_sees_no_probe_of_root(void **state)
{
	const struct list_choice choice = { .events = true, .for_member = true };

	(void)state;
	assert_string_equal(listed(&choice), "sched_switch tick");
}

static void nor_by_a_pattern(void **state)
{
	char all[] = "all", probes[] = "kprobe/*";
	char *patterns[] = { all, probes };
	const struct list_choice choice = {
		.events = true, .for_member = true, .patterns = patterns, .nr_patterns = 2
	};

	(void)state;
	assert_string_equal(listed(&choice), "sched_switch tick");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_sees_all_events),
		cmocka_unit_test(a_member_sees_no_probe_of_root),
		cmocka_unit_test(nor_by_a_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
