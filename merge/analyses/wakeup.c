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
#include "analyses/task_events.h"
#include "base/escape.h"

#define COMM_BYTES STRATA_TASK_NAME_BYTES

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

struct strata_wakeup {
	struct strata_slice_sink sink;
	const struct strata_recorded_host *host;
	struct strata_shown_view view;
	struct strata_ctf_arena *arena;
	struct strata_task_events *kernels; /* by trace of the set */
	struct strata_occupancy *pcpus;
	uint32_t nr_pcpus;
	struct tracker *trackers;  /* by stream of the host */
	uint32_t *first_of_domain; /* index + 1 of its first stream; 0: none */
	uint64_t gap_until;        /* host ticks: before this the hypervisor lost something */
	struct wakeup_case best;   /* behind.until 0: none */
};

static uint64_t behind_ticks(const struct wakeup_case *found)
{
	return found->behind.until - found->behind.since;
}

static bool tracks(const struct tracker *tracker, uint16_t domain, uint16_t vcpu)
{
	return tracker->used && tracker->domain == domain && tracker->vcpu == vcpu;
}

/* A domain's streams are side by side, by vCPU; mostly none of them is missing. */
static struct tracker *find_tracker(struct strata_wakeup *wakeup, uint16_t domain, uint16_t vcpu)
{
	size_t first = wakeup->first_of_domain[domain], i;

