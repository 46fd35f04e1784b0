// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wakeup.c - see wakeup.h.  What it looks for, on one vCPU of a recorded guest:
 *
 *   the hypervisor wakes it          blocked -> runnable
 *   it waits, and the physical CPU that it gets next runs another domain
 *   it runs                          runnable -> running
 *   its guest wakes a task           sched_waking, mostly from a timer
 *   its guest switches to that task  sched_switch
 *
 * Only a case whose wait is longer than the longest so far is followed into the
 * guest, so events are kept in copy rarely.
 */
#include "analyses/wakeup.h"

#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "event_text.h"

#define DOMAIN_IDLE 0x7fffu

#define EXCERPT_LINES 14u
#define HISTORY_LINES 4u   /* of a physical CPU: its last changes of who runs */
#define SAVED_BYTES   192u /* an event with more payload is not put into an excerpt */
#define COMM_BYTES    64u

struct saved_event {
	struct strata_timeline_event event;
	uint8_t context[8];
	uint8_t payload[SAVED_BYTES];
};

struct occupancy {
	uint16_t domain;
	uint16_t vcpu;
	uint64_t since;
	uint64_t until;
};

struct pcpu {
	struct occupancy now, before;
	struct saved_event history[HISTORY_LINES];
	unsigned int nr_history; /* ever; the last ones are kept */
};

struct wakeup_case {
	uint64_t woken_ticks;
	uint64_t ran_ticks;
	uint64_t switched_ticks;
	uint16_t pcpu;
	struct occupancy other;
	int32_t tid;
	char comm[COMM_BYTES];
	size_t comm_bytes;
	struct saved_event lines[EXCERPT_LINES];
	unsigned int nr_lines;
	uint64_t omitted; /* events that came before the last line and found no room */
};

enum stage {
	STAGE_NONE,
	STAGE_WOKEN,
	STAGE_RUNNING, /* followed into the guest */
};

struct tracker {
	uint16_t domain;
	uint16_t vcpu;
	uint32_t next; /* of the same domain, index + 1; 0: none */
	enum stage stage;
	bool task_known;
	struct saved_event wake;
	struct wakeup_case found;
};

enum role {
	ROLE_UNKNOWN,
	ROLE_NONE,
	ROLE_WAKING, /* a task is woken */
	ROLE_SWITCH, /* a task begins to run */
};

struct class_role {
	enum role role;
	uint32_t tid_offset;
	uint32_t comm_offset;
	uint32_t comm_bytes; /* 0: the event does not say */
};

struct wakeup {
	struct strata_sink sink;
	const struct strata_merge *merge;
	struct class_role *roles; /* by class index */
	uint32_t nr_roles;
	struct pcpu *pcpus;
	uint32_t nr_pcpus;
	struct tracker *trackers; /* one for each kernel stream */
	size_t nr_trackers;
	uint32_t *first_of_domain; /* tracker index + 1; by domain */
	struct wakeup_case best;   /* ran_ticks 0: none */
};

static void save(struct saved_event *saved, const struct strata_timeline_event *event)
{
	uint32_t context = strata_event_payload_bytes(strata_layer_context(event->class->layer));

	saved->event = *event;
	memcpy(saved->context, event->context, context);
	memcpy(saved->payload, event->payload, event->class->payload_bytes);
}

static bool can_be_saved(const struct strata_timeline_event *event)
{
	return event->class->payload_bytes <= SAVED_BYTES;
}

/* The last line is the latest event; when there is no more room, those before it are left out. */
static void add_line(struct wakeup_case *found, const struct strata_timeline_event *event)
{
	if (!can_be_saved(event)) {
		found->omitted++;
		return;
	}
	if (found->nr_lines == EXCERPT_LINES) {
		found->nr_lines--;
		found->omitted++;
	}
	save(&found->lines[found->nr_lines++], event);
}

static bool find_field(const struct strata_event_desc *desc, const char *name, uint8_t kind,
		       uint32_t *offset, uint32_t *bytes)
{
	uint32_t at = 0;
	unsigned int i;

	for (i = 0; i < desc->nr_fields; i++) {
		const struct strata_field_desc *field = &desc->fields[i];

		at = strata_field_align(at, field->bytes);
		if (field->kind == kind && strcmp(field->name, name) == 0) {
			*offset = at;
			*bytes = (uint32_t)field->bytes * field->count;
			return true;
		}
		at += (uint32_t)field->bytes * field->count;
	}
	return false;
}

