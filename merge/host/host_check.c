// SPDX-License-Identifier: GPL-2.0-or-later
/* host_check.c - see host_check.h: notes bounds, passes each event to the order check, sums up. */
#include "host/host_check.h"

#include <stdlib.h>

#include "host/host_converter.h"
#include "timeline/domain_names.h"

struct checked_stream {
	struct strata_checked_vcpu *vcpu; /* of a kernel or an application */
	uint64_t early_ticks;             /* its times may be early by this much */
};

struct strata_host_check {
	struct strata_slice_sink sink;
	struct strata_recording_traces *traces;
	const struct strata_recorded_host *host;
	const struct strata_trace_set *set;
	struct strata_order_check *order;
	struct checked_stream *streams; /* as the host's */
	bool any;
	uint64_t began_ns; /* the first event that counts for the duration; 0: none yet */
	struct strata_host_figures figures;
};

/* Events ------------------------------------------------------------------------------------- */

static void note_bounds(struct strata_stream_figures *figures, uint64_t early_ticks,
			const struct strata_lane_event *events, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const uint64_t bound = strata_ctf_add_clamped(events[i].bound, early_ticks);

		if (bound == UINT64_MAX) {
			figures->unsure++;
			continue;
		}
		if (bound > figures->bound_ticks)
			figures->bound_ticks = bound;
		if (events[i].is_doubtful)
			figures->doubtful++;
		else if (bound > figures->firm_bound_ticks)
			figures->firm_bound_ticks = bound;
	}
}

static void note_times(struct strata_host_check *check, enum strata_layer layer,
		       const struct strata_lane_event *first, const struct strata_lane_event *last)
{
	struct strata_host_figures *figures = &check->figures;

	if (!check->any)
		figures->first_ns = first->ns;
	check->any = true;
	figures->last_ns = last->ns;
	/*
	 * If the hypervisor was recorded, its records alone determine the duration: a guest could
	 * write any time, and make a recording of seconds look like one of years.
	 */
	if (check->host->scan.any && layer != STRATA_LAYER_XEN)
		return;
	if (check->began_ns == 0)
		check->began_ns = first->ns;
	figures->duration_ns = last->ns - check->began_ns;
}

static void take_guest_mode(struct strata_host_check *check, uint64_t ticks, bool is_entry,
			    const struct strata_ctf_reader *reader,
			    const struct strata_lane_event *event)
{
	struct strata_hv_context context;

	if (strata_xen_read_context(reader, event, &context))
		strata_order_check_guest_mode(check->order, ticks, context.domain, context.vcpu,
					      is_entry);
}

static void take_xen_event(struct strata_host_check *check, const struct strata_xen_class *class,
			   const struct strata_ctf_reader *reader,
			   const struct strata_lane_event *event)
{
	const uint64_t ticks = strata_recorded_ticks(check->host, event);
	struct strata_hv_context changed;
	struct strata_hv_vcpu_state state;
	struct strata_hv_budget budget;
	struct strata_hv_selection selection;

	switch (class->tells) {
	case STRATA_XEN_RUNSTATE:
		if (strata_xen_read_changed(reader, event, &changed))
			strata_order_check_runstate(check->order, ticks, changed.domain,
						    changed.vcpu, &class->change);
		break;
	case STRATA_XEN_VCPU_STATE:
		if (strata_xen_read(reader, event, &state, sizeof(state)))
			strata_order_check_state(check->order, ticks, &state);
		break;
	case STRATA_XEN_GUEST_ENTRY:
	case STRATA_XEN_GUEST_EXIT:
		take_guest_mode(check, ticks, class->tells == STRATA_XEN_GUEST_ENTRY, reader,
				event);
		break;
	case STRATA_XEN_BUDGET:
		if (strata_xen_read(reader, event, &budget, sizeof(budget)))
			strata_order_check_incomplete(check->order, budget.domain);
		break;
	case STRATA_XEN_SELECTION:
		if (strata_xen_read(reader, event, &selection, sizeof(selection)))
			strata_order_check_selection(check->order, selection.changed != 0);
		break;
	case STRATA_XEN_TELLS_NOTHING:
		break;
	}
}

