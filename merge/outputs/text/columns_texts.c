// SPDX-License-Identifier: GPL-2.0-or-later
/* columns_texts.c - see columns_texts.h. */
#include "outputs/text/columns_texts.h"

#include <stdlib.h>

#include "base/escape.h"
#include "outputs/text/columns_fields.h"

int strata_columns_class_make(struct strata_columns_class *class, const char *name,
			      const struct strata_ctf_type *payload, bool colours)
{
	const size_t length = strlen(name);
	const char *start;
	char *out;

	memset(class, 0, sizeof(*class));
	class->name = strata_put_new_blocks(STRATA_ESCAPED_BYTES(length) + STRATA_COLUMNS_EVENT +
					    2 * STRATA_PUT_BYTES);
	if (!class->name)
		return -1;
	out = strata_put_colour(class->name, colours, STRATA_COLOUR_EVENT);
	start = out;
	out = strata_escape(out, name, length);
	out = strata_put_pad(out, start, STRATA_COLUMNS_EVENT) - 1;
	out = strata_put_colour(out, colours, STRATA_COLOUR_NONE);
	class->name_bytes = (size_t)(out - class->name);
	return strata_text_program_make(&class->payload, strata_columns_style(colours), payload);
}

void strata_columns_class_clear(struct strata_columns_class *class)
{
	free(class->name);
	strata_text_program_clear(&class->payload);
}

static int make_source(struct strata_columns_source *source,
		       const struct strata_ctf_metadata *metadata, bool colours)
{
	size_t i, j;

	source->classes = calloc(metadata->nr_events + 1, sizeof(*source->classes));
	if (!source->classes)
		return -1;
	source->nr = metadata->nr_events;
	for (i = 0; i < metadata->nr_streams; i++) {
		const struct strata_ctf_stream_class *stream = &metadata->streams[i];

		for (j = 0; j < stream->nr_events; j++) {
			const struct strata_ctf_event_class *event = &stream->events[j];

			if (strata_columns_class_make(&source->classes[event->index], event->name,
						      event->payload, colours))
				return -1;
		}
	}
	return 0;
}

int strata_columns_texts_make(struct strata_columns_texts *texts,
			      const struct strata_shown_source *sources, size_t nr_sources,
			      bool colours)
{
	strata_columns_texts_clear(texts);
	texts->sources = calloc(nr_sources + 1, sizeof(*texts->sources));
	if (!texts->sources)
		return -1;
	for (; texts->nr < nr_sources; texts->nr++) {
		if (sources[texts->nr].metadata &&
		    make_source(&texts->sources[texts->nr], sources[texts->nr].metadata, colours)) {
			texts->nr++;
			return -1;
		}
	}
	return 0;
}

void strata_columns_texts_clear(struct strata_columns_texts *texts)
{
	size_t i, j;

	for (i = 0; i < texts->nr; i++) {
		for (j = 0; j < texts->sources[i].nr; j++)
			strata_columns_class_clear(&texts->sources[i].classes[j]);
		free(texts->sources[i].classes);
	}
	free(texts->sources);
	memset(texts, 0, sizeof(*texts));
}
