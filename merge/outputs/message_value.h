/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message_value.h - reads one conversion of a format, and writes one value by it; for message.c. */
#ifndef STRATA_MERGE_OUTPUTS_MESSAGE_VALUE_H
#define STRATA_MERGE_OUTPUTS_MESSAGE_VALUE_H

#include "outputs/event_writer.h"

/* A conversion: %-08.3lx. */
struct strata_conversion {
	const char *text; /* from its % on, @bytes */
	size_t bytes;
	bool left, plus, space, alternative, zeros; /* flags: - + space # 0 */
	bool takes_width, takes_precision;          /* from the next field: * */
	bool has_precision;
	unsigned int width, precision; /* at most STRATA_MESSAGE_WIDTH_MAX */
	unsigned int bits;             /* of its integer: 8 (hh), 16 (h); 0: as recorded */
	bool is_wide;                  /* l */
	char letter;
};

/* The value of a field. */
struct strata_message_value {
	const struct strata_ctf_type *type; /* of a number; NULL: it is text */
	uint64_t number;                    /* a float's bits; a signed one is extended */
	const char *text;
	uint64_t length;
};

/* A message's text. */
struct strata_message_text {
	struct strata_buffer *buffer;
	size_t padding; /* characters of padding that it may still get */
};

/* Reads the conversion at a %, as printf_site.c of libstrata does: any letter, or a second %,
 * behind flags, width, precision and size.  Returns its end; NULL: there is no conversion. */
const char *strata_conversion_read(const char *text, struct strata_conversion *conversion);

/* Whether a conversion takes no more fields: that of a % or of %m, once it has its width and its
 * precision. */
bool strata_conversion_is_complete(const struct strata_conversion *conversion);

/* Takes a value for a width or precision that the conversion still lacks.  False: it lacks none. */
bool strata_conversion_take_star(struct strata_conversion *conversion,
				 const struct strata_message_value *value);

/* Appends a value by a conversion that lacks nothing, padded as far as the text may be. */
void strata_message_value_put(struct strata_message_text *out,
			      const struct strata_conversion *conversion,
			      const struct strata_message_value *value);

#endif /* STRATA_MERGE_OUTPUTS_MESSAGE_VALUE_H */
