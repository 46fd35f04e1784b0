/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata_promises.h - what ctf_types.h promises of any metadata that was read: for the
 * fuzzers of both of its parsers.
 */
#ifndef STRATA_TESTS_METADATA_PROMISES_H
#define STRATA_TESTS_METADATA_PROMISES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/trace/ctf_metadata_read.h"

#define PROMISE(holds)                                                   \
	do {                                                             \
		if (!(holds)) {                                          \
			fprintf(stderr, "broken promise: %s\n", #holds); \
			abort();                                         \
		}                                                        \
	} while (0)

/* What the reader of packets does with a text: all of its bytes are looked at. */
static void look_at(const char *text)
{
	PROMISE(text);
	PROMISE(strlen(text) < SIZE_MAX);
}

static void check_type(const struct strata_ctf_metadata *metadata,
		       const struct strata_ctf_type *type, unsigned int depth)
{
	size_t i;

	PROMISE(depth <= STRATA_CTF_DEPTH_MAX);
	PROMISE(type->align && (type->align & (type->align - 1)) == 0);
	PROMISE(type->slot == STRATA_CTF_NO_SLOT ||
		(type->slot >= 0 && type->slot < (int)STRATA_CTF_SLOTS_MAX));
	PROMISE(type->clock == STRATA_CTF_NO_CLOCK ||
		(type->clock >= 0 && (size_t)type->clock < metadata->nr_clocks));
	switch (type->kind) {
	case STRATA_CTF_VARINT:
		PROMISE(type->align == 8 && type->bits == 64);
		__attribute__((fallthrough));
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
		PROMISE(type->bits >= 1 && type->bits <= 64);
		PROMISE(type->base == 2 || type->base == 8 || type->base == 10 || type->base == 16);
		for (i = 0; i < type->nr_labels; i++)
			look_at(type->labels[i].name);
		for (i = 0; i < type->nr_labels && type->is_bit_map; i++)
			PROMISE(type->labels[i].low <= type->labels[i].high &&
				type->labels[i].high < type->bits);
		break;
	case STRATA_CTF_FLOAT:
		PROMISE(type->bits == 32 || type->bits == 64);
		break;
	case STRATA_CTF_STRING:
		break;
	case STRATA_CTF_OPTIONAL:
		PROMISE(type->nr_fields == 1);
		__attribute__((fallthrough));
	case STRATA_CTF_VARIANT:
		PROMISE(type->slot != STRATA_CTF_NO_SLOT);
		for (i = 0; i < type->nr_choices; i++)
			PROMISE(type->choices[i].option < type->nr_fields);
		__attribute__((fallthrough));
	case STRATA_CTF_STRUCT:
		for (i = 0; i < type->nr_fields; i++) {
			look_at(type->fields[i].name);
			check_type(metadata, type->fields[i].type, depth + 1);
			PROMISE(type->kind != STRATA_CTF_STRUCT ||
				type->align >= type->fields[i].type->align);
		}
		break;
	case STRATA_CTF_SEQUENCE:
		PROMISE(type->slot != STRATA_CTF_NO_SLOT);
		__attribute__((fallthrough));
	case STRATA_CTF_ARRAY:
		PROMISE(type->align >= type->element->align);
		PROMISE(!type->encoding || (type->element->bits == 8 && type->align == 8));
		PROMISE(!(type->roles & STRATA_CTF_ROLE_UUID) ||
			(type->length == 16 && type->element->bits == 8 && type->align == 8));
		check_type(metadata, type->element, depth + 1);
		break;
	}
}

static void check_scope(const struct strata_ctf_metadata *metadata,
			const struct strata_ctf_type *type)
{
	if (!type)
		return;
	PROMISE(type->kind == STRATA_CTF_STRUCT);
	check_type(metadata, type, 1);
}

static void check_events(const struct strata_ctf_metadata *metadata,
			 const struct strata_ctf_stream_class *stream, size_t *index)
{
	size_t i;

	for (i = 0; i < stream->nr_events; i++) {
		const struct strata_ctf_event_class *event = &stream->events[i];

		PROMISE(i == 0 || event[-1].id < event->id);
		PROMISE(event->index == (*index)++);
		look_at(event->name);
		check_scope(metadata, event->context);
		check_scope(metadata, event->payload);
	}
}

static inline void check(const struct strata_ctf_metadata *metadata)
{
	size_t i, index = 0;

	check_scope(metadata, metadata->packet_header);
	for (i = 0; i < metadata->nr_clocks; i++) {
		look_at(metadata->clocks[i].name);
		PROMISE(metadata->clocks[i].frequency >= 1);
	}
	for (i = 0; i < metadata->nr_env; i++)
		look_at(metadata->env[i].name);
	for (i = 0; i < metadata->nr_streams; i++) {
		const struct strata_ctf_stream_class *stream = &metadata->streams[i];

		PROMISE(i == 0 || stream[-1].id < stream->id);
		PROMISE(stream->index == i);
		check_scope(metadata, stream->packet_context);
		check_scope(metadata, stream->event_header);
		check_scope(metadata, stream->event_context);
		check_events(metadata, stream, &index);
	}
	PROMISE(index == metadata->nr_events);
}

static inline void hear(void *data, const char *message)
{
	(void)data;
	look_at(message);
}

#endif /* STRATA_TESTS_METADATA_PROMISES_H */
