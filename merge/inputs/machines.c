// SPDX-License-Identifier: GPL-2.0-or-later
/* machines.c - see machines.h. */
#include "inputs/machines.h"

#include <stdlib.h>
#include <string.h>

#include "clock_sync/clock_sync.h"
#include "base/id_rows.h"
#include "inputs/machines_assign.h"
#include "inputs/machines_offsets.h"
#include "inputs/machines_say.h"
#include "inputs/tcp/tcp_trace.h"

/*
 * Linux steers its clock by steps of the rate of some 1e-7, at ticks that stop while it is idle.
 * The relative rate of two such clocks, compared over shared memory, changed by 0.1 to 0.2 ppm a
 * second.
 */
#define KERNEL_SLEW_PPT 1000000u

/* Converts a stream's readings, of any clock of its trace, to the clock that its machine is tied
 * to. */
struct stream_converter {
	struct strata_ctf_converter converter;
	const struct strata_clock_sync *sync;
	int clock;
};

struct stream_converter_list {
	struct stream_converter_list *next;
	struct stream_converter converter;
};

struct conversion {
	const struct stream_converter *of;
	struct strata_clock_cursor cursor;
	uint64_t last_ns; /* of the last reading */
};

static void *begin(const struct strata_ctf_converter *converter)
{
	const struct stream_converter *of = (const struct stream_converter *)converter;
	struct conversion *conversion = malloc(sizeof(*conversion));

	if (!conversion)
		return NULL;
	conversion->of = of;
	conversion->cursor = strata_clock_cursor(of->sync, of->clock);
	conversion->last_ns = 0;
	return conversion;
}

static uint64_t to_ns(struct conversion *conversion, const struct strata_ctf_time *clock,
		      uint64_t cycles, uint64_t *bound_ns)
{
	const uint64_t own = strata_ctf_ns(clock, cycles);
	const struct strata_clock_time time = strata_clock_convert(
		&conversion->cursor,
		own > STRATA_CTF_NS_KNOWN ? (int64_t)STRATA_CTF_NS_KNOWN : (int64_t)own);

	*bound_ns = time.bound == STRATA_CLOCK_UNBOUNDED
			    ? UINT64_MAX
			    : time.bound + strata_ctf_rounding_ns(clock);
	return time.value < 0 ? 0 : (uint64_t)time.value;
}

static void convert(void *state, const struct strata_ctf_time *clock, uint64_t cycles,
		    struct strata_ctf_when *when)
{
	struct conversion *conversion = state;
	uint64_t own_bound;

	when->ns = to_ns(conversion, clock, cycles, &when->bound);
	when->tick = 0;
	when->is_doubtful = false;
	own_bound = when->bound;
	when->is_wrong = strata_ctf_clamp(&conversion->last_ns, &when->ns, &when->bound) >
			 own_bound;
}

static uint64_t to_ns_later(const void *state, const struct strata_ctf_time *clock, uint64_t cycles,
			    uint64_t *bound_ns)
{
	struct conversion copy = *(const struct conversion *)state;

	return to_ns(&copy, clock, cycles, bound_ns);
}

static void end(void *state)
{
	free(state);
}

struct pair_taker {
	struct strata_clock_sync *sync;
	const struct strata_tcp_forms *forms; /* of each machine */
	struct strata_error *error;
};

/* Skips pairs in a form that is less exact than another form known to both machines: they are
 * duplicates. */
static int take_pair(void *data, const struct strata_tcp_pair *pair)
{
	struct pair_taker *taker = data;
	const struct strata_clock_event cause = { (int)pair->sent_clock, pair->sent };
	const struct strata_clock_event effect = { (int)pair->received_clock, pair->received };
	struct strata_tcp_form_set common;
	size_t i;

	strata_tcp_forms_between(&taker->forms[pair->sent_clock],
				 &taker->forms[pair->received_clock], &common);
	for (i = 0; i < common.nr && common.forms[i] != pair->form; i++)
		;
	if (i == common.nr)
		return 0;
	return strata_clock_sync_before(taker->sync, cause, effect, 0, 0, taker->error) ? -1 : 1;
}

/* Makes the key of the sample of segments from the UUIDs and sizes of all traces.  No sender of a
 * segment knew all of these. */
