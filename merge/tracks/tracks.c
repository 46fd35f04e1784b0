// SPDX-License-Identifier: GPL-2.0-or-later
/* tracks.c - see tracks.h: makes slices of spans, and hands them to the sinks. */
#include "tracks/tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/report.h"
#include "base/array.h"
#include "base/value_hash.h"
#include "outputs/table.h"
#include "tracks/detail.h"
#include "tracks/tree.h"
#include "xen/domain_numbers.h"

const char *const strata_hue_names[STRATA_NR_HUES] = {
	[STRATA_HUE_RUNNING] = "running", [STRATA_HUE_WAITING] = "waiting",
	[STRATA_HUE_BLOCKED] = "blocked", [STRATA_HUE_PAUSED] = "paused",
	[STRATA_HUE_UNKNOWN] = "unknown", [STRATA_HUE_IDLE] = "idle",
	[STRATA_HUE_EXIT] = "exit",       [STRATA_HUE_HYPERCALL] = "hypercall",
	[STRATA_HUE_SYSCALL] = "syscall", [STRATA_HUE_IRQ] = "irq",
	[STRATA_HUE_SOFTIRQ] = "softirq", [STRATA_HUE_REQUEST] = "request",
	[STRATA_HUE_DOMAIN] = "domain",
};

struct recorder {
	struct strata_tracks tracks; /* what sinks see */
	struct strata_span_listener listener;
	struct strata_slice_sink observer;
	const struct strata_tracks_options *options;
	struct strata_track_sink *const *sinks;
	size_t nr_sinks;
	struct strata_tree tree;
	struct strata_id_map names; /* of spans, by a hash of what they are: numbers + 1 */
	struct strata_id_map domains, requests; /* their categories + 1 */
	size_t categories_room;
	uint32_t nr_of_hue[STRATA_NR_HUES]; /* categories */
	struct strata_detail_behind behind;
	bool no_memory;
};

static struct recorder *of_listener(struct strata_span_listener *listener)
{
	return (struct recorder *)((char *)listener - offsetof(struct recorder, listener));
}

static struct recorder *of_observer(struct strata_slice_sink *observer)
{
	return (struct recorder *)((char *)observer - offsetof(struct recorder, observer));
}

/* Sinks --------------------------------------------------------------------------------------- */

/* What sinks see of the tree, which may have moved. */
static void show_tree(struct recorder *recorder)
{
	recorder->tracks.all = recorder->tree.all;
	recorder->tracks.nr = recorder->tree.nr;
}

static void tell_track(void *data, const struct strata_track *track)
{
	struct recorder *recorder = data;
	size_t i;

	show_tree(recorder);
	for (i = 0; i < recorder->nr_sinks; i++) {
		if (recorder->sinks[i]->track)
			recorder->sinks[i]->track(recorder->sinks[i], &recorder->tracks, track);
	}
}

static void tell_slice(struct recorder *recorder, const struct strata_track_slice *slice)
{
	struct strata_tracks_facts *facts = &recorder->tracks.facts;
	size_t i;

	show_tree(recorder);
	if (!facts->slices || slice->from_ns < facts->first_ns)
		facts->first_ns = slice->from_ns;
	if (slice->to_ns > facts->last_ns)
		facts->last_ns = slice->to_ns;
	facts->slices++;
	for (i = 0; i < recorder->nr_sinks; i++) {
		if (recorder->sinks[i]->slice)
			recorder->sinks[i]->slice(recorder->sinks[i], &recorder->tracks, slice);
	}
}

static void tell_arrow(struct recorder *recorder, const struct strata_track_arrow *arrow)
{
	size_t i;

	show_tree(recorder);
	recorder->tracks.facts.arrows++;
	for (i = 0; i < recorder->nr_sinks; i++) {
		if (recorder->sinks[i]->arrow)
			recorder->sinks[i]->arrow(recorder->sinks[i], &recorder->tracks, arrow);
	}
}

static void tell_loss(struct recorder *recorder, const struct strata_track_loss *loss)
{
	size_t i;

	show_tree(recorder);
	recorder->tracks.facts.losses++;
	for (i = 0; i < recorder->nr_sinks; i++) {
		if (recorder->sinks[i]->loss)
			recorder->sinks[i]->loss(recorder->sinks[i], &recorder->tracks, loss);
	}
}

/* Categories ---------------------------------------------------------------------------------- */

