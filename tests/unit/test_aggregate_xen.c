// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregate_xen.c - the operations on a channel of the hypervisor that counts: its tables are
 * made in steps, read while it counts, and freed with all that an error has left half made.
 */
#include "control_xen.h"

#define ROW_BITS 3u
#define ROWS     (1u << ROW_BITS)

static struct strata_hv_op aggregate_op(uint8_t kind, uint8_t row_bits)
{
	struct strata_hv_op op = op_on(ANOTHER, STRATA_HV_AGGREGATE);

	op.u.aggregate.spec = (struct strata_aggregate_spec){ .version = STRATA_AGGREGATE_VERSION,
							      .kind = kind,
							      .by_owner = 1,
							      .row_bits = row_bits };
	if (kind == STRATA_AGGREGATE_TIME) {
		op.u.aggregate.spec.begin = (struct strata_aggregate_event){ ONE(VM_EXIT) };
		op.u.aggregate.spec.end = (struct strata_aggregate_event){ ONE(VCPU_WAKE) };
	}
	memcpy(op.u.aggregate.owner, "counter", 8);
	return op;
}

static unsigned int make(uint8_t kind, uint8_t row_bits)
{
	struct strata_hv_op op = aggregate_op(kind, row_bits);
	unsigned int gave_way;

	assert_int_equal(run(&op, &gave_way), 0);
	return gave_way;
}

static void count(unsigned int cpu, struct vcpu *v, uint32_t id, uint64_t ticks)
{
	shim_cpu = cpu;
	shim_current = v;
	strata_without_ring(ANOTHER, id, ticks);
}

static uint64_t buffer[512 * (1 + STRATA_AGGREGATE_TIME_WORDS)];

static struct strata_hv_op read_op(uint32_t first, uint32_t room)
{
	struct strata_hv_op op = op_on(ANOTHER, STRATA_HV_READ);

	op.u.read.buffer = (uint64_t)(uintptr_t)buffer;
	op.u.read.first = first;
	op.u.read.room = room;
	return op;
}

/* The count of an event of a domain, as read; -1: no row. */
static long count_read(uint32_t event, uint32_t domain)
{
	struct strata_hv_op op = read_op(0, ROWS);

	assert_int_equal(call(&op), 0);
	assert_int_equal(op.u.read.next, ROWS);
	for (uint32_t i = 0; i < op.u.read.nr; i++)
		if (buffer[2 * i] == strata_aggregate_key(event, domain))
			return (long)buffer[2 * i + 1];
	return -1;
}

static void tables_are_made_in_steps_for_each_cpu(void **state)
{
	struct strata_hv_op query = op_on(ANOTHER, STRATA_HV_QUERY);

	(void)state;
	assert_true(make(STRATA_AGGREGATE_COUNT, ROW_BITS) >= SHIM_CPUS);
	assert_int_equal(call(&query), 0);
	assert_int_equal(query.u.query.state, STRATA_HV_STOPPED);
	assert_int_equal(query.u.query.flags, STRATA_HV_AGGREGATES);
	assert_int_equal(query.u.query.nr_rings, 0);
	assert_int_equal(query.u.query.subbuf_bits, 0);
	assert_string_equal(query.u.query.owner, "counter");
}

static void events_of_all_cpus_add_up(void **state)
{
	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	count(0, &all_vcpus[1][0], VM_EXIT, 1);
	count(1, &all_vcpus[1][0], VM_EXIT | 3u << STRATA_HV_ID_WORDS_SHIFT, 2);
	count(3, &all_vcpus[1][1], VM_EXIT, 3);
	count(1, &all_vcpus[2][0], VM_EXIT, 4);
	count(1, &all_vcpus[2][0], VCPU_WAKE, 5);
	/* Records of the hypervisor's own tell nothing that is counted. */
	count(1, &all_vcpus[2][0], (uint32_t)STRATA_HV_PCPU_CLOCK, 6);
	assert_int_equal(count_read(VM_EXIT, 5), 3);
	assert_int_equal(count_read(VM_EXIT, 9), 1);
	assert_int_equal(count_read(VCPU_WAKE, 9), 1);
	assert_int_equal(count_read(VCPU_WAKE, 5), -1);
}

