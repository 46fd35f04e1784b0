// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_run.c - see filter.h: makes the tests that filter_bind.c left for each event. */
#include <stdlib.h>
#include <string.h>

#include "ctf/reader/ctf_packet_head.h"
#include "ctf/values/value_names.h"
#include "filter/filter_bound.h"
#include "filter/filter_seen.h"
#include "base/put_text.h"
#include "ctf/values/utf_text.h"

struct filter_run {
	const struct strata_filter *filter;
	struct strata_ctf_packet_head head;
	/* The packet whose head was read. */
	const struct strata_ctf_stream *stream;
	uint64_t offset;
	struct strata_ctf_cursor packet; /* at its context */
	struct strata_task **tasks;      /* of each trace and stream; NULL: not needed */
	struct strata_seen *seen;        /* the names seen, if needed */
};

/* The event being tested. */
struct asked {
	struct strata_ctf_cursor event;         /* after its header */
	const struct strata_ctf_cursor *packet; /* at its packet's context */
	uint64_t ns;
	uint32_t cpu;
	const struct strata_task *task; /* NULL: unknown */
	bool is_unread; /* there is no event: only its stream's properties are known */
};

static void end(void *data)
{
	struct filter_run *run = data;
	size_t i;

	if (!run)
		return;
	if (run->seen)
		strata_seen_tell(run->seen, run->filter->root);
	free(run->seen);
	for (i = 0; run->tasks && i < run->filter->nr_traces; i++)
		free(run->tasks[i]);
	free(run->tasks);
	free(run->head.bytes);
	free(run);
}

/* Allocates the tasks of all streams, unknown at first. Returns 0 or -1. */
static int make_tasks(struct filter_run *run)
{
	const struct strata_filter *filter = run->filter;
	size_t i;

	run->seen = calloc(1, sizeof(*run->seen));
	run->tasks = calloc(filter->nr_traces + 1, sizeof(*run->tasks));
	for (i = 0; run->tasks && i < filter->nr_traces; i++) {
		run->tasks[i] = calloc(filter->nr_streams[i] + 1, sizeof(**run->tasks));
		if (!run->tasks[i])
			return -1;
	}
	return run->tasks && run->seen ? 0 : -1;
}

static struct strata_task *task_of(struct filter_run *run, size_t trace,
				   const struct strata_ctf_reader *reader)
{
	return &run->tasks[trace][reader->stream - reader->stream->trace->streams];
}

static void *begin(const struct strata_set_filter *of_set)
{
	struct filter_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->filter = (const struct strata_filter *)of_set;
	if (of_set->from_start && make_tasks(run)) {
		end(run);
		return NULL;
	}
	return run;
}

/* Reads an array as text; the value has no kind if the array does not start at a byte. */
static void read_text(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
		      struct strata_value *value)
{
	const char *text;
	uint64_t length;

	if (!strata_ctf_read_length(cursor, type, &length) || cursor->at % 8 != 0)
		return;
	text = (const char *)cursor->bytes + cursor->at / 8;
	*value = strata_value_text(text, strnlen(text, length));
}

/* Reads text in another encoding than UTF-8. @kept: OUT, to be freed after the value was used */
static void read_encoded(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			 struct strata_value *value, char **kept)
{
	const char *text;
	uint64_t length;

	if (type->kind == STRATA_CTF_STRING) {
		if (!strata_ctf_read_string(cursor, type, &text, &length))
			return;
	} else {
		if (!strata_ctf_read_length(cursor, type, &length))
			return;
		text = (const char *)cursor->bytes + cursor->at / 8;
	}
	*kept = malloc(STRATA_UTF_TEXT_BYTES(length));
	if (*kept)
		*value = strata_value_text(*kept,
					   strata_utf_text(*kept, text, length, type->encoding));
}

