// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compass_host_events.c - see compass_host_events.h.
 *
 * The fields are those of LTTng's events that Trace Compass's kernel and virtual machine analyses
 * read, under LTTng's names. Trace Compass reads each number as a long, so none may be an
 * enumeration. Fields that Xen has no equivalent of (namespaces, a thread's mode) are left out.
 */
#include "outputs/trace_compass/compass_host_events.h"

#include <string.h>

#define U32(n)                                                                   \
	{                                                                        \
		.name = n, .kind = STRATA_FIELD_UNSIGNED, .bytes = 4, .count = 1 \
	}
#define S32(n)                                                                 \
	{                                                                      \
		.name = n, .kind = STRATA_FIELD_SIGNED, .bytes = 4, .count = 1 \
	}
#define S64(n)                                                                 \
	{                                                                      \
		.name = n, .kind = STRATA_FIELD_SIGNED, .bytes = 8, .count = 1 \
	}
#define HEX(n)                                                              \
	{                                                                   \
		.name = n, .kind = STRATA_FIELD_HEX, .bytes = 8, .count = 1 \
	}
#define TEXT(n)                                                                \
	{                                                                      \
		.name = n, .kind = STRATA_FIELD_STRING, .bytes = 1, .count = 1 \
	}

const struct strata_event_desc strata_compass_host_context = {
	.nr_fields = 2,
	.fields = { S32("tid"), S32("pid") },
};

static const struct strata_event_desc descriptions[COMPASS_NR_HOST_CLASSES] = {
	[COMPASS_SCHED_SWITCH] = { .name = "sched_switch",
				   .nr_fields = 7,
				   .fields = { TEXT("prev_comm"), S32("prev_tid"), S32("prev_prio"),
					       S64("prev_state"), TEXT("next_comm"),
					       S32("next_tid"), S32("next_prio") } },
	[COMPASS_SCHED_WAKEUP] = { .name = "sched_wakeup",
				   .nr_fields = 4,
				   .fields = { TEXT("comm"), S32("tid"), S32("prio"),
					       S32("target_cpu") } },
	[COMPASS_KVM_ENTRY] = { .name = "kvm_entry", .nr_fields = 1, .fields = { U32("vcpu_id") } },
	[COMPASS_KVM_EXIT] = { .name = "kvm_exit",
			       .nr_fields = 3,
			       .fields = { U32("exit_reason"), HEX("guest_rip"), U32("isa") } },
	[COMPASS_STATEDUMP] = { .name = "lttng_statedump_process_state",
				.nr_fields = 6,
				.fields = { S32("tid"), S32("pid"), S32("ppid"), TEXT("name"),
					    S32("status"), S32("cpu") } },
};

/* Bytes of fields ---------------------------------------------------------------------------- */

struct payload {
	uint8_t bytes[3 * COMPASS_COMM_BYTES + 64];
	uint32_t used;
};

static void add(struct payload *payload, const void *value, uint32_t bytes)
{
	const uint32_t at = strata_field_align(payload->used, bytes);

	memset(payload->bytes + payload->used, 0, at - payload->used);
	memcpy(payload->bytes + at, value, bytes);
	payload->used = at + bytes;
}

static void add_s32(struct payload *payload, int32_t value)
{
	add(payload, &value, sizeof(value));
}

static void add_u32(struct payload *payload, uint32_t value)
{
	add(payload, &value, sizeof(value));
}

static void add_u64(struct payload *payload, uint64_t value)
{
	add(payload, &value, sizeof(value));
}

static void add_text(struct payload *payload, const char *text)
{
	const uint32_t bytes = (uint32_t)strlen(text) + 1;

	memcpy(payload->bytes + payload->used, text, bytes);
	payload->used += bytes;
}

static void put(struct compass_host *host, struct compass_pcpu *pcpu, enum compass_host_class class,
		uint64_t ns, const struct payload *payload)
{
	const struct compass_context context = pcpu->current ? strata_compass_context(pcpu->current)
							     : (struct compass_context){ 0 };

	strata_compass_trace_put(&host->trace, pcpu->file, host->classes[class], ns, &context,
				 payload->bytes, payload->used);
}

struct compass_context strata_compass_context(const struct compass_thread *thread)
{
	return (struct compass_context){ .tid = thread->tid, .pid = thread->pid };
}

/* Events ------------------------------------------------------------------------------------- */

/* vCPUs have no priority in Xen's schedulers. */
#define NO_PRIO 0

/* The kernel's task state, for sched_switch's prev_state. */
static int64_t task_state(enum strata_runstate state)
{
	switch (state) {
	case STRATA_RUNSTATE_BLOCKED:
		return 1; /* interruptible: an event wakes it */
	case STRATA_RUNSTATE_OFFLINE:
		return 2; /* uninterruptible: paused, or down */
	default:
		return 0; /* runnable */
	}
}

static void put_statedump(struct compass_host *host, struct compass_pcpu *pcpu, uint64_t ns,
			  int32_t tid, int32_t pid, int32_t ppid, const char *name,
			  enum compass_status status, uint32_t cpu)
{
	struct payload payload = { .used = 0 };

	add_s32(&payload, tid);
	add_s32(&payload, pid);
	add_s32(&payload, ppid);
	add_text(&payload, name);
	add_s32(&payload, (int32_t)status);
	add_s32(&payload, (int32_t)cpu);
	put(host, pcpu, COMPASS_STATEDUMP, ns, &payload);
}

static void put_process(struct compass_host *host, struct compass_pcpu *pcpu,
			const struct compass_thread *thread, uint64_t ns)
{
	uint8_t *dumped = &host->threads.dumped[thread->domain / 8];
	const uint8_t bit = (uint8_t)(1u << thread->domain % 8);
	char name[STRATA_DOMAIN_TEXT_BYTES];

	if (*dumped & bit)
		return;
	*dumped |= bit;
	strata_recorded_domain_text(host->of, thread->domain, name);
	put_statedump(host, pcpu, ns, thread->pid, thread->pid, 0, name, COMPASS_STATUS_WAIT,
		      pcpu->file->cpu);
}

void strata_compass_put_thread(struct compass_host *host, struct compass_pcpu *pcpu,
			       struct compass_thread *thread, uint64_t ns,
			       enum compass_status status)
{
	if (thread->dumped || thread->tid == 0)
		return;
	/* If the running thread is known only late, its state is written in each file. */
	thread->dumped = thread->is_vcpu;
	if (thread->is_vcpu)
		put_process(host, pcpu, thread, ns);
	put_statedump(host, pcpu, ns, thread->tid, thread->pid, thread->is_vcpu ? thread->pid : 0,
		      thread->comm, status, thread->has_pcpu ? thread->pcpu : pcpu->file->cpu);
}

void strata_compass_put_switch(struct compass_host *host, struct compass_pcpu *pcpu,
			       const struct compass_thread *prev, const struct compass_thread *next,
			       uint64_t ns, enum strata_runstate prev_state)
{
	struct payload payload = { .used = 0 };

	add_text(&payload, prev->comm);
	add_s32(&payload, prev->tid);
	add_s32(&payload, NO_PRIO);
	add_u64(&payload, (uint64_t)task_state(prev_state));
	add_text(&payload, next->comm);
	add_s32(&payload, next->tid);
	add_s32(&payload, NO_PRIO);
	put(host, pcpu, COMPASS_SCHED_SWITCH, ns, &payload);
}

void strata_compass_put_wakeup(struct compass_host *host, struct compass_pcpu *pcpu,
			       struct compass_thread *thread, uint64_t ns)
{
	struct payload payload = { .used = 0 };

	strata_compass_put_thread(host, pcpu, thread, ns, COMPASS_STATUS_WAIT_CPU);
	if (!thread->has_pcpu)
		return;
	add_text(&payload, thread->comm);
	add_s32(&payload, thread->tid);
	add_s32(&payload, NO_PRIO);
	add_s32(&payload, thread->pcpu);
	put(host, pcpu, COMPASS_SCHED_WAKEUP, ns, &payload);
}

void strata_compass_put_entry(struct compass_host *host, struct compass_pcpu *pcpu,
			      const struct compass_thread *thread, uint64_t ns)
{
	struct payload payload = { .used = 0 };

	add_u32(&payload, thread->vcpu);
	put(host, pcpu, COMPASS_KVM_ENTRY, ns, &payload);
}

void strata_compass_put_exit(struct compass_host *host, struct compass_pcpu *pcpu, uint64_t ns,
			     const struct compass_exit *exit)
{
	struct payload payload = { .used = 0 };

	add_u32(&payload, exit->reason);
	add_u64(&payload, exit->rip);
	add_u32(&payload, exit->isa);
	put(host, pcpu, COMPASS_KVM_EXIT, ns, &payload);
}

void strata_compass_read_exit(const struct strata_ctf_reader *reader,
			      const struct strata_lane_event *event, struct compass_exit *exit)
{
	struct {
		uint32_t reason;
		uint32_t rip[2]; /* its second half if another word follows */
	} words;

	exit->reason = 0;
	exit->rip = 0;
	if (strata_xen_read(reader, event, &words, 12))
		memcpy(&exit->rip, words.rip, sizeof(exit->rip));
	else if (strata_xen_read(reader, event, &words, 8))
		exit->rip = words.rip[0];
	else if (!strata_xen_read(reader, event, &words, 4))
		return;
	exit->reason = words.reason;
}

/* The trace ---------------------------------------------------------------------------------- */

void strata_compass_host_describe(struct compass_host *host)
{
	struct compass_trace *trace = &host->trace;
	unsigned int i;

	for (i = 0; i < COMPASS_NR_HOST_CLASSES; i++)
		host->classes[i] = strata_compass_trace_class(trace, &descriptions[i]);
	strata_compass_sync_describe(trace, "host", &host->sync.classes);
	strata_compass_trace_say(trace, "sysname", "Xen");
	strata_compass_trace_say(trace, "synthetic_tid",
				 "10000 * (domain + 1) + 1 + vCPU; its process, and parent, is the "
				 "domain: 10000 * (domain + 1). 0: idle. 1: not recorded");
	strata_compass_trace_say(trace, "synthetic_prio", "0: Xen's schedulers have none");
	strata_compass_trace_say(trace, "synthetic_target_cpu", "of a wake-up: where it ran last");
	strata_compass_trace_say(
		trace, "synthetic_kvm",
		"kvm_exit with isa 3: of a domain without VM exits; it is in the guest while it runs%s. "
		"exit_reason 131071: it stops%s",
		host->hypercalls ? ", except hypercalls" : " (hypercalls were not recorded)",
		host->hypercalls ? "; 65536 and more: and the hypercall's number" : "");
	strata_compass_trace_say(trace, "synthetic_vmsync",
				 "vmsync_*: no hypercall was made for them; each is at the time of "
				 "a guest's event, or of the exit after it or the entry before it");
}
