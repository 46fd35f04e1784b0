// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_counters_kmod.c - the module's performance counters: the table of a channel, one counter of
 * perf for each CPU that is online, and what a probe reads from it.  Perf is played by the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/shim.h>

/* What the file needs of a kernel. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

typedef uint32_t u32;
typedef uint64_t u64;
#define CONFIG_PERF_EVENTS           1
#define BIT(n)                       (1ul << (n))
#define READ_ONCE(x)                 (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value)         (*(volatile __typeof__(x) *)&(x) = (value))
#define smp_store_release(p, value)  WRITE_ONCE(*(p), value)
#define barrier()                    __asm__ volatile("" ::: "memory")
#define ERR_PTR(err)                 ((void *)(intptr_t)(err))
#define PTR_ERR(p)                   ((int)(intptr_t)(p))
#define IS_ERR(p)                    ((intptr_t)(p) < 0 && (intptr_t)(p) > -4096)
#define pr_warn_ratelimited(...)     (warnings++)
#define DEFINE_MUTEX(name)           int name
#define mutex_lock(mutex)            ((*(mutex))++)
#define mutex_unlock(mutex)          ((*(mutex))--)
#define DECLARE_WORK(name, function) struct work_struct name = { function }

#define NR_CPUS 2u

struct work_struct {
	void (*function)(struct work_struct *work);
};

static unsigned int this_cpu, warnings;
static bool online[NR_CPUS];
#define DEFINE_PER_CPU(type, name)   type name[NR_CPUS]
#define per_cpu(name, cpu)           name[cpu]
#define cpu_online(cpu)              online[cpu]
#define for_each_possible_cpu(cpu)   for ((cpu) = 0; (cpu) < NR_CPUS; (cpu)++)
#define this_cpu_ptr(place)          (&counters[this_cpu].event[channel][number])
#define this_cpu_read(place)         (counters[this_cpu].reading)
#define this_cpu_write(place, value) (counters[this_cpu].reading = (value))

enum { CPUHP_BP_PREPARE_DYN, CPUHP_AP_ONLINE_DYN };
static int (*on_online)(unsigned int cpu), (*on_offline)(unsigned int cpu);

static int cpuhp_setup_state_nocalls(int state, const char *name, int (*up)(unsigned int cpu),
				     int (*down)(unsigned int cpu))
{
	if (up)
		on_online = up;
	else
		on_offline = down;
	return 1 + state;
}

static void cpuhp_remove_state_nocalls(int state)
{
	if (state == 1 + CPUHP_BP_PREPARE_DYN)
		on_offline = NULL;
	else
		on_online = NULL;
}

static struct work_struct *scheduled;
#define schedule_work(work)    (scheduled = (work))
#define cancel_work_sync(work) (scheduled = NULL)

enum { PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_HW_CACHE = 3, PERF_TYPE_RAW };
enum perf_event_state {
	PERF_EVENT_STATE_ERROR = -2,
	PERF_EVENT_STATE_OFF,
	PERF_EVENT_STATE_INACTIVE,
	PERF_EVENT_STATE_ACTIVE,
};
#define PERF_HES_STOPPED  1
#define PERF_HES_UPTODATE 2

struct perf_event_attr {
	u32 type, size;
	u64 config;
	bool pinned;
};

struct perf_event;

struct pmu {
	void (*read)(struct perf_event *event);
};

typedef struct {
	u64 value;
} local64_t;
#define local64_read(counter) ((counter)->value)

struct perf_event {
	enum perf_event_state state;
	struct {
		int state;
	} hw;
	const struct pmu *pmu;
	local64_t count;
	unsigned int cpu;
	u64 config;
};

/* The processor counts one at each look, and the event gets that. */
static unsigned int reads, living, waits;
static void (*in_read)(struct perf_event *event);

static void read_pmu(struct perf_event *event)
{
	reads++;
	if (in_read)
		in_read(event);
	event->count.value += 10;
}

static const struct pmu pmu = { .read = read_pmu };

/* What the next one is: an error, or the state of the event. */
static int next_error;
static enum perf_event_state next_state;

static struct perf_event *perf_event_create_kernel_counter(const struct perf_event_attr *attr,
							   int cpu, void *task, void *handler,
							   void *data)
{
	struct perf_event *event;

	assert_true(attr->pinned);
	assert_true(online[cpu]);
	if (next_error)
		return ERR_PTR(next_error);
	event = calloc(1, sizeof(*event));
	*event = (struct perf_event){ .state = next_state, .pmu = &pmu, .cpu = (unsigned int)cpu };
	event->config = attr->config;
	living++;
	return event;
}

