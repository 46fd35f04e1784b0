/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns_texts.h - text in columns that is the same for all events of a class, prepared once. */
#ifndef STRATA_MERGE_OUTPUTS_COLUMNS_TEXTS_H
#define STRATA_MERGE_OUTPUTS_COLUMNS_TEXTS_H

#include "outputs/text/text_program.h"

#define STRATA_COLUMNS_EVENT 28u /* width of the column with the event's name */

struct strata_columns_class {
	char *name; /* that column, with its colours, padded to whole blocks */
	size_t name_bytes;
	struct strata_text_program payload;
};

/* Zero-initialised is empty. */
struct strata_columns_texts {
	struct strata_columns_source *sources;
	size_t nr;
};

struct strata_columns_source {
	struct strata_columns_class *classes; /* of its metadata */
	size_t nr;
};

/* Makes the text of one class. @payload: NULL: no fields. Returns 0, or -1: out of memory; it must
 * be cleared in either case. */
int strata_columns_class_make(struct strata_columns_class *class, const char *name,
			      const struct strata_ctf_type *payload, bool colours);
void strata_columns_class_clear(struct strata_columns_class *class);

/* Replaces the texts by those of all classes of these sources. Returns 0, or -1: out of memory. */
int strata_columns_texts_make(struct strata_columns_texts *texts,
			      const struct strata_shown_source *sources, size_t nr_sources,
			      bool colours);
void strata_columns_texts_clear(struct strata_columns_texts *texts);

/* Returns the text of a class by the index in its source's metadata; NULL: not found. */
static inline const struct strata_columns_class *
strata_columns_find(const struct strata_columns_texts *texts, size_t source, size_t class)
{
	return source < texts->nr && class < texts->sources[source].nr
		       ? &texts->sources[source].classes[class]
		       : NULL;
}

#endif /* STRATA_MERGE_OUTPUTS_COLUMNS_TEXTS_H */
