// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_host DIR EVENTS - writes the traces of a virtualised host for benchmarks: Xen on
 * two physical CPUs (DIR/xen), and the kernels of dom0, g1 and g2 (DIR/dom0 ...).
 *
 * g1 and g2 share the first physical CPU, dom0 has the other one.  Each of their tasks
 * wakes up, runs, makes system calls and hypercalls, sends through event channels and
 * sleeps.  Events come about as often as in the recording of `make demo`; each lasts
 * for 1 to 400 ns, so that EVENTS of them are 0.2 us each.
 *
 * tests/bench/report.sh starts it.
 */
#include <stdbool.h>

#include "ctf_streams.h"

#define DOMAINS      3u
#define PCPUS        2u
#define TASKS        16u /* of each kernel */
#define IDLE_DOMAIN  32767u
#define HYPERCALLS   5u
#define TASK_SLEEPS  1u
#define TASK_PREEMPT 256u

/* Classes of Xen's events, and of a kernel's, as their tables below. */
enum {
	RUNS_TO_RUNNABLE,
	RUNNABLE_TO_RUNS,
	RUNS_TO_BLOCKED,
	BLOCKED_TO_RUNNABLE,
	CONTINUES,
	HYPERCALL,
	HYPERCALL_RETURN,
	VM_EXIT,
	VM_ENTRY,
	EVTCHN_SEND,
	EVTCHN_PENDING
};
enum {
	SWITCH,
	WAKING,
	WAKEUP,
	SYS_ENTER,
	SYS_EXIT,
	IRQ,
	IRQ_EXIT,
	SOFTIRQ_RAISE,
	SOFTIRQ,
	SOFTIRQ_EXIT,
	TIMER,
	TIMER_EXIT,
	UPCALL
};

static const char *const xen_classes[][2] = {
	[RUNS_TO_RUNNABLE] = { "runstate_running_to_runnable", "u16 of_vcpu; u16 of_domain;" },
	[RUNNABLE_TO_RUNS] = { "runstate_runnable_to_running", "u16 of_vcpu; u16 of_domain;" },
	[RUNS_TO_BLOCKED] = { "runstate_running_to_blocked", "u16 of_vcpu; u16 of_domain;" },
	[BLOCKED_TO_RUNNABLE] = { "runstate_blocked_to_runnable", "u16 of_vcpu; u16 of_domain;" },
	[CONTINUES] = { "continue_running", "u32 of;" },
	[HYPERCALL] = { "pv_hypercall", "u32 op;" },
	[HYPERCALL_RETURN] = { "pv_hypercall_return", "u32 op; u32 preempted;" },
	[VM_EXIT] = { "vm_exit", "u32 reason; u64 ip;" },
	[VM_ENTRY] = { "vm_entry", "" },
	[EVTCHN_SEND] = { "evtchn_send", "u32 port; u16 to_domain; u16 state; u32 to_port;" },
	[EVTCHN_PENDING] = { "evtchn_pending", "u16 of_vcpu; u16 of_domain; u32 port;" },
};
static const char *const kernel_classes[][2] = {
	[SWITCH] = { "sched_switch", "char8 prev_comm[16]; i32 prev_tid; i64 prev_state; "
				     "char8 next_comm[16]; i32 next_tid;" },
	[WAKING] = { "sched_waking", "char8 comm[16]; i32 tid; i32 target_cpu;" },
	[WAKEUP] = { "sched_wakeup", "char8 comm[16]; i32 tid; i32 target_cpu;" },
	[SYS_ENTER] = { "sys_enter", "i64 id;" },
	[SYS_EXIT] = { "sys_exit", "i64 id; i64 ret;" },
	[IRQ] = { "irq_handler_entry", "i32 irq; char8 name[8];" },
	[IRQ_EXIT] = { "irq_handler_exit", "i32 irq; i32 ret;" },
	[SOFTIRQ_RAISE] = { "softirq_raise", "u32 vec;" },
	[SOFTIRQ] = { "softirq_entry", "u32 vec;" },
	[SOFTIRQ_EXIT] = { "softirq_exit", "u32 vec;" },
	[TIMER] = { "hrtimer_expire_entry", "u64 hrtimer; u64 function;" },
	[TIMER_EXIT] = { "hrtimer_expire_exit", "u64 hrtimer;" },
	[UPCALL] = { "xen_evtchn_upcall", "u32 port; i32 irq;" },
};

