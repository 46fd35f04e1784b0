// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xen_scan.c - see xen_scan.h.  Called when a recording is opened.
 */
#include "clocks/xen_scan.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "xen/xen_events.h"

/* An event of a scanned stream. */
struct scanned {
	uint32_t pcpu;
	const struct strata_ctf_reader *reader;
	const struct strata_lane_event *event;
	const struct strata_xen_class *class;
};

/* Collects data from one event. */
typedef int scan_fn(struct strata_xen_scan *scan, const struct scanned *scanned,
		    struct strata_error *error);

/* Copies the payload of one of Strata's own events; false: another event, or too short. */
static bool take(const struct scanned *scanned, enum strata_hv_own_event id, void *to, size_t bytes)
{
	return scanned->class->id == (uint32_t)id &&
	       strata_xen_read(scanned->reader, scanned->event, to, bytes);
}

/* Earlier versions recorded every change.  The first one did not record the last answer, which is
 * unknown then. */
static bool take_vcpu_clock(const struct scanned *scanned, struct strata_hv_vcpu_clock *clock)
{
	if (take(scanned, STRATA_HV_VCPU_CLOCK, clock, sizeof(*clock)))
		return true;
	clock->incomplete = 0;
	clock->suppressed = 0;
	if (take(scanned, STRATA_HV_VCPU_CLOCK, clock,
		 offsetof(struct strata_hv_vcpu_clock, incomplete)))
		return true;
	clock->vtsc_last_ns = UINT64_MAX;
	return take(scanned, STRATA_HV_VCPU_CLOCK, clock,
		    offsetof(struct strata_hv_vcpu_clock, vtsc_last_ns));
}

static void set_bit(uint8_t *bits, uint32_t number)
{
	if (number < STRATA_PCPUS)
		bits[number / 8] |= (uint8_t)(1u << number % 8);
}

/* Counters may drift between two measurements, so both count. */
static void note_skew(struct strata_skew *skew, const struct strata_hv_pcpu_skew *measured)
{
	if (measured->min_ticks < skew->min_ticks)
		skew->min_ticks = measured->min_ticks;
	if (measured->max_ticks > skew->max_ticks)
		skew->max_ticks = measured->max_ticks;
	set_bit(skew->measured, measured->pcpu);
	set_bit(skew->measured, measured->reference);
}

static void count_unmeasured(struct strata_skew *skew)
{
	uint32_t i;

	for (i = 0; i < STRATA_PCPUS / 8; i++) {
		skew->nr_pcpus += (uint32_t)__builtin_popcount(skew->seen[i]);
		skew->nr_unmeasured +=
			(uint32_t)__builtin_popcount(skew->seen[i] & (uint8_t)~skew->measured[i]);
	}
	/* A single counter has no skew. */
	if (skew->nr_pcpus == 1)
		skew->nr_unmeasured = 0;
}

/* The reference is 0 ticks from itself, and one CPU may be early while another is late. */
uint64_t strata_skew_bound_ticks(const struct strata_skew *skew)
{
	return (uint64_t)skew->max_ticks - (uint64_t)skew->min_ticks;
}

static void note_exit(struct strata_xen_scan *scan, const struct scanned *scanned)
{
	uint32_t first_word = 0;

	strata_xen_read(scanned->reader, scanned->event, &first_word, sizeof(first_word));
	strata_exits_note(&scan->exits, scanned->class->id, first_word);
}

/* Notes which kinds of events were recorded. */
static void note_kinds(struct strata_xen_scan *scan, const struct scanned *scanned)
{
	struct strata_hv_context context;
	bool begins;

	if (scanned->class->tells == STRATA_XEN_RUNSTATE)
		scan->runstates = true;
	if (scanned->class->tells == STRATA_XEN_GUEST_ENTRY &&
	    strata_xen_read_context(scanned->reader, scanned->event, &context))
		set_bit(scan->guest_mode, context.domain);
	if (strata_xen_pv_hypercall(scanned->class->id, &begins) && !begins)
		scan->hypercall_returns = true;
}

static int scan_clocks(struct strata_xen_scan *scan, const struct scanned *scanned,
		       struct strata_error *error)
{
	const uint64_t ticks = scanned->event->ns;
	struct strata_hv_vcpu_clock vcpu_clock;
	struct strata_hv_pcpu_clock pcpu_clock;
	struct strata_hv_pcpu_skew skew;
	bool done = true;

