/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protobuf.h - fields of protocol buffers, appended to a buffer.
 *
 * A nested message is preceded by its length, which is known only at its end: four bytes are
 * reserved for it, as a varint with redundant leading zeros, which all readers accept.
 */
#ifndef STRATA_MERGE_OUTPUTS_PROTOBUF_H
#define STRATA_MERGE_OUTPUTS_PROTOBUF_H

#include "outputs/event_writer.h"

/* The longest message whose length fits there. */
#define STRATA_PROTOBUF_MESSAGE_MAX ((1u << 28) - 1)

void strata_protobuf_varint(struct strata_buffer *buffer, uint32_t field, uint64_t value);
void strata_protobuf_fixed(struct strata_buffer *buffer, uint32_t field, uint64_t value);
void strata_protobuf_double(struct strata_buffer *buffer, uint32_t field, double value);

/* Text, with '?' for every byte that is no UTF-8, and unsafe characters (escape.h) as \uXXXX. */
void strata_protobuf_text(struct strata_buffer *buffer, uint32_t field, const char *text,
			  size_t length);

/* Begins a nested message. Returns a value for strata_protobuf_end(). */
size_t strata_protobuf_begin(struct strata_buffer *buffer, uint32_t field);

/* Ends it; if it is too long, it is left empty. */
void strata_protobuf_end(struct strata_buffer *buffer, size_t begin);

/* Appends a complete message: its length is known, and takes the minimum number of bytes. */
void strata_protobuf_message(struct strata_buffer *buffer, uint32_t field,
			     const struct strata_buffer *message);

#endif /* STRATA_MERGE_OUTPUTS_PROTOBUF_H */