struct __attribute__((packed)) task_name {
	char comm[16];
	int32_t tid;
};

static struct kernel {
	struct stream stream;
	uint32_t runs;          /* the task; 0: idle */
	uint32_t asleep, ready; /* sets of tasks: bits 1 to TASKS */
	uint32_t port;          /* pending; 0: none */
} kernels[DOMAINS];
static struct stream xen[PCPUS];
static uint32_t vcpu_on[PCPUS]; /* the domain; IDLE_DOMAIN */
static bool is_blocked[DOMAINS];
static uint64_t ns = BEGIN_NS, left;

static void put(struct stream *stream, uint32_t id, const void *fields, size_t bytes)
{
	if (!left)
		return;
	left--;
	ns += 1 + random_number() % 400;
	put_event(stream, id, ns, fields, bytes);
}

/* An event of Xen: @fields, behind the context: the vCPU that has the physical CPU. */
static void put_xen(uint32_t pcpu, uint32_t id, const void *fields, size_t bytes)
{
	struct __attribute__((packed)) {
		uint16_t domain, vcpu;
		uint8_t fields[16];
	} event = { (uint16_t)vcpu_on[pcpu], 0, { 0 } };

	memcpy(event.fields, fields, bytes);
	put(&xen[pcpu], id, &event, 4 + bytes);
}

static void put_runstate(uint32_t pcpu, uint32_t id, uint32_t domain)
{
	const uint16_t of[2] = { 0, (uint16_t)domain };

	put_xen(pcpu, id, of, sizeof(of));
}

static void put_kernel(uint32_t domain, uint32_t id, const void *fields, size_t bytes)
{
	put(&kernels[domain].stream, id, fields, bytes);
}

static struct task_name name_of(uint32_t task)
{
	struct task_name name = { .tid = (int32_t)(task ? 100 + task : 0) };

	snprintf(name.comm, sizeof(name.comm), task ? "task%u" : "swapper", task);
	return name;
}

/* Any of a set that is not empty. */
static uint32_t any_of(uint32_t set)
{
	uint32_t skip = (uint32_t)(random_number() % (uint32_t)__builtin_popcount(set));

	while (skip--)
		set &= set - 1;
	return (uint32_t)__builtin_ctz(set);
}

static void wake(uint32_t domain)
{
	struct kernel *kernel = &kernels[domain];
	struct __attribute__((packed)) {
		struct task_name name;
		int32_t cpu;
	} event = { .cpu = 0 };
	uint32_t task;

	if (!kernel->asleep)
		return;
	task = any_of(kernel->asleep);
	kernel->asleep &= ~(1u << task);
	kernel->ready |= 1u << task;
	event.name = name_of(task);
	put_kernel(domain, WAKING, &event, sizeof(event));
	put_kernel(domain, WAKEUP, &event, sizeof(event));
}

static void switch_task(uint32_t domain)
{
	struct kernel *kernel = &kernels[domain];
	const uint32_t before = kernel->runs, after = kernel->ready ? any_of(kernel->ready) : 0;
	const bool sleeps = random_number() % 4 != 0;
	struct __attribute__((packed)) {
		struct task_name before;
		int64_t state;
		struct task_name after;
	} event = { name_of(before), before ? sleeps ? TASK_SLEEPS : TASK_PREEMPT : 0,
		    name_of(after) };

	if (before == after)
		return;
	kernel->runs = after;
	kernel->ready &= ~(1u << after);
	if (before && sleeps)
		kernel->asleep |= 1u << before;
	else if (before)
		kernel->ready |= 1u << before;
	put_kernel(domain, SWITCH, &event, sizeof(event));
}

