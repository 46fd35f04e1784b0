// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xen_scan.c - see xen_scan.h.  Called when a recording is opened.
 */
#include "clocks/xen_scan.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "packets/packet_reader.h"
#include "xen/xen_events.h"

/* Collects data from one record of a stream. */
typedef int scan_fn(struct strata_xen_scan *scan, uint32_t pcpu, const struct strata_record *record,
		    struct strata_error *error);

/* Copies the payload of one of Strata's own events; false: another event, or too short. */
static bool take(const struct strata_record *record, enum strata_hv_own_event id, void *to,
		 size_t bytes)
{
	if (record->event->id != (uint32_t)id || strata_event_payload_bytes(record->event) < bytes)
		return false;
	memcpy(to, record->payload, bytes);
	return true;
}

/* Earlier versions recorded every change.  The first one did not record the last answer, which is
 * unknown then. */
static bool take_vcpu_clock(const struct strata_record *record, struct strata_hv_vcpu_clock *clock)
{
	if (take(record, STRATA_HV_VCPU_CLOCK, clock, sizeof(*clock)))
		return true;
	clock->incomplete = 0;
	clock->suppressed = 0;
	if (take(record, STRATA_HV_VCPU_CLOCK, clock,
		 offsetof(struct strata_hv_vcpu_clock, incomplete)))
		return true;
	clock->vtsc_last_ns = UINT64_MAX;
	return take(record, STRATA_HV_VCPU_CLOCK, clock,
		    offsetof(struct strata_hv_vcpu_clock, vtsc_last_ns));
}

static void set_bit(uint8_t *bits, uint32_t number)
{
	if (number < STRATA_PCPUS)
		bits[number / 8] |= (uint8_t)(1u << number % 8);
}

/* Counters may drift between two measurements: both count. */
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

static void note_exit(struct strata_xen_scan *scan, const struct strata_record *record)
{
	uint32_t first_word = 0;

	if (record->payload_bytes >= sizeof(first_word))
		memcpy(&first_word, record->payload, sizeof(first_word));
	strata_exits_note(&scan->exits, record->event->id, first_word);
}

/* Notes which kinds of events were recorded. */
static void note_kinds(struct strata_xen_scan *scan, const struct strata_record *record)
{
	struct strata_runstate_change change;
	struct strata_hv_context context;
	bool begins;

	if (!scan->runstates)
		scan->runstates = strata_xen_runstate_change(record->event->id, &change);
	if (strata_xen_guest_mode(record->event->id, &begins) && begins) {
		memcpy(&context, record->context, sizeof(context));
		set_bit(scan->guest_mode, context.domain);
	}
	if (strata_xen_pv_hypercall(record->event->id, &begins) && !begins)
		scan->hypercall_returns = true;
}