static void a_read_takes_as_much_as_there_is_room(void **state)
{
	struct strata_hv_op op;
	uint32_t seen_rows = 0, next = 0, calls = 0;

	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	for (uint32_t i = 1; i <= ROWS; i++)
		count(0, &all_vcpus[1][0], i, 1);
	while (next < ROWS) {
		op = read_op(next, 3);
		assert_int_equal(call(&op), 0);
		assert_in_range(op.u.read.nr, 1, 3);
		seen_rows += op.u.read.nr;
		next = op.u.read.next;
		calls++;
	}
	assert_int_equal(seen_rows, ROWS);
	assert_int_equal(calls, 3);
	op = read_op(ROWS, 3);
	assert_int_equal(call(&op), -EINVAL);
	op = read_op(0, 3);
	op.u.read.buffer = 0;
	assert_int_equal(call(&op), -EFAULT);
	/* A row more than there are. */
	count(2, &all_vcpus[1][0], ROWS + 1, 1);
	op = read_op(0, 3);
	assert_int_equal(call(&op), 0);
	assert_int_equal(op.u.read.others[STRATA_AGGREGATE_NO_ROW], 1);
}

static void a_long_read_answers_early(void **state)
{
	struct strata_hv_op op;

	(void)state;
	make(STRATA_AGGREGATE_TIME, 8);
	for (unsigned int i = 0; i < 256; i++) {
		guest.domain_id = (uint16_t)(i + 1);
		count(0, &all_vcpus[1][0], VM_EXIT, 10);
		count(0, &all_vcpus[1][0], VCPU_WAKE, 20);
	}
	op = read_op(0, 512);
	assert_int_equal(call(&op), 0);
	/* SHIM_CPUS tables of 256 rows of 67 words are more than WORDS_PER_READ. */
	assert_in_range(op.u.read.next, 30, 128);
	assert_in_range(op.u.read.nr, 30, op.u.read.next);
}

static void a_vcpu_takes_its_begin_to_another_cpu(void **state)
{
	struct strata_hv_op op = read_op(0, 1);

	(void)state;
	make(STRATA_AGGREGATE_TIME, 1);
	count(0, &all_vcpus[1][0], VM_EXIT, 1000);
	count(1, &all_vcpus[1][1], VM_EXIT, 1005);
	count(2, &all_vcpus[1][0], VCPU_WAKE, 1100);
	count(3, &all_vcpus[1][1], VCPU_WAKE, 1306);
	count(3, &all_vcpus[1][2], VCPU_WAKE, 1306);
	assert_int_equal(call(&op), 0);
	assert_int_equal(op.u.read.nr, 1);
	assert_int_equal(buffer[0], strata_aggregate_key(0, 5));
	assert_int_equal(buffer[1 + STRATA_AGGREGATE_SUM], 401);
	assert_int_equal(buffer[1 + STRATA_AGGREGATE_MAX], 301);
	assert_int_equal(~buffer[1 + STRATA_AGGREGATE_MIN_INVERTED], 100);
	assert_int_equal(op.u.read.others[STRATA_AGGREGATE_NO_BEGIN], 1);
}

static void another_use_of_the_channel_forgets_begins(void **state)
{
	struct strata_hv_op op = read_op(0, 1);
	uint64_t before = strata_clock();

	(void)state;
	make(STRATA_AGGREGATE_TIME, 1);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	count(0, &all_vcpus[1][0], VM_EXIT, before);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_DESTROY), 0);
	make(STRATA_AGGREGATE_TIME, 1);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	count(0, &all_vcpus[1][0], VCPU_WAKE, strata_clock());
	assert_int_equal(call(&op), 0);
	assert_int_equal(op.u.read.nr, 0);
	assert_int_equal(op.u.read.others[STRATA_AGGREGATE_NO_BEGIN], 1);
}

static void it_starts_and_stops_without_clocks_and_budgets(void **state)
{
	struct strata_hv_op select = select_op(ANOTHER, ONE(VM_EXIT));

	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	assert_int_equal(call(&select), 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	assert_int_equal(takers_of(strata_set, VM_EXIT, &all_vcpus[1][0]), BIT(ANOTHER));
	assert_int_equal(run_on(ANOTHER, STRATA_HV_FLUSH), 0);
	assert_int_equal(clocks + skews + idle_states, 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(made[i], 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_STOP), 0);
	assert_false(is_started(ANOTHER));
	assert_int_equal(skews, 0);
	/* There is nothing to read as records. */
	assert_int_equal(run_on(ANOTHER, STRATA_HV_GET), -ENOENT);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_FRAMES), -ENOENT);
}