	if (!(scanned->class->id & STRATA_HV_ID_OWN)) {
		note_kinds(scan, scanned);
		note_exit(scan, scanned);
		return 0;
	}
	if (take_vcpu_clock(scanned, &vcpu_clock))
		done = strata_clock_maps_add(&scan->maps, ticks, &vcpu_clock);
	else if (take(scanned, STRATA_HV_PCPU_CLOCK, &pcpu_clock, sizeof(pcpu_clock)))
		done = strata_vcpu_stime_pcpu(&scan->stimes, scanned->pcpu, ticks, &pcpu_clock);
	else if (take(scanned, STRATA_HV_PCPU_SKEW, &skew, sizeof(skew)))
		note_skew(&scan->skew, &skew);
	return done ? 0 : strata_fail(error, "out of memory for the clocks of vCPUs");
}

struct running {
	uint16_t domain;
	uint16_t vcpu;
	uint32_t pcpu;
	bool begins;
	bool ends;
};

/* Reads the place of a vCPU from an event of its CPU. False: the event does not contain one. */
static bool take_running(const struct scanned *scanned, struct running *running)
{
	const struct strata_runstate_change *change = &scanned->class->change;
	struct strata_hv_vcpu_state state;
	struct strata_hv_context changed;

	if (take(scanned, STRATA_HV_VCPU_STATE, &state, sizeof(state))) {
		*running = (struct running){ state.domain, state.vcpu, state.pcpu, true,
					     state.runstate != STRATA_RUNSTATE_RUNNING };
		return true;
	}
	if (scanned->class->tells != STRATA_XEN_RUNSTATE ||
	    !strata_xen_read_changed(scanned->reader, scanned->event, &changed))
		return false;
	*running = (struct running){ .domain = changed.domain,
				     .vcpu = changed.vcpu,
				     .pcpu = scanned->pcpu,
				     .begins = change->after == STRATA_RUNSTATE_RUNNING };
	running->ends = !running->begins && change->before == STRATA_RUNSTATE_RUNNING;
	return true;
}

/* Collects the places of vCPUs with emulated counters, which see the time of their CPU. */
static int scan_residences(struct strata_xen_scan *scan, const struct scanned *scanned,
			   struct strata_error *error)
{
	const uint64_t ticks = scanned->event->ns;
	struct running running;
	bool done = true;

	if (!take_running(scanned, &running) || !scan->emulated[running.domain])
		return 0;
	if (running.begins)
		done = strata_vcpu_stime_runs(&scan->stimes, ticks, running.domain, running.vcpu,
					      running.pcpu);
	/* Where records are missing, it may start unseen. */
	if (running.ends && scan->lossy)
		done &= strata_vcpu_stime_stops(&scan->stimes, ticks, running.domain, running.vcpu);
	return done ? 0 : strata_fail(error, "out of memory for where vCPUs ran");
}

/* Collects clocks, and the places of all vCPUs. */
static int scan_places(struct strata_xen_scan *scan, const struct scanned *scanned,
		       struct strata_error *error)
{
	struct running running;

	if (scan_clocks(scan, scanned, error))
		return -1;
	if (!take_running(scanned, &running) || !running.begins)
		return 0;
	return strata_vcpu_places_add(&scan->places, scanned->event->ns, running.domain,
				      running.vcpu, running.pcpu,
				      scanned->class->tells == STRATA_XEN_VCPU_STATE)
		       ? 0
		       : strata_fail(error, "out of memory for where vCPUs ran");
}

/* Calls @scan_event for a batch of events. */
static int scan_events(struct strata_xen_scan *scan, const struct strata_xen_stream *stream, int nr,
		       scan_fn *scan_event, struct strata_error *error)
{
	const struct strata_ctf_reader *reader = &stream->raw.reader;
	struct scanned scanned = { .pcpu = (uint32_t)stream->raw.stream.cpu, .reader = reader };
	int i;

	set_bit(scan->skew.seen, scanned.pcpu);
	for (i = 0; i < nr; i++) {
		scanned.event = &reader->events[i];
		scanned.class =
			&stream->classes[reader->kind->classes[scanned.event->class].event->index];
		if (scan_event(scan, &scanned, error))
			return -1;
	}
	return 0;
}

/* Whether the last packet read is whole, and the file ends after it: the packet may be empty. */
static bool is_last_packet(const struct strata_ctf_reader *reader)
{
	return reader->packet.packet_bits &&
	       reader->packet.offset + reader->packet.packet_bits / 8 == reader->file_bytes;
}

/*
 * Scans the next batch of a stream. A loss lies between the previous packet and the end of the
 * packet that reports it.
 * Returns 1; 0: the stream has ended; -1.
 */