static uint32_t add_category(struct recorder *recorder, enum strata_hue hue, const char *name)
{
	struct strata_tracks *tracks = &recorder->tracks;

	if (!STRATA_GROW(tracks->categories, tracks->nr_categories, recorder->categories_room)) {
		recorder->no_memory = true;
		return 0;
	}
	tracks->categories[tracks->nr_categories] = (struct strata_track_category){
		.hue = hue,
		.index = recorder->nr_of_hue[hue]++,
		.name = strata_names_get(&tracks->names, name),
	};
	return (uint32_t)tracks->nr_categories++;
}

/* The hues that are one category have its number: they are added first. */
static void add_plain_categories(struct recorder *recorder)
{
	static const char *const names[STRATA_HUE_REQUEST] = {
		[STRATA_HUE_RUNNING] = "runs",        [STRATA_HUE_WAITING] = "waits for a CPU",
		[STRATA_HUE_BLOCKED] = "blocked",     [STRATA_HUE_PAUSED] = "paused",
		[STRATA_HUE_UNKNOWN] = "unknown",     [STRATA_HUE_IDLE] = "idle",
		[STRATA_HUE_EXIT] = "VM exit",        [STRATA_HUE_HYPERCALL] = "hypercall",
		[STRATA_HUE_SYSCALL] = "system call", [STRATA_HUE_IRQ] = "interrupt",
		[STRATA_HUE_SOFTIRQ] = "softirq",
	};
	size_t i;

	for (i = 0; i < STRATA_HUE_REQUEST; i++)
		add_category(recorder, (enum strata_hue)i, names[i]);
}

/* The category of a thing; @name: called when it is new */
static uint32_t category_of(struct recorder *recorder, struct strata_id_map *map, uint64_t id,
			    enum strata_hue hue, const char *name)
{
	const uintptr_t found = (uintptr_t)strata_id_map_find(map, id);
	uint32_t category;

	if (found)
		return (uint32_t)(found - 1);
	category = add_category(recorder, hue, name);
	if (strata_id_map_add(map, id, (void *)((uintptr_t)category + 1)))
		recorder->no_memory = true;
	return category;
}

static uint32_t category_of_domain(struct recorder *recorder, const struct strata_span *span)
{
	const struct strata_vcpu *vcpu = span->vcpu;
	char name[STRATA_REPORT_NAME];

	if (vcpu->domain == STRATA_DOMID_IDLE)
		return STRATA_HUE_IDLE;
	return category_of(
		recorder, &recorder->domains, (uint64_t)vcpu->machine << 32 | vcpu->domain,
		STRATA_HUE_DOMAIN,
		strata_report_domain_name(name, recorder->tracks.shown, span->trace, vcpu->domain));
}

/* Names --------------------------------------------------------------------------------------- */

static uint32_t name_state(struct recorder *recorder, const struct strata_span *span)
{
	static const char *const vcpus[STRATA_NR_VCPU_STATES] = {
		[STRATA_VCPU_GUEST] = "running",    [STRATA_VCPU_XEN] = "running",
		[STRATA_VCPU_RUNNABLE] = "waiting", [STRATA_VCPU_BLOCKED] = "blocked",
		[STRATA_VCPU_OFFLINE] = "paused",   [STRATA_VCPU_UNKNOWN] = "unknown",
	};
	static const char *const tasks[STRATA_NR_TASK_STATES] = {
		[STRATA_TASK_RUNNING] = "running",
		[STRATA_TASK_RUNNABLE] = "waiting",
		[STRATA_TASK_BLOCKED] = "blocked",
		[STRATA_TASK_UNKNOWN] = "unknown",
	};

	return strata_names_get(&recorder->tracks.names, span->kind == STRATA_SPAN_TASK
								 ? tasks[span->number]
								 : vcpus[span->number]);
}