static void learn_role(const struct strata_event_class *class, struct class_role *role)
{
	bool is_switch = strcmp(class->desc.name, "sched_switch") == 0;
	bool is_waking = strcmp(class->desc.name, "sched_waking") == 0;
	uint32_t bytes;

	role->role = ROLE_NONE;
	if (class->layer != STRATA_LAYER_KERNEL || (!is_switch && !is_waking))
		return;
	if (!find_field(&class->desc, is_switch ? "next_tid" : "tid", STRATA_FIELD_SIGNED,
			&role->tid_offset, &bytes) ||
	    bytes != sizeof(int32_t))
		return;
	if (!find_field(&class->desc, is_switch ? "next_comm" : "comm", STRATA_FIELD_TEXT,
			&role->comm_offset, &role->comm_bytes) ||
	    role->comm_bytes > COMM_BYTES)
		role->comm_bytes = 0;
	role->role = is_switch ? ROLE_SWITCH : ROLE_WAKING;
}

static const struct class_role *role_of(struct wakeup *wakeup,
					const struct strata_event_class *class)
{
	static const struct class_role none = { .role = ROLE_NONE };

	if (class->index >= wakeup->nr_roles) {
		uint32_t nr = (class->index + 64u) & ~63u;
		struct class_role *roles = reallocarray(wakeup->roles, nr, sizeof(*roles));

		if (!roles)
			return &none;
		memset(roles + wakeup->nr_roles, 0, (nr - wakeup->nr_roles) * sizeof(*roles));
		wakeup->roles = roles;
		wakeup->nr_roles = nr;
	}
	if (wakeup->roles[class->index].role == ROLE_UNKNOWN)
		learn_role(class, &wakeup->roles[class->index]);
	return &wakeup->roles[class->index];
}

static struct tracker *find_tracker(struct wakeup *wakeup, uint16_t domain, uint16_t vcpu)
{
	uint32_t at = wakeup->first_of_domain[domain];

	while (at && wakeup->trackers[at - 1].vcpu != vcpu)
		at = wakeup->trackers[at - 1].next;
	return at ? &wakeup->trackers[at - 1] : NULL;
}

/* Who runs on the physical CPU changes. */
static void note_occupancy(struct pcpu *pcpu, const struct strata_timeline_event *event,
			   uint16_t domain, uint16_t vcpu)
{
	const struct strata_runstate_change *change = &event->class->change;

	if (change->before == STRATA_RUNSTATE_RUNNING) {
		pcpu->before = pcpu->now;
		pcpu->before.domain = domain;
		pcpu->before.vcpu = vcpu;
		pcpu->before.until = event->ticks;
		if (pcpu->now.domain != domain || pcpu->now.vcpu != vcpu)
			pcpu->before.since = event->ticks;
	}
	if (change->after == STRATA_RUNSTATE_RUNNING) {
		pcpu->now.domain = domain;
		pcpu->now.vcpu = vcpu;
		pcpu->now.since = event->ticks;
	}
	if (domain != DOMAIN_IDLE &&
	    (change->before == STRATA_RUNSTATE_RUNNING || change->after == STRATA_RUNSTATE_RUNNING))
		save(&pcpu->history[pcpu->nr_history++ % HISTORY_LINES], event);
}

/* Begins a case: what the physical CPU did around the wake, the wake among it by time. */
static void begin_case(struct tracker *tracker, const struct pcpu *pcpu,
		       const struct strata_timeline_event *run)
{
	struct wakeup_case *found = &tracker->found;
	unsigned int kept = pcpu->nr_history < HISTORY_LINES ? pcpu->nr_history : HISTORY_LINES;
	unsigned int i = pcpu->nr_history - kept;
	bool wake_added = false;

	found->woken_ticks = tracker->wake.event.ticks;
	found->ran_ticks = run->ticks;
	found->pcpu = run->pcpu;
	found->other = pcpu->before;
	found->nr_lines = 0;
	found->omitted = 0;
	for (; i < pcpu->nr_history; i++) {
		const struct saved_event *line = &pcpu->history[i % HISTORY_LINES];

		if (!wake_added && line->event.ticks >= found->woken_ticks) {
			found->lines[found->nr_lines++] = tracker->wake;
			wake_added = true;
		}
		found->lines[found->nr_lines++] = *line;
	}
	tracker->stage = STAGE_RUNNING;
	tracker->task_known = false;
}

/* Whether another domain ran on the physical CPU while the vCPU waited for it. */
static bool waited_behind_other(const struct tracker *tracker, const struct pcpu *pcpu)
{
	const struct occupancy *other = &pcpu->before;

	return other->domain != DOMAIN_IDLE && other->domain != tracker->domain &&
	       other->until > tracker->wake.event.ticks && other->until > other->since;
}

