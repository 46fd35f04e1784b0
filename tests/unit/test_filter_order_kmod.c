// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_filter_order_kmod.c - a start command that changes events, filter and contexts of a channel
 * that records, while a probe runs.  Before each load of the probe the command goes on by each
 * number of its steps, before it begins, too; no event that has a filter, before or after, may pass
 * it by, and no record may have other contexts than its channel.
 *
 * Control is a coroutine that stops before each of its stores, and where it waits for the probe.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include <cmocka.h>

#include <linux/shim.h>

/* Kernel code does not keep to these. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static void before_load(void);
static void before_store(void);
static void await_probe(void);

/* What these files need of a kernel. */
typedef int32_t s32;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define likely(x)   (x)
#define unlikely(x) (x)
#undef __always_inline
#define __always_inline               inline
#define READ_ONCE(x)                  (before_load(), *(const volatile __typeof__(x) *)&(x))
#define smp_load_acquire(p)           READ_ONCE(*(p))
#define WRITE_ONCE(x, value)          (before_store(), (void)(*(volatile __typeof__(x) *)&(x) = (value)))
#define smp_store_release(p, value)   WRITE_ONCE(*(p), value)
#define BIT(n)                        (1ul << (n))
#define __ffs(word)                   ((unsigned long)__builtin_ctzl(word))
#define is_power_of_2(n)              ((n) && !((n) & ((n)-1)))
#define DECLARE_BITMAP(name, bits)    unsigned long name[(bits) / 64]
#define bitmap_zero(map, bits)        memset(map, 0, (bits) / 8)
#define __set_bit(n, map)             ((map)[(n) / 64] |= BIT((n) % 64))
#define test_bit(n, map)              ((map)[(n) / 64] >> (n) % 64 & 1)
#define container_of(p, type, member) ((type *)(void *)((char *)(p)-offsetof(type, member)))
#define ERR_PTR(err)                  ((void *)(intptr_t)(err))
#define PTR_ERR(p)                    ((int)(intptr_t)(p))
#define IS_ERR(p)                     ((intptr_t)(p) < 0 && (intptr_t)(p) > -4096)
#define GFP_KERNEL                    0
#define kzalloc(bytes, flags)         calloc(1, bytes)
#define kfree(p)                      free((void *)(uintptr_t)(p))
#define pr_err(...)                   ((void)0)
#define pr_warn_ratelimited(...)      ((void)0)
#define cond_resched()                ((void)0)
#define get_random_u64()              0

static const struct {
	s32 pid, tgid;
} * current;

struct xenbus_watch {
	const char *node;
	void (*callback)(struct xenbus_watch *watch, const char *path, const char *token);
};

static int register_xenbus_watch(struct xenbus_watch *watch)
{
	return watch->node ? 0 : -EINVAL;
}

static void unregister_xenbus_watch(struct xenbus_watch *watch)
{
	(void)watch;
}

static int hex_to_bin(char digit)
{
	return isxdigit((unsigned char)digit) ? (int)strtol((char[]){ digit, 0 }, NULL, 16) : -1;
}

static int kstrtou64(const char *text, unsigned int base, u64 *number)
{
	*number = strtoull(text, NULL, (int)base);
	return 0;
}

static int kstrtos32(const char *text, unsigned int base, s32 *number)
{
	*number = (s32)strtol(text, NULL, (int)base);
	return 0;
}

static int kstrtou8(const char *text, unsigned int base, u8 *number)
{
	*number = (u8)strtoul(text, NULL, (int)base);
	return 0;
}

