// SPDX-License-Identifier: GPL-2.0-or-later
/* text.c - the timeline as text: a line for each event, columns as in event_text.h, and one for
 * each loss. */
#include <stdlib.h>

#include "host/event_text.h"
#include "files/out_file.h"
#include "outputs/outputs.h"

struct text_output {
	struct strata_sink sink;
	const struct strata_merge *merge;
	struct strata_out_file *file;
	bool any;
	uint64_t first_ns;
	uint64_t previous_ns;
};

/* Seconds since the first event; what is before it is as if with it. */
static void put_since(struct text_output *output, uint64_t ns)
{
	const uint64_t since = ns > output->first_ns ? ns - output->first_ns : 0;

	strata_out_print(output->file, "%llu.%09llu", (unsigned long long)(since / 1000000000u),
			 (unsigned long long)(since % 1000000000u));
}

static void text_event(struct strata_sink *sink, const struct strata_timeline_event *event)
{
	struct text_output *output = (struct text_output *)sink;
	char *room = strata_out_room(output->file, STRATA_EVENT_TEXT_BYTES + 1);
	char *end;

	if (!output->any) {
		output->any = true;
		output->first_ns = event->ns;
		output->previous_ns = event->ns;
	}
	end = strata_event_text(room, output->merge, event, output->first_ns, output->previous_ns);
	*end++ = '\n';
	strata_out_advance(output->file, end);
	output->previous_ns = event->ns;
}

/* "[0.001234567 - 0.002345678] 35 events discarded: buffer full; xen, CPU 1" */
static void text_loss(struct strata_sink *sink, const struct strata_merge_stream *stream,
		      const struct strata_loss *loss)
{
	struct text_output *output = (struct text_output *)sink;
	char text[STRATA_LOSS_TEXT_BYTES];

	if (!output->any) {
		output->any = true;
		output->first_ns = loss->from_ns;
		output->previous_ns = loss->from_ns;
	}
	*strata_loss_text(text, loss) = '\0';
	strata_out_print(output->file, "[");
	put_since(output, loss->from_ns);
	strata_out_print(output->file, " - ");
	put_since(output, loss->to_ns);
	strata_out_print(output->file, "] %s; %s, CPU %u\n", text, stream->source->name,
			 stream->cpu);
}

static bool text_failed(const struct strata_sink *sink)
{
	return strata_out_failed(((const struct text_output *)sink)->file);
}

static int text_finish(struct strata_sink *sink, const struct strata_merge *merge,
		       struct strata_error *error)
{
	struct text_output *output = (struct text_output *)sink;
	int status = strata_out_close(output->file, error);

	(void)merge;
	output->file = NULL;
	return status;
}

static void text_free(struct strata_sink *sink)
{
	struct text_output *output = (struct text_output *)sink;

	if (output->file)
		strata_out_abandon(output->file);
	free(output);
}

struct strata_sink *strata_text_output_new(const struct strata_merge *merge, const char *path,
					   bool force, struct strata_error *error)
{
	struct text_output *output = calloc(1, sizeof(*output));

	if (!output) {
		strata_fail(error, "%s: out of memory", path);
		return NULL;
	}
	output->sink.event = text_event;
	output->sink.loss = text_loss;
	output->sink.failed = text_failed;
	output->sink.finish = text_finish;
	output->sink.free = text_free;
	output->merge = merge;
	output->file = strata_out_open(path, force, error);
	if (!output->file) {
		free(output);
		return NULL;
	}
	strata_out_print(output->file, "%s\n", STRATA_EVENT_TEXT_HEADING);
	return &output->sink;
}
