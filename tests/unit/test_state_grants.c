// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_state_grants.c - mappings and copies of grants, and waits for locks, where the answer is
 * known by construction.
 */
#include "state/grants.h"
#include "state/locks.h"
#include "state_world.h"

#define SELF 0x7ff0u

static struct strata_grants grants_of(const struct world *world)
{
	return (struct strata_grants){ .spans = &world->spans };
}

static void map(struct strata_grants *grants, const struct strata_vcpu *by, uint32_t granter,
		uint32_t handle, uint64_t ns)
{
	const struct strata_xen_place place = { .vcpu = by };
	const struct strata_moment now = at(ns);

	strata_grants_map(grants, &place, granter, 500 + handle, handle, &now);
}

static void unmap(struct strata_grants *grants, const struct strata_vcpu *by, uint32_t handle,
		  uint64_t ns)
{
	const struct strata_xen_place place = { .vcpu = by };
	const struct strata_moment now = at(ns);

	strata_grants_unmap(grants, &place, handle, &now);
}

static void mappings_by_their_handles(void **state)
{
	struct world *world = begin();
	struct strata_grants grants = grants_of(world);
	struct strata_vcpu *dom0 = vcpu_of(world, 0, 0), *g1 = vcpu_of(world, 1, 0);
	const struct strata_span *span;

	(void)state;
	map(&grants, dom0, 1, 3, 100);
	/* Handles are of the domain that maps. */
	map(&grants, g1, SELF, 3, 110);
	unmap(&grants, dom0, 3, 150);
	span = expect_at(nth(world, STRATA_SPAN_GRANT, 0), 100, 150, 503);
	assert_ptr_equal(span->vcpu, dom0);
	assert_int_equal(span->domain, 1);
	unmap(&grants, g1, 3, 180);
	span = expect_at(nth(world, STRATA_SPAN_GRANT, 1), 110, 180, 503);
	assert_int_equal(span->domain, 1);
	unmap(&grants, g1, 3, 190);
	assert_int_equal(grants.without_map, 1);
	/* A loss may hide an end and another beginning. */
	map(&grants, dom0, 1, 4, 200);
	strata_grants_lose(&grants);
	unmap(&grants, dom0, 4, 210);
	assert_int_equal(grants.without_map, 2);
	assert_int_equal(count(world, STRATA_SPAN_GRANT), 2);
	strata_grants_clear(&grants);
	end(world);
}

static void copies_from_and_to_another_domain(void **state)
{
	static const uint32_t ends[][3] = {
		{ SELF, 2, 2 }, { 1, 2, 2 }, { 2, SELF, 2 }, { 2, 3, 2 }, { SELF, SELF, 1 },
	};
	struct world *world = begin();
	struct strata_grants grants = grants_of(world);
	const struct strata_xen_place place = { .vcpu = vcpu_of(world, 1, 0) };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const struct strata_moment now = at(100 + i);

		strata_grants_copy(&grants, &place, ends[i][0], ends[i][1], 4096, i == 3, &now);
		expect_at(nth(world, STRATA_SPAN_GRANT_COPY, i), 100 + i, 100 + i,
			  i == 3 ? 0 : 4096);
		assert_int_equal(nth(world, STRATA_SPAN_GRANT_COPY, i)->domain, ends[i][2]);
	}
	strata_grants_clear(&grants);
	end(world);
}

static void too_many_mappings_are_counted(void **state)
{
	struct world *world = begin();
	struct strata_grants grants = grants_of(world);
	struct strata_vcpu *dom0 = vcpu_of(world, 0, 0);
	uint32_t i;

	(void)state;
	for (i = 0; i < STRATA_GRANTS_MAX / 2 + 10; i++)
		map(&grants, dom0, 1, i, 100);
	assert_int_equal(grants.not_followed, 10);
	unmap(&grants, dom0, 5, 200);
	map(&grants, dom0, 1, i, 300);
	assert_int_equal(grants.not_followed, 10);
	strata_grants_clear(&grants);
	end(world);
}

static void lock(struct world *world, struct strata_task *task, uint64_t address, bool begins,
		 uint64_t ns)
{
	const struct strata_moment now = at(ns);

	if (begins)
		strata_locks_begin(&world->tasks, task, address, 1, &now);
	else
		strata_locks_end(&world->tasks, task, address, &now);
}

/* A task spins on vCPU 0 while vCPU 1, which may hold the lock, waits for a physical CPU. */
static void a_lock_whose_holder_may_be_preempted(void **state)
{
	struct world *world = begin();
	struct strata_moment now = at(0);
	struct strata_vcpu *v0 = vcpu_of(world, 1, 0);
	struct strata_vcpu *v1 = strata_vcpus_get(&world->vcpus, 0, 1, 1, &now);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *t = task_of(world, kernel, 70, 0), *idle = task_of(world, kernel, 0, 0);
	const struct strata_span *span;

	(void)state;
	change(world, v0, UNKNOWN, GUEST, 0, 0);
	change(world, v1, UNKNOWN, GUEST, 1, 0);
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	/* The kernel has another CPU. */
	strata_kernel_cpu(&world->tasks, kernel, 1, &now);
	lock(world, t, 0xa0, true, 100);
	change(world, v1, GUEST, RUNNABLE, 1, 110);
	/* An interrupt has to wait for another lock meanwhile. */
	lock(world, t, 0xb0, true, 120);
	lock(world, t, 0xb0, false, 130);
	change(world, v1, RUNNABLE, GUEST, 1, 150);
	lock(world, t, 0xa0, true, 160);
	lock(world, t, 0xa0, false, 190);
	lock(world, t, 0xa0, false, 195);
	assert_int_equal(count(world, STRATA_SPAN_LOCK), 2);
	span = expect_at(nth(world, STRATA_SPAN_LOCK, 0), 120, 130, 0xb0);
	assert_int_equal(span->others_waited_ns, 10);
	span = expect_at(nth(world, STRATA_SPAN_LOCK, 1), 100, 190, 0xa0);
	assert_int_equal(span->others_waited_ns, 40);
	assert_string_equal(span->name, "spinlock");
	assert_int_equal(part(span, T_RUNNING, GUEST), 90);
	/* A loss hides when a wait ended; the next one is its own. */
	lock(world, t, 0xa0, true, 200);
	lose_kernel(world, kernel, 210);
	lock(world, t, 0xa0, true, 220);
	lock(world, t, 0xa0, false, 230);
	expect_at(nth(world, STRATA_SPAN_LOCK, 2), 220, 230, 0xa0);
	end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_by_their_handles),
		cmocka_unit_test(copies_from_and_to_another_domain),
		cmocka_unit_test(too_many_mappings_are_counted),
		cmocka_unit_test(a_lock_whose_holder_may_be_preempted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