/* What a span is called: made once for all that are the same. */
static uint32_t name_span(struct recorder *recorder, const struct strata_span *span)
{
	uint64_t id = strata_hash_number(strata_hash_number(0, span->kind), span->trace);
	char name[STRATA_REPORT_NAME];
	uintptr_t found;
	uint32_t number;

	if (span->kind == STRATA_SPAN_PCPU)
		id = strata_hash_number(id, (uintptr_t)span->vcpu);
	else if (span->kind != STRATA_SPAN_REQUEST)
		id = strata_hash_number(id, span->number);
	if (span->name)
		id = strata_hash_bytes(id, span->name, span->name_bytes);
	id ^= id >> 32;
	found = (uintptr_t)strata_id_map_find(&recorder->names, id);
	if (found)
		return (uint32_t)(found - 1);
	if (span->kind != STRATA_SPAN_PCPU)
		strata_report_span_name(name, recorder->tracks.shown, span);
	else if (span->vcpu->domain == STRATA_DOMID_IDLE)
		snprintf(name, sizeof(name), "idle");
	else
		strata_report_vcpu_name(name, recorder->tracks.shown, span->trace, span->vcpu);
	number = strata_names_get(&recorder->tracks.names, name);
	/* What is one of too many is looked up again. */
	if (recorder->names.nr < STRATA_NAMES_MAX &&
	    strata_id_map_add(&recorder->names, id, (void *)((uintptr_t)number + 1)))
		recorder->no_memory = true;
	return number;
}

/* Spans --------------------------------------------------------------------------------------- */

/* The track that a span is on, before what overlaps is moved; NULL: it is not shown. */
static struct strata_track *track_of(struct recorder *recorder, const struct strata_span *span,
				     uint32_t name)
{
	struct strata_tree *tree = &recorder->tree;
	struct strata_track *above;

	switch (span->kind) {
	case STRATA_SPAN_PCPU:
		return strata_tree_pcpu(tree, span->trace, span->pcpu->number);
	case STRATA_SPAN_VCPU:
		return strata_tree_vcpu(tree, span->trace, span->vcpu);
	case STRATA_SPAN_EXIT:
	case STRATA_SPAN_HYPERCALL:
		above = strata_tree_vcpu(tree, span->trace, span->vcpu);
		return above ? strata_tree_below(tree, above,
						 span->kind == STRATA_SPAN_EXIT
							 ? STRATA_TRACK_EXITS
							 : STRATA_TRACK_HYPERCALLS)
			     : NULL;
	case STRATA_SPAN_TASK:
		return strata_tree_task(tree, span->task);
	case STRATA_SPAN_SYSCALL:
		above = strata_tree_task(tree, span->task);
		return above ? strata_tree_below(tree, above, STRATA_TRACK_SYSCALLS) : NULL;
	case STRATA_SPAN_IRQ:
	case STRATA_SPAN_SOFTIRQ:
		return strata_tree_cpu(tree, span->trace, span->cpu,
				       span->kind == STRATA_SPAN_IRQ ? STRATA_TRACK_IRQS
								     : STRATA_TRACK_SOFTIRQS);
	case STRATA_SPAN_REQUEST:
		return strata_tree_requests(tree, span->trace, name,
					    recorder->tracks.names.texts[name]);
	default:
		return NULL;
	}
}

static uint32_t category_of_span(struct recorder *recorder, const struct strata_span *span,
				 uint32_t name)
{
	static const enum strata_hue vcpus[STRATA_NR_VCPU_STATES] = {
		[STRATA_VCPU_GUEST] = STRATA_HUE_RUNNING,
		[STRATA_VCPU_XEN] = STRATA_HUE_RUNNING,
		[STRATA_VCPU_RUNNABLE] = STRATA_HUE_WAITING,
		[STRATA_VCPU_BLOCKED] = STRATA_HUE_BLOCKED,
		[STRATA_VCPU_OFFLINE] = STRATA_HUE_PAUSED,
		[STRATA_VCPU_UNKNOWN] = STRATA_HUE_UNKNOWN,
	};
	static const enum strata_hue tasks[STRATA_NR_TASK_STATES] = {
		[STRATA_TASK_RUNNING] = STRATA_HUE_RUNNING,
		[STRATA_TASK_RUNNABLE] = STRATA_HUE_WAITING,
		[STRATA_TASK_BLOCKED] = STRATA_HUE_BLOCKED,
		[STRATA_TASK_UNKNOWN] = STRATA_HUE_UNKNOWN,
	};

	switch (span->kind) {
	case STRATA_SPAN_PCPU:
		return category_of_domain(recorder, span);
	case STRATA_SPAN_VCPU:
		return vcpus[span->number];
	case STRATA_SPAN_TASK:
		return tasks[span->number];
	case STRATA_SPAN_EXIT:
		return STRATA_HUE_EXIT;
	case STRATA_SPAN_HYPERCALL:
		return STRATA_HUE_HYPERCALL;
	case STRATA_SPAN_SYSCALL:
		return STRATA_HUE_SYSCALL;
	case STRATA_SPAN_IRQ:
		return STRATA_HUE_IRQ;
	case STRATA_SPAN_SOFTIRQ:
		return STRATA_HUE_SOFTIRQ;
	default:
		return category_of(recorder, &recorder->requests, name, STRATA_HUE_REQUEST,
				   recorder->tracks.names.texts[name]);
	}
}

