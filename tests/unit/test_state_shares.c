// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_state_shares.c - traces that fill the bounded tables of the state, or lose events without
 * end: those of others are followed nevertheless.
 */
#include "state/grants.h"
#include "state_world.h"

#define HOSTILE 1u /* domains, and traces */
#define HONEST  2u

/* Two kernels; the hostile one would take @room tasks and CPUs if it could. */
static void kernels_share_tasks_and_cpus(void **state)
{
	struct world *world = begin();
	struct strata_kernel *hostile = strata_tasks_kernel(&world->tasks, HOSTILE, 0, HOSTILE);
	struct strata_kernel *honest = strata_tasks_kernel(&world->tasks, HONEST, 0, HONEST);
	const struct strata_moment now = at(10);
	uint32_t i;

	(void)state;
	/* Others have most already. */
	world->tasks.nr_tasks = STRATA_TASKS_MAX - 100;
	world->tasks.nr_cpus = STRATA_CPUS_MAX - 100;
	for (i = 0; i < 100; i++) {
		strata_tasks_get(&world->tasks, hostile, i + 1, 0, &now);
		strata_kernel_cpu(&world->tasks, hostile, i, &now);
	}
	assert_int_equal(hostile->nr_tasks, 50);
	assert_int_equal(hostile->nr_known_cpus, 50);
	for (i = 0; i < 100; i++) {
		strata_tasks_get(&world->tasks, honest, i + 1, 0, &now);
		strata_kernel_cpu(&world->tasks, honest, i, &now);
	}
	assert_int_equal(honest->nr_tasks, 25);
	assert_int_equal(honest->nr_known_cpus, 25);
	assert_int_equal(world->tasks.not_followed, 2 * (50 + 75));
	end(world);
}

/* A kernel names tasks and CPUs as it likes, and many of them. */
static void one_kernel_gets_half(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, 1);
	const struct strata_moment now = at(10);
	uint32_t i;

	(void)state;
	for (i = 0; i < STRATA_CPUS_MAX; i++)
		strata_kernel_cpu(&world->tasks, kernel, i, &now);
	assert_int_equal(kernel->nr_known_cpus, STRATA_CPUS_MAX / 2);
	end(world);
}

static void requests_of_one_leave_room_for_others(void **state)
{
	struct world *world = begin();
	const struct strata_moment begun = at(100), ended = at(200);
	uint64_t i;

	(void)state;
	for (i = 0; i < STRATA_REQUESTS_MAX; i++)
		strata_requests_begin(&world->requests, &world->tasks, NULL, HOSTILE, "flood", i,
				      &begun);
	strata_requests_begin(&world->requests, &world->tasks, NULL, HONEST, "serve", 7, &begun);
	strata_requests_end(&world->requests, &world->tasks, NULL, HONEST, "serve", 7, &ended);
	assert_int_equal(count(world, STRATA_SPAN_REQUEST), 1);
	/* What is lost is room for others. */
	strata_requests_lose(&world->requests, HOSTILE);
	assert_int_equal(world->requests.shares.nr, 0);
	end(world);
}

static void make_pending(struct world *world, struct strata_vcpu *to, uint32_t port, uint64_t ns)
{
	const struct strata_xen_place place = { .pcpu = 0 };
	const struct strata_moment now = at(ns);

	strata_evtchns_pending(&world->evtchns, &place, to, port, &now);
}

static void take_upcall(struct world *world, struct strata_kernel *kernel, uint32_t port,
			uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_evtchns_upcall(&world->evtchns, kernel, 0, port, 40, &now);
}

