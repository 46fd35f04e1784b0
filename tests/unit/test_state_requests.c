// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_state_requests.c - requests of applications whose answer is known by construction, and
 * anything in any order.
 */
#include "state_world.h"

#include "base/value_hash.h"

/* A kernel with an idle task and two others. */
struct two_tasks {
	struct world *world;
	struct strata_kernel *kernel;
	struct strata_task *idle, *t, *s;
};

static struct two_tasks begin_two(void)
{
	struct two_tasks of = { .world = begin() };

	of.kernel = kernel_of(of.world, STRATA_NO_DOMAIN);
	of.idle = task_of(of.world, of.kernel, 0, 0);
	of.t = task_of(of.world, of.kernel, 70, 0);
	of.s = task_of(of.world, of.kernel, 71, 0);
	return of;
}

static void requests_by_their_keys(void **state)
{
	const struct two_tasks of = begin_two();
	const struct strata_span *span;

	(void)state;
	switch_to(of.world, of.idle, T_RUNNABLE, of.t, 0, 10);
	request(of.world, true, of.t, 1, 100);
	request(of.world, true, of.t, 2, 110);
	switch_to(of.world, of.t, T_BLOCKED, of.s, 0, 120);
	wake(of.world, of.t, 0, 150);
	switch_to(of.world, of.s, T_BLOCKED, of.t, 0, 160);
	request(of.world, false, of.t, 1, 170);
	request(of.world, false, of.s, 2, 180);
	/* An end without a beginning, and a beginning anew. */
	request(of.world, false, of.t, 1, 190);
	request(of.world, true, of.t, 3, 200);
	request(of.world, true, of.t, 3, 210);
	request(of.world, false, of.t, 3, 215);
	assert_int_equal(count(of.world, STRATA_SPAN_REQUEST), 3);
	span = expect_at(nth(of.world, STRATA_SPAN_REQUEST, 0), 100, 170, 1);
	assert_int_equal(part(span, T_RUNNING, GUEST), 20 + 10);
	assert_int_equal(part(span, T_BLOCKED, GUEST), 30);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 10);
	assert_int_equal(span->name_bytes, 5);
	assert_memory_equal(span->name, "serve", 5);
	/* Begun by one task and ended by another: neither's times divide it. */
	span = expect_at(nth(of.world, STRATA_SPAN_REQUEST, 1), 110, 180, 2);
	assert_null(span->split);
	expect_at(nth(of.world, STRATA_SPAN_REQUEST, 2), 210, 215, 3);
	assert_int_equal(of.world->requests.without_begin, 1);
	assert_int_equal(of.world->requests.without_end, 1);
	end(of.world);
}

static void requests_of_nobody(void **state)
{
	struct world *world = begin();

	(void)state;
	request(world, true, NULL, 1, 100);
	request(world, false, NULL, 1, 150);
	assert_null(expect_at(nth(world, STRATA_SPAN_REQUEST, 0), 100, 150, 1)->split);
	end(world);
}

/* Around a loss of the kernel's events: what the task did before it is unknown, and no more. */
static void a_request_around_a_loss_of_the_kernel(void **state)
{
	const struct two_tasks of = begin_two();
	const struct strata_span *span;

	(void)state;
	switch_to(of.world, of.t, T_BLOCKED, of.s, 0, 10);
	/* By the kernel's events it sleeps; by the application's it works. */
	request(of.world, true, of.t, 1, 100);
	switch_to(of.world, of.s, T_RUNNABLE, of.idle, 0, 120);
	lose_kernel(of.world, of.kernel, 150);
	wake(of.world, of.t, 0, 160);
	switch_to(of.world, of.idle, T_RUNNABLE, of.t, 0, 170);
	request(of.world, false, of.t, 1, 200);
	span = expect_at(nth(of.world, STRATA_SPAN_REQUEST, 0), 100, 200, 1);
	assert_int_equal(part(span, T_UNKNOWN, GUEST), 60);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 10);
	assert_int_equal(part(span, T_RUNNING, GUEST), 30);
	end(of.world);
}

/* What was known before and after a switch that is missing stays in the parts of requests, also of
 * one that began in the time that is unknown now. */