static void call_xen(uint32_t pcpu)
{
	const uint32_t op[2] = { 24 + (uint32_t)(random_number() % HYPERCALLS), 0 };

	put_xen(pcpu, HYPERCALL, op, 4);
	put_xen(pcpu, HYPERCALL_RETURN, op, 8);
}

static void leave_guest(uint32_t pcpu)
{
	const struct __attribute__((packed)) {
		uint32_t reason;
		uint64_t ip;
	} event = { 10 + (uint32_t)(random_number() % 8), ns };

	put_xen(pcpu, VM_EXIT, &event, sizeof(event));
	put_xen(pcpu, VM_ENTRY, NULL, 0);
}

static void call_kernel(uint32_t pcpu, uint32_t domain)
{
	const int64_t call[2] = { (int64_t)(random_number() % 16), 0 };

	put_kernel(domain, SYS_ENTER, call, 8);
	if (random_number() % 2)
		call_xen(pcpu);
	put_kernel(domain, SYS_EXIT, call, 16);
}

static void expire_timer(uint32_t domain)
{
	const uint64_t timer[2] = { ns, 0xffffffff81000000ull };

	put_kernel(domain, TIMER, timer, 16);
	wake(domain);
	put_kernel(domain, TIMER_EXIT, timer, 8);
}

/* The upcall of a port that is pending: a handler, and a softirq that wakes a task. */
static void handle(uint32_t domain)
{
	const uint32_t port = kernels[domain].port, vector = 3;
	const struct __attribute__((packed)) {
		uint32_t irq;
		char name[8];
	} irq = { port + 60, "device" };
	const uint32_t upcall[2] = { port, port + 60 }, end[2] = { port + 60, 1 };

	kernels[domain].port = 0;
	put_kernel(domain, UPCALL, upcall, sizeof(upcall));
	put_kernel(domain, IRQ, &irq, sizeof(irq));
	put_kernel(domain, SOFTIRQ_RAISE, &vector, sizeof(vector));
	put_kernel(domain, IRQ_EXIT, end, sizeof(end));
	put_kernel(domain, SOFTIRQ, &vector, sizeof(vector));
	wake(domain);
	put_kernel(domain, SOFTIRQ_EXIT, &vector, sizeof(vector));
}

static void send(uint32_t pcpu)
{
	const uint32_t domain = (uint32_t)(random_number() % DOMAINS),
		       port = 4 + (uint32_t)(random_number() % 8);
	const struct __attribute__((packed)) {
		uint32_t port;
		uint16_t to_domain, state;
		uint32_t to_port;
	} sends = { port + 50, (uint16_t)domain, 3, port };
	const struct __attribute__((packed)) {
		uint16_t vcpu, domain;
		uint32_t port;
	} pending = { 0, (uint16_t)domain, port };

	put_xen(pcpu, EVTCHN_SEND, &sends, sizeof(sends));
	put_xen(pcpu, EVTCHN_PENDING, &pending, sizeof(pending));
	kernels[domain].port = port;
	if (!is_blocked[domain])
		return;
	is_blocked[domain] = false;
	put_runstate(pcpu, BLOCKED_TO_RUNNABLE, domain);
}

/* The physical CPU is given to another vCPU: dom0's is on the second one only. */
static void schedule(uint32_t pcpu, bool blocks)
{
	const uint32_t before = vcpu_on[pcpu];
	uint32_t after = IDLE_DOMAIN;
	const uint32_t first = pcpu ? 0 : 1 + (uint32_t)(random_number() % 2);
	const uint32_t second = pcpu ? 0 : 3 - first, of = 0;

	if (first != before && !is_blocked[first])
		after = first;
	else if (second != before && !is_blocked[second])
		after = second;
	else if (!blocks)
		after = before;
	if (after == before) {
		put_xen(pcpu, CONTINUES, &of, sizeof(of));
		return;
	}
	if (before != IDLE_DOMAIN) {
		put_runstate(pcpu, blocks ? RUNS_TO_BLOCKED : RUNS_TO_RUNNABLE, before);
		is_blocked[before] = blocks;
	}
	vcpu_on[pcpu] = after;
	if (after != IDLE_DOMAIN)
		put_runstate(pcpu, RUNNABLE_TO_RUNS, after);
}

