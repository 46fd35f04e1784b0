// SPDX-License-Identifier: GPL-2.0-or-later
/* count.c - see count.h. */
#include "outputs/count.h"

#include <stdlib.h>

struct count_sink {
	struct strata_slice_sink sink;
	struct strata_chain chain;
};

struct count_work {
	struct strata_slice_work work;
	struct strata_chain *chain;
};

/* The number of an event's stream, from data that every reader of the trace has. */
static uint64_t stream_number(const struct strata_ctf_reader *reader)
{
	return reader->kind->class->id << 32 ^ (reader->packet.has_cpu ? reader->packet.cpu : 0);
}

static int count_take(struct strata_slice_sink *sink, size_t stream,
		      struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		      size_t nr, struct strata_error *error)
{
	struct strata_chain *chain = &((struct count_sink *)sink)->chain;
	const struct strata_ctf_class *classes = reader->kind->classes;
	const uint64_t number = stream_number(reader);
	size_t i;

	(void)stream;
	for (i = 0; i < nr; i++) {
		const struct strata_lane_event *event = &events[i];
		const struct strata_ctf_class *class = &classes[event->class];
		uint64_t hash = strata_hash_event(event->ns, number, class->index);
		struct strata_ctf_cursor cursor;

		strata_ctf_event_open(reader, event, &cursor);
		if (!strata_ctf_program_fold(&class->program, &cursor, &hash))
			return strata_fail(error, "an event that was read cannot be read again");
		strata_chain_add(chain, event->ns, hash);
	}
	return 0;
}

static struct strata_slice_sink *count_begin(struct strata_slice_work *work, size_t at,
					     struct strata_slice_sink *used)
{
	struct count_sink *count = used ? (struct count_sink *)used : malloc(sizeof(*count));

	(void)work;
	(void)at;
	if (!count)
		return NULL;
	memset(count, 0, sizeof(*count));
	count->sink.take = count_take;
	return &count->sink;
}

static int count_join(struct strata_slice_work *work, struct strata_slice_sink *sink,
		      struct strata_error *error)
{
	(void)error;
	strata_chain_join(((struct count_work *)work)->chain, &((struct count_sink *)sink)->chain);
	return 0;
}

static void count_end(struct strata_slice_work *work, struct strata_slice_sink *sink)
{
	(void)work;
	free(sink);
}

int strata_count(struct strata_trace_set *set, const struct strata_slice_options *options,
		 struct strata_chain *chain, struct strata_error *error)
{
	struct count_work work = { { count_begin, count_join, count_end }, chain };

	memset(chain, 0, sizeof(*chain));
	return strata_slices_run(set, options, &work.work, error);
}