static void requests_around_a_switch_that_is_missing(void **state)
{
	const struct two_tasks of = begin_two();
	const struct strata_span *span;

	(void)state;
	switch_to(of.world, of.idle, T_RUNNABLE, of.t, 0, 10);
	request(of.world, true, of.t, 1, 20);
	request(of.world, true, of.t, 2, 25);
	switch_to(of.world, of.t, T_BLOCKED, of.s, 0, 30);
	wake(of.world, of.t, 0, 50);
	switch_to(of.world, of.s, T_BLOCKED, of.t, 0, 60);
	request(of.world, true, of.t, 3, 70);
	/* From t to s is missing. */
	switch_to(of.world, of.s, T_BLOCKED, of.t, 0, 100);
	request(of.world, false, of.t, 3, 110);
	request(of.world, false, of.t, 1, 120);
	request(of.world, false, of.t, 2, 130);
	span = expect_at(nth(of.world, STRATA_SPAN_REQUEST, 0), 70, 110, 3);
	assert_int_equal(part(span, T_UNKNOWN, GUEST), 30);
	assert_int_equal(part(span, T_RUNNING, GUEST), 10);
	span = expect_at(nth(of.world, STRATA_SPAN_REQUEST, 1), 20, 120, 1);
	assert_int_equal(part(span, T_RUNNING, GUEST), 10 + 20);
	assert_int_equal(part(span, T_BLOCKED, GUEST), 20);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 10);
	assert_int_equal(part(span, T_UNKNOWN, GUEST), 40);
	expect_at(nth(of.world, STRATA_SPAN_REQUEST, 2), 25, 130, 2);
	end(of.world);
}

static void a_loss_forgets_requests_of_its_trace(void **state)
{
	struct world *world = begin();
	const struct strata_moment now = at(100);
	uint64_t i;

	(void)state;
	for (i = 0; i < 500; i++)
		strata_requests_begin(&world->requests, &world->tasks, NULL, i % 2, "serve", i,
				      &now);
	strata_requests_lose(&world->requests, 0);
	for (i = 0; i < 500; i++)
		strata_requests_end(&world->requests, &world->tasks, NULL, i % 2, "serve", i, &now);
	assert_int_equal(count(world, STRATA_SPAN_REQUEST), 250);
	assert_int_equal(world->requests.without_end, 250);
	assert_int_equal(world->requests.without_begin, 250);
	end(world);
}

static void too_many_requests_are_counted(void **state)
{
	struct world *world = begin();
	uint64_t i;

	(void)state;
	for (i = 0; i < STRATA_REQUESTS_MAX / 2 + 10; i++)
		request(world, true, NULL, i, 100);
	assert_int_equal(world->requests.not_followed, 10);
	request(world, false, NULL, 5, 200);
	request(world, true, NULL, STRATA_REQUESTS_MAX + 20, 300);
	assert_int_equal(world->requests.not_followed, 10);
	end(world);
}

static void open_many(struct world *world, size_t trace, uint64_t nr)
{
	const struct strata_moment now = at(100);
	uint64_t i;

	for (i = 0; i < nr; i++)
		strata_requests_begin(&world->requests, &world->tasks, NULL, trace, "serve", i,
				      &now);
}

/* A user leaves as many requests open as can be, in two programs. */
static void one_user_does_not_keep_others_from_being_followed(void **state)
{
	const struct strata_moment now = at(200);
	struct world *world = begin();
	uint64_t i;

	(void)state;
	world->requests.holders.of[1] = 0;
	open_many(world, 0, STRATA_REQUESTS_MAX / 4);
	open_many(world, 1, STRATA_REQUESTS_MAX);
	assert_int_equal(world->requests.shares.nr, STRATA_REQUESTS_MAX / 2);
	open_many(world, 2, 100);
	assert_int_equal(world->requests.shares.nr, STRATA_REQUESTS_MAX / 2 + 100);
	for (i = 0; i < 100; i++)
		strata_requests_end(&world->requests, &world->tasks, NULL, 2, "serve", i, &now);
	assert_int_equal(count(world, STRATA_SPAN_REQUEST), 100);
	/* What one program had is free for the other. */
	strata_requests_lose(&world->requests, 0);
	open_many(world, 1, STRATA_REQUESTS_MAX / 2);
	assert_int_equal(world->requests.shares.nr, STRATA_REQUESTS_MAX / 2);
	end(world);
}

/* The ids of a table that anybody could compute: of two requests with the same one, the second was
 * not followed. */
static uint64_t public_id(uint64_t trace, uint64_t key)
{
	return strata_hash_number(strata_hash_number(0, trace), key);
}

/* The writer of one trace chooses its keys, but cannot keep requests of another trace from being
 * followed. */