/* The next that happens on a physical CPU. */
static void step(uint32_t pcpu)
{
	const uint32_t domain = vcpu_on[pcpu], what = (uint32_t)(random_number() % 100);

	if (domain == IDLE_DOMAIN) {
		send(pcpu);
		schedule(pcpu, true);
	} else if (kernels[domain].port) {
		handle(domain);
	} else if (what < 50) {
		call_xen(pcpu);
	} else if (what < 58) {
		leave_guest(pcpu);
	} else if (what < 72) {
		call_kernel(pcpu, domain);
	} else if (what < 76) {
		expire_timer(domain);
	} else if (what < 88) {
		switch_task(domain);
	} else if (what < 94) {
		send(pcpu);
	} else {
		schedule(pcpu, kernels[domain].runs == 0);
	}
}

static void put_metadata(const char *dir, const char *name, uint32_t place, uint32_t domain,
			 const char *const (*classes)[2], uint32_t nr)
{
	const bool is_xen = classes == xen_classes;
	char env[1024];
	uint32_t i;
	FILE *file;

	/* As `strata merge` writes it: the traces of one host, with one clock. */
	snprintf(
		env, sizeof(env),
		"env { tracer_name = \"strata\"; domain = \"%s\"; hostname = \"%s\"; domain_id = %u;\n"
		"	layer = \"%s\"; strata_source = \"%s\"; vm_exits = \"vmx\";\n"
		"	strata_timeline = \"deccd272-a142-8f7d-bd29-8c451bbc1dfc\";\n"
		"	strata_merge = \"deccd272-a142-8f7d-bd29-8c451bbc1dfc\";\n"
		"	strata_place = %u; strata_machine = 0; strata_clock = %u; };\n",
		name, name, domain, is_xen ? "xen" : "kernel", name, place, place);
	file = metadata_begin(
		dir, env, is_xen ? "\n	event.context := struct { u16 domain; u16 vcpu; };" : "");
	for (i = 0; i < nr; i++)
		metadata_class(file, i, classes[i][0], classes[i][1]);
	metadata_end(file);
}

int main(int argc, char **argv)
{
	static const char *const names[DOMAINS] = { "dom0", "g1", "g2" };
	char path[4096];
	uint32_t i, pcpu = 0;

	if (argc != 3 || (mkdir(argv[1], 0755) && errno != EEXIST)) {
		fprintf(stderr, "usage: make_host DIR EVENTS\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/xen", argv[1]);
	put_metadata(path, "xen", 0, 32754, xen_classes,
		     sizeof(xen_classes) / sizeof(xen_classes[0]));
	for (i = 0; i < PCPUS; i++) {
		stream_open(&xen[i], path, i);
		vcpu_on[i] = IDLE_DOMAIN;
	}
	for (i = 0; i < DOMAINS; i++) {
		snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]);
		put_metadata(path, names[i], 1 + i, i, kernel_classes,
			     sizeof(kernel_classes) / sizeof(kernel_classes[0]));
		stream_open(&kernels[i].stream, path, 0);
		kernels[i].asleep = ((1u << TASKS) - 1) << 1;
		is_blocked[i] = true;
	}
	left = strtoull(argv[2], NULL, 10);
	while (left) {
		if (random_number() % 8 == 0)
			pcpu = (uint32_t)(random_number() % PCPUS);
		step(pcpu);
	}
	for (i = 0; i < PCPUS; i++)
		stream_close(&xen[i]);
	for (i = 0; i < DOMAINS; i++)
		stream_close(&kernels[i].stream);
	return 0;
}