static void read_number(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			struct strata_value *value)
{
	if (!(type->kind == STRATA_CTF_VARINT
		      ? strata_ctf_read_varint(cursor, type, &value->number)
		      : strata_ctf_read_number(cursor, type, &value->number)))
		return;
	if (type->kind == STRATA_CTF_FLOAT) {
		value->kind = STRATA_VALUE_REAL;
		value->real = strata_float_of_bits(value->number, type->bits == 32);
	} else {
		value->kind = STRATA_VALUE_INTEGER;
		value->is_negative = type->is_signed && value->number >> 63;
		value->labels = strata_ctf_has_labels(type) ? type : NULL;
		if (type->names) {
			value->names = strata_value_names(type->names, cursor->slots);
			value->symbols = strata_value_symbols(type->names, cursor->slots);
		}
	}
}

/* Reads the field at the access path; its bytes are hostile. */
static void read_field(const struct strata_ctf_access *access, struct strata_ctf_cursor cursor,
		       struct strata_value *value, char **kept)
{
	const struct strata_ctf_type *type = strata_ctf_access_go(access, &cursor);
	const char *text;
	uint64_t length;

	if (!type)
		return;
	if (type->kind <= STRATA_CTF_FLOAT || type->kind == STRATA_CTF_VARINT)
		read_number(&cursor, type, value);
	else if (type->encoding != STRATA_CTF_UTF8)
		read_encoded(&cursor, type, value, kept);
	else if (strata_ctf_is_text(type))
		read_text(&cursor, type, value);
	else if (type->kind == STRATA_CTF_STRING &&
		 strata_ctf_read_string(&cursor, type, &text, &length))
		*value = strata_value_text(text, length);
}

static void set_known(uint32_t number, const struct strata_number_names *names,
		      struct strata_value *value)
{
	if (number == STRATA_PLACE_UNKNOWN)
		return;
	*value = strata_value_unsigned(number);
	value->names = names;
}

/* Returns a constant's own value; reads any other into @room. @kept: memory that the value needs */
static const struct strata_value *read_operand(const struct bound_operand *operand,
					       const struct asked *asked, struct strata_value *room,
					       char **kept)
{
	if (operand->kind == BOUND_CONSTANT)
		return &operand->value;
	room->kind = STRATA_VALUE_NONE;
	room->labels = NULL;
	room->names = NULL;
	room->symbols = NULL;
	if (asked->is_unread && operand->kind != BOUND_CPU &&
	    !(operand->kind == BOUND_PLACE && operand->number->in != STRATA_PLACE_FIELD))
		return room;
	switch (operand->kind) {
	case BOUND_FIELD:
		read_field(&operand->access, asked->event, room, kept);
		break;
	case BOUND_PACKET:
		read_field(&operand->access, *asked->packet, room, kept);
		break;
	case BOUND_PLACE:
		set_known(strata_place_read(operand->number, asked->cpu, &asked->event),
			  operand->names, room);
		break;
	case BOUND_CPU:
		set_known(asked->cpu, NULL, room);
		break;
	case BOUND_TIME:
		*room = strata_value_unsigned(asked->ns);
		break;
	case BOUND_TASK_NAME:
		if (asked->task && asked->task->is_known)
			*room = strata_value_text(asked->task->name, asked->task->bytes);
		break;
	case BOUND_TASK_NUMBER:
		if (asked->task && asked->task->is_known)
			*room = strata_value_unsigned(asked->task->tid);
		break;
	case BOUND_CONSTANT:
		break;
	}
	return room;
}

static enum strata_verdict ask_test(const struct bound_node *node, const struct asked *asked)
{
	struct strata_value rooms[2];
	char *kept[2] = { NULL, NULL };
	const struct strata_value *left = read_operand(&node->left, asked, &rooms[0], &kept[0]);
	enum strata_verdict verdict;

	if (node->stands_alone) {
		verdict = strata_value_truth(left);
		free(kept[0]);
		return verdict;
	}
	verdict = strata_value_compare(left, node->comparison,
				       read_operand(&node->right, asked, &rooms[1], &kept[1]));
	if (kept[0] || kept[1]) {
		free(kept[0]);
		free(kept[1]);
	}
	return verdict;
}

