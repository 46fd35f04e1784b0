// SPDX-License-Identifier: GPL-2.0-or-later
/* clock_proof.c - see clock_proof.h. */
#include "analyses/clock_proof.h"
#include "base/array.h"
#include "base/id_map.h"
#include "host/own_counter.h"
#include "xen/domain_numbers.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST     0 /* the reference clock */
#define NO_CLOCK (-1)

/* A vCPU: its clock, and its current stretch of running. */
struct vcpu {
	struct strata_proven_clock proven;
	int clock;
	/* Of an emulated host: how far its counter deviates from a smooth clock. */
	uint64_t rough_ticks;
	bool running;
	uint64_t since; /* host ticks */
	bool any;       /* an event was seen since then; the last one: */
	uint64_t last;  /* reading */
	struct strata_clock_cursor cursor;
};

struct strata_clock_proof {
	struct strata_slice_sink collector, comparer;
	const struct strata_recorded_host *host;
	struct strata_clock_sync *sync;
	struct strata_own_counter *counters; /* by stream of the host */
	struct vcpu **vcpus;                 /* in order of first appearance */
	size_t nr;
	size_t room;
	struct strata_id_map by_key; /* the same, by strata_vcpu_key() */
	uint64_t host_base;          /* base of all readings, so that they fit 64 signed bits */
	bool has_base;
	bool failed;
	struct strata_error error;
};

void strata_clock_proof_free(struct strata_clock_proof *proof)
{
	if (!proof)
		return;
	strata_id_map_free(&proof->by_key);
	free(proof->vcpus);
	free(proof->counters);
	strata_clock_sync_free(proof->sync);
	free(proof);
}

static void fail(struct strata_clock_proof *proof, const char *what)
{
	if (!proof->failed && what)
		strata_fail(&proof->error, "%s", what);
	proof->failed = true;
}

static struct vcpu *find(struct strata_clock_proof *proof, uint16_t domain, uint16_t vcpu)
{
	return strata_id_map_find(&proof->by_key, strata_vcpu_key(domain, vcpu));
}

static struct vcpu *add(struct strata_clock_proof *proof, uint16_t domain, uint16_t vcpu)
{
	struct vcpu *at;

	if (!STRATA_GROW(proof->vcpus, proof->nr, proof->room))
		return NULL;
	at = calloc(1, sizeof(*at));
	if (!at || strata_id_map_add(&proof->by_key, strata_vcpu_key(domain, vcpu), at)) {
		free(at);
		return NULL;
	}
	at->proven.domain = domain;
	at->proven.vcpu = vcpu;
	at->proven.least_bound_ns = UINT64_MAX;
	at->clock = NO_CLOCK;
	proof->vcpus[proof->nr++] = at;
	return at;
}

/*
 * An emulated counter follows Xen's system time, which every CPU of the host sets anew
 * each second, and which differs between CPUs: it is not a smooth clock. The bounds allow for this
 * deviation; 140 us were seen on an emulated host.
 */
#define EMULATED_ROUGH_NS  500000u
#define EMULATED_DRIFT_PPB 200000u

/* Returns the clock of a vCPU whose kernel was traced, with the rate that Xen gave it. */
static int clock_of(struct strata_clock_proof *proof, struct vcpu *vcpu,
		    const struct strata_recorded_stream *stream)
{
	const struct strata_clock_limits emulated = { EMULATED_DRIFT_PPB, STRATA_CLOCK_SLEW_PPT,
						      STRATA_CLOCK_WINDOW_MS };
	const uint64_t tsc_khz = proof->host->timebase.tsc_khz;
	struct strata_clock_rate rate = { tsc_khz * 1000, 1 };
	char name[40];

	if (vcpu->clock != NO_CLOCK)
		return 0;
	if (stream->clock.nr && stream->clock.pieces[0].guest_khz)
		rate.numerator = (uint64_t)stream->clock.pieces[0].guest_khz * 1000;
	snprintf(name, sizeof(name), "d%uv%u", vcpu->proven.domain, vcpu->proven.vcpu);
	vcpu->clock = strata_clock_sync_add_clock(proof->sync, name, rate, &proof->error);
	if (vcpu->clock < 0)
		return -1;
	if (stream->kind != STRATA_CLOCK_EMULATED)
		return 0;
	vcpu->rough_ticks = EMULATED_ROUGH_NS * tsc_khz / 1000000u;
	return strata_clock_sync_limit(proof->sync, HOST, vcpu->clock, emulated, &proof->error);
}

static int64_t host_reading(const struct strata_clock_proof *proof, uint64_t ticks)
{
	return (int64_t)(ticks - proof->host_base);
}

/* The vCPU did not have this CPU before @ticks of the CPU's own counter: CPUs' counters differ. */
static void begin_stretch(struct vcpu *vcpu, uint64_t ticks)
{
	vcpu->running = true;
	vcpu->since = ticks;
	vcpu->any = false;
}