static void a_stop_waits_for_the_probe_that_may_count(void **state)
{
	struct strata_hv_op op = op_on(ANOTHER, STRATA_HV_DESTROY);
	int there;

	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	there = blocks_there;
	probes_are_busy = true;
	assert_int_equal(call(&op), -ERESTART);
	assert_int_equal(call(&op), -ERESTART);
	assert_int_equal(blocks_there, there);
	probes_are_busy = false;
	assert_int_equal(run_on(ANOTHER, STRATA_HV_DESTROY), 0);
}

static void an_added_cpu_needs_no_ring(void **state)
{
	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	notify(CPU_UP_PREPARE, 2);
	assert_null(strata_cpus[2].ring[ANOTHER]);
	assert_non_null(strata_cpus[2].ring[CHANNEL]);
	count(2, &all_vcpus[1][0], VM_EXIT, 1);
	assert_int_equal(count_read(VM_EXIT, 5), 1);
}

static void whoever_has_the_channel_is_named(void **state)
{
	struct strata_hv_op rings = create_op_on(ANOTHER), op;
	unsigned int gave_way;

	(void)state;
	op = aggregate_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
	op.channel = CHANNEL;
	assert_int_equal(call(&op), -EBUSY);
	assert_string_equal(op.u.aggregate.owner, "test");
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	assert_int_equal(run(&rings, &gave_way), -EBUSY);
	assert_string_equal(rings.u.create.owner, "counter");
	op = aggregate_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
	assert_int_equal(call(&op), -EBUSY);
	assert_string_equal(op.u.aggregate.owner, "counter");
	op = read_op(0, 1);
	op.channel = CHANNEL;
	assert_int_equal(call(&op), -ENOENT);
}

static void wrong_specifications_are_refused(void **state)
{
	struct strata_hv_op op = aggregate_op(STRATA_AGGREGATE_COUNT, 15);

	(void)state;
	assert_int_equal(call(&op), -EINVAL);
	op = aggregate_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
	op.u.aggregate.flags = 2;
	assert_int_equal(call(&op), -EINVAL);
	op = aggregate_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
	op.u.aggregate.owner[0] = '\0';
	assert_int_equal(call(&op), -EINVAL);
}

static void without_memory_nothing_is_left(void **state)
{
	struct strata_hv_op op;
	unsigned int steps, gave_way;
	int before = blocks_there;

	(void)state;
	no_blocks = true;
	op = aggregate_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
	assert_int_equal(run(&op, &gave_way), -ENOMEM);
	assert_int_equal(blocks_there, before);
	/* After some of the tables. */
	for (steps = 1; steps < SHIM_CPUS; steps++) {
		no_blocks = false;
		for (unsigned int i = 0; i < steps; i++) {
			op = aggregate_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
			assert_int_equal(call(&op), -ERESTART);
		}
		no_blocks = true;
		op = aggregate_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
		assert_int_equal(call(&op), -ERESTART);
		/* Memory that comes too late: what fails is undone as a whole. */
		no_blocks = false;
		assert_int_equal(run(&op, &gave_way), -ENOMEM);
		assert_int_equal(blocks_there, before);
		assert_int_equal(strata_channels[ANOTHER].owner[0], 0);
		assert_null(strata_tables[ANOTHER]);
	}
	no_blocks = false;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
}

static void events_that_nest_too_deep_are_counted(void **state)
{
	struct strata_hv_op op = read_op(0, 1);

	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	shim_cpu = 1;
	strata_nested_without_ring(ANOTHER);
	assert_int_equal(call(&op), 0);
	assert_int_equal(op.u.read.others[STRATA_AGGREGATE_NESTED], 1);
	/* A channel that lacks the memory for a ring. */
	strata_nested_without_ring(CHANNEL);
	strata_without_ring(CHANNEL, VM_EXIT, 1);
	assert_int_equal(strata_channels[CHANNEL].unringed, 1);
}

