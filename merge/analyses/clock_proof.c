// SPDX-License-Identifier: GPL-2.0-or-later
/* clock_proof.c - see clock_proof.h. */
#include "analyses/clock_proof.h"
#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST     0 /* the reference clock */
#define NO_CLOCK (-1)
#define KEYS     4096u /* buckets of a hash over domain and vCPU */

/* A vCPU: its clock, and the stretch for which it runs now. */
struct vcpu {
	struct strata_proven_clock proven;
	int clock;
	uint64_t rough_ticks; /* of the host: by so much its counter is no smooth clock */
	bool running;
	uint64_t since; /* host ticks */
	bool any;       /* an event was seen since then; the last one: */
	uint64_t last;  /* reading */
	struct strata_clock_cursor cursor;
	struct vcpu *next; /* of its bucket */
};

struct strata_clock_proof {
	struct strata_clock_sync *sync;
	struct vcpu **vcpus; /* in order of appearance */
	size_t nr;
	size_t room;
	struct vcpu *buckets[KEYS];
	uint64_t host_base; /* readings are told relative to these, to fit 64 signed bits */
	bool has_base;
	bool failed;
	struct strata_error error;
};

struct proof_sink {
	struct strata_sink sink;
	struct strata_clock_proof *proof;
	const struct strata_merge *merge;
};

struct strata_clock_proof *strata_clock_proof_new(void)
{
	struct strata_clock_proof *proof = calloc(1, sizeof(*proof));

	if (proof)
		proof->sync = strata_clock_sync_new();
	if (proof && proof->sync)
		return proof;
	free(proof);
	return NULL;
}

void strata_clock_proof_free(struct strata_clock_proof *proof)
{
	size_t i;

	if (!proof)
		return;
	for (i = 0; i < proof->nr; i++)
		free(proof->vcpus[i]);
	free(proof->vcpus);
	strata_clock_sync_free(proof->sync);
	free(proof);
}

static void fail(struct strata_clock_proof *proof, const char *what)
{
	if (!proof->failed && what)
		strata_fail(&proof->error, "%s", what);
	proof->failed = true;
}

static struct vcpu **bucket(struct strata_clock_proof *proof, uint16_t domain, uint16_t vcpu)
{
	return &proof->buckets[((uint32_t)domain * 31u + vcpu) % KEYS];
}

static struct vcpu *find(struct strata_clock_proof *proof, uint16_t domain, uint16_t vcpu)
{
	struct vcpu *at = *bucket(proof, domain, vcpu);

	while (at && (at->proven.domain != domain || at->proven.vcpu != vcpu))
		at = at->next;
	return at;
}

static struct vcpu *add(struct strata_clock_proof *proof, uint16_t domain, uint16_t vcpu)
{
	struct vcpu **head = bucket(proof, domain, vcpu), *at;

	if (!STRATA_GROW(proof->vcpus, proof->nr, proof->room))
		return NULL;
	at = calloc(1, sizeof(*at));
	if (!at)
		return NULL;
	at->proven.domain = domain;
	at->proven.vcpu = vcpu;
	at->proven.least_bound_ns = UINT64_MAX;
	at->clock = NO_CLOCK;
	at->next = *head;
	*head = at;
	proof->vcpus[proof->nr++] = at;
	return at;
}

/*
 * An emulated counter follows Xen's system time, which every CPU of the host sets anew
 * each second, and which differs between CPUs: it is no smooth clock.  It is taken for one
 * that is off by so much; 140 us were seen on an emulated host.  The bounds include it.
 */
#define EMULATED_ROUGH_NS  500000u
#define EMULATED_DRIFT_PPB 200000u

/* The clock of a vCPU whose kernel's events are here: of the rate that it was given. */
static int clock_of(struct strata_clock_proof *proof, const struct strata_merge *merge,
		    struct vcpu *vcpu, const struct strata_merge_stream *stream)
{
	const struct strata_clock_limits emulated = { EMULATED_DRIFT_PPB, STRATA_CLOCK_SLEW_PPT,
						      STRATA_CLOCK_WINDOW_MS };
	struct strata_clock_rate rate = { (uint64_t)strata_merge_timebase(merge)->tsc_khz * 1000,
					  1 };
	struct strata_stream_clock clock;
	char name[40];