static int scan_batch(struct strata_xen_scan *scan, struct strata_xen_stream *stream,
		      scan_fn *scan_event, struct strata_error *error)
{
	struct strata_xen_coverage *coverage = &stream->coverage;
	const struct strata_ctf_reader *reader = &stream->raw.reader;
	const int got = strata_ctf_reader_next(&stream->raw.reader);

	if (reader->packet.offset != stream->packet_at)
		coverage->last = stream->packet_end;
	if (reader->packet.has_end && (got > 0 || is_last_packet(reader))) {
		stream->packet_at = reader->packet.offset;
		stream->packet_end = reader->packet.end;
	}
	if (got == 0) {
		coverage->last = stream->packet_end;
		return 0;
	}
	if (reader->events[0].class == STRATA_LANE_LOSS) {
		if (scan_event != scan_residences &&
		    !strata_vcpu_stime_gap(&scan->stimes, (uint32_t)stream->raw.stream.cpu,
					   coverage->last, stream->packet_end))
			return strata_fail(error, "out of memory for the clocks of vCPUs");
		return 1;
	}
	if (!coverage->any)
		coverage->first = reader->events[0].ns;
	coverage->any = true;
	return scan_events(scan, stream, got, scan_event, error) ? -1 : 1;
}

static void note_coverage(struct strata_xen_scan *scan, const struct strata_xen_coverage *coverage,
			  uint64_t nr_recorded)
{
	if (!coverage->any) {
		scan->incomplete |= nr_recorded > 0;
		return;
	}
	if (!scan->any || coverage->first > scan->covered_from)
		scan->covered_from = coverage->first;
	if (!scan->any || coverage->last < scan->covered_until)
		scan->covered_until = coverage->last;
	scan->any = true;
}

/* All streams of the hypervisor. */
struct streams {
	struct strata_xen_stream *streams;
	size_t *sources; /* of each */
	bool *at_end;    /* likewise */
	size_t nr;
	struct strata_ctf_trace *
		*traces; /* of each source; NULL: of another layer, or unreadable */
	struct strata_xen_class **classes; /* likewise */
};

static void close_streams(struct streams *streams, const struct strata_recording *recording)
{
	size_t i;

	for (i = 0; i < streams->nr; i++)
		strata_xen_stream_close(&streams->streams[i]);
	for (i = 0; i < recording->nr_sources; i++) {
		if (streams->traces)
			strata_ctf_trace_close(streams->traces[i]);
		if (streams->classes)
			free(streams->classes[i]);
	}
	free(streams->streams);
	free(streams->sources);
	free(streams->at_end);
	free(streams->traces);
	free(streams->classes);
}

int strata_xen_stream_open(struct strata_xen_stream *stream, const struct strata_ctf_stream *of,
			   const struct strata_xen_class *classes, struct strata_error *error)
{
	memset(stream, 0, sizeof(*stream));
	stream->packet_at = UINT64_MAX;
	stream->classes = classes;
	return strata_raw_stream_open(&stream->raw, of, error);
}

void strata_xen_stream_close(struct strata_xen_stream *stream)
{
	strata_raw_stream_close(&stream->raw);
}

static int open_source(struct streams *streams, size_t at, const struct strata_source *source,
		       const char *raw, struct strata_error *error)
{
	struct strata_error unreadable; /* reported when the trace is opened for the merge */
	struct strata_ctf_trace *trace =
		strata_recorded_source_open(source, raw, NULL, NULL, &unreadable);
	uint32_t cpu;
	size_t i;

	streams->traces[at] = trace;
	if (!trace)
		return 0;
	streams->classes[at] = strata_xen_classes_new(source, &trace->metadata);
	if (!streams->classes[at])
		return strata_fail(error, "out of memory");
	for (i = 0; i < trace->nr_streams; i++) {
		const struct strata_ctf_stream *of = &trace->streams[i];

		if (!strata_cpu_of_stream(of->name, &cpu) || !strata_source_stream(source, cpu))
			continue;
		streams->sources[streams->nr] = at;
		if (strata_xen_stream_open(&streams->streams[streams->nr++], of,
					   streams->classes[at], error))
			return -1;
	}
	return 0;
}

static int open_streams(struct streams *streams, const struct strata_recording *recording,
			const char *raw, struct strata_error *error)
{
	size_t i, nr = 0;

	memset(streams, 0, sizeof(*streams));
	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_XEN)
			nr += recording->sources[i].nr_streams;
	}
	streams->streams = calloc(nr + 1, sizeof(*streams->streams));
	streams->sources = calloc(nr + 1, sizeof(*streams->sources));
	streams->at_end = calloc(nr + 1, sizeof(*streams->at_end));
	streams->traces = calloc(recording->nr_sources + 1, sizeof(*streams->traces));
	streams->classes = calloc(recording->nr_sources + 1, sizeof(*streams->classes));
	if (!streams->streams || !streams->sources || !streams->at_end || !streams->traces ||
	    !streams->classes)
		return strata_fail(error, "out of memory for %zu streams", nr);
	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_XEN &&
		    open_source(streams, i, &recording->sources[i], raw, error))
			return -1;
	}
	return 0;
}