static void add_key(struct strata_tcp_pairs *pairs, const struct strata_trace_set *set)
{
	size_t i, j;

	for (i = 0; i < set->nr_traces; i++) {
		const struct strata_ctf_trace *trace = set->traces[i];

		strata_tcp_pairs_add_key(pairs, trace->metadata.uuid, sizeof(trace->metadata.uuid));
		for (j = 0; j < trace->nr_streams; j++)
			strata_tcp_pairs_add_key(pairs, &trace->streams[j].bytes,
						 sizeof(trace->streams[j].bytes));
	}
}

static int add_pairs(struct strata_machines *machines, const struct strata_trace_set *set,
		     const struct strata_tcp_map *map, struct strata_tcp_forms *forms,
		     struct strata_tcp_pairs *pairs, struct strata_error *error)
{
	struct pair_taker taker = { machines->sync, forms, error };
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		if (!set->traces[i]->recording)
			strata_tcp_trace_forms(set->traces[i], map, &forms[machines->of_trace[i]]);
	}
	strata_tcp_forms_find(forms, machines->nr);
	add_key(pairs, set);
	for (i = 0; i < set->nr_traces; i++) {
		const struct strata_tcp_forms *form = &forms[machines->of_trace[i]];

		if (set->traces[i]->recording ||
		    (form->wanted_sent.nr == 0 && form->wanted_received.nr == 0))
			continue;
		if (strata_tcp_trace_add(pairs, set->traces[i], map, form,
					 (uint32_t)machines->of_trace[i], set->progress, error))
			return -1;
	}
	return strata_tcp_pairs_match(pairs, take_pair, &taker, &machines->tally) ? -1 : 0;
}

/* Ties the clocks of all machines to the first one's, as far as pairs allow, and the others to each
 * other. */
static int tie(struct strata_machines *machines, const struct strata_trace_set *set,
	       const struct strata_tcp_map *map, struct strata_error *error)
{
	const struct strata_clock_rate rate = { 1000000000u, 1 };
	const struct strata_clock_limits limits = { STRATA_CLOCK_DRIFT_PPB, KERNEL_SLEW_PPT,
						    STRATA_CLOCK_WINDOW_MS };
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(STRATA_TCP_SIGHTINGS, machines->nr);
	struct strata_tcp_forms *forms = calloc(machines->nr, sizeof(*forms));
	const struct strata_clock_sync_report *report;
	int status = -1;
	size_t i;

	machines->sync = strata_clock_sync_new();
	if (!pairs || !forms || !machines->sync) {
		strata_fail(error, "out of memory for the clocks of %zu machines", machines->nr);
		goto out;
	}
	for (i = 0; i < machines->nr; i++) {
		if (strata_clock_sync_add_clock(machines->sync, machines->machines[i].name, rate,
						error) < 0)
			goto out;
	}
	if (strata_clock_sync_assume(machines->sync, limits, error) ||
	    add_pairs(machines, set, map, forms, pairs, error) ||
	    strata_clock_sync_solve(machines->sync, 0, error))
		goto out;
	report = strata_clock_sync_report(machines->sync, error);
	if (!report)
		goto out;
	machines->machines[0].left_out = report->clocks[0].left_out;
	for (i = 1; i < machines->nr; i++) {
		struct strata_machine *machine = &machines->machines[i];

		machine->left_out = report->clocks[i].left_out;
		if (machine->converted || report->clocks[i].least_bound == STRATA_CLOCK_UNBOUNDED)
			continue;
		machine->tied = report->clocks[i].reachable;
		machine->tied_to = (size_t)report->clocks[i].root;
	}
	status = 0;
out:
	free(forms);
	strata_tcp_pairs_free(pairs);
	return status;
}

static int convert_stream(struct strata_machines *machines, struct strata_ctf_stream *stream,
			  size_t machine)
{
	struct stream_converter_list *one = calloc(1, sizeof(*one));

	if (!one)
		return -1;
	one->converter.converter.begin = begin;
	one->converter.converter.convert = convert;
	one->converter.converter.ns_later = to_ns_later;
	one->converter.converter.end = end;
	one->converter.sync = machines->sync;
	one->converter.clock = (int)machine;
	one->next = machines->converters;
	machines->converters = one;
	stream->converter = &one->converter.converter;
	return 0;
}

/* The first trace of those that an earlier conversion had on one clock. */
struct converted_clock {
	size_t first;
};

/* Returns a trace's clock group: its machine's; but each source of a recording, and each trace with
 * another offset, has its own.
 * @machine: of the trace
 * @converted: clocks of earlier conversions so far, by an id of their merge and number; notes that
 * memory ran out */