static void runstate_event(struct wakeup *wakeup, const struct strata_timeline_event *event)
{
	const struct strata_runstate_change *change = &event->class->change;
	struct pcpu *pcpu = event->pcpu < wakeup->nr_pcpus ? &wakeup->pcpus[event->pcpu] : NULL;
	uint16_t vcpu_domain[2];
	struct tracker *tracker;

	memcpy(vcpu_domain, event->payload, sizeof(vcpu_domain));
	if (!pcpu || !can_be_saved(event))
		return;
	note_occupancy(pcpu, event, vcpu_domain[1], vcpu_domain[0]);
	tracker = find_tracker(wakeup, vcpu_domain[1], vcpu_domain[0]);
	if (!tracker)
		return;

	if (change->before == STRATA_RUNSTATE_BLOCKED &&
	    change->after == STRATA_RUNSTATE_RUNNABLE) {
		save(&tracker->wake, event);
		tracker->stage = STAGE_WOKEN;
		return;
	}
	if (tracker->stage == STAGE_WOKEN && change->after == STRATA_RUNSTATE_RUNNING &&
	    waited_behind_other(tracker, pcpu) &&
	    event->ticks - tracker->wake.event.ticks >
		    wakeup->best.ran_ticks - wakeup->best.woken_ticks) {
		begin_case(tracker, pcpu, event);
		return;
	}
	tracker->stage = STAGE_NONE;
}

/*
 * Whether the hypervisor lost nothing since then: else the vCPU may have stopped and been woken
 * again.  Its streams come first.
 */
static bool nothing_lost_since(const struct wakeup *wakeup, uint64_t ticks)
{
	size_t i;

	for (i = 0; i < strata_merge_nr_streams(wakeup->merge); i++) {
		const struct strata_merge_stream *stream = strata_merge_stream(wakeup->merge, i);

		if (stream->source->layer != STRATA_LAYER_XEN)
			break;
		if (stream->gap_until >= ticks)
			return false;
	}
	return true;
}

static int32_t read_tid(const struct strata_timeline_event *event, const struct class_role *role)
{
	int32_t tid;

	memcpy(&tid, event->payload + role->tid_offset, sizeof(tid));
	return tid;
}

static void kernel_event(struct wakeup *wakeup, const struct strata_timeline_event *event)
{
	struct tracker *tracker = find_tracker(wakeup, event->domain, event->vcpu);
	const struct class_role *role;
	struct wakeup_case *found;

	if (!tracker || tracker->stage != STAGE_RUNNING)
		return;
	found = &tracker->found;
	role = role_of(wakeup, event->class);
	add_line(found, event);
	if (role->role == ROLE_WAKING && !tracker->task_known) {
		tracker->task_known = true;
		found->tid = read_tid(event, role);
		return;
	}
	if (role->role != ROLE_SWITCH || !tracker->task_known ||
	    read_tid(event, role) != found->tid)
		return;

	found->switched_ticks = event->ticks;
	found->comm_bytes = role->comm_bytes;
	memcpy(found->comm, event->payload + role->comm_offset, role->comm_bytes);
	/* Another vCPU's case may have ended in between. */
	if (nothing_lost_since(wakeup, found->woken_ticks) &&
	    found->ran_ticks - found->woken_ticks >
		    wakeup->best.ran_ticks - wakeup->best.woken_ticks)
		wakeup->best = *found;
	tracker->stage = STAGE_NONE;
}

static void wakeup_event(struct strata_sink *sink, const struct strata_timeline_event *event)
{
	struct wakeup *wakeup = (struct wakeup *)sink;

	if (event->class->role == STRATA_ROLE_RUNSTATE)
		runstate_event(wakeup, event);
	else if (event->class->layer == STRATA_LAYER_KERNEL)
		kernel_event(wakeup, event);
}

static int wakeup_finish(struct strata_sink *sink, const struct strata_merge *merge,
			 struct strata_error *error)
{
	(void)sink;
	(void)merge;
	(void)error;
	return 0;
}

static void wakeup_free(struct strata_sink *sink)
{
	struct wakeup *wakeup = (struct wakeup *)sink;

	free(wakeup->roles);
	free(wakeup->pcpus);
	free(wakeup->trackers);
	free(wakeup->first_of_domain);
	free(wakeup);
}

static void add_tracker(struct wakeup *wakeup, const struct strata_merge_stream *stream)
{
	struct tracker *tracker = &wakeup->trackers[wakeup->nr_trackers++];

	tracker->domain = (uint16_t)stream->source->domain;
	tracker->vcpu = (uint16_t)stream->cpu;
	tracker->next = wakeup->first_of_domain[tracker->domain];
	wakeup->first_of_domain[tracker->domain] = (uint32_t)wakeup->nr_trackers;
}