static uint64_t skew_ticks(const struct strata_clock_proof *proof)
{
	return strata_skew_bound_ticks(&proof->host->scan.skew);
}

static void end_stretch(struct strata_clock_proof *proof, struct vcpu *vcpu, uint64_t ticks)
{
	const struct strata_clock_event inner = { vcpu->clock, (int64_t)vcpu->last };
	const struct strata_clock_event outer = {
		HOST, host_reading(proof, ticks + skew_ticks(proof) + vcpu->rough_ticks)
	};

	if (!vcpu->running || !vcpu->any)
		return;
	if (strata_clock_sync_before(proof->sync, inner, outer, 0, 0, &proof->error))
		fail(proof, NULL);
	vcpu->proven.pairs++;
	vcpu->any = false;
}

static void first_in_stretch(struct strata_clock_proof *proof, struct vcpu *vcpu, uint64_t reading)
{
	const struct strata_clock_event outer = {
		HOST, host_reading(proof, vcpu->since - skew_ticks(proof) - vcpu->rough_ticks)
	};
	const struct strata_clock_event inner = { vcpu->clock, (int64_t)reading };

	if (strata_clock_sync_before(proof->sync, outer, inner, 0, 0, &proof->error))
		fail(proof, NULL);
	vcpu->proven.pairs++;
}

/* A guest under VMX or SVM runs only from an entry to the next exit: shorter stretches within this
 * one. */
static void collect_guest_mode(struct strata_clock_proof *proof,
			       const struct strata_hv_context *context, bool is_entry,
			       uint64_t ticks)
{
	struct vcpu *vcpu = find(proof, context->domain, context->vcpu);

	if (!vcpu || !vcpu->running)
		return;
	if (is_entry)
		begin_stretch(vcpu, ticks);
	else
		end_stretch(proof, vcpu, ticks);
}

static void collect_runstate(struct strata_clock_proof *proof,
			     const struct strata_runstate_change *change,
			     const struct strata_hv_context *changed, uint64_t ticks)
{
	struct vcpu *vcpu = find(proof, changed->domain, changed->vcpu);

	if (!vcpu)
		vcpu = add(proof, changed->domain, changed->vcpu);
	if (!vcpu) {
		fail(proof, "out of memory");
		return;
	}
	if (change->before == STRATA_RUNSTATE_RUNNING)
		end_stretch(proof, vcpu, ticks);
	vcpu->running = false;
	if (change->after == STRATA_RUNSTATE_RUNNING)
		begin_stretch(vcpu, ticks);
}

static void collect_xen(struct strata_clock_proof *proof, const struct strata_xen_class *class,
			const struct strata_ctf_reader *reader,
			const struct strata_lane_event *event)
{
	const uint64_t ticks = strata_recorded_ticks(proof->host, event);
	const bool is_entry = class->tells == STRATA_XEN_GUEST_ENTRY;
	struct strata_hv_context vcpu;

	if (class->tells == STRATA_XEN_RUNSTATE && strata_xen_read_changed(reader, event, &vcpu))
		collect_runstate(proof, &class->change, &vcpu, ticks);
	else if ((is_entry || class->tells == STRATA_XEN_GUEST_EXIT) &&
		 strata_xen_read_context(reader, event, &vcpu))
		collect_guest_mode(proof, &vcpu, is_entry, ticks);
}

static void collect_kernel(struct strata_clock_proof *proof,
			   const struct strata_recorded_stream *stream, uint64_t reading)
{
	struct vcpu *vcpu = find(proof, (uint16_t)stream->source->domain, (uint16_t)stream->cpu);

	if (!vcpu || !vcpu->running)
		return;
	if (clock_of(proof, vcpu, stream)) {
		fail(proof, NULL);
		return;
	}
	if (!vcpu->any)
		first_in_stretch(proof, vcpu, reading);
	vcpu->any = true;
	vcpu->last = reading;
}

static void set_base(struct strata_clock_proof *proof, const struct strata_lane_event *first)
{
	const struct strata_clock_rate rate = { (uint64_t)proof->host->timebase.tsc_khz * 1000, 1 };

	proof->host_base = strata_recorded_ticks(proof->host, first);
	proof->has_base = true;
	if (strata_clock_sync_add_clock(proof->sync, "host", rate, &proof->error) != HOST)
		fail(proof, NULL);
}

static int collect(struct strata_slice_sink *sink, size_t at, struct strata_ctf_reader *reader,
		   const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_clock_proof *proof = (struct strata_clock_proof *)sink;
	const struct strata_recorded_stream *stream =
		strata_recorded_stream_of(proof->host, reader->stream);
	size_t i;

	(void)at;
	(void)error;
	if (!stream)
		return 0;
	if (!proof->has_base)
		set_base(proof, &events[0]);
	for (i = 0; i < nr && !proof->failed; i++) {
		/* An event whose CPU may migrate, or without a vCPU of its own, proves nothing
		 * about a clock. */
		if (stream->source->layer == STRATA_LAYER_XEN)
			collect_xen(proof, strata_recorded_class(stream, reader, &events[i]),
				    reader, &events[i]);
		else if (stream->source->layer == STRATA_LAYER_KERNEL)
			collect_kernel(proof, stream,
				       strata_own_counter_read(
					       &proof->counters[stream - proof->host->streams],
					       reader, &events[i]));
	}
	return proof->failed;
}