static void perf_event_release_kernel(struct perf_event *event)
{
	living--;
	free(event);
}

#define STRATA_KMOD_PROBE_CPU_H
#define strata_await_probes() (waits++)

#include "../../guest-kmod/counters.c"

static struct strata_guest_root root;

static int begin_test(void **state)
{
	(void)state;
	online[0] = online[1] = true;
	next_error = 0;
	next_state = PERF_EVENT_STATE_ACTIVE;
	this_cpu = reads = waits = warnings = 0;
	in_read = NULL;
	strata_counters_open(1, &root);
	return 0;
}

static int end_test(void **state)
{
	(void)state;
	strata_counters_close(1);
	assert_int_equal(living, 0);
	assert_null(on_online);
	assert_null(on_offline);
	assert_int_equal(lock, 0);
	return 0;
}

static void each_cpu_that_is_online_counts(void **state)
{
	(void)state;
	assert_int_equal(strata_counters_add(1, 1, 2), 0);
	assert_int_equal(living, 2);
	assert_int_equal(root.counters[0].type, 1);
	assert_int_equal(root.counters[0].config, 2);
	assert_int_equal(root.counters[1].type, STRATA_COUNTER_NO_TYPE);
	assert_int_equal(strata_counter_read(1, 0), 10);
	assert_int_equal(strata_counter_read(1, 0), 20);
	this_cpu = 1;
	assert_int_equal(strata_counter_read(1, 0), 10);
	assert_true(strata_counter_read(1, 1) == STRATA_COUNTER_NO_VALUE);
	assert_true(strata_counter_read(0, 0) == STRATA_COUNTER_NO_VALUE);
	/* An equal one is the same. */
	assert_int_equal(strata_counters_add(1, 1, 2), 0);
	assert_int_equal(living, 2);
}

static void a_counter_that_the_kernel_lacks_leaves_nothing(void **state)
{
	(void)state;
	next_error = -ENOENT;
	assert_int_equal(strata_counters_add(1, 0, 0), -ENOENT);
	assert_int_equal(living, 0);
	assert_int_equal(root.counters[0].type, STRATA_COUNTER_NO_TYPE);
	assert_null(on_online);
	/* A tracepoint or a breakpoint is none. */
	next_error = 0;
	assert_int_equal(strata_counters_add(1, 2, 0), -EINVAL);
	assert_int_equal(strata_counters_add(1, 5, 0), -EINVAL);
	/* The processor has no more of them. */
	next_state = PERF_EVENT_STATE_ERROR;
	assert_int_equal(strata_counters_add(1, 0, 0), -EBUSY);
	assert_int_equal(living, 0);
	assert_int_equal(strata_counters_resume(1, STRATA_COUNTER_BIT(0)), -EINVAL);
}

static void a_counter_that_ended_begins_again(void **state)
{
	(void)state;
	assert_int_equal(strata_counters_add(1, 1, 2), 0);
	assert_int_equal(strata_counters_add(1, 1, 3), 0);
	strata_counters_keep(1, STRATA_COUNTER_BIT(1));
	assert_int_equal(living, 2);
	assert_true(strata_counter_read(1, 0) == STRATA_COUNTER_NO_VALUE);
	assert_int_equal(strata_counter_read(1, 1), 10);
	assert_non_null(on_online);
	assert_int_equal(strata_counters_resume(1, STRATA_COUNTER_BIT(0) | STRATA_COUNTER_BIT(1)),
			 0);
	assert_int_equal(living, 4);
	assert_int_equal(strata_counter_read(1, 0), 10);
	assert_int_equal(strata_counter_read(1, 1), 20);
	assert_int_equal(strata_counters_resume(1, STRATA_COUNTER_BIT(2)), -EINVAL);
}

static void the_entry_that_was_asked_for_longest_ago_is_replaced(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < STRATA_COUNTERS_MAX; i++)
		assert_int_equal(strata_counters_add(1, 4, i), 0);
	assert_int_equal(strata_counters_add(1, 4, 100), -ENOSPC);
	strata_counters_keep(1, STRATA_COUNTER_BIT(0));
	assert_int_equal(strata_counters_add(1, 4, 1), 0);
	strata_counters_keep(1, STRATA_COUNTER_BIT(0));
	assert_int_equal(strata_counters_add(1, 4, 100), 0);
	assert_int_equal(root.counters[0].config, 0);
	assert_int_equal(root.counters[1].config, 1);
	assert_int_equal(root.counters[2].config, 100);
}