static bool strstarts(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

#define kstrtou32 kstrtouint

/* The rest of the module, in place of its headers. */
#include <strata/abi/guest.h>

#define STRATA_KMOD_AGGREGATE_H
#define STRATA_KMOD_ASSEMBLED_H
#define STRATA_KMOD_BUFFERS_H
#define STRATA_KMOD_CHANNELS_H
#define STRATA_KMOD_CONTEXTS_H
#define STRATA_KMOD_COUNTERS_H
#define STRATA_KMOD_EVENT_TABLE_H
#define STRATA_KMOD_KPROBES_H
#define STRATA_KMOD_UPROBES_H
#define STRATA_KMOD_FUNCTIONS_H
#define STRATA_KMOD_NOTIFY_H
#define STRATA_KMOD_PROBE_CPU_H
#define STRATA_KMOD_PUBLISH_H
#define STRATA_KMOD_RECORD_H
#define STRATA_KMOD_RESUME_H
#define STRATA_KMOD_SWITCH_H
#define STRATA_KMOD_TRACEPOINT_PROBES_H
#define STRATA_PUBLISH_DIR_BYTES 32

enum strata_mode { STRATA_MODE_DISCARD, STRATA_MODE_OVERWRITE };

#include "../../guest-kmod/events.h"
#include "../../guest-kmod/field_filters.h"

struct strata_kernel_aggregate;
static struct strata_kernel_aggregate *strata_aggregates[STRATA_GUEST_CHANNELS_MAX];

static u32 strata_contexts[STRATA_GUEST_CHANNELS_MAX];
static u32 ring_contexts;

/* Counters that have begun, and those that the kernel has. */
static u32 counting;
static u32 countable = STRATA_COUNTER_BIT(0) | STRATA_COUNTER_BIT(3);

static int strata_counters_add(unsigned int channel, u32 type, u64 config)
{
	(void)channel;
	counting |= STRATA_COUNTER_BIT(config);
	return type == 1 ? 0 : -ENOENT;
}

static int strata_counters_resume(unsigned int channel, u32 contexts)
{
	(void)channel;
	counting |= contexts & STRATA_COUNTERS_ALL;
	return contexts & STRATA_COUNTERS_ALL & ~countable ? -EINVAL : 0;
}

static void strata_counters_keep(unsigned int channel, u32 contexts)
{
	(void)channel;
	counting &= contexts;
}

#define strata_await_probes()                                await_probe()
#define strata_assembled_prepare()                           0
#define strata_aggregate_hit(aggregate, event)               ((void)(event))
#define strata_aggregate_starts(channel)                     ((void)(channel))
#define strata_record_missed(channel, nr)                    ((void)(channel), (void)(nr))
#define strata_buffers_set_mode(channel, mode)               ((void)(mode))
#define strata_buffers_header_form(channel)                  STRATA_HEADER_FULL
#define strata_buffers_set_header_form(channel, form)        ((void)(form))
#define strata_buffers_set_contexts(channel, contexts)       (ring_contexts = (contexts))
#define strata_buffers_flush(channel)                        ((void)(channel))
#define strata_buffers_geometry(channel)                     ((struct strata_ring_geometry){ 16, 4 })
#define strata_switch_set(channel, period_ms)                0
#define strata_channel_shared(channel)                       true
#define strata_channel_share(channel, geo, nonce)            ((void)(nonce), -EINVAL)
#define strata_channel_share_aggregate(channel, spec, nonce) ((void)(nonce), -EINVAL)
#define strata_channel_unshare(channel)                      ((void)(channel))
#define strata_channel_root_ref(channel)                     0
#define strata_notify_open(channel)                          0
#define strata_notify_close(channel)                         ((void)(channel))
#define strata_publish(channel, ref, port, nonce)            ((void)(port), 0)
#define strata_unpublish_channel(channel)                    ((void)(channel))
#define strata_publish_dir(channel, dir)                     ((void)(channel), (void)strcpy(dir, "data"))
#define strata_publish_read_ctl(channel)                     ((char *)ERR_PTR(-EINVAL))
#define strata_publish_state(channel, word, seq)             ((void)(word), (void)(seq))
#define strata_publish_reason(channel, reason)               ((void)(channel))
#define strata_resume_needed()                               false
#define strata_resume_publish()                              ((void)0)

#include "../../guest-kmod/filter.h"

/* A program lets nothing pass. */
static struct strata_field_filter *const nothing = (struct strata_field_filter *)8;

int strata_field_filters_add(struct strata_field_filters **filters, char *text)
{
	if (!*filters)
		*filters = calloc(1, sizeof(**filters));
	(*filters)->of[text[0] - '0'] = nothing;
	return 0;
}

void strata_field_filters_free(struct strata_field_filters *filters)
{
	free(filters);
}

#define strata_field_filter_passes(fields, payload, bytes, tid) \
	((void)(payload), (void)(bytes), (void)(fields), false)
static int strata_kprobes_add(const char *group, const char *name, char *place)
{
	return group && name && place ? -EINVAL : 0;
}

#define strata_uprobes_add           strata_kprobes_add
#define strata_functions_add         strata_kprobes_add
#define strata_tracepoint_probes_add strata_kprobes_add

#include "../../guest-kmod/events.c"
#include "../../guest-kmod/filter.c"
#include "../../guest-kmod/control.c"

void strata_probe_forget_reason(void)
{
}

static int attach_one(struct strata_event *event)
{
	return event->name ? 0 : -EINVAL;
}

static void detach_one(struct strata_event *event)
{
	(void)event;
}

static struct strata_event first = { .name = "first", .attach = attach_one, .detach = detach_one };
static struct strata_event second = { .name = "second",
				      .attach = attach_one,
				      .detach = detach_one };

/* The coroutine. */
static ucontext_t probe_context, control_context;
static unsigned char stack[1 << 18];
static const char *told;
static bool in_control, in_probe, ended;
static unsigned int steps; /* that it may still go on by */

static void obey_told(const char *line)
{
	struct command command = { .channel = 0 };
	char text[128];

	strcpy(text, line);
	assert_non_null(obey_text(&command, text));
}

static void run_control(void)
{
	in_control = true;
	obey_told(told);
	in_control = false;
	ended = true;
}

static void leave_control(void)
{
	in_control = false;
	assert_int_equal(swapcontext(&control_context, &probe_context), 0);
	in_control = true;
}

static void before_store(void)
{
	if (!in_control)
		return;
	while (!steps)
		leave_control();
	steps--;
}

static void await_probe(void)
{
	while (in_control && in_probe) {
		steps = 0;
		leave_control();
	}
}

static void go_on(unsigned int nr)
{
	steps = nr;
	if (!ended)
		assert_int_equal(swapcontext(&probe_context, &control_context), 0);
}

/* Before which load of the probe it goes on, and by how many steps. */
static unsigned int at_load, by_steps, loads;

static void before_load(void)
{
	if (!in_control && in_probe && loads++ == at_load)
		go_on(by_steps);
}

/* Whether a probe wrote a record without the contexts of its channel. */
static bool lacked_contexts;

/* Whether a probe, as probe.h makes it, records an event. */
static bool records(const struct strata_event *event)
{
	unsigned long channels = strata_event_only(event);
	bool assembled = false;

	if (!channels) {
		channels = strata_event_channels(event);
		assembled = strata_channels_ask(channels);
	}
	lacked_contexts |= channels && !assembled && strata_contexts[0];
	return assembled ? strata_filter_passes(event, 0, NULL, 0) : channels;
}

#define STEPS_MAX 16u
#define LOADS_MAX 8u

/* Obeys @before, then @now while a probe of @event runs, in each order.  True: it always, or @any:
 * sometimes, recorded it. */
static bool in_each_order(const char *before, const char *now, const struct strata_event *event,
			  bool any)
{
	/* They outlive the changes of context. */
	static unsigned int begun, recorded, all;

	recorded = all = 0;
	for (begun = 0; begun < STEPS_MAX; begun++)
		for (at_load = 0; at_load < LOADS_MAX; at_load++)
			for (by_steps = 0; by_steps < STEPS_MAX; by_steps++) {
				obey_told("stop 1");
				obey_told(before);
				told = now;
				ended = false;
				getcontext(&control_context);
				control_context.uc_stack.ss_sp = stack;
				control_context.uc_stack.ss_size = sizeof(stack);
				control_context.uc_link = &probe_context;
				makecontext(&control_context, run_control, 0);
				go_on(begun);
				loads = 0;
				in_probe = true;
				recorded += records(event);
				in_probe = false;
				all++;
				go_on(1000);
				assert_true(ended);
			}
	return any ? recorded : recorded == all;
}

static int enter(void **state)
{
	static struct strata_event *const both[] = { &first, &second };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(strata_events_add(both[i]), 0);
	return 0;
}

static void an_event_that_goes_does_not_pass_by_anothers_filter(void **state)
{
	(void)state;
	assert_false(in_each_order(
		"start 2 discard 0 1 where=0:", "start 3 discard 0 2 where=1:", &first, true));
	assert_false(
		in_each_order("start 2 discard 0 1 where=0:", "start 3 discard 0 2", &first, true));
}

static void an_event_that_comes_does_not_pass_before_its_filter(void **state)
{
	(void)state;
	assert_false(in_each_order(
		"start 2 discard 0 1 where=0:", "start 3 discard 0 2 where=1:", &second, true));
	assert_false(in_each_order("start 2 discard 0 1", "start 3 discard 0 3 where=1:", &second,
				   true));
	assert_false(in_each_order("start 2 discard 0 1", "start 3 discard 0 2 where=1:", &second,
				   true));
}

static void an_event_without_filters_is_whole(void **state)
{
	(void)state;
	assert_true(in_each_order("start 2 discard 0 1", "start 3 discard 0 3 where=1:", &first,
				  false));
	assert_true(in_each_order("start 2 discard 0 3 where=1:", "start 3 discard 0 1", &first,
				  false));
}

static void a_record_has_the_contexts_of_its_channel(void **state)
{
	(void)state;
	lacked_contexts = false;
	in_each_order("start 2 discard 0 1", "start 3 discard 0 1 contexts=1", &first, true);
	in_each_order("start 2 discard 0 1", "start 3 discard 0 3 contexts=ff", &second, true);
	assert_int_equal(ring_contexts, 0xff);
	in_each_order("start 2 discard 0 1 contexts=2", "start 3 discard 0 1", &first, true);
	assert_int_equal(ring_contexts, 0);
	in_each_order("start 2 discard 0 1 contexts=2",
		      "start 3 discard 0 1 contexts=2 where=1:", &first, true);
	assert_false(lacked_contexts);
	/* They change only while no probe writes to the channel: each of these stops it. */
	assert_true(in_each_order("start 2 discard 0 1 contexts=2",
				  "start 3 discard 0 3 contexts=2", &first, false));
}

static void wrong_contexts_are_refused(void **state)
{
	static const char *const wrong[] = { "contexts=", "contexts=x", "contexts=-1",
					     "contexts=1000", "contexts=20000" };
	struct command command = { .channel = 0 };
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "start 5 discard 0 1 %s", wrong[i]);
		assert_null(obey_text(&command, text));
	}
	/* A channel that counts has no records. */
	strata_aggregates[0] = (struct strata_kernel_aggregate *)8;
	strcpy(text, "start 5 discard 0 1 contexts=1");
	assert_null(obey_text(&command, text));
	strata_aggregates[0] = NULL;
}