static bool set_up(struct wakeup *wakeup, const struct strata_merge *merge)
{
	size_t i, nr_streams = strata_merge_nr_streams(merge);

	for (i = 0; i < nr_streams; i++) {
		const struct strata_merge_stream *stream = strata_merge_stream(merge, i);

		if (stream->source->layer == STRATA_LAYER_XEN && stream->cpu >= wakeup->nr_pcpus)
			wakeup->nr_pcpus = stream->cpu + 1;
	}
	wakeup->pcpus = calloc(wakeup->nr_pcpus + 1, sizeof(*wakeup->pcpus));
	wakeup->trackers = calloc(nr_streams + 1, sizeof(*wakeup->trackers));
	wakeup->first_of_domain = calloc(UINT16_MAX + 1, sizeof(*wakeup->first_of_domain));
	if (!wakeup->pcpus || !wakeup->trackers || !wakeup->first_of_domain)
		return false;
	for (i = 0; i < wakeup->nr_pcpus; i++)
		wakeup->pcpus[i].now.domain = wakeup->pcpus[i].before.domain = DOMAIN_IDLE;
	for (i = 0; i < nr_streams; i++) {
		if (strata_merge_stream(merge, i)->source->layer == STRATA_LAYER_KERNEL)
			add_tracker(wakeup, strata_merge_stream(merge, i));
	}
	return true;
}

struct strata_sink *strata_wakeup_new(const struct strata_merge *merge)
{
	struct wakeup *wakeup = calloc(1, sizeof(*wakeup));

	if (!wakeup)
		return NULL;
	wakeup->merge = merge;
	wakeup->sink.event = wakeup_event;
	wakeup->sink.finish = wakeup_finish;
	wakeup->sink.free = wakeup_free;
	if (!set_up(wakeup, merge)) {
		wakeup_free(&wakeup->sink);
		return NULL;
	}
	return &wakeup->sink;
}

static void print_domain(const struct wakeup *wakeup, FILE *out, uint16_t domain, uint16_t vcpu)
{
	const char *name = strata_merge_domain_name(wakeup->merge, domain);

	if (name)
		fprintf(out, "%s/%u", name, vcpu);
	else
		fprintf(out, "d%u/%u", domain, vcpu);
}

static void print_answer(const struct wakeup *wakeup, FILE *out)
{
	const struct wakeup_case *best = &wakeup->best;
	const struct strata_timeline_event *last = &best->lines[best->nr_lines - 1].event;
	uint32_t khz = strata_merge_timebase(wakeup->merge)->tsc_khz;
	uint64_t since = best->other.since > best->woken_ticks ? best->other.since
							       : best->woken_ticks;
	char comm[STRATA_ESCAPED_BYTES(COMM_BYTES) + 1];

	*strata_escape(comm, best->comm, best->comm_bytes) = '\0';
	fprintf(out, "Longest wake-up behind another domain: task \"%s\" (tid %d) of ", comm,
		best->tid);
	print_domain(wakeup, out, last->domain, last->vcpu);
	fprintf(out, " ran %.3f ms after Xen woke its vCPU, because pCPU %u ran ",
		(double)strata_ticks_to_ns(khz, best->switched_ticks - best->woken_ticks) / 1e6,
		best->pcpu);
	print_domain(wakeup, out, best->other.domain, best->other.vcpu);
	fprintf(out, " for %.3f ms of the %.3f ms that the vCPU waited.\n",
		(double)strata_ticks_to_ns(khz, best->other.until - since) / 1e6,
		(double)strata_ticks_to_ns(khz, best->ran_ticks - best->woken_ticks) / 1e6);
}

void strata_wakeup_print(const struct strata_sink *sink, FILE *out)
{
	const struct wakeup *wakeup = (const struct wakeup *)sink;
	const struct wakeup_case *best = &wakeup->best;
	static char line[STRATA_EVENT_TEXT_BYTES + 1];
	uint64_t first_ns = strata_merge_result(wakeup->merge)->first_ns;
	uint64_t previous_ns;
	unsigned int i;

	if (best->ran_ticks == 0) {
		fprintf(out, "No task of a recorded guest was woken behind another domain.\n");
		return;
	}
	print_answer(wakeup, out);
	fprintf(out, "%s\n", STRATA_EVENT_TEXT_HEADING);
	previous_ns = best->lines[0].event.ns;
	for (i = 0; i < best->nr_lines; i++) {
		struct saved_event saved = best->lines[i];

		if (best->omitted && i + 1 == best->nr_lines)
			fprintf(out, "        ... %llu more events of this vCPU ...\n",
				(unsigned long long)best->omitted);
		saved.event.context = saved.context;
		saved.event.payload = saved.payload;
		*strata_event_text(line, wakeup->merge, &saved.event, first_ns, previous_ns) = '\0';
		fprintf(out, "%s\n", line);
		previous_ns = saved.event.ns;
	}
}