	if (first-- == 0)
		return NULL;
	if (first + vcpu < wakeup->host->nr_streams &&
	    tracks(&wakeup->trackers[first + vcpu], domain, vcpu))
		return &wakeup->trackers[first + vcpu];
	for (i = first; i < wakeup->host->nr_streams && wakeup->trackers[i].domain == domain; i++) {
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
static void vcpu_runs(struct strata_wakeup *wakeup, struct tracker *tracker, uint16_t pcpu,
		      uint64_t ticks)
{
	const struct strata_occupancy *occupancy = &wakeup->pcpus[pcpu];
	struct wakeup_case *found = &tracker->found;

	tracker->stage = STAGE_NONE;
	if (!strata_occupancy_by_other(occupancy, tracker->domain, tracker->wake.ticks,
				       &found->behind) ||
	    behind_ticks(found) <= behind_ticks(&wakeup->best))
		return;
	found->woken_ticks = tracker->wake.ticks;
	found->ran_ticks = ticks;
	found->domain = tracker->domain;
	found->vcpu = tracker->vcpu;
	found->pcpu = pcpu;
	begin_excerpt(&found->excerpt, occupancy, &tracker->wake);
	tracker->stage = STAGE_RUNNING;
	tracker->task_known = false;
}

static void runstate_event(struct strata_wakeup *wakeup, size_t stream,
			   struct strata_ctf_reader *reader, const struct strata_lane_event *event,
			   uint16_t pcpu, const struct strata_runstate_change *change)
{
	const uint64_t ticks = strata_recorded_ticks(wakeup->host, event);
	struct strata_hv_context changed;
	struct strata_saved_event *saved;
	struct tracker *tracker;

	if (!strata_xen_read_changed(reader, event, &changed) || !strata_saved_event_fits(event))
		return;
	saved = strata_occupancy_change(&wakeup->pcpus[pcpu], change, &changed, ticks);
	if (saved)
		strata_saved_event_set(saved, &wakeup->view, stream, reader, event, ticks);
	tracker = find_tracker(wakeup, changed.domain, changed.vcpu);
	if (!tracker)
		return;

	if (change->before == STRATA_RUNSTATE_BLOCKED &&
	    change->after == STRATA_RUNSTATE_RUNNABLE) {
		strata_saved_event_set(&tracker->wake, &wakeup->view, stream, reader, event, ticks);
		tracker->stage = STAGE_WOKEN;
	} else if (tracker->stage == STAGE_WOKEN && change->after == STRATA_RUNSTATE_RUNNING) {
		vcpu_runs(wakeup, tracker, pcpu, ticks);
	} else {
		tracker->stage = STAGE_NONE;
	}
}

static void kernel_event(struct strata_wakeup *wakeup, struct tracker *tracker, size_t stream,
			 struct strata_ctf_reader *reader, const struct strata_lane_event *event)
{
	const struct strata_task_events *classes =
		&wakeup->kernels[wakeup->view.shown->set->streams[stream].trace];
	const struct strata_ctf_event_class *class = reader->kind->classes[event->class].event;
	const uint64_t ticks = strata_recorded_ticks(wakeup->host, event);
	struct wakeup_case *found = &tracker->found;
	struct strata_ctf_cursor cursor;
	struct strata_task task;

	strata_excerpt_add(&found->excerpt, &wakeup->view, stream, reader, event, ticks);
	strata_ctf_event_open(reader, event, &cursor);
	if (class == classes->waking && !tracker->task_known) {
		tracker->task_known = strata_task_events_woken(classes, &cursor, &found->tid);
		return;
	}
	if (class != classes->switching || !tracker->task_known)
		return;
	strata_task_after(&task, &classes->task, &cursor);
	if (!task.is_known || (int32_t)task.tid != found->tid)
		return;

	found->switched_ticks = ticks;
	found->comm_bytes = task.bytes;
	memcpy(found->comm, task.name, task.bytes);
	/* If the hypervisor lost something since then, the vCPU may have stopped and been woken
	 * again.  And another vCPU's case may have ended in between. */
	if (wakeup->gap_until < found->woken_ticks &&
	    behind_ticks(found) > behind_ticks(&wakeup->best))
		wakeup->best = *found;
	tracker->stage = STAGE_NONE;
}

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_wakeup *wakeup = (struct strata_wakeup *)sink;
	const struct strata_recorded_stream *recorded =
		strata_recorded_stream_of(wakeup->host, reader->stream);
	struct tracker *tracker;
	size_t i;

	(void)error;
	if (!recorded)
		return 0;
	tracker = &wakeup->trackers[recorded - wakeup->host->streams];
	for (i = 0; i < nr; i++) {
		const struct strata_xen_class *class;

		if (recorded->source->layer != STRATA_LAYER_XEN) {
			if (tracker->stage == STAGE_RUNNING)
				kernel_event(wakeup, tracker, stream, reader, &events[i]);
			continue;
		}
		class = strata_recorded_class(recorded, reader, &events[i]);
		if (class->tells == STRATA_XEN_RUNSTATE)
			runstate_event(wakeup, stream, reader, &events[i], (uint16_t)recorded->cpu,
				       &class->change);
	}
	return 0;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_wakeup *wakeup = (struct strata_wakeup *)sink;
	const struct strata_recorded_stream *recorded =
		strata_recorded_stream_of(wakeup->host, reader->stream);
	uint64_t until;

	(void)stream;
	(void)error;
	if (!recorded || recorded->source->layer != STRATA_LAYER_XEN)
		return 0;
	until = strata_realtime_to_ticks(&wakeup->host->timebase, loss->to_ns + 1, 0);
	if (until > wakeup->gap_until)
		wakeup->gap_until = until;
	return 0;
}

struct strata_slice_sink *strata_wakeup_observer(struct strata_wakeup *wakeup)
{
	return &wakeup->sink;
}

void strata_wakeup_free(struct strata_wakeup *wakeup)
{
	if (!wakeup)
		return;
	strata_shown_view_clear(&wakeup->view);
	strata_ctf_arena_free(wakeup->arena);
	free(wakeup->kernels);
	free(wakeup->pcpus);
	free(wakeup->trackers);
	free(wakeup->first_of_domain);
	free(wakeup);
}

static void add_tracker(struct strata_wakeup *wakeup, size_t at)
{
	const struct strata_recorded_stream *stream = &wakeup->host->streams[at];
	struct tracker *tracker = &wakeup->trackers[at];

	tracker->used = true;
	tracker->domain = (uint16_t)stream->source->domain;
	tracker->vcpu = (uint16_t)stream->cpu;
	if (!wakeup->first_of_domain[tracker->domain])
		wakeup->first_of_domain[tracker->domain] = (uint32_t)at + 1;
}

static bool set_up(struct strata_wakeup *wakeup)
{
	const struct strata_recorded_host *host = wakeup->host;
	const struct strata_trace_set *set = wakeup->view.shown->set;
	size_t i;

	for (i = 0; i < host->nr_streams; i++) {
		const struct strata_recorded_stream *stream = &host->streams[i];

		if (stream->source->layer == STRATA_LAYER_XEN && stream->cpu >= wakeup->nr_pcpus)
			wakeup->nr_pcpus = stream->cpu + 1;
	}
	wakeup->arena = strata_ctf_arena_new(SIZE_MAX);
	wakeup->kernels = calloc(set->nr_traces + 1, sizeof(*wakeup->kernels));
	wakeup->pcpus = calloc(wakeup->nr_pcpus + 1, sizeof(*wakeup->pcpus));
	wakeup->trackers = calloc(host->nr_streams + 1, sizeof(*wakeup->trackers));
	wakeup->first_of_domain = calloc(UINT16_MAX + 1, sizeof(*wakeup->first_of_domain));
	if (!wakeup->arena || !wakeup->kernels || !wakeup->pcpus || !wakeup->trackers ||
	    !wakeup->first_of_domain)
		return false;
	for (i = 0; i < set->nr_streams; i++) {
		const struct strata_recorded_stream *stream =
			strata_recorded_stream_of(host, set->streams[i].stream);
		struct strata_task_events *classes = &wakeup->kernels[set->streams[i].trace];

		if (i > 0 && set->streams[i - 1].trace == set->streams[i].trace)
			continue;
		if (stream && stream->host == host &&
		    stream->source->layer == STRATA_LAYER_KERNEL &&
		    strata_task_events_find(classes, &set->streams[i].stream->trace->metadata,
					    wakeup->arena))
			return false;
	}
	for (i = 0; i < host->nr_streams; i++) {
		if (host->streams[i].source->layer == STRATA_LAYER_KERNEL)
			add_tracker(wakeup, i);
	}
	return true;
}

struct strata_wakeup *strata_wakeup_new(const struct strata_recorded_host *host,
					const struct strata_shown *shown)
{
	struct strata_wakeup *wakeup = calloc(1, sizeof(*wakeup));

	if (!wakeup)
		return NULL;
	wakeup->host = host;
	wakeup->sink.take = take;
	wakeup->sink.lose = lose;
	if (strata_shown_view_init(&wakeup->view, shown)) {
		free(wakeup);
		return NULL;
	}
	if (!set_up(wakeup)) {
		strata_wakeup_free(wakeup);
		return NULL;
	}
	return wakeup;
}

static void print_vcpu(const struct strata_wakeup *wakeup, FILE *out, uint16_t domain,
		       uint16_t vcpu)
{
	char name[STRATA_DOMAIN_TEXT_BYTES];

	fprintf(out, "%s/%u", strata_recorded_domain_text(wakeup->host, domain, name), vcpu);
}

static double milliseconds(const struct strata_wakeup *wakeup, uint64_t ticks)
{
	return (double)strata_ticks_to_ns(wakeup->host->timebase.tsc_khz, ticks) / 1e6;
}

static bool has_guests(const struct strata_recording *recording)
{
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_KERNEL &&
		    recording->sources[i].domain)
			return true;
	}
	return false;
}

void strata_wakeup_print(const struct strata_wakeup *wakeup, FILE *out)
{
	const struct wakeup_case *best = &wakeup->best;
	char comm[STRATA_ESCAPED_BYTES(COMM_BYTES) + 1];

	if (behind_ticks(best) == 0 && !has_guests(&wakeup->host->recording))
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