static void a_guest_that_invents_events_takes_one_row(void **state)
{
	struct strata_hv_op op = read_op(0, ROWS);

	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	for (uint32_t i = 0; i < 4096; i++)
		count(0, &all_vcpus[1][0], STRATA_HV_ID_GUEST | i, 1);
	count(0, &all_vcpus[2][0], STRATA_HV_ID_GUEST | 7, 1);
	assert_int_equal(count_read(STRATA_HV_ID_GUEST, 5), 4096);
	assert_int_equal(count_read(STRATA_HV_ID_GUEST, 9), 1);
	assert_int_equal(call(&op), 0);
	assert_int_equal(op.u.read.nr, 2);
	assert_int_equal(op.u.read.others[STRATA_AGGREGATE_NO_ROW], 0);
}

/* Renewal ---------------------------------------------------------------------------------- */

static struct strata_hv_op renew_op(uint8_t kind, uint8_t row_bits)
{
	struct strata_hv_op op = aggregate_op(kind, row_bits);

	op.u.aggregate.flags = STRATA_HV_RENEW;
	op.u.aggregate.owner[0] = '\0';
	return op;
}

static int renew_count(uint8_t row_bits)
{
	struct strata_hv_op op = renew_op(STRATA_AGGREGATE_COUNT, row_bits);
	unsigned int gave_way;

	return run(&op, &gave_way);
}

/* As count_read(), in the tables of before. */
static long previous_count_read(uint32_t event, uint32_t domain)
{
	struct strata_hv_op op = read_op(0, ROWS);

	op.u.read.flags = STRATA_HV_READ_PREVIOUS;
	assert_int_equal(call(&op), 0);
	for (uint32_t i = 0; i < op.u.read.nr; i++)
		if (buffer[2 * i] == strata_aggregate_key(event, domain))
			return (long)buffer[2 * i + 1];
	return -1;
}

static void new_tables_have_room_for_who_had_none(void **state)
{
	struct strata_hv_op op = read_op(0, ROWS);

	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	for (uint32_t i = 1; i <= ROWS; i++)
		count(0, &all_vcpus[1][0], i, 1);
	count(1, &all_vcpus[2][0], VM_EXIT, 1);
	assert_int_equal(count_read(VM_EXIT, 9), -1);
	assert_int_equal(renew_count(ROW_BITS), 0);
	assert_true(is_started(ANOTHER));
	count(1, &all_vcpus[2][0], VM_EXIT, 2);
	assert_int_equal(count_read(VM_EXIT, 9), 1);
	assert_int_equal(count_read(1, 5), -1);
	assert_int_equal(previous_count_read(1, 5), 1);
	assert_int_equal(previous_count_read(VM_EXIT, 9), -1);
	op.u.read.flags = STRATA_HV_READ_PREVIOUS;
	assert_int_equal(call(&op), 0);
	assert_int_equal(op.u.read.others[STRATA_AGGREGATE_NO_ROW], 1);
	/* Once more, with more rows. */
	assert_int_equal(renew_count(ROW_BITS + 1), 0);
	assert_int_equal(previous_count_read(VM_EXIT, 9), 1);
	assert_int_equal(strata_aggregate_rows(&strata_tables[ANOTHER]->core.spec), 2 * ROWS);
}

/* A probe may have found the tables of before: they are not read until it has ended. */
static void tables_of_before_wait_for_the_probes_that_have_them(void **state)
{
	struct strata_hv_op renews = renew_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
	struct strata_hv_op reads = read_op(0, ROWS), again = renews;
	struct strata_aggregate_tables *old;
	unsigned int i;

	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	old = strata_tables[ANOTHER];
	probes_are_busy = true;
	for (i = 0; i < 3 * SHIM_CPUS; i++)
		assert_int_equal(call(&renews), -ERESTART);
	assert_ptr_not_equal(strata_tables[ANOTHER], old);
	reads.u.read.flags = STRATA_HV_READ_PREVIOUS;
	assert_int_equal(call(&reads), -ENOENT);
	/* Of another caller: the tables of before are not freed. */
	assert_int_equal(call(&again), -ERESTART);
	strata_aggregate_other(old->table[0], STRATA_AGGREGATE_NESTED);
	probes_are_busy = false;
	assert_int_equal(call(&renews), 0);
	assert_int_equal(call(&reads), 0);
	assert_int_equal(reads.u.read.others[STRATA_AGGREGATE_NESTED], 1);
	/* Between the one and the other, and with a renewal half way, all is freed (end()). */
	while (!renewals[ANOTHER].made)
		assert_int_equal(call(&renews), -ERESTART);
}