	if (vcpu->clock != NO_CLOCK)
		return 0;
	if (strata_merge_stream_clock(merge, stream->source_index, stream->cpu, &clock) &&
	    clock.nr && clock.pieces[0].guest_khz)
		rate.numerator = (uint64_t)clock.pieces[0].guest_khz * 1000;
	snprintf(name, sizeof(name), "d%uv%u", vcpu->proven.domain, vcpu->proven.vcpu);
	vcpu->clock = strata_clock_sync_add_clock(proof->sync, name, rate, &proof->error);
	if (vcpu->clock < 0)
		return -1;
	if (stream->clock != STRATA_CLOCK_EMULATED)
		return 0;
	vcpu->rough_ticks =
		EMULATED_ROUGH_NS * (uint64_t)strata_merge_timebase(merge)->tsc_khz / 1000000u;
	return strata_clock_sync_limit(proof->sync, HOST, vcpu->clock, emulated, &proof->error);
}

static int64_t host_reading(const struct strata_clock_proof *proof, uint64_t ticks)
{
	return (int64_t)(ticks - proof->host_base);
}

/* The vCPU was not given the CPU before @ticks, on this CPU's counter: CPUs' counters differ. */
static void begin_stretch(struct vcpu *vcpu, uint64_t ticks)
{
	vcpu->running = true;
	vcpu->since = ticks;
	vcpu->any = false;
}

static void end_stretch(struct strata_clock_proof *proof, const struct strata_merge *merge,
			struct vcpu *vcpu, uint64_t ticks)
{
	const struct strata_clock_event inner = { vcpu->clock, (int64_t)vcpu->last };
	const struct strata_clock_event outer = {
		HOST,
		host_reading(proof, ticks + strata_merge_skew_ticks(merge) + vcpu->rough_ticks)
	};

	if (!vcpu->running || !vcpu->any)
		return;
	if (strata_clock_sync_before(proof->sync, inner, outer, 0, 0, &proof->error))
		fail(proof, NULL);
	vcpu->proven.pairs++;
	vcpu->any = false;
}

static void first_in_stretch(struct strata_clock_proof *proof, const struct strata_merge *merge,
			     struct vcpu *vcpu, uint64_t reading)
{
	const struct strata_clock_event outer = {
		HOST, host_reading(proof,
				   vcpu->since - strata_merge_skew_ticks(merge) - vcpu->rough_ticks)
	};
	const struct strata_clock_event inner = { vcpu->clock, (int64_t)reading };

	if (strata_clock_sync_before(proof->sync, outer, inner, 0, 0, &proof->error))
		fail(proof, NULL);
	vcpu->proven.pairs++;
}

/* A guest under VMX or SVM runs from an entry to the next exit: stretches within the stretch. */
static void collect_guest_mode(struct strata_clock_proof *proof, const struct strata_merge *merge,
			       const struct strata_timeline_event *event)
{
	struct vcpu *vcpu = find(proof, event->domain, event->vcpu);

	if (!vcpu || !vcpu->running)
		return;
	if (event->class->role == STRATA_ROLE_GUEST_EXIT)
		end_stretch(proof, merge, vcpu, event->ticks);
	else
		begin_stretch(vcpu, event->ticks);
}

static void collect_xen(struct strata_clock_proof *proof, const struct strata_merge *merge,
			const struct strata_timeline_event *event)
{
	const struct strata_runstate_change *change = &event->class->change;
	uint16_t vcpu_domain[2];
	struct vcpu *vcpu;

	if (event->class->role == STRATA_ROLE_GUEST_ENTRY ||
	    event->class->role == STRATA_ROLE_GUEST_EXIT) {
		collect_guest_mode(proof, merge, event);
		return;
	}
	if (event->class->role != STRATA_ROLE_RUNSTATE)
		return;
	memcpy(vcpu_domain, event->payload, sizeof(vcpu_domain));
	vcpu = find(proof, vcpu_domain[1], vcpu_domain[0]);
	if (!vcpu)
		vcpu = add(proof, vcpu_domain[1], vcpu_domain[0]);
	if (!vcpu) {
		fail(proof, "out of memory");
		return;
	}
	if (change->before == STRATA_RUNSTATE_RUNNING)
		end_stretch(proof, merge, vcpu, event->ticks);
	vcpu->running = false;
	if (change->after == STRATA_RUNSTATE_RUNNING)
		begin_stretch(vcpu, event->ticks);
}

