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
 * Of all such cases it keeps the one in which the other domain ran longest.
 * Only one that beats the best so far is followed into the guest, so events are
 * kept in copy rarely.
 */
#include "analyses/wakeup.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/occupancy.h"
#include "base/escape.h"

#define COMM_BYTES 64u

struct wakeup_case {
	uint64_t woken_ticks;
	uint64_t ran_ticks;
	uint64_t switched_ticks;
	uint16_t domain;
	uint16_t vcpu;
	uint16_t pcpu;
	struct strata_stretch behind; /* who ran instead */
	int32_t tid;
	char comm[COMM_BYTES];
	size_t comm_bytes;
	struct strata_excerpt excerpt;
};

enum stage {
	STAGE_NONE,
	STAGE_WOKEN,
	STAGE_RUNNING, /* followed into the guest */
};

struct tracker {
	bool used; /* the stream is a kernel's */
	uint16_t domain;
	uint16_t vcpu;
	enum stage stage;
	bool task_known;
	struct strata_saved_event wake;
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
	struct strata_shown_view view;
	struct class_role *roles; /* by class index */
	uint32_t nr_roles;
	struct strata_occupancy *pcpus;
	uint32_t nr_pcpus;
	struct tracker *trackers; /* by stream */
	size_t nr_trackers;
	uint32_t *first_of_domain; /* index + 1 of its first stream; 0: none */
	struct wakeup_case best;   /* behind.until 0: none */
};

static uint64_t behind_ticks(const struct wakeup_case *found)
{
	return found->behind.until - found->behind.since;
}

