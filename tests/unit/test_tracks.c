// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_tracks.c - tracks and slices of a simulated host: spans that are told to the model, and what
 * its sink must get of them.
 */
#include "tracks_world.h"

/* g2 holds the physical CPU that g1 waits for. */
static void a_vcpu_waits_behind_another(void **state)
{
	struct world *world = begin(0, UINT64_MAX, NULL);
	const struct strata_vcpu *g1 = &world->vcpus[1], *g2 = &world->vcpus[2];
	const struct strata_track *group;

	(void)state;
	world->pcpu.number = 3;
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_PCPU,
						 .from_ns = 1000,
						 .to_ns = 5000,
						 .pcpu = &world->pcpu,
						 .vcpu = g2,
						 .trace = XEN });
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_BEHIND,
						 .from_ns = 2000,
						 .to_ns = 5000,
						 .bound_ns = 4,
						 .pcpu = &world->pcpu,
						 .vcpu = g1,
						 .other = g2,
						 .trace = XEN });
	tell_vcpu(world, 1, STRATA_VCPU_RUNNABLE, 2000, 5000);
	tell_vcpu(world, 1, STRATA_VCPU_GUEST, 5000, 6000);
	tell_vcpu(world, 1, STRATA_VCPU_RUNNABLE, 6000, 6500);
	assert_int_equal(world->nr_slices, 4);
	expect(world, 0, "pCPU 3", "g2/0", 1000, 5000, "");
	assert_int_equal(hue_of(world, 0), STRATA_HUE_DOMAIN);
	expect(world, 1, "vCPU 0", "waiting", 2000, 5000, "behind=g2/0 3.000 us");
	assert_int_equal(hue_of(world, 1), STRATA_HUE_WAITING);
	expect(world, 2, "vCPU 0", "running", 5000, 6000, "");
	/* What was told of an earlier wait is not said of this one. */
	expect(world, 3, "vCPU 0", "waiting", 6000, 6500, "");
	group = world->tracks->all[track_of(world, &world->slices[1])->parent];
	assert_string_equal(group->name, "g1");
	assert_string_equal(group->detail, "domain 1");
	assert_int_equal(world->nr_arrows, 1);
	assert_int_equal(world->arrows[0].kind, STRATA_ARROW_HELD);
	assert_int_equal(world->arrows[0].to_track, world->slices[1].slice.track);
	assert_string_equal(world->tracks->all[world->arrows[0].from_track]->domain, "g2");
	assert_int_equal(world->arrows[0].to_ns - world->arrows[0].from_ns, 3000);
	end(world);
}

/* As many tracks as there are requests at once, and no more. */
static void requests_at_once_are_side_by_side(void **state)
{
	struct world *world = begin(0, UINT64_MAX, NULL);
	size_t i;

	(void)state;
	tell_request(world, 1, 10, 20);
	tell_request(world, 2, 12, 30);
	tell_request(world, 3, 25, 40);
	tell_request(world, 4, 5, 50);
	tell_request(world, 5, 30, 60);
	tell_request(world, 6, 50, 70);
	assert_int_equal(world->nr_slices, 6);
	for (i = 0; i < 6; i++) {
		const struct strata_track *track = track_of(world, &world->slices[i]);

		assert_string_equal(track->name, "server:ask");
		assert_string_equal(track->process, "app-server");
		assert_true(track->place < 3);
		assert_string_equal(track->detail, track->place ? "also" : "");
		assert_int_equal(hue_of(world, i), STRATA_HUE_REQUEST);
	}
	/* dom0, its program, and three. */
	assert_int_equal(world->nr_tracks, 5);
	expect(world, 3, "server:ask", "server:ask", 5, 50, "key=4");
	end(world);
}

static void slices_are_cut_to_the_time_that_is_shown(void **state)
{
	struct world *world = begin(1000, 2000, NULL);

	(void)state;
	tell_task(world, 0, STRATA_TASK_BLOCKED, 100, 1000);
	tell_task(world, 0, STRATA_TASK_RUNNING, 1000, 1100);
	tell_task(world, 1, STRATA_TASK_BLOCKED, 500, 1500);
	tell_task(world, 1, STRATA_TASK_RUNNING, 1500, 2500);
	tell_task(world, 0, STRATA_TASK_BLOCKED, 2000, 3000);
	assert_int_equal(world->nr_slices, 3);
	expect(world, 0, "task0-100", "running", 1000, 1100, "");
	expect(world, 1, "task1-101", "blocked", 1000, 1500, "whole=1.000 us");
	expect(world, 2, "task1-101", "running", 1500, 2000, "whole=1.000 us");
	end(world);
}

static void only_the_domains_that_are_wanted(void **state)
{
	static const char *const wanted[] = { "g*" };
	struct world *world = begin(0, UINT64_MAX, wanted);

	(void)state;
	tell_task(world, 0, STRATA_TASK_RUNNING, 0, 10);
	tell_task(world, 2, STRATA_TASK_RUNNING, 0, 20);
	tell_vcpu(world, 0, STRATA_VCPU_GUEST, 0, 20);
	tell_vcpu(world, 2, STRATA_VCPU_GUEST, 0, 20);
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_PCPU,
						 .to_ns = 30,
						 .pcpu = &world->pcpu,
						 .vcpu = &world->vcpus[0],
						 .trace = XEN });
	assert_int_equal(world->nr_slices, 3);
	expect(world, 0, "task2-102", "running", 0, 20, "");
	expect(world, 1, "vCPU 0", "running", 0, 20, "");
	expect(world, 2, "pCPU 0", "dom0/0", 0, 30, "");
	assert_int_equal(world->tracks->facts.of_others, 2);
	end(world);
}