static void collect(struct strata_sink *base, const struct strata_timeline_event *event)
{
	struct proof_sink *sink = (struct proof_sink *)base;
	struct strata_clock_proof *proof = sink->proof;
	struct vcpu *vcpu;

	if (proof->failed)
		return;
	if (!proof->has_base) {
		const struct strata_clock_rate rate = {
			(uint64_t)strata_merge_timebase(sink->merge)->tsc_khz * 1000, 1
		};

		proof->host_base = event->ticks;
		proof->has_base = true;
		if (strata_clock_sync_add_clock(proof->sync, "host", rate, &proof->error) != HOST)
			fail(proof, NULL);
	}
	if (event->class->layer == STRATA_LAYER_XEN) {
		collect_xen(proof, sink->merge, event);
		return;
	}
	/* What migrates, or has no vCPU of its own, proves nothing of a clock. */
	if (event->class->layer != STRATA_LAYER_KERNEL)
		return;
	vcpu = find(proof, event->domain, event->vcpu);
	if (!vcpu || !vcpu->running)
		return;
	if (clock_of(proof, sink->merge, vcpu, event->stream)) {
		fail(proof, NULL);
		return;
	}
	if (!vcpu->any)
		first_in_stretch(proof, sink->merge, vcpu, event->reading);
	vcpu->any = true;
	vcpu->last = event->reading;
}

static void compare(struct strata_sink *base, const struct strata_timeline_event *event)
{
	struct proof_sink *sink = (struct proof_sink *)base;
	struct strata_clock_proof *proof = sink->proof;
	const uint32_t tsc_khz = strata_merge_timebase(sink->merge)->tsc_khz;
	struct vcpu *vcpu;
	struct strata_clock_time time;
	uint64_t distance, bound_ns;
	int64_t exact;

	if (event->class->layer != STRATA_LAYER_KERNEL)
		return;
	vcpu = find(proof, event->domain, event->vcpu);
	if (!vcpu || vcpu->clock == NO_CLOCK)
		return;
	if (!vcpu->cursor.map)
		vcpu->cursor = strata_clock_cursor(proof->sync, vcpu->clock);
	time = strata_clock_convert(&vcpu->cursor, (int64_t)event->reading);
	if (time.flags & (STRATA_CLOCK_UNREACHABLE | STRATA_CLOCK_CLAMPED | STRATA_CLOCK_STEP |
			  STRATA_CLOCK_UNPROVEN) ||
	    time.bound == STRATA_CLOCK_UNBOUNDED) {
		vcpu->proven.unproven++;
		return;
	}
	exact = host_reading(proof, event->ticks);
	distance = exact < time.value ? (uint64_t)time.value - (uint64_t)exact
				      : (uint64_t)exact - (uint64_t)time.value;
	time.bound += vcpu->rough_ticks;
	bound_ns = strata_ticks_to_ns_up(tsc_khz, time.bound);
	vcpu->proven.events++;
	/* The exact answer has a bound of its own. */
	vcpu->proven.outside += distance > time.bound && distance - time.bound > event->bound_ticks;
	vcpu->proven.sum_of_bounds_ns += bound_ns;
	if (bound_ns < vcpu->proven.least_bound_ns)
		vcpu->proven.least_bound_ns = bound_ns;
	if (bound_ns > vcpu->proven.greatest_bound_ns)
		vcpu->proven.greatest_bound_ns = bound_ns;
}

static bool sink_failed(const struct strata_sink *base)
{
	return ((const struct proof_sink *)base)->proof->failed;
}

static int sink_finish(struct strata_sink *base, const struct strata_merge *merge,
		       struct strata_error *error)
{
	const struct strata_clock_proof *proof = ((struct proof_sink *)base)->proof;

	(void)merge;
	if (!proof->failed)
		return 0;
	*error = proof->error;
	return strata_fail_in(error, "the clocks could not be proven");
}

static void sink_free(struct strata_sink *base)
{
	free(base);
}

static struct strata_sink *
make_sink(struct strata_clock_proof *proof, const struct strata_merge *merge,
	  void (*event)(struct strata_sink *sink, const struct strata_timeline_event *event))
{
	struct proof_sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	sink->sink.event = event;
	sink->sink.failed = sink_failed;
	sink->sink.finish = sink_finish;
	sink->sink.free = sink_free;
	sink->proof = proof;
	sink->merge = merge;
	return &sink->sink;
}

struct strata_sink *strata_clock_proof_collect(struct strata_clock_proof *proof,
					       const struct strata_merge *merge)
{
	return make_sink(proof, merge, collect);
}

int strata_clock_proof_solve(struct strata_clock_proof *proof, struct strata_error *error)
{
	if (!proof->has_base)
		return strata_fail(error, "there is no event to prove a clock by");
	return strata_clock_sync_solve(proof->sync, HOST, error);
}

struct strata_sink *strata_clock_proof_compare(struct strata_clock_proof *proof,
					       const struct strata_merge *merge)
{
	return make_sink(proof, merge, compare);
}

const struct strata_proven_clock *strata_clock_proof_of(const struct strata_clock_proof *proof,
							size_t at)
{
	size_t i;

	/* Those without a clock of their own - idle, and what was not recorded inside - are none.
	 */
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
