// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_clock.c - see stream_clock.h.  Called for each event.
 *
 * A reading was taken at some host tick of a span. Native counters give a span of one tick (more if
 * the guest's counter is slower). An emulated counter answers from system time s: Xen reads it on
 * the CPU that runs the vCPU, or takes the domain's last answer plus one nanosecond if that is
 * more. So when the answer was given, one of these holds:
 *
 *   - system time on that CPU was s or less: it is not after the last such tick;
 *   - some vCPU of the domain had seen system time s, except for the nanoseconds added since: it is
 *     not before the first such tick, up to the skew between CPUs;
 *   - the answer follows from one given before recording began.
 *
 * The event gets the middle of the span, with half of the span as its bound.  Where records are
 * missing, the span covers all possibilities, and may have no end: the event gets the time that
 * holds if nothing was missing.
 *
 * Which piece a reading belongs to is not in the record.  A stream moves forward
 * in time, so it is the first piece, from the current one on, whose conversion
 * lies before the next one begins. A counter that was set back repeats readings: the ring closes a
 * packet there, readings decrease in the stream, and this is where the next piece begins. If the
 * place of a step in the stream is known in this way, no reading is in doubt. Near a step whose
 * place is not known (the guest was silent for longer than the size of the step, or was not
 * recorded yet), readings fit both sides of it, and their bound covers both.
 */
#include "clocks/stream_clock.h"

#include <stdlib.h>
#include <string.h>

/* Least duration of an emulated reading, which traps and makes Xen decode an instruction. */
#define READING_TICKS 500u

/* Each turn removes most of the excess; the rest is still a valid bound. */
#define ANSWER_TURNS 32u

/* With more vCPUs or CPUs than this, querying each takes too long. */
#define MEMBERS_ASKED 256u

/* Number of pieces to try for a decreasing reading. */
#define PIECES_TRIED 64u

/* Number of pieces to try for all decreasing readings together; the others remain doubtful. */
#define PLACES_TRIED (1u << 22)

struct span {
	uint64_t first;
	uint64_t last;
};

static bool is_step_back(const struct strata_stream_clock *clock, size_t piece)
{
	return clock->pieces[piece].set_back_ticks > 0;
}

void strata_stream_clock_init(struct strata_stream_clock *clock,
			      const struct strata_clock_maps *maps,
			      const struct strata_vcpu_stime *stimes, uint64_t skew_ticks,
			      uint16_t domain, uint16_t vcpu)
{
	size_t i;

	memset(clock, 0, sizeof(*clock));
	clock->pieces = strata_clock_maps_of(maps, domain, vcpu, &clock->nr);
	clock->own = strata_vcpu_stime_own(stimes, domain, vcpu);
	clock->domain = strata_vcpu_stime_domain(stimes, domain);
	/* A vCPU with unknown places may have run on any CPU. */
	if (clock->domain.nr < strata_clock_maps_vcpus(maps, domain))
		clock->domain = strata_vcpu_stime_pcpus(stimes);
	clock->domain_sure = strata_stime_set_sure(&clock->domain, 0, UINT64_MAX);
	if (!strata_stime_set_of_one(&clock->domain))
		clock->skew_ticks = skew_ticks;
	for (i = 0; i < clock->nr; i++) {
		clock->steps_back += i && is_step_back(clock, i);
		clock->incomplete |= clock->pieces[i].incomplete;
	}
}

void strata_stream_clock_clear(struct strata_stream_clock *clock)
{
	free(clock->seen);
	clock->seen = NULL;
}

size_t strata_stream_clock_steps_back(const struct strata_stream_clock *clock)
{
	return clock->steps_back;
}

static uint64_t subtract_held(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

static uint64_t add_held(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Upper limit of the nanoseconds that readings added to the domain's answers between two ticks. */
static uint64_t added_between(const struct strata_stream_clock *clock, uint64_t first,
			      uint64_t last)
{
	return 1 + subtract_held(last, first) / READING_TICKS * clock->domain.nr;
}

/*
 * The first tick at which the answer @ns could be given, if it was given at @last or before, and
 * @piece holds. The added nanoseconds are bounded by the elapsed time, and that by the added
 * nanoseconds: iterates down from the maximum to a consistent value.
 */
static uint64_t first_answer(const struct strata_stream_clock *clock,
			     const struct strata_vcpu_clock_piece *piece, uint64_t ns,
			     uint64_t last)
{
	uint64_t added_ns = added_between(clock, piece->from_ticks, last), first;
	unsigned int turn;

	/* It may follow from answers before the piece began. */
	if (ns <= add_held(piece->vtsc_last_ns, added_ns) || clock->domain.nr > MEMBERS_ASKED)
		return piece->from_ticks;
	for (turn = 0; turn < ANSWER_TURNS; turn++) {
		uint64_t added;

		first = strata_stime_set_first(&clock->domain, subtract_held(ns, added_ns));
		added = added_between(clock, first, last);
		if (added >= added_ns)
			break;
		added_ns = added;
	}
	return first;
}

/* The range of system times that give a reading. */
static struct span emulated_ns(const struct strata_vcpu_clock_piece *piece, uint64_t guest)
{
	uint64_t delta = guest - piece->map.offset;

	return (struct span){
		strata_clock_unscale_first(&piece->vtsc, delta) + piece->vtsc_offset_ns,
		strata_clock_unscale_last(&piece->vtsc, delta) + piece->vtsc_offset_ns,
	};
}

static struct span emulated_span(const struct strata_stream_clock *clock,
				 const struct strata_vcpu_clock_piece *piece, uint64_t guest)
{
	const struct span ns = emulated_ns(piece, guest);
	struct span span;

	span.last = add_held(strata_stime_set_last(&clock->own, ns.last), clock->skew_ticks);
	span.first =
		subtract_held(first_answer(clock, piece, ns.first, span.last), clock->skew_ticks);
	/* Impossible, unless the recording is hostile or lacks a calibration. */
	if (span.first > span.last) {
		uint64_t ticks = span.first;

		span.first = span.last;
		span.last = ticks;
	}
	return span;
}

/* The host ticks at which piece number @at gives the reading @guest. */
static struct span find_span(const struct strata_stream_clock *clock, size_t at, uint64_t guest)
{
	const struct strata_vcpu_clock_piece *piece = &clock->pieces[at];
	struct span span;

	if (piece->emulated && clock->own.nr)
		return emulated_span(clock, piece, guest);
	span.first = strata_host_from_guest(&piece->map, guest);
	span.last = add_held(span.first, strata_clock_map_bound_ticks(&piece->map) - 1);
	return span;
}

/* Whether a reading may belong to a piece, by the piece's start. */
static bool explains(const struct strata_stream_clock *clock, size_t at, uint64_t guest)
{
	return find_span(clock, at, guest).last >= clock->pieces[at].from_ticks;
}

/* Whether a reading may belong to a piece, by the piece's start and end. */
static bool lies_in(const struct strata_stream_clock *clock, size_t at, uint64_t guest)
{
	return explains(clock, at, guest) &&
	       (at + 1 == clock->nr ||
		find_span(clock, at, guest).first <= clock->pieces[at + 1].from_ticks);
}

int strata_stream_clock_went_back(struct strata_stream_clock *clock, uint64_t before,
				  uint64_t after)
{
	size_t from = 0, to = 0, places = 0, i, j;
	bool set_back;

	clock->times_back++;
	/* No result is possible, and a guest could make the search long. */
	if (clock->incomplete)
		return 0;
	if (!clock->seen && !(clock->seen = calloc(clock->nr + 1, sizeof(*clock->seen))))
		return -1;
	for (i = 0; i < clock->nr; i++) {
		if (clock->places_tried++ > PLACES_TRIED)
			return 0;
		set_back = false;
		for (j = lies_in(clock, i, before) ? i + 1 : clock->nr; j < clock->nr; j++) {
			if (clock->places_tried++ > PLACES_TRIED)
				return 0;
			set_back |= is_step_back(clock, j);
			if (!set_back || !lies_in(clock, j, after))
				continue;
			if (places++)
				return 0;
			from = i;
			to = j;
		}
	}
	/* If only one place is possible, it separates the readings before and after each step. */
	if (places == 1)
		while (from < to)
			clock->seen[++from] = true;
	return 0;
}

/* Whether the readings before and after the start of a piece are known. */
static bool is_seen(const struct strata_stream_clock *clock, size_t piece)
{
	/* Each decrease of readings needs a step back: equal numbers mean that all steps were
	 * seen. */
	return clock->times_back == clock->steps_back || (clock->seen && clock->seen[piece]);
}

/* Readings went back: enters the nearest piece that explains it by a counter set back. */
static void enter_after_step_back(struct strata_stream_clock *clock, uint64_t guest)
{
	size_t i;

	for (i = clock->at + 1; i < clock->nr && i - clock->at <= PIECES_TRIED; i++) {
		if (is_step_back(clock, i) && explains(clock, i, guest)) {
			clock->at = i;
			return;
		}
	}
}

/* The additional error of a reading beyond its span. */
static uint64_t doubt(const struct strata_stream_clock *clock, const struct span *span)
{
	const struct strata_vcpu_clock_piece *piece = &clock->pieces[clock->at];
	uint64_t ticks = 0;

	if (subtract_held(span->first, piece->from_ticks) < piece->doubt_before &&
	    !is_seen(clock, clock->at))
		ticks = piece->doubt_before;
	if (clock->at + 1 < clock->nr && piece->doubt_after > ticks &&
	    subtract_held(piece[1].from_ticks, span->last) <= piece->doubt_after &&
	    !is_seen(clock, clock->at + 1))
		ticks = piece->doubt_after;
	return ticks;
}

/*
 * Where records are missing, the span of every reading that may be from there covers the whole gap.
 * So a reading whose span touches no gap was not taken in one, and neither was the answer that it
 * follows from, on any vCPU.
 */
static bool is_sure(const struct strata_stream_clock *clock, const struct span *span)
{
	return clock->domain_sure ||
	       (clock->domain.nr <= MEMBERS_ASKED &&
		strata_stime_set_sure(&clock->domain, span->first, span->last));
}

/* The tick in a span, which may have no end, at which a reading was taken if nothing is missing. */
static uint64_t guess(const struct strata_stream_clock *clock, const struct span *span,
		      uint64_t guest)
{
	uint64_t ns = emulated_ns(&clock->pieces[clock->at], guest).last, ticks = span->first;

	if (clock->own.nr && clock->own.members[0].stime.nr)
		ticks = strata_stime_guess(&clock->own.members[0].stime, ns);
	if (ticks < span->first)
		return span->first;
	return ticks > span->last ? span->last : ticks;
}

struct strata_host_time strata_stream_clock_convert(struct strata_stream_clock *clock,
						    uint64_t guest)
{
	struct strata_host_time host = { .ticks = guest, .sure = true };
	struct span span;

	if (clock->nr == 0)
		return host;
	if (guest < clock->last_guest)
		enter_after_step_back(clock, guest);
	clock->last_guest = guest;

	span = find_span(clock, clock->at, guest);
	while (clock->at + 1 < clock->nr && span.first >= clock->pieces[clock->at + 1].from_ticks &&
	       explains(clock, clock->at + 1, guest)) {
		clock->at++;
		span = find_span(clock, clock->at, guest);
	}
	host.ticks = span.first + (span.last - span.first) / 2;
	if (clock->pieces[clock->at].emulated && !is_sure(clock, &span)) {
		host.sure = false;
		host.ticks = guess(clock, &span, guest);
	}
	host.bound = doubt(clock, &span);
	host.doubtful = host.bound > 0;
	host.bound = add_held(host.bound, larger(span.last - host.ticks, host.ticks - span.first));
	host.sure &= !clock->incomplete;
	return host;
}

enum strata_clock_kind strata_stream_clock_kind(const struct strata_stream_clock *clock)
{
	enum strata_clock_kind kind = clock->nr ? STRATA_CLOCK_HOST : STRATA_CLOCK_ASSUMED;
	size_t i;

	for (i = 0; i < clock->nr; i++) {
		const struct strata_vcpu_clock_piece *piece = &clock->pieces[i];
		enum strata_clock_kind of_piece = STRATA_CLOCK_HOST;

		if (piece->emulated)
			of_piece = STRATA_CLOCK_EMULATED;
		else if (piece->map.frac_bits)
			of_piece = STRATA_CLOCK_RATIO;
		else if (piece->is_hvm)
			of_piece = STRATA_CLOCK_OFFSET;
		kind = of_piece > kind ? of_piece : kind;
	}
	return kind;
}

const char *strata_clock_kind_name(enum strata_clock_kind kind)
{
	static const char *const names[] = { "assumed", "host", "offset", "ratio", "emulated" };

	return (unsigned int)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}