static void compare_event(struct strata_clock_proof *proof, struct vcpu *vcpu, uint64_t reading,
			  const struct strata_lane_event *event)
{
	const uint32_t tsc_khz = proof->host->timebase.tsc_khz;
	struct strata_clock_time time;
	uint64_t distance, bound_ns;
	int64_t exact;

	if (!vcpu->cursor.map)
		vcpu->cursor = strata_clock_cursor(proof->sync, vcpu->clock);
	time = strata_clock_convert(&vcpu->cursor, (int64_t)reading);
	if (time.flags & (STRATA_CLOCK_UNREACHABLE | STRATA_CLOCK_APART | STRATA_CLOCK_CLAMPED |
			  STRATA_CLOCK_STEP | STRATA_CLOCK_UNPROVEN) ||
	    time.bound == STRATA_CLOCK_UNBOUNDED) {
		vcpu->proven.unproven++;
		return;
	}
	exact = host_reading(proof, strata_recorded_ticks(proof->host, event));
	distance = exact < time.value ? (uint64_t)time.value - (uint64_t)exact
				      : (uint64_t)exact - (uint64_t)time.value;
	time.bound += vcpu->rough_ticks;
	bound_ns = strata_ticks_to_ns_up(tsc_khz, time.bound);
	vcpu->proven.events++;
	/* The exact answer also has a bound. */
	vcpu->proven.outside += distance > time.bound && distance - time.bound > event->bound;
	vcpu->proven.sum_of_bounds_ns += bound_ns;
	if (bound_ns < vcpu->proven.least_bound_ns)
		vcpu->proven.least_bound_ns = bound_ns;
	if (bound_ns > vcpu->proven.greatest_bound_ns)
		vcpu->proven.greatest_bound_ns = bound_ns;
}

static int compare(struct strata_slice_sink *sink, size_t at, struct strata_ctf_reader *reader,
		   const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_clock_proof *proof =
		(struct strata_clock_proof *)(void *)((char *)sink -
						      offsetof(struct strata_clock_proof,
							       comparer));
	const struct strata_recorded_stream *stream =
		strata_recorded_stream_of(proof->host, reader->stream);
	struct vcpu *vcpu;
	size_t i;

	(void)at;
	(void)error;
	if (!stream || stream->source->layer != STRATA_LAYER_KERNEL)
		return 0;
	vcpu = find(proof, (uint16_t)stream->source->domain, (uint16_t)stream->cpu);
	if (!vcpu || vcpu->clock == NO_CLOCK)
		return 0;
	for (i = 0; i < nr; i++)
		compare_event(
			proof, vcpu,
			strata_own_counter_read(&proof->counters[stream - proof->host->streams],
						reader, &events[i]),
			&events[i]);
	return 0;
}

struct strata_clock_proof *strata_clock_proof_new(const struct strata_recorded_host *host)
{
	struct strata_clock_proof *proof = calloc(1, sizeof(*proof));

	if (!proof)
		return NULL;
	proof->collector.take = collect;
	proof->comparer.take = compare;
	proof->host = host;
	proof->counters = calloc(host->nr_streams + 1, sizeof(*proof->counters));
	proof->sync = strata_clock_sync_new();
	if (proof->counters && proof->sync)
		return proof;
	strata_clock_proof_free(proof);
	return NULL;
}

struct strata_slice_sink *strata_clock_proof_collector(struct strata_clock_proof *proof)
{
	return &proof->collector;
}

struct strata_slice_sink *strata_clock_proof_comparer(struct strata_clock_proof *proof)
{
	memset(proof->counters, 0, proof->host->nr_streams * sizeof(*proof->counters));
	return &proof->comparer;
}

int strata_clock_proof_solve(struct strata_clock_proof *proof, struct strata_error *error)
{
	if (proof->failed) {
		*error = proof->error;
		return strata_fail_in(error, "the clocks could not be proven");
	}
	if (!proof->has_base)
		return strata_fail(error, "no event bounds a clock");
	return strata_clock_sync_solve(proof->sync, HOST, error);
}

const struct strata_proven_clock *strata_clock_proof_of(const struct strata_clock_proof *proof,
							size_t at)
{
	size_t i;

	/* Leaves out vCPUs without a clock: idle ones, and those without a kernel trace. */
	for (i = 0; i < proof->nr; i++) {
		if (proof->vcpus[i]->clock != NO_CLOCK && at-- == 0)
			return &proof->vcpus[i]->proven;
	}
	return NULL;
}

const struct strata_clock_sync_report *strata_clock_proof_report(struct strata_clock_proof *proof,
								 struct strata_error *error)
{
	return strata_clock_sync_report(proof->sync, error);
}