/* Cuts a slice to the time that is shown, and tells it so.  False: it is not in it. */
static bool cut(const struct recorder *recorder, struct strata_track_slice *slice, char *detail)
{
	const uint64_t whole = slice->to_ns - slice->from_ns;
	const size_t used = strlen(detail);
	char ns[STRATA_NS_TEXT_BYTES];

	if (slice->to_ns <= recorder->options->from_ns ||
	    slice->from_ns >= recorder->options->to_ns)
		return false;
	if (slice->from_ns < recorder->options->from_ns)
		slice->from_ns = recorder->options->from_ns;
	if (slice->to_ns > recorder->options->to_ns)
		slice->to_ns = recorder->options->to_ns;
	if (slice->to_ns - slice->from_ns != whole)
		snprintf(detail + used, STRATA_DETAIL_BYTES - used, "%swhole=%s", used ? "\n" : "",
			 strata_ns_text(ns, whole));
	return true;
}

static bool is_idle(const struct strata_span *span)
{
	return (span->vcpu && span->kind != STRATA_SPAN_PCPU &&
		span->vcpu->domain == STRATA_DOMID_IDLE) ||
	       (span->kind == STRATA_SPAN_TASK && span->task->tid == 0);
}

/* The track that it is on; NULL: it is not shown. */
static struct strata_track *take_slice(struct recorder *recorder, const struct strata_span *span)
{
	const bool is_state = span->kind == STRATA_SPAN_VCPU || span->kind == STRATA_SPAN_TASK;
	struct strata_track_slice slice = {
		.name = is_state ? name_state(recorder, span) : name_span(recorder, span),
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.bound_ns = span->bound_ns,
	};
	const bool waited = span->kind == STRATA_SPAN_VCPU && recorder->behind.waiter == span->vcpu;
	char detail[STRATA_DETAIL_BYTES];
	struct strata_track *track;

	strata_detail_text(detail, recorder->tracks.shown, span, waited ? &recorder->behind : NULL);
	if (waited)
		recorder->behind.waiter = NULL;
	if (!cut(recorder, &slice, detail) || recorder->no_memory ||
	    recorder->tracks.names.no_memory)
		return NULL;
	track = track_of(recorder, span, slice.name);
	if (track)
		track = strata_tree_free_at(&recorder->tree, track, slice.from_ns);
	if (!track) {
		if (recorder->tree.reason == STRATA_TREE_NOT_WANTED)
			recorder->tracks.facts.of_others++;
		else
			recorder->tracks.facts.not_shown++;
		return NULL;
	}
	track->end_ns = slice.to_ns;
	track->slices++;
	if (!is_state || span->number == STRATA_TASK_RUNNING)
		track->busy_ns += slice.to_ns - slice.from_ns;
	slice.track = track->id;
	slice.category = category_of_span(recorder, span, slice.name);
	slice.detail = detail;
	tell_slice(recorder, &slice);
	return track;
}

/* Arrows -------------------------------------------------------------------------------------- */

/* An arrow that lies in the time that is shown, between tracks that are. */
static void take_arrow(struct recorder *recorder, enum strata_arrow_kind kind,
		       const struct strata_track *from, const struct strata_track *to,
		       const struct strata_span *span)
{
	struct strata_track_arrow arrow = {
		.kind = kind,
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.bound_ns = span->bound_ns,
	};

	if (!from || !to)
		return;
	arrow.from_track = from->id;
	arrow.to_track = to->id;
	tell_arrow(recorder, &arrow);
}

static bool is_shown(const struct recorder *recorder, const struct strata_span *span)
{
	return span->from_ns >= recorder->options->from_ns &&
	       span->to_ns <= recorder->options->to_ns;
}

/* Who held the physical CPU that a vCPU waited for. */
static void take_behind(struct recorder *recorder, const struct strata_span *span)
{
	struct strata_tree *tree = &recorder->tree;

	strata_detail_add_behind(&recorder->behind, span);
	if (span->other->domain != STRATA_DOMID_IDLE && is_shown(recorder, span))
		take_arrow(recorder, STRATA_ARROW_HELD,
			   strata_tree_vcpu(tree, span->trace, span->other),
			   strata_tree_vcpu(tree, span->trace, span->vcpu), span);
}