static bool find_field(const struct strata_event_desc *desc, const char *name, uint8_t kind,
		       uint32_t *offset, uint32_t *bytes)
{
	uint32_t at = 0;
	unsigned int i;

	/* Where a field lies behind one of variable length differs from record to record. */
	for (i = 0; i < strata_event_first_variable(desc); i++) {
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
	if (!find_field(&class->desc, is_switch ? "next_pid" : "pid", STRATA_FIELD_SIGNED,
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

static bool tracks(const struct tracker *tracker, uint16_t domain, uint16_t vcpu)
{
	return tracker->used && tracker->domain == domain && tracker->vcpu == vcpu;
}

/* A domain's streams are side by side, by vCPU; mostly none of them is missing. */
static struct tracker *find_tracker(struct wakeup *wakeup, uint16_t domain, uint16_t vcpu)
{
	size_t first = wakeup->first_of_domain[domain], i;

	if (first-- == 0)
		return NULL;
	if (first + vcpu < wakeup->nr_trackers &&
	    tracks(&wakeup->trackers[first + vcpu], domain, vcpu))
		return &wakeup->trackers[first + vcpu];
	for (i = first; i < wakeup->nr_trackers && wakeup->trackers[i].domain == domain; i++) {
		if (tracks(&wakeup->trackers[i], domain, vcpu))
			return &wakeup->trackers[i];
	}
	return NULL;
}

/* The lines before the guest's: what the physical CPU did around the wake, the wake by its time. */
static void begin_excerpt(struct strata_excerpt *excerpt, const struct strata_occupancy *pcpu,
			  const struct strata_saved_event *wake)
{
	const unsigned int size = sizeof(pcpu->changes) / sizeof(pcpu->changes[0]);
	unsigned int i = pcpu->nr_changes < size ? 0 : pcpu->nr_changes - size;
	bool wake_added = false;

	excerpt->nr = 0;
	excerpt->omitted = 0;
	for (; i < pcpu->nr_changes; i++) {
		const struct strata_saved_event *change = &pcpu->changes[i % size];

		if (!wake_added && change->ticks >= wake->ticks) {
			excerpt->lines[excerpt->nr++] = *wake;
			wake_added = true;
		}
		excerpt->lines[excerpt->nr++] = *change;
	}
}

/* A vCPU that was woken runs: is it a case, and a worse one than the worst so far? */
static void vcpu_runs(struct wakeup *wakeup, struct tracker *tracker,
		      const struct strata_occupancy *pcpu, const struct strata_timeline_event *run)
{
	struct wakeup_case *found = &tracker->found;

	tracker->stage = STAGE_NONE;
	if (!strata_occupancy_by_other(pcpu, tracker->domain, tracker->wake.ticks,
				       &found->behind) ||
	    behind_ticks(found) <= behind_ticks(&wakeup->best))
		return;
	found->woken_ticks = tracker->wake.ticks;
	found->ran_ticks = run->ticks;
	found->domain = tracker->domain;
	found->vcpu = tracker->vcpu;
	found->pcpu = run->pcpu;
	begin_excerpt(&found->excerpt, pcpu, &tracker->wake);
	tracker->stage = STAGE_RUNNING;
	tracker->task_known = false;
}

static void runstate_event(struct wakeup *wakeup, const struct strata_timeline_event *event)
{
	const struct strata_runstate_change *change = &event->class->change;
	struct strata_occupancy *pcpu = event->pcpu < wakeup->nr_pcpus ? &wakeup->pcpus[event->pcpu]
								       : NULL;
	uint16_t vcpu_domain[2];
	struct tracker *tracker;

	memcpy(vcpu_domain, event->payload, sizeof(vcpu_domain));
	if (!pcpu || !strata_saved_event_fits(event))
		return;
	strata_occupancy_change(pcpu, &wakeup->view, event, vcpu_domain[1], vcpu_domain[0]);
	tracker = find_tracker(wakeup, vcpu_domain[1], vcpu_domain[0]);
	if (!tracker)
		return;

	if (change->before == STRATA_RUNSTATE_BLOCKED &&
	    change->after == STRATA_RUNSTATE_RUNNABLE) {
		strata_saved_event_set(&tracker->wake, &wakeup->view, event);
		tracker->stage = STAGE_WOKEN;
	} else if (tracker->stage == STAGE_WOKEN && change->after == STRATA_RUNSTATE_RUNNING) {
		vcpu_runs(wakeup, tracker, pcpu, event);
	} else {
		tracker->stage = STAGE_NONE;
	}
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
	struct tracker *tracker = &wakeup->trackers[event->stream->index];
	const struct class_role *role;
	struct wakeup_case *found;

	if (tracker->stage != STAGE_RUNNING)
		return;
	found = &tracker->found;
	role = role_of(wakeup, event->class);
	strata_excerpt_add(&found->excerpt, &wakeup->view, event);
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
	    behind_ticks(found) > behind_ticks(&wakeup->best))
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

	strata_shown_view_clear(&wakeup->view);
	free(wakeup->roles);
	free(wakeup->pcpus);
	free(wakeup->trackers);
	free(wakeup->first_of_domain);
	free(wakeup);
}

static void add_tracker(struct wakeup *wakeup, const struct strata_merge_stream *stream)
{
	struct tracker *tracker = &wakeup->trackers[stream->index];

	tracker->used = true;
	tracker->domain = (uint16_t)stream->source->domain;
	tracker->vcpu = (uint16_t)stream->cpu;
	if (!wakeup->first_of_domain[tracker->domain])
		wakeup->first_of_domain[tracker->domain] = (uint32_t)stream->index + 1;
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
	wakeup->nr_trackers = nr_streams;
	wakeup->trackers = calloc(nr_streams + 1, sizeof(*wakeup->trackers));
	wakeup->first_of_domain = calloc(UINT16_MAX + 1, sizeof(*wakeup->first_of_domain));
	if (!wakeup->pcpus || !wakeup->trackers || !wakeup->first_of_domain)
		return false;
	for (i = 0; i < nr_streams; i++) {
		if (strata_merge_stream(merge, i)->source->layer == STRATA_LAYER_KERNEL)
			add_tracker(wakeup, strata_merge_stream(merge, i));
	}
	return true;
}

struct strata_sink *strata_wakeup_new(const struct strata_merge *merge,
				      const struct strata_shown *shown)
{
	struct wakeup *wakeup = calloc(1, sizeof(*wakeup));

	if (!wakeup)
		return NULL;
	wakeup->merge = merge;
	wakeup->sink.event = wakeup_event;
	wakeup->sink.finish = wakeup_finish;
	wakeup->sink.free = wakeup_free;
	if (strata_shown_view_init(&wakeup->view, shown)) {
		free(wakeup);
		return NULL;
	}
	if (!set_up(wakeup, merge)) {
		wakeup_free(&wakeup->sink);
		return NULL;
	}
	return &wakeup->sink;
}

static void print_vcpu(const struct wakeup *wakeup, FILE *out, uint16_t domain, uint16_t vcpu)
{
	const char *name = strata_merge_domain_name(wakeup->merge, domain);

	if (name)
		fprintf(out, "%s/%u", name, vcpu);
	else
		fprintf(out, "d%u/%u", domain, vcpu);
}

static double milliseconds(const struct wakeup *wakeup, uint64_t ticks)
{
	return (double)strata_ticks_to_ns(strata_merge_timebase(wakeup->merge)->tsc_khz, ticks) /
	       1e6;
}

static bool has_guests(const struct strata_merge *merge)
{
	const struct strata_recording *recording = strata_merge_recording(merge);
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_KERNEL &&
		    recording->sources[i].domain)
			return true;
	}
	return false;
}

void strata_wakeup_print(const struct strata_sink *sink, FILE *out)
{
	const struct wakeup *wakeup = (const struct wakeup *)sink;
	const struct wakeup_case *best = &wakeup->best;
	char comm[STRATA_ESCAPED_BYTES(COMM_BYTES) + 1];

	if (behind_ticks(best) == 0 && !has_guests(wakeup->merge))
		return;
	if (behind_ticks(best) == 0) {
		fprintf(out, "No task of a recorded guest was woken behind another domain.\n");
		return;
	}
	*strata_escape(comm, best->comm, best->comm_bytes) = '\0';
	fprintf(out, "Longest wake-up behind another domain: task \"%s\" (tid %d) of ", comm,
		best->tid);
	print_vcpu(wakeup, out, best->domain, best->vcpu);
	fprintf(out, " ran %.3f ms after Xen woke its vCPU, because pCPU %u ran ",
		milliseconds(wakeup, best->switched_ticks - best->woken_ticks), best->pcpu);
	print_vcpu(wakeup, out, best->behind.domain, best->behind.vcpu);
	fprintf(out, " for %.3f ms of the %.3f ms that the vCPU waited.\n",
		milliseconds(wakeup, behind_ticks(best)),
		milliseconds(wakeup, best->ran_ticks - best->woken_ticks));
	strata_excerpt_print(&best->excerpt, wakeup->view.shown, out);
}