/* Of a domain what users ask for comes first, and the busiest task before the others. */
static void tracks_are_drawn_in_order(void **state)
{
	static const char *const names[] = { "Physical CPUs", "pCPU 0",     "dom0",
					     "app-server",    "server:ask", "vCPU 0",
					     "task1-101",     "task0-100",  "g1",
					     "task2-102" };
	struct world *world = begin(0, UINT64_MAX, NULL);
	struct strata_error error;
	uint32_t *order;
	size_t i;

	(void)state;
	tell_task(world, 2, STRATA_TASK_RUNNING, 0, 10);
	tell_task(world, 0, STRATA_TASK_BLOCKED, 0, 1000);
	tell_task(world, 0, STRATA_TASK_RUNNING, 1000, 1010);
	tell_task(world, 1, STRATA_TASK_RUNNING, 0, 900);
	tell_vcpu(world, 0, STRATA_VCPU_GUEST, 0, 20);
	tell_request(world, 1, 0, 10);
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_PCPU,
						 .to_ns = 30,
						 .pcpu = &world->pcpu,
						 .vcpu = &world->vcpus[0],
						 .trace = XEN });
	assert_int_equal(strata_tracks_finish(world->tracks, &order, &error), 0);
	assert_int_equal(world->tracks->nr, sizeof(names) / sizeof(names[0]));
	for (i = 0; i < world->tracks->nr; i++)
		assert_string_equal(world->tracks->all[order[i]]->name, names[i]);
	free(order);
	end(world);
}

static void names_are_safe_and_of_a_bounded_number(void **state)
{
	static const char evil[] = "</script>\x1b[31m\xe2\x80\xae";
	struct world *world = begin(0, UINT64_MAX, NULL);
	struct strata_span span = { .kind = STRATA_SPAN_IRQ,
				    .to_ns = 1,
				    .trace = DOM0,
				    .name = evil,
				    .name_bytes = sizeof(evil) - 1 };
	char name[32];
	uint64_t i;

	(void)state;
	tell(world, &span);
	expect(world, 0, "CPU 0 interrupts", "irq 0 </script>\\x1b[31m\\xe2\\x80\\xae", 0, 1, "");
	for (i = 1; i < STRATA_NAMES_MAX + 100; i++) {
		span.from_ns = span.to_ns = i;
		span.number = i;
		span.name = name;
		span.name_bytes = (size_t)snprintf(name, sizeof(name), "n%zu", (size_t)i);
		tell(world, &span);
	}
	assert_true(world->tracks->names.nr <= STRATA_NAMES_MAX / 2 + 10);
	assert_string_equal(world->tracks->names.texts[STRATA_NAME_OTHER], "(other)");
	assert_int_equal(world->tracks->facts.slices, STRATA_NAMES_MAX + 100);
	/* States, and what others do, have names nevertheless. */
	span.trace = G1;
	tell(world, &span);
	assert_int_equal(world->tracks->names.by_text.nr, world->tracks->names.nr);
	assert_string_equal(world->tracks->names.texts[world->tracks->names.nr - 1],
			    "irq 65635 n65635");
	tell_task(world, 2, STRATA_TASK_RUNNABLE, i, i + 1);
	assert_string_equal(world->tracks->names.texts[world->tracks->names.nr - 1], "waiting");
	end(world);
}

static void more_tracks_than_are_shown_are_counted(void **state)
{
	struct world *world = begin(0, UINT64_MAX, NULL);
	uint32_t i;

	(void)state;
	for (i = 0; i < STRATA_TRACKS_MAX / 2 + 10; i++) {
		world->tasks[0].tid = i + 1;
		tell_task(world, 0, STRATA_TASK_BLOCKED, i, i + 1);
	}
	/* One is the domain. */
	assert_int_equal(world->nr_tracks, STRATA_TRACKS_MAX / 2);
	assert_int_equal(world->tracks->facts.slices, STRATA_TRACKS_MAX / 2 - 1);
	assert_int_equal(world->tracks->facts.not_shown, 11);
	/* Another domain is shown nevertheless. */
	tell_task(world, 2, STRATA_TASK_BLOCKED, i, i + 1);
	assert_int_equal(world->tracks->facts.slices, STRATA_TRACKS_MAX / 2);
	end(world);
}

static void idle_vcpus_and_tasks_have_no_tracks(void **state)
{
	struct world *world = begin(0, UINT64_MAX, NULL);

	(void)state;
	world->vcpus[0].domain = STRATA_DOMID_IDLE;
	world->tasks[0].tid = 0;
	tell_vcpu(world, 0, STRATA_VCPU_GUEST, 0, 10);
	tell_task(world, 0, STRATA_TASK_RUNNING, 0, 10);
	assert_int_equal(world->nr_slices, 0);
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_PCPU,
						 .to_ns = 30,
						 .pcpu = &world->pcpu,
						 .vcpu = &world->vcpus[0],
						 .trace = XEN });
	expect(world, 0, "pCPU 0", "idle", 0, 30, "");
	assert_int_equal(hue_of(world, 0), STRATA_HUE_IDLE);
	end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_vcpu_waits_behind_another),
		cmocka_unit_test(requests_at_once_are_side_by_side),
		cmocka_unit_test(slices_are_cut_to_the_time_that_is_shown),
		cmocka_unit_test(only_the_domains_that_are_wanted),
		cmocka_unit_test(tracks_are_drawn_in_order),
		cmocka_unit_test(names_are_safe_and_of_a_bounded_number),
		cmocka_unit_test(more_tracks_than_are_shown_are_counted),
		cmocka_unit_test(idle_vcpus_and_tasks_have_no_tracks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