/* What did something: the task, or the handler that had interrupted it; else the vCPU.  NULL: no
 * event tells. */
static const struct strata_track *cause_of(struct recorder *recorder,
					   const struct strata_link *link)
{
	const struct strata_link_end *end = &link->from;
	struct strata_tree *tree = &recorder->tree;

	if ((link->via == STRATA_VIA_TASK || link->via == STRATA_VIA_SEND) && end->task &&
	    end->task->tid != 0)
		return strata_tree_task(tree, end->task);
	if ((link->via == STRATA_VIA_IRQ || link->via == STRATA_VIA_SOFTIRQ) &&
	    end->cpu != STRATA_NO_CPU)
		return strata_tree_cpu(tree, end->trace, end->cpu,
				       link->via == STRATA_VIA_IRQ ? STRATA_TRACK_IRQS
								   : STRATA_TRACK_SOFTIRQS);
	if (link->via == STRATA_VIA_SEND && end->vcpu && end->vcpu->domain != STRATA_DOMID_IDLE)
		return strata_tree_vcpu(tree, end->trace, end->vcpu);
	return NULL;
}

/* From what woke a task to where the task runs. */
static void take_wakeup(struct recorder *recorder, const struct strata_span *span)
{
	if (span->wake && span->task->tid != 0 && is_shown(recorder, span))
		take_arrow(recorder, STRATA_ARROW_WAKEUP, cause_of(recorder, span->wake),
			   strata_tree_task(&recorder->tree, span->task), span);
}

/* From who sent through an event channel to the upcall. */
static void take_event_channel(struct recorder *recorder, const struct strata_span *span)
{
	if (span->wake && span->vcpu && is_shown(recorder, span))
		take_arrow(recorder, STRATA_ARROW_EVENT_CHANNEL, cause_of(recorder, span->wake),
			   strata_tree_vcpu(&recorder->tree, span->trace, span->vcpu), span);
}

/* From the upcall to the handler, which begins as @span does. */
static void take_handler(struct recorder *recorder, const struct strata_span *span,
			 const struct strata_track *track)
{
	const struct strata_link *link = span->wake;
	struct strata_span delivery = *span;

	if (!link || link->kind != STRATA_LINK_HANDLER || !link->from.vcpu)
		return;
	delivery.from_ns = link->from.at.ns;
	delivery.to_ns = link->to.at.ns;
	delivery.bound_ns = strata_moments_bound(&link->from.at, &link->to.at);
	if (is_shown(recorder, &delivery))
		take_arrow(recorder, STRATA_ARROW_INTERRUPT,
			   strata_tree_vcpu(&recorder->tree, link->from.trace, link->from.vcpu),
			   track, &delivery);
}

static void take_span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct recorder *recorder = of_listener(listener);
	const struct strata_track *track;

	if (is_idle(span))
		return;
	switch (span->kind) {
	case STRATA_SPAN_BEHIND:
		take_behind(recorder, span);
		break;
	case STRATA_SPAN_WAKEUP:
		take_wakeup(recorder, span);
		break;
	case STRATA_SPAN_EVTCHN:
		take_event_channel(recorder, span);
		break;
	case STRATA_SPAN_IRQ:
		track = take_slice(recorder, span);
		if (track)
			take_handler(recorder, span, track);
		break;
	case STRATA_SPAN_PCPU:
	case STRATA_SPAN_VCPU:
	case STRATA_SPAN_EXIT:
	case STRATA_SPAN_HYPERCALL:
	case STRATA_SPAN_TASK:
	case STRATA_SPAN_SYSCALL:
	case STRATA_SPAN_SOFTIRQ:
	case STRATA_SPAN_REQUEST:
		take_slice(recorder, span);
		break;
	default:
		break; /* waits lie on tasks' tracks as states */
	}
}

/* Queues -------------------------------------------------------------------------------------- */