/* Returns the stream with the earliest position; the number of streams: all have ended. */
static size_t least_far(const struct streams *streams)
{
	size_t i, least = streams->nr;

	for (i = 0; i < streams->nr; i++) {
		if (!streams->at_end[i] &&
		    (least == streams->nr ||
		     streams->streams[i].coverage.last < streams->streams[least].coverage.last))
			least = i;
	}
	return least;
}

/*
 * Calls @scan_event for every event of the hypervisor, roughly in time order, so that entries that
 * are not moves can be dropped early.
 */
static int scan_all(struct strata_xen_scan *scan, const struct streams *streams,
		    scan_fn *scan_event, struct strata_error *error)
{
	size_t at;
	int got;

	while ((at = least_far(streams)) < streams->nr) {
		scan->places.known_until = streams->streams[at].coverage.last;
		got = scan_batch(scan, &streams->streams[at], scan_event, error);
		if (got < 0)
			return -1;
		streams->at_end[at] = got == 0;
	}
	return 0;
}

/* Notes what the streams of a source cover, from its table: some may have no file. */
static void note_coverages(struct strata_xen_scan *scan, const struct streams *streams, size_t at,
			   const struct strata_source *source)
{
	size_t i, j;

	for (i = 0; i < source->nr_streams; i++) {
		struct strata_xen_coverage coverage = { 0 };

		for (j = 0; j < streams->nr; j++) {
			if (streams->sources[j] == at &&
			    streams->streams[j].raw.stream.cpu == source->streams[i].cpu)
				coverage = streams->streams[j].coverage;
		}
		note_coverage(scan, &coverage, source->streams[i].packets);
	}
}

static int scan_once(struct strata_xen_scan *scan, const struct strata_recording *recording,
		     const char *raw, scan_fn *scan_event, bool covers, struct strata_error *error)
{
	struct streams streams;
	int status = open_streams(&streams, recording, raw, error);
	size_t i;

	if (!status)
		status = scan_all(scan, &streams, scan_event, error);
	for (i = 0; !status && covers && i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_XEN)
			note_coverages(scan, &streams, i, &recording->sources[i]);
	}
	close_streams(&streams, recording);
	return status;
}

/* Reads all streams a second time, for the guests with emulated counters that the first pass
 * found. */
static int find_residences(struct strata_xen_scan *scan, const struct strata_recording *recording,
			   const char *raw, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < scan->maps.nr; i++) {
		if (!scan->maps.pieces[i].emulated)
			continue;
		if (!scan->emulated)
			scan->emulated = calloc(1u << 16, sizeof(*scan->emulated));
		if (!scan->emulated)
			return strata_fail(error, "out of memory for where vCPUs ran");
		scan->emulated[scan->maps.pieces[i].domain] = true;
	}
	/* Without changes of runstates their places are unknown. */
	if (!scan->emulated || !scan->runstates)
		return 0;
	scan->lossy = strata_vcpu_stime_lossy(&scan->stimes);
	return scan_once(scan, recording, raw, scan_residences, false, error);
}

int strata_xen_scan_more(struct strata_xen_scan *scan, struct strata_xen_stream *stream,
			 struct strata_error *error)
{
	int got;

	do
		got = scan_batch(scan, stream, scan_places, error);
	while (got > 0);
	return got;
}

int strata_xen_scan_settle(struct strata_xen_scan *scan, uint32_t tsc_khz, uint64_t known_until,
			   struct strata_error *error)
{
	strata_clock_maps_sort(&scan->maps, tsc_khz);
	if (!strata_vcpu_stime_finish(&scan->stimes, strata_skew_bound_ticks(&scan->skew)))
		return strata_fail(error, "out of memory for the clocks of vCPUs");
	if (!strata_vcpu_places_settle(&scan->places, known_until))
		return strata_fail(error, "out of memory for where vCPUs ran");
	return 0;
}

int strata_xen_scan(struct strata_xen_scan *scan, const struct strata_recording *recording,
		    const char *raw, struct strata_error *error)
{
	memset(scan, 0, sizeof(*scan));
	if (scan_once(scan, recording, raw, scan_places, true, error))
		return -1;
	count_unmeasured(&scan->skew);
	if (find_residences(scan, recording, raw, error) ||
	    strata_xen_scan_settle(scan, recording->tsc_khz, UINT64_MAX, error))
		return -1;
	/* It is unknown what ran on a CPU whose stream is lost: no time is covered. */
	if (scan->incomplete) {
		scan->covered_from = UINT64_MAX;
		scan->covered_until = 0;
	}
	return 0;
}

void strata_xen_scan_clear(struct strata_xen_scan *scan)
{
	strata_clock_maps_clear(&scan->maps);
	strata_vcpu_stime_clear(&scan->stimes);
	strata_vcpu_places_clear(&scan->places);
	free(scan->emulated);
	memset(scan, 0, sizeof(*scan));
}