/* Recurses no deeper than an expression may nest. */
static enum strata_verdict ask(const struct bound_node *node, const struct asked *asked)
{
	const struct bound_node *child;
	enum strata_verdict verdict;

	switch (node->kind) {
	case BOUND_TEST:
		return ask_test(node, asked);
	case BOUND_NOT:
		return (enum strata_verdict)(STRATA_YES - ask(node->first, asked));
	case BOUND_ALL:
		verdict = STRATA_YES;
		for (child = node->first; child && verdict != STRATA_NO; child = child->next) {
			const enum strata_verdict one = ask(child, asked);

			verdict = one < verdict ? one : verdict;
		}
		return verdict;
	case BOUND_ANY:
		verdict = STRATA_NO;
		for (child = node->first; child && verdict != STRATA_YES; child = child->next) {
			const enum strata_verdict one = ask(child, asked);

			verdict = one > verdict ? one : verdict;
		}
		return verdict;
	case BOUND_VERDICT:
		break;
	}
	return node->verdict;
}

static const uint8_t nothing[STRATA_CTF_PADDING];

/* Notes the vCPUs of a kind's events, as long as a message may need them. */
static void see_vcpus(struct filter_run *run, struct strata_ctf_reader *reader,
		      const struct bound_kind *kind, const struct strata_lane_event *events,
		      size_t nr)
{
	struct strata_seen_vcpus *seen = run->filter->seen_vcpus;
	struct strata_ctf_cursor cursor;
	size_t i;

	if (__atomic_load_n(&seen->is_needless, __ATOMIC_RELAXED))
		return;
	for (i = 0; i < nr; i++) {
		strata_ctf_event_open(reader, &events[i], &cursor);
		strata_seen_add_vcpu(seen, strata_place_read_field(kind->vcpu, &cursor));
	}
}

/* Reads the head of the reader's packet, if it is a new packet. */
static void read_packet(struct filter_run *run, struct strata_ctf_reader *reader)
{
	if (run->stream == reader->stream && run->offset == reader->packet.offset)
		return;
	run->stream = reader->stream;
	run->offset = reader->packet.offset;
	/* A packet whose head cannot be read has no fields. */
	if (!strata_ctf_packet_head_read(&run->head, reader, &run->packet))
		run->packet =
			(struct strata_ctf_cursor){ .bytes = nothing, .slots = reader->slots };
}

/* Keeps only the matching events. @task: of the stream; updated from the events */
static size_t keep_by_task(struct filter_run *run, struct strata_ctf_reader *reader,
			   const struct bound_kind *kind, struct strata_task *task,
			   struct asked *asked, struct strata_lane_event *events, size_t nr)
{
	size_t i, kept = 0;

	asked->task = task;
	for (i = 0; i < nr; i++) {
		const struct bound_class *class = &kind->classes[events[i].class];
		const struct strata_task_class *tells = &kind->tasks[events[i].class];
		bool matches = class->matches;

		if (class->node || tells->tells != STRATA_TASK_NOTHING)
			strata_ctf_event_open(reader, &events[i], &asked->event);
		strata_task_during(task, tells, &asked->event);
		asked->ns = events[i].ns;
		if (class->node)
			matches = ask(class->node, asked) == STRATA_YES;
		if (tells->tells != STRATA_TASK_NOTHING) {
			strata_task_after(task, tells, &asked->event);
			strata_seen_add(run->seen, task);
		}
		events[kept] = events[i];
		kept += matches;
	}
	return kept;
}