static void take_kernel_event(struct strata_host_check *check, const struct checked_stream *stream,
			      const struct strata_ctf_reader *reader,
			      const struct strata_lane_event *event)
{
	if (event->bound == UINT64_MAX)
		strata_order_check_skip(check->order, stream->vcpu);
	else
		strata_order_check_event(check->order, stream->vcpu,
					 strata_recorded_ticks(check->host, event), event->bound,
					 reader->kind->classes[event->class].event->name);
}

static void take_app_event(struct strata_host_check *check, const struct checked_stream *stream,
			   bool migrates, const struct strata_ctf_reader *reader,
			   const struct strata_lane_event *event)
{
	const uint64_t bound = strata_ctf_add_clamped(event->bound, stream->early_ticks);

	if (bound == UINT64_MAX || migrates)
		strata_order_check_skip_app(check->order);
	else
		strata_order_check_app_event(check->order, stream->vcpu,
					     strata_recorded_ticks(check->host, event), bound,
					     reader->kind->classes[event->class].event->name);
}

static int take(struct strata_slice_sink *sink, size_t at, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_host_check *check = (struct strata_host_check *)sink;
	const struct strata_recorded_stream *recorded =
		strata_recorded_stream_of(check->host, reader->stream);
	const struct checked_stream *stream;
	size_t i;

	(void)at;
	(void)error;
	if (!recorded)
		return 0;
	stream = &check->streams[recorded - check->host->streams];
	note_times(check, recorded->source->layer, &events[0], &events[nr - 1]);
	note_bounds(&check->figures.streams[recorded - check->host->streams], stream->early_ticks,
		    events, nr);
	for (i = 0; i < nr; i++) {
		const struct strata_xen_class *class;

		switch (recorded->source->layer) {
		case STRATA_LAYER_XEN:
			class = strata_recorded_class(recorded, reader, &events[i]);
			if (class->tells != STRATA_XEN_TELLS_NOTHING)
				take_xen_event(check, class, reader, &events[i]);
			break;
		case STRATA_LAYER_KERNEL:
			take_kernel_event(check, stream, reader, &events[i]);
			break;
		case STRATA_LAYER_APP:
			take_app_event(check, stream, recorded->source->migrates, reader,
				       &events[i]);
			break;
		}
	}
	return 0;
}

/* The hypervisor's missing events were lost between the preceding event and the packet's end. */
static int lose(struct strata_slice_sink *sink, size_t at, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_host_check *check = (struct strata_host_check *)sink;
	const struct strata_recorded_stream *recorded =
		strata_recorded_stream_of(check->host, reader->stream);

	(void)at;
	(void)error;
	if (recorded && recorded->source->layer == STRATA_LAYER_XEN)
		strata_order_check_uncertain(
			check->order,
			strata_realtime_to_ticks(&check->host->timebase, loss->to_ns + 1, 0));
	return 0;
}

struct strata_slice_sink *strata_host_check_observer(struct strata_host_check *check)
{
	return &check->sink;
}

/* The end ------------------------------------------------------------------------------------ */

/* The largest error of a time, and of the distance between times on two physical CPUs. */
static void sum_up_bounds(struct strata_host_check *check)
{
	struct strata_host_figures *figures = &check->figures;
	const uint32_t tsc_khz = check->host->timebase.tsc_khz;
	uint64_t largest = 0, largest_early = 0;
	size_t i;

	for (i = 0; i < check->host->nr_streams; i++) {
		uint64_t *those = check->streams[i].early_ticks ? &largest_early : &largest;

		if (figures->streams[i].bound_ticks > *those)
			*those = figures->streams[i].bound_ticks;
	}
	figures->skew_ticks = strata_skew_bound_ticks(&check->host->scan.skew);
	/* A reading of a counter is no finer than a tick. */
	figures->bound_ticks =
		strata_ctf_add_clamped(strata_ctf_add_clamped(largest, 1), figures->skew_ticks);
	figures->bound_ns = strata_ticks_to_ns_up(tsc_khz, figures->bound_ticks);
	if (largest_early)
		figures->app_bound_ns = strata_ticks_to_ns_up(
			tsc_khz, strata_ctf_add_clamped(strata_ctf_add_clamped(largest_early, 1),
							figures->skew_ticks));
}

