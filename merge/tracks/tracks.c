// SPDX-License-Identifier: GPL-2.0-or-later
/* tracks.c - see tracks.h: turns spans, queues and losses into tracks and slices, and passes these
 * to the sinks. */
#include <stdlib.h>

#include "tracks/recorder.h"
#include "xen/domain_numbers.h"

static struct strata_recorder *of_listener(struct strata_span_listener *listener)
{
	return (struct strata_recorder *)((char *)listener -
					  offsetof(struct strata_recorder, listener));
}

static struct strata_recorder *of_observer(struct strata_slice_sink *observer)
{
	return (struct strata_recorder *)((char *)observer -
					  offsetof(struct strata_recorder, observer));
}

/* Sinks --------------------------------------------------------------------------------------- */

/* Updates the sinks' view of the tree, which may have moved. */
static void show_tree(struct strata_recorder *recorder)
{
	recorder->tracks.all = recorder->tree.all;
	recorder->tracks.nr = recorder->tree.nr;
}

static void tell_track(void *data, const struct strata_track *track)
{
	struct strata_recorder *recorder = data;
	size_t i;

	show_tree(recorder);
	for (i = 0; i < recorder->nr_sinks; i++) {
		if (recorder->sinks[i]->track)
			recorder->sinks[i]->track(recorder->sinks[i], &recorder->tracks, track);
	}
}

void strata_recorder_tell_slice(struct strata_recorder *recorder,
				const struct strata_track_slice *slice)
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

void strata_recorder_tell_arrow(struct strata_recorder *recorder,
				const struct strata_track_arrow *arrow)
{
	size_t i;

	show_tree(recorder);
	recorder->tracks.facts.arrows++;
	for (i = 0; i < recorder->nr_sinks; i++) {
		if (recorder->sinks[i]->arrow)
			recorder->sinks[i]->arrow(recorder->sinks[i], &recorder->tracks, arrow);
	}
}

static void tell_loss(struct strata_recorder *recorder, const struct strata_track_loss *loss)
{
	size_t i;

	show_tree(recorder);
	recorder->tracks.facts.losses++;
	for (i = 0; i < recorder->nr_sinks; i++) {
		if (recorder->sinks[i]->loss)
			recorder->sinks[i]->loss(recorder->sinks[i], &recorder->tracks, loss);
	}
}

static bool is_idle(const struct strata_span *span)
{
	return (span->vcpu && span->kind != STRATA_SPAN_PCPU &&
		span->vcpu->domain == STRATA_DOMID_IDLE) ||
	       (span->kind == STRATA_SPAN_TASK && span->task->tid == 0);
}

static void take_span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct strata_recorder *recorder = of_listener(listener);
	const struct strata_track *track;

	if (is_idle(span))
		return;
	switch (span->kind) {
	case STRATA_SPAN_BEHIND:
	case STRATA_SPAN_WAKEUP:
	case STRATA_SPAN_EVTCHN:
		strata_arrows_take(recorder, span);
		break;
	case STRATA_SPAN_IRQ:
		track = strata_slices_take(recorder, span);
		if (track)
			strata_arrows_take_handler(recorder, span, track);
		break;
	case STRATA_SPAN_PCPU:
	case STRATA_SPAN_VCPU:
	case STRATA_SPAN_EXIT:
	case STRATA_SPAN_HYPERCALL:
	case STRATA_SPAN_TASK:
	case STRATA_SPAN_SYSCALL:
	case STRATA_SPAN_SOFTIRQ:
	case STRATA_SPAN_REQUEST:
		strata_slices_take(recorder, span);
		break;
	default:
		break; /* waits are drawn on tasks' tracks as states */
	}
}

/* Queues -------------------------------------------------------------------------------------- */

static void take_queue(struct strata_span_listener *listener, const struct strata_queue_span *queue)
{
	struct strata_recorder *recorder = of_listener(listener);
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
	struct strata_recorder *recorder = of_observer(sink);

	(void)error;
	if (recorder->options->with_messages)
		strata_messages_take(recorder, stream, reader, events, nr);
	return 0;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *lost, struct strata_error *error)
{
	struct strata_recorder *recorder = of_observer(sink);
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
	struct strata_recorder *recorder = calloc(1, sizeof(*recorder));
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
	/* If no sink wants queues, they get no tracks. */
	for (i = 0; i < nr_sinks; i++)
		recorder->listener.queue = sinks[i]->queue ? take_queue : recorder->listener.queue;
	for (i = 0; i < shown->nr_sources; i++)
		recorder->tree.has_hosts |= shown->set->traces[i]->machine !=
					    shown->set->traces[0]->machine;
	strata_labels_init(&recorder->labels, &recorder->tracks);
	if (!recorder->labels.no_memory && !recorder->tracks.names.no_memory &&
	    (!options->with_messages || !strata_messages_init(recorder)))
		return &recorder->tracks;
	strata_tracks_free(&recorder->tracks);
	return NULL;
}

struct strata_span_listener *strata_tracks_listener(struct strata_tracks *tracks)
{
	return &((struct strata_recorder *)tracks)->listener;
}

struct strata_slice_sink *strata_tracks_observer(struct strata_tracks *tracks)
{
	return &((struct strata_recorder *)tracks)->observer;
}

int strata_tracks_finish(struct strata_tracks *tracks, uint32_t **order, struct strata_error *error)
{
	struct strata_recorder *recorder = (struct strata_recorder *)tracks;

	strata_tree_name_tasks(&recorder->tree);
	*order = strata_tree_order(&recorder->tree);
	if (*order && !recorder->labels.no_memory && !recorder->tree.no_memory &&
	    !tracks->names.no_memory && !recorder->messages.detail.no_memory)
		return 0;
	free(*order);
	*order = NULL;
	return strata_fail(error, "out of memory");
}

void strata_tracks_free(struct strata_tracks *tracks)
{
	struct strata_recorder *recorder = (struct strata_recorder *)tracks;

	if (!tracks)
		return;
	strata_tree_clear(&recorder->tree);
	strata_names_clear(&tracks->names);
	strata_labels_clear(&recorder->labels);
	strata_messages_clear(recorder);
	free(tracks->categories);
	free(recorder);
}