static int scan_clocks(struct strata_xen_scan *scan, uint32_t pcpu,
		       const struct strata_record *record, struct strata_error *error)
{
	struct strata_hv_vcpu_clock vcpu_clock;
	struct strata_hv_pcpu_clock pcpu_clock;
	struct strata_hv_pcpu_skew skew;
	bool done = true;

	set_bit(scan->skew.seen, pcpu);
	if (!(record->event->id & STRATA_HV_ID_OWN)) {
		note_kinds(scan, record);
		note_exit(scan, record);
		return 0;
	}
	if (take_vcpu_clock(record, &vcpu_clock))
		done = strata_clock_maps_add(&scan->maps, record->ticks, &vcpu_clock);
	else if (take(record, STRATA_HV_PCPU_CLOCK, &pcpu_clock, sizeof(pcpu_clock)))
		done = strata_vcpu_stime_pcpu(&scan->stimes, pcpu, record->ticks, &pcpu_clock);
	else if (take(record, STRATA_HV_PCPU_SKEW, &skew, sizeof(skew)))
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

/* Reads the place of a vCPU from a record of the CPU @running->pcpu.  False: none. */
static bool take_running(const struct strata_record *record, struct running *running)
{
	struct strata_runstate_change change;
	struct strata_hv_vcpu_state state;
	uint16_t vcpu_domain[2];

	if (take(record, STRATA_HV_VCPU_STATE, &state, sizeof(state))) {
		*running = (struct running){ state.domain, state.vcpu, state.pcpu, true,
					     state.runstate != STRATA_RUNSTATE_RUNNING };
		return true;
	}
	if (!strata_xen_runstate_change(record->event->id, &change) ||
	    strata_event_payload_bytes(record->event) < sizeof(vcpu_domain))
		return false;
	memcpy(vcpu_domain, record->payload, sizeof(vcpu_domain));
	running->vcpu = vcpu_domain[0];
	running->domain = vcpu_domain[1];
	running->begins = change.after == STRATA_RUNSTATE_RUNNING;
	running->ends = !running->begins && change.before == STRATA_RUNSTATE_RUNNING;
	return true;
}

/* Collects the places of vCPUs with emulated counters, which see the time of their CPU. */
static int scan_residences(struct strata_xen_scan *scan, uint32_t pcpu,
			   const struct strata_record *record, struct strata_error *error)
{
	struct running running = { .pcpu = pcpu };
	bool done = true;

	if (!take_running(record, &running) || !scan->emulated[running.domain])
		return 0;
	if (running.begins)
		done = strata_vcpu_stime_runs(&scan->stimes, record->ticks, running.domain,
					      running.vcpu, running.pcpu);
	/* Where records are missing it may start unseen. */
	if (running.ends && scan->lossy)
		done &= strata_vcpu_stime_stops(&scan->stimes, record->ticks, running.domain,
						running.vcpu);
	return done ? 0 : strata_fail(error, "out of memory for where vCPUs ran");
}

/* Collects clocks, and the places of all vCPUs. */
static int scan_places(struct strata_xen_scan *scan, uint32_t pcpu,
		       const struct strata_record *record, struct strata_error *error)
{
	struct running running = { .pcpu = pcpu };

	if (scan_clocks(scan, pcpu, record, error))
		return -1;
	if (!take_running(record, &running) || !running.begins)
		return 0;
	return strata_vcpu_places_add(&scan->places, record->ticks, running.domain, running.vcpu,
				      running.pcpu,
				      record->event->id == (uint32_t)STRATA_HV_VCPU_STATE)
		       ? 0
		       : strata_fail(error, "out of memory for where vCPUs ran");
}

/* Calls @scan_record for the records of the current packet. */
static int scan_packet(struct strata_xen_scan *scan, struct strata_packet_reader *reader,
		       scan_fn *scan_record, struct strata_xen_coverage *coverage,
		       struct strata_error *error)
{
	size_t offset = STRATA_PACKET_HEADER_BYTES;
	struct strata_record record;

	/* The loss lies between the packet before and the end of this one. */
	if (reader->gap && scan_record != scan_residences &&
	    !strata_vcpu_stime_gap(&scan->stimes, reader->cpu, coverage->last,
				   reader->packet.end_ticks))
		return strata_fail(error, "out of memory for the clocks of vCPUs");
	while (strata_packet_next(reader->source, reader->bytes, &reader->packet, &offset,
				  &record)) {
		if (!coverage->any)
			coverage->first = record.ticks;
		coverage->any = true;
		if (scan_record(scan, reader->cpu, &record, error))
			return -1;
	}
	coverage->last = reader->packet.end_ticks;
	return 0;
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
	struct strata_packet_reader *readers;
	struct strata_xen_coverage *coverages;
	bool *at_end;
	size_t nr;
};

static void close_streams(struct streams *streams)
{
	size_t i;

	for (i = 0; i < streams->nr; i++)
		strata_packet_reader_close(&streams->readers[i]);
	free(streams->readers);
	free(streams->coverages);
	free(streams->at_end);
}

static int open_source(struct streams *streams, struct strata_source *source, const char *raw,
		       struct strata_error *error)
{
	struct strata_error unreadable;
	size_t i;

	/* Reported when the trace is opened; most of Xen's events are known without metadata. */
	strata_source_load_events(source, raw, &unreadable);
	for (i = 0; i < source->nr_streams; i++) {
		if (strata_packet_reader_open(&streams->readers[streams->nr], raw, source,
					      &source->streams[i], NULL, NULL, error))
			return -1;
		streams->nr++;
	}
	return 0;
}

static int open_streams(struct streams *streams, struct strata_recording *recording,
			const char *raw, struct strata_error *error)
{
	size_t i, nr = 0;

	memset(streams, 0, sizeof(*streams));
	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_XEN)
			nr += recording->sources[i].nr_streams;
	}
	streams->readers = calloc(nr + 1, sizeof(*streams->readers));
	streams->coverages = calloc(nr + 1, sizeof(*streams->coverages));
	streams->at_end = calloc(nr + 1, sizeof(*streams->at_end));
	if (!streams->readers || !streams->coverages || !streams->at_end)
		return strata_fail(error, "out of memory for %zu streams", nr);
	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == STRATA_LAYER_XEN &&
		    open_source(streams, &recording->sources[i], raw, error))
			return -1;
	}
	return 0;
}

/* The stream with the earliest position; the number of streams: all have ended. */
static size_t least_far(const struct streams *streams)
{
	size_t i, least = streams->nr;

	for (i = 0; i < streams->nr; i++) {
		if (!streams->at_end[i] &&
		    (least == streams->nr ||
		     streams->coverages[i].last < streams->coverages[least].last))
			least = i;
	}
	return least;
}

/*
 * Calls @scan_record for every record of the hypervisor, roughly in time order, so that entries
 * that are not moves can be dropped early.
 */
static int scan_all(struct strata_xen_scan *scan, const struct streams *streams,
		    scan_fn *scan_record, struct strata_error *error)
{
	size_t at;

	while ((at = least_far(streams)) < streams->nr) {
		struct strata_packet_reader *reader = &streams->readers[at];

		scan->places.known_until = streams->coverages[at].last;
		if (!strata_packet_reader_next(reader))
			streams->at_end[at] = true;
		else if (scan_packet(scan, reader, scan_record, &streams->coverages[at], error))
			return -1;
	}
	return 0;
}

static int scan_once(struct strata_xen_scan *scan, struct strata_recording *recording,
		     const char *raw, scan_fn *scan_record, bool covers, struct strata_error *error)
{
	struct streams streams;
	int status = open_streams(&streams, recording, raw, error);
	size_t i, j, at = 0;

	if (!status)
		status = scan_all(scan, &streams, scan_record, error);
	for (i = 0; !status && covers && i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];

		for (j = 0; source->layer == STRATA_LAYER_XEN && j < source->nr_streams; j++)
			note_coverage(scan, &streams.coverages[at++], source->streams[j].packets);
	}
	close_streams(&streams);
	return status;
}

/* Reads all streams a second time, for the guests with emulated counters that the first time found.
 */
static int find_residences(struct strata_xen_scan *scan, struct strata_recording *recording,
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

int strata_xen_scan_more(struct strata_xen_scan *scan, struct strata_packet_reader *reader,
			 struct strata_xen_coverage *coverage, struct strata_error *error)
{
	while (strata_packet_reader_next(reader)) {
		if (scan_packet(scan, reader, scan_places, coverage, error))
			return -1;
	}
	return 0;
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

int strata_xen_scan(struct strata_xen_scan *scan, struct strata_recording *recording,
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