static void a_time_that_began_before_ends_in_the_new_tables(void **state)
{
	struct strata_hv_op op = renew_op(STRATA_AGGREGATE_TIME, 1), reads = read_op(0, 1);
	unsigned int gave_way;
	uint64_t began;

	(void)state;
	make(STRATA_AGGREGATE_TIME, 1);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	began = strata_clock();
	count(0, &all_vcpus[1][0], VM_EXIT, began);
	assert_int_equal(run(&op, &gave_way), 0);
	count(1, &all_vcpus[1][0], VCPU_WAKE, began + 100);
	assert_int_equal(call(&reads), 0);
	assert_int_equal(reads.u.read.nr, 1);
	assert_int_equal(buffer[1 + STRATA_AGGREGATE_SUM], 100);
	assert_int_equal(reads.u.read.others[STRATA_AGGREGATE_NO_BEGIN], 0);
}

static void a_renewal_without_memory_changes_nothing(void **state)
{
	struct strata_hv_op op;
	unsigned int steps, gave_way;
	int before;

	(void)state;
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	count(0, &all_vcpus[1][0], VM_EXIT, 1);
	before = blocks_there;
	for (steps = 0; steps < SHIM_CPUS; steps++) {
		op = renew_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
		for (unsigned int i = 0; i < steps; i++)
			assert_int_equal(call(&op), -ERESTART);
		no_blocks = true;
		assert_int_equal(run(&op, &gave_way), -ENOMEM);
		no_blocks = false;
		assert_int_equal(blocks_there, before);
	}
	assert_int_equal(count_read(VM_EXIT, 5), 1);
	assert_int_equal(renew_count(ROW_BITS), 0);
}

static void a_wrong_renewal_is_refused(void **state)
{
	struct strata_hv_op op = renew_op(STRATA_AGGREGATE_TIME, 1);

	(void)state;
	/* No tables, and rings. */
	assert_int_equal(renew_count(ROW_BITS), -ENOENT);
	op.channel = CHANNEL;
	assert_int_equal(call(&op), -ENOENT);
	make(STRATA_AGGREGATE_COUNT, ROW_BITS);
	op.channel = ANOTHER;
	assert_int_equal(call(&op), -EINVAL);
	op = renew_op(STRATA_AGGREGATE_COUNT, ROW_BITS);
	op.u.aggregate.spec.by_owner = 0;
	assert_int_equal(call(&op), -EINVAL);
	/* There are no tables of before. */
	op = read_op(0, 1);
	op.u.read.flags = STRATA_HV_READ_PREVIOUS;
	assert_int_equal(call(&op), -ENOENT);
	op.u.read.flags = 2;
	assert_int_equal(call(&op), -EINVAL);
	op = read_op(0, 1);
	op.u.read.reserved = 1;
	assert_int_equal(call(&op), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tables_are_made_in_steps_for_each_cpu),
		TEST(events_of_all_cpus_add_up),
		TEST(a_read_takes_as_much_as_there_is_room),
		TEST(a_long_read_answers_early),
		TEST(a_vcpu_takes_its_begin_to_another_cpu),
		TEST(another_use_of_the_channel_forgets_begins),
		TEST(it_starts_and_stops_without_clocks_and_budgets),
		TEST(a_stop_waits_for_the_probe_that_may_count),
		TEST(an_added_cpu_needs_no_ring),
		TEST(whoever_has_the_channel_is_named),
		TEST(wrong_specifications_are_refused),
		TEST(without_memory_nothing_is_left),
		TEST(events_that_nest_too_deep_are_counted),
		TEST(a_guest_that_invents_events_takes_one_row),
		TEST(new_tables_have_room_for_who_had_none),
		TEST(tables_of_before_wait_for_the_probes_that_have_them),
		TEST(a_time_that_began_before_ends_in_the_new_tables),
		TEST(a_renewal_without_memory_changes_nothing),
		TEST(a_wrong_renewal_is_refused),
	};

	initcalls();
	return cmocka_run_group_tests_name("aggregate_xen", tests, NULL, NULL);
}