static struct perf_event *event_of(unsigned int cpu)
{
	return counters[cpu].event[1][0];
}

static void a_counter_that_does_not_count_has_no_value(void **state)
{
	(void)state;
	assert_int_equal(strata_counters_add(1, 0, 0), 0);
	assert_int_equal(strata_counter_read(1, 0), 10);
	/* Perf moves it: the count is whole. */
	event_of(0)->state = PERF_EVENT_STATE_INACTIVE;
	assert_int_equal(strata_counter_read(1, 0), 10);
	event_of(0)->state = PERF_EVENT_STATE_ACTIVE;
	event_of(0)->hw.state = PERF_HES_STOPPED;
	assert_int_equal(strata_counter_read(1, 0), 10);
	event_of(0)->hw.state = PERF_HES_UPTODATE;
	assert_int_equal(strata_counter_read(1, 0), 10);
	event_of(0)->hw.state = 0;
	assert_int_equal(strata_counter_read(1, 0), 20);
	/* Others took the processor's counter. */
	event_of(0)->state = PERF_EVENT_STATE_ERROR;
	assert_true(strata_counter_read(1, 0) == STRATA_COUNTER_NO_VALUE);
	event_of(0)->state = PERF_EVENT_STATE_OFF;
	assert_true(strata_counter_read(1, 0) == STRATA_COUNTER_NO_VALUE);
	assert_int_equal(reads, 2);
}

static u64 seen;

/* A probe in the middle of a reading. */
static void interrupt(struct perf_event *event)
{
	in_read = NULL;
	seen = strata_counter_read(1, 0);
}

static void a_reading_is_not_read_within(void **state)
{
	(void)state;
	assert_int_equal(strata_counters_add(1, 1, 0), 0);
	assert_int_equal(strata_counter_read(1, 0), 10);
	in_read = interrupt;
	assert_int_equal(strata_counter_read(1, 0), 20);
	assert_int_equal(seen, 10);
	assert_int_equal(strata_counter_read(1, 0), 30);
	assert_int_equal(reads, 3);
}

static void run_work(void)
{
	struct work_struct *work = scheduled;

	assert_non_null(work);
	scheduled = NULL;
	work->function(work);
}

static void counters_follow_cpus(void **state)
{
	(void)state;
	online[1] = false;
	assert_int_equal(strata_counters_add(1, 1, 2), 0);
	assert_int_equal(living, 1);
	this_cpu = 1;
	assert_true(strata_counter_read(1, 0) == STRATA_COUNTER_NO_VALUE);
	online[1] = true;
	assert_int_equal(on_online(1), 0);
	run_work();
	assert_int_equal(living, 2);
	assert_int_equal(strata_counter_read(1, 0), 10);
	/* It goes. */
	online[1] = false;
	event_of(1)->state = PERF_EVENT_STATE_OFF;
	assert_int_equal(on_offline(1), 0);
	run_work();
	assert_int_equal(living, 1);
	/* It goes and comes before the work runs. */
	online[1] = true;
	on_online(1);
	run_work();
	event_of(1)->state = PERF_EVENT_STATE_OFF;
	waits = 0;
	on_online(1);
	run_work();
	assert_int_equal(living, 2);
	assert_int_equal(waits, 1);
	assert_int_equal(strata_counter_read(1, 0), 10);
	/* Others have the counter there. */
	event_of(1)->state = PERF_EVENT_STATE_OFF;
	next_error = -EBUSY;
	on_online(1);
	run_work();
	assert_int_equal(warnings, 1);
	assert_true(strata_counter_read(1, 0) == STRATA_COUNTER_NO_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_cpu_that_is_online_counts, begin_test,
						end_test),
		cmocka_unit_test_setup_teardown(a_counter_that_the_kernel_lacks_leaves_nothing,
						begin_test, end_test),
		cmocka_unit_test_setup_teardown(a_counter_that_ended_begins_again, begin_test,
						end_test),
		cmocka_unit_test_setup_teardown(
			the_entry_that_was_asked_for_longest_ago_is_replaced, begin_test, end_test),
		cmocka_unit_test_setup_teardown(a_counter_that_does_not_count_has_no_value,
						begin_test, end_test),
		cmocka_unit_test_setup_teardown(a_reading_is_not_read_within, begin_test, end_test),
		cmocka_unit_test_setup_teardown(counters_follow_cpus, begin_test, end_test),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