/* A counter ends when no record has it any more: at a stop, and at a start with others. */
static void counters_end_with_the_records_that_have_them(void **state)
{
	(void)state;
	obey_told("counter 5 1 0");
	obey_told("counter 6 1 3");
	obey_told("start 7 discard 0 1 contexts=90001");
	assert_int_equal(counting, 0x90000);
	assert_int_equal(ring_contexts, 0x90001);
	obey_told("start 8 discard 0 1 contexts=80000");
	assert_int_equal(counting, 0x80000);
	obey_told("stop 9");
	assert_int_equal(counting, 0);
	/* It begins again. */
	obey_told("start 10 discard 0 1 contexts=80000");
	assert_int_equal(counting, 0x80000);
	obey_told("stop 11");
}

static void a_counter_is_two_numbers(void **state)
{
	static const char *const wrong[] = { "counter 5",     "counter 5 1",    "counter 5 1 x",
					     "counter 5 x 1", "counter 5 -1 1", "counter 5 1 -1",
					     "counter 5 0 0" };
	struct command command = { .channel = 0 };
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		strcpy(text, wrong[i]);
		assert_null(obey_text(&command, text));
	}
	strcpy(text, "counter 5 1 2");
	assert_string_equal(obey_text(&command, text), "prepared");
	strata_aggregates[0] = (struct strata_kernel_aggregate *)8;
	strcpy(text, "counter 5 1 2");
	assert_null(obey_text(&command, text));
	strata_aggregates[0] = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_that_goes_does_not_pass_by_anothers_filter),
		cmocka_unit_test(an_event_that_comes_does_not_pass_before_its_filter),
		cmocka_unit_test(an_event_without_filters_is_whole),
		cmocka_unit_test(a_record_has_the_contexts_of_its_channel),
		cmocka_unit_test(counters_end_with_the_records_that_have_them),
		cmocka_unit_test(a_counter_is_two_numbers),
		cmocka_unit_test(wrong_contexts_are_refused),
	};

	return cmocka_run_group_tests(tests, enter, NULL);
}