static size_t clock_group_of(const struct strata_machines *machines,
			     const struct strata_ctf_trace *trace, size_t at, size_t machine,
			     struct strata_id_rows *converted)
{
	const char *merge = strata_ctf_env_text(trace, STRATA_CTF_MERGE);
	struct converted_clock *clock;
	int64_t number;
	uint64_t id;

	if (trace->recording || trace->own_bound_ns)
		return machines->nr + at;
	if (!merge || !strata_ctf_env_number(trace, STRATA_CTF_CLOCK, &number))
		return machine;
	id = strata_identity_add(strata_identity_add_text(0, merge, strlen(merge)),
				 (uint64_t)number);
	clock = strata_id_rows_find(converted, id);
	if (!clock) {
		clock = strata_id_rows_add(converted, id, sizeof(*clock));
		if (!clock)
			return machine;
		clock->first = at;
	}
	return machines->nr + clock->first;
}

/* Sets the bounds of a converted trace's times. */
static void set_bounds(struct strata_ctf_trace *trace)
{
	size_t i;

	for (i = 0; i < trace->nr_streams && trace->metadata.nr_clocks; i++)
		trace->streams[i].bound_ns = trace->metadata.clocks[0].precision;
}

/* Finds the machines whose times were already converted to the first one's: those of all of their
 * traces (machines_assign.h), unless it is the first.  True: all of them. */
static bool find_converted(struct strata_machines *machines, const struct strata_trace_set *set)
{
	bool all = true;
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		struct strata_machine *machine = &machines->machines[machines->of_trace[i]];

		if (strata_machines_same_timeline(set->traces[0], set->traces[i])) {
			set_bounds(set->traces[i]);
			machine->converted = true;
			machine->tied = true;
			machine->tied_to = 0;
		} else {
			all = false;
		}
	}
	return all;
}

/* Returns the first trace of a machine. */
static const struct strata_ctf_trace *first_trace(const struct strata_machines *machines,
						  const struct strata_trace_set *set,
						  size_t machine)
{
	size_t i = 0;

	while (machines->of_trace[i] != machine)
		i++;
	return set->traces[i];
}

static int set_converters(struct strata_machines *machines, struct strata_trace_set *set,
			  struct strata_error *error)
{
	struct strata_id_rows converted = { 0 };
	bool no_memory = false;
	size_t i, j;

	for (i = 0; i < set->nr_traces && !no_memory; i++) {
		struct strata_ctf_trace *trace = set->traces[i];
		const size_t machine = machines->of_trace[i];
		const size_t root = machines->machines[machine].tied_to;

		trace->own_bound_ns = strata_machines_offset_distance(machines, set, i);
		trace->clock_group = clock_group_of(machines, trace, i, machine, &converted);
		trace->machine = machine;
		trace->times_are_tied = machines->machines[machine].tied;
		if (machine == root || trace->recording ||
		    strata_machines_same_timeline(first_trace(machines, set, root), trace))
			continue;
		for (j = 0; j < trace->nr_streams && !no_memory; j++)
			no_memory = convert_stream(machines, &trace->streams[j], machine);
	}
	no_memory |= converted.no_memory;
	strata_id_rows_clear(&converted, NULL);
	return no_memory ? strata_fail(error, "out of memory for the clocks of %zu traces",
				       set->nr_traces)
			 : 0;
}

int strata_machines_find_by(struct strata_machines *machines, struct strata_trace_set *set,
			    const struct strata_tcp_map *map, strata_complain_fn *complain,
			    void *data, struct strata_error *error)
{
	memset(machines, 0, sizeof(*machines));
	machines->machines = calloc(set->nr_traces + 1, sizeof(*machines->machines));
	machines->of_trace = calloc(set->nr_traces + 1, sizeof(*machines->of_trace));
	if (!machines->machines || !machines->of_trace || strata_machines_assign(machines, set))
		return strata_fail(error, "out of memory");
	strata_machines_share_offsets(machines, set);
	if (!find_converted(machines, set) && machines->nr > 1 && tie(machines, set, map, error))
		return -1;
	if (set_converters(machines, set, error))
		return -1;
	return complain ? strata_machines_say(machines, set, complain, data, error) : 0;
}

void strata_machines_clear(struct strata_machines *machines)
{
	size_t i;

	while (machines->converters) {
		struct stream_converter_list *one = machines->converters;

		machines->converters = one->next;
		free(one);
	}
	strata_clock_sync_free(machines->sync);
	for (i = 0; i < machines->nr; i++)
		free(machines->machines[i].name);
	free(machines->machines);
	free(machines->of_trace);
	memset(machines, 0, sizeof(*machines));
}
