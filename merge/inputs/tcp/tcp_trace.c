// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp_trace.c - see tcp_trace.h. */
#include "inputs/tcp/tcp_trace.h"

#include <stdlib.h>
#include <string.h>

#include "ctf/reader/ctf_reader.h"
#include "inputs/tcp/tcp_join.h"

#define WINDOW_BYTES (1u << 20)

/* A rule that applies to a class of events. */
struct bound_rule {
	const struct strata_tcp_rule *rule;
	uint32_t form;
	struct bound_rule *next; /* the next rule for the same class */
};

/* The state of a search through a stream's events. */
struct search {
	struct strata_tcp_pairs *pairs;
	const struct strata_tcp_forms *forms;
	uint32_t clock;
	const struct strata_ctf_trace *trace;
	struct bound_rule ***rules; /* by kind of stream and class */
	struct strata_tcp_join *join;
};

/* Whether a trace contains whatever a user or a guest of its host likes. */
static bool is_of_others(const struct strata_ctf_trace *trace)
{
	const char *layer = strata_ctf_env_text(trace, "layer");
	const char *domain = strata_ctf_env_text(trace, "domain");
	int64_t number;

	/* LTTng's metadata knows no layer. */
	if (!layer)
		return domain && strcmp(domain, "ust") == 0;
	if (strcmp(layer, "app") == 0)
		return true;
	return strcmp(layer, "kernel") == 0 && strata_ctf_env_number(trace, "domain_id", &number) &&
	       number != 0;
}

/* Returns the number of rules that apply to a trace. What others wrote could shift the clocks of
 * all machines, so only the user's own rules apply to it. */
static size_t nr_rules(const struct strata_tcp_map *map, const struct strata_ctf_trace *trace)
{
	return is_of_others(trace) ? map->nr_own : map->nr;
}

/*
 * Returns the next of @nr rules, from @at on, for a class of events. The first rule without
 * conditions ends the search, unless it says that others may follow.
 * @at: IN/OUT, a rule's number; 0 at first
 */
static const struct strata_tcp_rule *next_rule(const struct strata_tcp_map *map, size_t nr,
					       const struct strata_ctf_event_class *event,
					       size_t *at)
{
	for (; *at < nr; (*at)++) {
		const struct strata_tcp_rule *rule = &map->rules[*at];

		if (!strata_tcp_rule_fits(rule, event))
			continue;
		*at = rule->nr_conditions || rule->goes_on ? *at + 1 : nr;
		return rule;
	}
	return NULL;
}

/* Returns the numbers with which rules without a role complete others. */
static uint32_t find_provided(const struct strata_ctf_trace *trace,
			      const struct strata_tcp_map *map)
{
	const size_t nr = nr_rules(map, trace);
	uint32_t provided = 0;
	size_t i, j, at;

	for (i = 0; i < trace->metadata.nr_streams; i++) {
		const struct strata_ctf_stream_class *class = &trace->metadata.streams[i];

		for (j = 0; j < class->nr_events; j++) {
			const struct strata_tcp_rule *rule;

			for (at = 0; (rule = next_rule(map, nr, &class->events[j], &at));) {
				if (rule->role == STRATA_TCP_NONE)
					provided |= strata_tcp_rule_form(rule, &class->events[j]);
			}
		}
	}
	return provided;
}

bool strata_tcp_trace_forms(const struct strata_ctf_trace *trace, const struct strata_tcp_map *map,
			    struct strata_tcp_forms *forms)
{
	const uint32_t provided = find_provided(trace, map);
	const size_t nr = nr_rules(map, trace);
	bool any = false;
	size_t i, j, at;

	for (i = 0; i < trace->metadata.nr_streams; i++) {
		const struct strata_ctf_stream_class *class = &trace->metadata.streams[i];

		for (j = 0; j < class->nr_events; j++) {
			const struct strata_ctf_event_class *event = &class->events[j];
			const struct strata_tcp_rule *rule;

			for (at = 0; (rule = next_rule(map, nr, event, &at));) {
				uint32_t form = strata_tcp_rule_form(rule, event);

				if (rule->role == STRATA_TCP_NONE)
					continue;
				if (rule->parts[STRATA_TCP_JOIN].nr)
					form |= provided;
				any = true;
				strata_tcp_form_set_add(rule->role == STRATA_TCP_SENT
								? &forms->sent
								: &forms->received,
							form);
			}
		}
	}
	return any;
}

/* Adds a segment in each of the wanted forms. */
static void note(const struct search *search, const struct strata_tcp_rule *rule,
		 const struct strata_tcp_segment *segment, uint64_t ns)
{
	const struct strata_tcp_form_set *wanted = rule->role == STRATA_TCP_SENT
							   ? &search->forms->wanted_sent
							   : &search->forms->wanted_received;
	size_t i;

	for (i = 0; i < wanted->nr; i++) {
		struct strata_tcp_segment reduced = *segment;

		if (!strata_tcp_form_becomes(segment->form, wanted->forms[i]))
			continue;
		strata_tcp_segment_reduce(&reduced, wanted->forms[i]);
		strata_tcp_pairs_add(search->pairs, search->clock, rule->role, rule->number,
				     &reduced, (int64_t)ns);
	}
}