static void take_queue(struct strata_span_listener *listener, const struct strata_queue_span *queue)
{
	struct recorder *recorder = of_listener(listener);
	struct strata_track_queue told = { .from_ns = queue->from_ns, .waiting = queue->waiting };
	const struct strata_track *track;
	size_t i;

	if (queue->to_ns <= recorder->options->from_ns ||
	    queue->from_ns >= recorder->options->to_ns)
		return;
	track = strata_tree_queue(&recorder->tree, queue->trace, queue->cpu);
	if (!track)
		return;
	told.track = track->id;
	if (told.from_ns < recorder->options->from_ns)
		told.from_ns = recorder->options->from_ns;
	show_tree(recorder);
	for (i = 0; i < recorder->nr_sinks; i++) {
		if (recorder->sinks[i]->queue)
			recorder->sinks[i]->queue(recorder->sinks[i], &recorder->tracks, &told);
	}
}

/* Events -------------------------------------------------------------------------------------- */

static int take_events(struct strata_slice_sink *sink, size_t stream,
		       struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		       size_t nr, struct strata_error *error)
{
	(void)sink, (void)stream, (void)reader, (void)events, (void)nr, (void)error;
	return 0;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *lost, struct strata_error *error)
{
	struct recorder *recorder = of_observer(sink);
	struct strata_track_loss loss = { .from_ns = lost->from_ns,
					  .to_ns = lost->to_ns,
					  .discarded = lost->discarded };
	const struct strata_track *track;

	(void)error;
	if (!reader->kind || !reader->kind->has_time || loss.to_ns <= recorder->options->from_ns ||
	    loss.from_ns >= recorder->options->to_ns)
		return 0;
	if (loss.from_ns < recorder->options->from_ns)
		loss.from_ns = recorder->options->from_ns;
	if (loss.to_ns > recorder->options->to_ns)
		loss.to_ns = recorder->options->to_ns;
	track = strata_tree_source(&recorder->tree,
				   recorder->tracks.shown->set->streams[stream].trace,
				   reader->packet.has_cpu && reader->packet.cpu < STRATA_NO_PCPU
					   ? (uint32_t)reader->packet.cpu
					   : STRATA_NO_PCPU);
	if (track) {
		loss.track = track->id;
		tell_loss(recorder, &loss);
	}
	return 0;
}

/* The whole ----------------------------------------------------------------------------------- */

struct strata_tracks *strata_tracks_new(const struct strata_shown *shown,
					const struct strata_tracks_options *options,
					struct strata_track_sink *const *sinks, size_t nr_sinks)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	size_t i;

	if (!recorder)
		return NULL;
	recorder->tracks.shown = recorder->tree.shown = shown;
	recorder->options = recorder->tree.options = options;
	recorder->sinks = sinks;
	recorder->nr_sinks = nr_sinks;
	recorder->listener.span = take_span;
	recorder->observer.take = take_events;
	recorder->observer.lose = lose;
	recorder->tree.added = tell_track;
	recorder->tree.data = recorder;
	/* Without one that wants queues, they have no tracks. */
	for (i = 0; i < nr_sinks; i++)
		recorder->listener.queue = sinks[i]->queue ? take_queue : recorder->listener.queue;
	for (i = 0; i < shown->nr_sources; i++)
		recorder->tree.has_hosts |= shown->set->traces[i]->machine !=
					    shown->set->traces[0]->machine;
	add_plain_categories(recorder);
	if (!recorder->no_memory && !recorder->tracks.names.no_memory)
		return &recorder->tracks;
	strata_tracks_free(&recorder->tracks);
	return NULL;
}

struct strata_span_listener *strata_tracks_listener(struct strata_tracks *tracks)
{
	return &((struct recorder *)tracks)->listener;
}

struct strata_slice_sink *strata_tracks_observer(struct strata_tracks *tracks)
{
	return &((struct recorder *)tracks)->observer;
}

int strata_tracks_finish(struct strata_tracks *tracks, uint32_t **order, struct strata_error *error)
{
	struct recorder *recorder = (struct recorder *)tracks;

	strata_tree_name_tasks(&recorder->tree);
	*order = strata_tree_order(&recorder->tree);
	if (*order && !recorder->no_memory && !recorder->tree.no_memory && !tracks->names.no_memory)
		return 0;
	free(*order);
	*order = NULL;
	return strata_fail(error, "out of memory");
}

void strata_tracks_free(struct strata_tracks *tracks)
{
	struct recorder *recorder = (struct recorder *)tracks;

	if (!tracks)
		return;
	strata_tree_clear(&recorder->tree);
	strata_names_clear(&tracks->names);
	strata_id_map_clear(&recorder->names);
	strata_id_map_clear(&recorder->domains);
	strata_id_map_clear(&recorder->requests);
	free(tracks->categories);
	free(recorder);
}