/* Updates the running task from events that the filter does not want. */
static void pass(void *data, size_t trace, struct strata_ctf_reader *reader,
		 const struct strata_lane_event *events, size_t nr)
{
	struct filter_run *run = data;
	const struct bound_kind *kind =
		&run->filter->traces[trace][reader->kind - reader->stream->trace->kinds];
	struct strata_ctf_cursor cursor;
	size_t i;

	for (i = 0; kind->tasks && i < nr; i++) {
		const struct strata_task_class *tells = &kind->tasks[events[i].class];

		if (tells->tells == STRATA_TASK_NOTHING)
			continue;
		strata_ctf_event_open(reader, &events[i], &cursor);
		strata_task_after(task_of(run, trace, reader), tells, &cursor);
		strata_seen_add(run->seen, task_of(run, trace, reader));
	}
}

/* The lost events may include a context switch. */
static void lose(void *data, size_t trace, struct strata_ctf_reader *reader)
{
	task_of(data, trace, reader)->is_known = false;
}

static size_t keep(void *data, size_t trace, struct strata_ctf_reader *reader,
		   struct strata_lane_event *events, size_t nr)
{
	struct filter_run *run = data;
	const struct bound_kind *kind =
		&run->filter->traces[trace][reader->kind - reader->stream->trace->kinds];
	const bool has_cpu = reader->packet.has_cpu && reader->packet.cpu < STRATA_PLACE_UNKNOWN;
	struct asked asked = { .packet = &run->packet, .cpu = STRATA_PLACE_UNKNOWN };
	size_t i, kept = 0;

	if (has_cpu)
		asked.cpu = (uint32_t)reader->packet.cpu;
	if (kind->reads_packet)
		read_packet(run, reader);
	if (kind->vcpu)
		see_vcpus(run, reader, kind, events, nr);
	if (kind->tasks)
		return keep_by_task(run, reader, kind, task_of(run, trace, reader), &asked, events,
				    nr);
	for (i = 0; i < nr; i++) {
		const struct bound_class *class = &kind->classes[events[i].class];
		bool matches = class->matches;

		if (class->node) {
			asked.ns = events[i].ns;
			strata_ctf_event_open(reader, &events[i], &asked.event);
			matches = ask(class->node, &asked) == STRATA_YES;
		}
		events[kept] = events[i];
		kept += matches;
	}
	if (kind->vcpu && kept)
		__atomic_store_n(&run->filter->seen_vcpus->is_needless, true, __ATOMIC_RELAXED);
	return kept;
}

static bool kind_may_match(const struct bound_kind *kind, size_t nr_classes, uint32_t cpu)
{
	const struct asked asked = { .cpu = cpu, .is_unread = true };
	size_t i;

	for (i = 0; i < nr_classes; i++) {
		const struct bound_class *class = &kind->classes[i];

		if (class->node ? ask(class->node, &asked) != STRATA_NO : class->matches)
			return true;
	}
	return false;
}

static bool may_match(const struct strata_set_filter *of_set, size_t trace,
		      const struct strata_ctf_reader *reader)
{
	const struct strata_filter *filter = (const struct strata_filter *)of_set;
	const size_t at = (size_t)(reader->kind - reader->stream->trace->kinds);

	return kind_may_match(&filter->traces[trace][at], reader->kind->class->nr_events,
			      strata_place_cpu(reader->packet.has_cpu, reader->packet.cpu));
}

bool strata_filter_may_match_stream(const struct strata_filter *filter, size_t trace,
				    const struct strata_ctf_stream *stream)
{
	size_t i;

	for (i = 0; i < stream->trace->metadata.nr_streams; i++) {
		if (kind_may_match(&filter->traces[trace][i],
				   stream->trace->kinds[i].class->nr_events,
				   strata_place_cpu(stream->has_cpu, stream->cpu)))
			return true;
	}
	return false;
}

const struct strata_set_filter *strata_filter_of_set(const struct strata_filter *filter)
{
	return &filter->of_set;
}

const struct strata_set_filter strata_filter_merging = {
	.begin = begin,
	.keep = keep,
	.pass = pass,
	.lose = lose,
	.end = end,
	.may_match = may_match,
};