/* Applies the rules of an event's class to it. */
static void read_event(const struct search *search, struct strata_ctf_reader *reader,
		       const struct strata_lane_event *event, const struct bound_rule *bound)
{
	const struct strata_ctf_kind_of_stream *kind = reader->kind;
	struct strata_ctf_cursor cursor;

	strata_ctf_event_open(reader, event, &cursor);
	for (; bound; bound = bound->next) {
		const struct strata_tcp_rule *rule = bound->rule;
		struct strata_tcp_half half = { .rule = rule, .ns = event->ns }, complete;

		if (!strata_tcp_segment_read(kind->class, kind->classes[event->class].event, cursor,
					     rule, bound->form, &half.segment, &half.join))
			continue;
		if (!rule->parts[STRATA_TCP_JOIN].nr)
			note(search, rule, &half.segment, event->ns);
		else if (strata_tcp_join_take(search->join, &half, &complete))
			note(search, complete.rule, &complete.segment, complete.ns);
		if (!rule->goes_on)
			break;
	}
}

/*
 * Adds the segments of a batch of events.
 * @before_ns: IN/OUT, the time of the previous event. An event with the same time may have had its
 *             time clamped, so it proves nothing
 */
static void add_events(const struct search *search, struct strata_ctf_reader *reader, size_t nr,
		       uint64_t *before_ns)
{
	struct bound_rule **rules = search->rules[reader->kind - search->trace->kinds];
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct strata_lane_event *event = &reader->events[i];
		const bool is_mended = event->ns == *before_ns || event->ns > INT64_MAX;

		*before_ns = event->ns;
		if (!is_mended && rules[event->class])
			read_event(search, reader, event, rules[event->class]);
	}
}

static int add_stream(const struct search *search, const struct strata_ctf_stream *stream,
		      struct strata_progress *progress, struct strata_error *error)
{
	struct strata_ctf_reader reader;
	uint64_t before_ns = 0, bytes = 0;
	size_t i;
	int nr;

	for (i = 0; i < STRATA_TCP_JOIN_SLOTS; i++)
		search->join->slots[i].rule = NULL;
	if (strata_ctf_reader_open(&reader, stream, WINDOW_BYTES, error) != 0)
		return -1;
	/* Reads the whole stream without reporting damage: the merge reports it. */
	strata_ctf_reader_seek(&reader, 0, UINT64_MAX, 0);
	while ((nr = strata_ctf_reader_next(&reader)) > 0) {
		add_events(search, &reader, (size_t)nr, &before_ns);
		if (progress)
			strata_progress_add(progress, (uint64_t)nr, reader.tally.bytes - bytes);
		bytes = reader.tally.bytes;
	}
	strata_ctf_reader_close(&reader);
	return 0;
}

/* Returns the rules of a class, in their order; NULL: no rule, or out of memory. */
static struct bound_rule *bind_class(const struct strata_ctf_event_class *event,
				     const struct strata_tcp_map *map, size_t nr, bool *no_memory)
{
	struct bound_rule *first = NULL, **last = &first;
	const struct strata_tcp_rule *rule;
	size_t at;

	for (at = 0; (rule = next_rule(map, nr, event, &at));) {
		*last = calloc(1, sizeof(**last));
		if (!*last) {
			*no_memory = true;
			break;
		}
		(*last)->rule = rule;
		(*last)->form = strata_tcp_rule_form(rule, event);
		last = &(*last)->next;
	}
	return first;
}

static void unbind(struct search *search)
{
	size_t i, j;

	for (i = 0; search->rules && i < search->trace->metadata.nr_streams; i++) {
		for (j = 0; search->rules[i] && j < search->trace->metadata.streams[i].nr_events;
		     j++) {
			while (search->rules[i][j]) {
				struct bound_rule *bound = search->rules[i][j];

				search->rules[i][j] = bound->next;
				free(bound);
			}
		}
		free(search->rules[i]);
	}
	free(search->rules);
	free(search->join);
}

static int bind(struct search *search, const struct strata_tcp_map *map)
{
	const struct strata_ctf_metadata *metadata = &search->trace->metadata;
	const size_t nr = nr_rules(map, search->trace);
	bool no_memory = false;
	size_t i, j;

	search->join = calloc(1, sizeof(*search->join));
	search->rules = calloc(metadata->nr_streams + 1, sizeof(*search->rules));
	for (i = 0; search->rules && i < metadata->nr_streams; i++) {
		const struct strata_ctf_stream_class *class = &metadata->streams[i];

		search->rules[i] = calloc(class->nr_events + 1, sizeof(**search->rules));
		no_memory |= !search->rules[i];
		for (j = 0; !no_memory && j < class->nr_events; j++)
			search->rules[i][j] = bind_class(&class->events[j], map, nr, &no_memory);
	}
	return no_memory || !search->rules || !search->join ? -1 : 0;
}

int strata_tcp_trace_add(struct strata_tcp_pairs *pairs, const struct strata_ctf_trace *trace,
			 const struct strata_tcp_map *map, const struct strata_tcp_forms *forms,
			 uint32_t clock, struct strata_progress *progress,
			 struct strata_error *error)
{
	struct search search = { .pairs = pairs, .forms = forms, .clock = clock, .trace = trace };
	int status = 0;
	size_t i;

	if (bind(&search, map))
		status = strata_fail(error, "%s: out of memory for its rules", trace->path);
	for (i = 0; i < trace->nr_streams && !status; i++)
		status = add_stream(&search, &trace->streams[i], progress, error);
	unbind(&search);
	return status;
}
