/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - which events there are, and what each carries: the one list from
 * which record ids, payload structures, the event table that dom0 reads and the
 * table of probes are all made.
 *
 * A list of fields takes two macros: FIELD(type, kind, name) for a scalar and
 * ARRAY(type, kind, name, count).  Kinds are those of enum strata_field_kind.
 * The list of events takes one: EVENT(name, trace point, list of fields).  Its
 * order is the record ids' order, so new events go to its end.
 */
#ifndef STRATA_KMOD_EVENTS_H
#define STRATA_KMOD_EVENTS_H

#include <linux/compiler_attributes.h>
#include <linux/sched.h>

#include <strata/abi/guest.h>

#define STRATA_FILENAME_BYTES 64
#define STRATA_IRQ_NAME_BYTES 32
#define STRATA_SYSCALL_ARGS   6

/* clang-format off */

/* prev_state: as in the kernel's own sched_switch event, a bit for each kind of sleep */
#define STRATA_SWITCH_FIELDS(FIELD, ARRAY)          \
	ARRAY(char, TEXT, prev_comm, TASK_COMM_LEN) \
	FIELD(s32, SIGNED, prev_tid)                \
	FIELD(s32, SIGNED, prev_prio)               \
	FIELD(u32, HEX, prev_state)                 \
	ARRAY(char, TEXT, next_comm, TASK_COMM_LEN) \
	FIELD(s32, SIGNED, next_tid)                \
	FIELD(s32, SIGNED, next_prio)

#define STRATA_WAKEUP_FIELDS(FIELD, ARRAY)     \
	ARRAY(char, TEXT, comm, TASK_COMM_LEN) \
	FIELD(s32, SIGNED, tid)                \
	FIELD(s32, SIGNED, prio)               \
	FIELD(s32, SIGNED, target_cpu)

#define STRATA_FORK_FIELDS(FIELD, ARRAY)              \
	ARRAY(char, TEXT, parent_comm, TASK_COMM_LEN) \
	FIELD(s32, SIGNED, parent_tid)                \
	ARRAY(char, TEXT, child_comm, TASK_COMM_LEN)  \
	FIELD(s32, SIGNED, child_tid)

/* filename: cut off where it is longer */
#define STRATA_EXEC_FIELDS(FIELD, ARRAY)                       \
	ARRAY(char, TEXT, filename, STRATA_FILENAME_BYTES)     \
	FIELD(s32, SIGNED, tid)                                \
	FIELD(s32, SIGNED, old_tid)

#define STRATA_EXIT_FIELDS(FIELD, ARRAY)       \
	ARRAY(char, TEXT, comm, TASK_COMM_LEN) \
	FIELD(s32, SIGNED, tid)                \
	FIELD(s32, SIGNED, prio)

#define STRATA_IRQ_ENTRY_FIELDS(FIELD, ARRAY) \
	FIELD(s32, SIGNED, irq)               \
	ARRAY(char, TEXT, name, STRATA_IRQ_NAME_BYTES)

#define STRATA_IRQ_EXIT_FIELDS(FIELD, ARRAY) \
	FIELD(s32, SIGNED, irq)              \
	FIELD(s32, SIGNED, ret)

#define STRATA_SOFTIRQ_FIELDS(FIELD, ARRAY) \
	FIELD(u32, UNSIGNED, vec)

#define STRATA_HRTIMER_ENTRY_FIELDS(FIELD, ARRAY) \
	FIELD(u64, HEX, hrtimer)                  \
	FIELD(s64, SIGNED, now)                   \
	FIELD(u64, HEX, function)

#define STRATA_HRTIMER_EXIT_FIELDS(FIELD, ARRAY) \
	FIELD(u64, HEX, hrtimer)

#define STRATA_SYSCALL_ENTRY_FIELDS(FIELD, ARRAY) \
	FIELD(s32, SIGNED, nr)                    \
	ARRAY(u64, HEX, args, STRATA_SYSCALL_ARGS)

#define STRATA_SYSCALL_EXIT_FIELDS(FIELD, ARRAY) \
	FIELD(s32, SIGNED, nr)                   \
	FIELD(s64, SIGNED, ret)

#define STRATA_GUEST_EVENTS(EVENT)                                                       \
	EVENT(sched_switch, sched_switch, STRATA_SWITCH_FIELDS)                          \
	EVENT(sched_waking, sched_waking, STRATA_WAKEUP_FIELDS)                          \
	EVENT(sched_wakeup, sched_wakeup, STRATA_WAKEUP_FIELDS)                          \
	EVENT(sched_process_fork, sched_process_fork, STRATA_FORK_FIELDS)                \
	EVENT(sched_process_exec, sched_process_exec, STRATA_EXEC_FIELDS)                \
	EVENT(sched_process_exit, sched_process_exit, STRATA_EXIT_FIELDS)                \
	EVENT(irq_handler_entry, irq_handler_entry, STRATA_IRQ_ENTRY_FIELDS)             \
	EVENT(irq_handler_exit, irq_handler_exit, STRATA_IRQ_EXIT_FIELDS)                \
	EVENT(softirq_entry, softirq_entry, STRATA_SOFTIRQ_FIELDS)                       \
	EVENT(softirq_exit, softirq_exit, STRATA_SOFTIRQ_FIELDS)                         \
	EVENT(hrtimer_expire_entry, hrtimer_expire_entry, STRATA_HRTIMER_ENTRY_FIELDS)   \
	EVENT(hrtimer_expire_exit, hrtimer_expire_exit, STRATA_HRTIMER_EXIT_FIELDS)      \
	EVENT(syscall_entry, sys_enter, STRATA_SYSCALL_ENTRY_FIELDS)                     \
	EVENT(syscall_exit, sys_exit, STRATA_SYSCALL_EXIT_FIELDS)

/* clang-format on */

/* STRATA_EVENT_sched_switch and so on: record ids. */
#define STRATA_EVENT_ID(event, tracepoint, FIELDS) STRATA_EVENT_##event,
enum strata_event_id { STRATA_GUEST_EVENTS(STRATA_EVENT_ID) STRATA_NR_EVENTS };

/* struct strata_payload_sched_switch and so on; the packing is that of strata/event.h. */
#define STRATA_PAYLOAD_FIELD(type, kind, name)        type name;
#define STRATA_PAYLOAD_ARRAY(type, kind, name, count) type name[count];
#define STRATA_PAYLOAD(event, tracepoint, FIELDS)                  \
	struct strata_payload_##event {                            \
		struct strata_guest_context context;               \
		FIELDS(STRATA_PAYLOAD_FIELD, STRATA_PAYLOAD_ARRAY) \
	} __packed __aligned(4);
STRATA_GUEST_EVENTS(STRATA_PAYLOAD)

/* What dom0 is told about the events; index is the record id. */
extern const struct strata_event_desc strata_event_table[STRATA_NR_EVENTS];

/*
 * Does the table describe the structures as the compiler laid them out?  0, or
 * -EINVAL after a message: then nothing must be recorded.
 */
int strata_event_table_check(void);

#endif /* STRATA_KMOD_EVENTS_H */