static void keys_chosen_to_collide(void **state)
{
	struct world *world = begin();
	const struct strata_moment begun = at(100), ended = at(200);
	const uint64_t victim = 42;
	/* Trace 1's hash differs by the factor, before the key is added. */
	const uint64_t key = victim - STRATA_HASH_FACTOR;

	(void)state;
	assert_true(public_id(0, victim) == public_id(1, key));
	strata_requests_begin(&world->requests, &world->tasks, NULL, 1, "serve", key, &begun);
	strata_requests_begin(&world->requests, &world->tasks, NULL, 0, "serve", victim, &begun);
	strata_requests_end(&world->requests, &world->tasks, NULL, 0, "serve", victim, &ended);
	assert_int_equal(world->requests.not_followed, 0);
	assert_int_equal(count(world, STRATA_SPAN_REQUEST), 1);
	end(world);
}

/* Whatever happens, parts sum to the length (record() checks it), and states follow each other. */
static void anything_in_any_order(void **state)
{
	uint64_t seed = 1, ns, round, i;

	(void)state;
	for (round = 0; round < 300; round++) {
		struct world *world = begin();
		struct strata_kernel *kernel = kernel_of(world, 1);

		for (i = 0, ns = 0; i < 400; i++) {
			struct strata_vcpu *v;
			struct strata_task *t, *s;
			struct strata_moment now;
			uint32_t cpu;

			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			/* The clock may stand still, but does not go back. */
			ns += seed % 4 * (seed >> 8) % 64;
			now = at(ns);
			cpu = (uint32_t)(seed >> 50) % 2;
			v = strata_vcpus_get(&world->vcpus, 0, (uint32_t)(seed >> 16) % 2 + 1, cpu,
					     &now);
			t = strata_tasks_get(&world->tasks, kernel, (uint32_t)(seed >> 20) % 4, cpu,
					     &now);
			s = strata_tasks_get(&world->tasks, kernel, (uint32_t)(seed >> 24) % 4, cpu,
					     &now);
			switch (seed >> 32 & 15) {
			case 0:
			case 1:
			case 2:
				change(world, v, (enum strata_vcpu_state)(seed >> 36) % 6,
				       (enum strata_vcpu_state)((seed >> 40) % 6),
				       (uint32_t)(seed >> 44) % 2, ns);
				break;
			case 3:
				seen(world, v, (uint32_t)(seed >> 44) % 2, ns);
				vm_exit(world, v, seed >> 48 & 3, ns);
				break;
			case 4:
				vm_entry(world, v, ns);
				break;
			case 5:
				hypercall(world, v, seed >> 48 & 3, ns);
				break;
			case 6:
				returns(world, v, seed >> 48 & 3, ns);
				break;
			case 7:
				if (seed >> 44 & 1)
					lose(world, (uint32_t)(seed >> 45) % 2, ns);
				break;
			case 8:
				/* Some end by it. */
				if (s != t && seed >> 44 & 1)
					strata_tasks_switch(&world->tasks, s, T_BLOCKED,
							    seed >> 45 & 0x21, t, cpu, &now);
				break;
			case 9:
				if (s != t)
					switch_to(world, s, seed >> 44 & 1 ? T_BLOCKED : T_RUNNABLE,
						  t, cpu, ns);
				break;
			case 10:
				wake(world, t, cpu, ns);
				break;
			case 11:
				migrate(world, t, cpu, ns);
				break;
			case 12:
				strata_tasks_syscall(&world->tasks, t, seed >> 48, NULL, &now);
				break;
			case 13:
				strata_tasks_syscall_end(&world->tasks, t, &now);
				break;
			case 14:
				request(world, seed >> 44 & 1, t, seed >> 46 & 3, ns);
				break;
			case 15:
				if ((seed >> 44 & 7) == 0)
					lose_kernel(world, kernel, ns);
				else if (seed >> 47 & 1)
					irq(world, kernel, seed >> 48 & 3, ns);
				else
					irq_end(world, kernel, seed >> 48 & 3, ns);
				break;
			}
		}
		finish(world, ns + 10);
		end(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_by_their_keys),
		cmocka_unit_test(requests_of_nobody),
		cmocka_unit_test(a_request_around_a_loss_of_the_kernel),
		cmocka_unit_test(requests_around_a_switch_that_is_missing),
		cmocka_unit_test(a_loss_forgets_requests_of_its_trace),
		cmocka_unit_test(too_many_requests_are_counted),
		cmocka_unit_test(one_user_does_not_keep_others_from_being_followed),
		cmocka_unit_test(keys_chosen_to_collide),
		cmocka_unit_test(anything_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