void strata_host_check_finish(struct strata_host_check *check)
{
	struct strata_host_figures *figures = &check->figures;
	size_t i;

	for (i = 0; i < check->set->nr_streams; i++) {
		const struct strata_set_stream *stream = &check->set->streams[i];
		const struct strata_recorded_stream *recorded;
		struct strata_stream_figures *of;

		if (stream->stream->trace->recording != check->traces)
			continue;
		strata_ctf_tally_add(&figures->tally, &stream->tally);
		figures->tally.bad_packets += strata_set_stream_is_cut(stream);
		recorded = strata_recorded_stream_of(check->host, stream->stream);
		if (!recorded)
			continue;
		of = &figures->streams[recorded - check->host->streams];
		of->events = stream->tally.events;
		of->lost = stream->tally.discarded;
		figures->events += of->events;
	}
	figures->tally.bad_packets += strata_recording_traces_missing(check->traces);
	for (i = 0; i < check->host->nr_streams; i++)
		figures->tally.bad_packets += check->host->streams[i].recorded->bad_packets;
	sum_up_bounds(check);
	figures->order = *strata_order_check_finish(check->order);
}

const struct strata_host_figures *strata_host_check_figures(const struct strata_host_check *check)
{
	return &check->figures;
}

/* Set-up ------------------------------------------------------------------------------------- */

/* Begins the check with the time that the hypervisor's streams cover, which moves with them. */
static struct strata_order_check *new_order_check(const struct strata_recorded_host *host)
{
	const struct strata_xen_scan *scan = &host->scan;
	int64_t shift = 0;
	size_t i;

	for (i = 0; i < host->nr_streams; i++) {
		if (host->streams[i].source->layer == STRATA_LAYER_XEN)
			shift = host->streams[i].shift_ticks;
	}
	return strata_order_check_new(strata_shifted_ticks(scan->covered_from, shift),
				      strata_shifted_ticks(scan->covered_until, shift));
}

static void set_up_stream(struct strata_host_check *check, size_t at)
{
	const struct strata_recorded_stream *recorded = &check->host->streams[at];
	struct checked_stream *stream = &check->streams[at];

	if (recorded->source->layer == STRATA_LAYER_XEN)
		return;
	stream->early_ticks =
		strata_source_early_ticks(recorded->source, check->host->timebase.tsc_khz);
	stream->vcpu = strata_order_check_vcpu(check->order, (uint16_t)recorded->source->domain,
					       (uint16_t)recorded->cpu);
	if (recorded->kind == STRATA_CLOCK_EMULATED)
		strata_order_check_read_by_xen(stream->vcpu);
}

static void count_left_out(struct strata_host_check *check)
{
	struct strata_host_figures *figures = &check->figures;
	size_t i;

	figures->left_out_sources = check->host->left_out_sources;
	for (i = 0; i < check->host->recording.nr_sources; i++)
		figures->left_out_sources += strata_recorded_host_can_order(check->host, i);
	for (i = 0; i < check->set->nr_traces; i++)
		figures->left_out_sources -= check->set->traces[i]->recording == check->traces;
}

struct strata_host_check *strata_host_check_new(struct strata_recording_traces *traces,
						const struct strata_trace_set *set,
						struct strata_error *error)
{
	struct strata_host_check *check = calloc(1, sizeof(*check));
	size_t i, nr;

	if (!check) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	check->sink.take = take;
	check->sink.lose = lose;
	check->traces = traces;
	check->set = set;
	check->host = check->figures.host = strata_recording_traces_host(traces);
	nr = check->host->nr_streams;
	check->order = new_order_check(check->host);
	check->streams = calloc(nr + 1, sizeof(*check->streams));
	check->figures.streams = calloc(nr + 1, sizeof(*check->figures.streams));
	if (!check->order || !check->streams || !check->figures.streams ||
	    strata_domain_names_set(set, error)) {
		strata_fail(error, "out of memory for %zu streams", nr);
		strata_host_check_free(check);
		return NULL;
	}
	for (i = 0; i < nr; i++)
		set_up_stream(check, i);
	count_left_out(check);
	return check;
}

void strata_host_check_free(struct strata_host_check *check)
{
	if (!check)
		return;
	strata_order_check_free(check->order);
	free(check->streams);
	free(check->figures.streams);
	free(check);
}