static void ports_of_one_leave_room_for_others(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *hostile = vcpu_of(world, HOSTILE, 0),
			   *honest = vcpu_of(world, HONEST, 0);
	struct strata_kernel *kernel = kernel_of(world, HONEST);
	uint32_t i;

	(void)state;
	/* Links are told of all, and would be too many to keep. */
	world->listener.link = NULL;
	world->spans = strata_spans_of(world->listeners, 1);
	for (i = 0; i < STRATA_PORTS_MAX; i++)
		make_pending(world, hostile, i, 100);
	make_pending(world, honest, 9, 110);
	take_upcall(world, kernel, 9, 150);
	expect_at(nth(world, STRATA_SPAN_EVTCHN, 0), 110, 150, 9);
	end(world);
}

static void a_kernels_losses_leave_ports_of_others_pending(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *hostile = vcpu_of(world, HOSTILE, 0),
			   *honest = vcpu_of(world, HONEST, 0);
	struct strata_kernel *kernels[] = {
		strata_tasks_kernel(&world->tasks, 1, 0, HOSTILE),
		strata_tasks_kernel(&world->tasks, 2, 0, HONEST),
	};

	(void)state;
	make_pending(world, hostile, 9, 100);
	make_pending(world, honest, 9, 110);
	strata_evtchns_lose_domain(&world->evtchns, 0, HOSTILE);
	/* Another machine's, and one of which nothing is known. */
	strata_evtchns_lose_domain(&world->evtchns, 1, HONEST);
	strata_evtchns_lose_domain(&world->evtchns, 0, 3);
	take_upcall(world, kernels[0], 9, 150);
	take_upcall(world, kernels[1], 9, 160);
	assert_int_equal(count(world, STRATA_SPAN_EVTCHN), 1);
	expect_at(nth(world, STRATA_SPAN_EVTCHN, 0), 110, 160, 9);
	make_pending(world, hostile, 9, 200);
	make_pending(world, honest, 9, 210);
	strata_evtchns_lose(&world->evtchns);
	take_upcall(world, kernels[0], 9, 250);
	take_upcall(world, kernels[1], 9, 260);
	assert_int_equal(count(world, STRATA_SPAN_EVTCHN), 1);
	end(world);
}

static void map(struct strata_grants *grants, const struct strata_vcpu *by, uint32_t handle,
		uint64_t ns)
{
	const struct strata_xen_place place = { .vcpu = by };
	const struct strata_moment now = at(ns);

	strata_grants_map(grants, &place, 0, 500 + handle, handle, &now);
}

static void unmap(struct strata_grants *grants, const struct strata_vcpu *by, uint32_t handle,
		  uint64_t ns)
{
	const struct strata_xen_place place = { .vcpu = by };
	const struct strata_moment now = at(ns);

	strata_grants_unmap(grants, &place, handle, &now);
}

static void mappings_of_one_leave_room_for_others(void **state)
{
	struct world *world = begin();
	struct strata_grants grants = { .spans = &world->spans };
	struct strata_vcpu *hostile = vcpu_of(world, HOSTILE, 0),
			   *honest = vcpu_of(world, HONEST, 0);
	uint32_t i;

	(void)state;
	for (i = 0; i < STRATA_GRANTS_MAX; i++)
		map(&grants, hostile, i, 100);
	map(&grants, honest, 5, 110);
	unmap(&grants, honest, 5, 150);
	assert_int_equal(count(world, STRATA_SPAN_GRANT), 1);
	/* Each mapping that ends is room for another. */
	for (i = 0; i < 10; i++) {
		unmap(&grants, hostile, 5, 200 + 20 * i);
		map(&grants, hostile, 5, 210 + 20 * i);
	}
	assert_int_equal(count(world, STRATA_SPAN_GRANT), 11);
	strata_grants_clear(&grants);
	end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_share_tasks_and_cpus),
		cmocka_unit_test(one_kernel_gets_half),
		cmocka_unit_test(requests_of_one_leave_room_for_others),
		cmocka_unit_test(ports_of_one_leave_room_for_others),
		cmocka_unit_test(a_kernels_losses_leave_ports_of_others_pending),
		cmocka_unit_test(mappings_of_one_leave_room_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
