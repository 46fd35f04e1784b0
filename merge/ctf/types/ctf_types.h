/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_types.h - the metadata of a CTF 1.8 or CTF 2 trace as structures: the trace, its clocks and
 * streams, the events, and the types of all fields.
 *
 * ctf_metadata_read.h fills them in from TSDL text or JSON; readers of packets and fields walk
 * them.  All of it belongs to one struct strata_ctf_metadata, and is immutable once read.
 *
 * A sequence's length and the tag of a variant or of an optional field are the values
 * of integers that were read before. Each integer to which another field refers has a slot: a
 * reader stores its value there, and the sequence or variant finds it. Slots are numbered from 0
 * for the trace's packet header, and go on through packet context, event header and event context
 * of a stream into each event's own types, so that one array of STRATA_CTF_SLOTS_MAX values serves
 * a stream.
 *
 * In CTF 2 a location may lead to several integers, one in each option of a variant: they share a
 * slot, because exactly one of them is read.
 */
#ifndef STRATA_MERGE_CTF_TYPES_H
#define STRATA_MERGE_CTF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRATA_CTF_SLOTS_MAX 256u
#define STRATA_CTF_DEPTH_MAX 32u    /* nesting of types */
#define STRATA_CTF_ALIGN_MAX 32768u /* bits: alignment of a window of a packet */
#define STRATA_CTF_NO_SLOT   (-1)
#define STRATA_CTF_NO_CLOCK  (-1)

enum strata_ctf_kind {
	STRATA_CTF_INTEGER,
	STRATA_CTF_ENUM, /* an integer with labels */
	STRATA_CTF_FLOAT,
	STRATA_CTF_STRING,
	STRATA_CTF_STRUCT,
	STRATA_CTF_VARIANT,
	STRATA_CTF_ARRAY,
	STRATA_CTF_SEQUENCE,
	STRATA_CTF_VARINT,   /* an integer of variable size (LEB128); may have labels */
	STRATA_CTF_OPTIONAL, /* its only field is present if a choice matches the tag */
};

/* The role of a field for the reader of packets. */
enum strata_ctf_role {
	STRATA_CTF_ROLE_MAGIC = 1u << 0,        /* of packets' headers: */
	STRATA_CTF_ROLE_UUID = 1u << 1,         /* an array of 16 bytes */
	STRATA_CTF_ROLE_STREAM_CLASS = 1u << 2, /* the id of a kind of streams */
	STRATA_CTF_ROLE_STREAM = 1u << 3,       /* the id of a stream */
	STRATA_CTF_ROLE_PACKET_SIZE = 1u << 4,  /* of packets' contexts: bits */
	STRATA_CTF_ROLE_CONTENT_SIZE = 1u << 5, /* likewise */
	STRATA_CTF_ROLE_TIME = 1u << 6,         /* of the packet's begin, or of an event */
	STRATA_CTF_ROLE_END_TIME = 1u << 7,
	STRATA_CTF_ROLE_DISCARDED = 1u << 8,
	STRATA_CTF_ROLE_SEQUENCE = 1u << 9,
	STRATA_CTF_ROLE_EVENT_CLASS = 1u << 10, /* of events' headers: their ids */
};

/* Encoding of a text. */
enum strata_ctf_encoding {
	STRATA_CTF_UTF8, /* bytes of any value, unchanged */
	STRATA_CTF_UTF16_LE,
	STRATA_CTF_UTF16_BE,
	STRATA_CTF_UTF32_LE,
	STRATA_CTF_UTF32_BE,
};

struct strata_ctf_type;
struct strata_number_names;
struct strata_symbols;

/* The symbols of a trace's source; and, by number, of the kernels of domains of its host. */
struct strata_ctf_symbols {
	const struct strata_symbols *own; /* NULL: unknown; likewise below */
	struct strata_ctf_symbols_of {
		uint64_t domain;
		const struct strata_symbols *symbols;
	} * of_domains;
	size_t nr_domains;
};

/* Names of an integer's values that the trace itself does not contain (event_names.h). */
struct strata_ctf_names {
	const struct strata_number_names *table;
	int16_t slot; /* the slot whose value selects one of the table's choices; or NO_SLOT */
	/* It is an address: of the source's code, or of the domain in the slot. NULL: not an
	 * address. */
	const struct strata_ctf_symbols *symbols;
};

struct strata_ctf_field {
	const char *name; /* without the underscore that writers put before keywords of TSDL */
	const struct strata_ctf_type *type;
};

/* A range of values; unsigned if the integer is unsigned. */
struct strata_ctf_label {
	const char *name;
	uint64_t low;
	uint64_t high;
};

/* The option of a variant for a range of tags, signed or unsigned like the enumeration's labels. */
struct strata_ctf_choice {
	uint64_t low;
	uint64_t high;
	uint32_t option;
};

struct strata_ctf_type {
	enum strata_ctf_kind kind;
	uint32_t align; /* bits, a power of two; of a structure the largest of it and its fields */

	/* Integers, enumerations, floats. */
	uint8_t bits; /* 1 to 64; of a float 32 or 64 */
	bool is_signed;
	bool big_endian;
	bool is_reversed; /* its bits are in reverse order */
	/* The preceding number has the other byte order: they must not share a byte. */
	bool needs_byte;
	bool is_bool;    /* any number but 0 is true */
	bool is_bit_map; /* labels are names of its bits: low and high are numbers of bits */
	uint8_t base;    /* 2, 8, 10 or 16 */
	bool is_text;    /* encoding UTF8 or ASCII: an array of it is text */
	uint16_t roles;  /* of enum strata_ctf_role */
	int16_t slot;  /* integers: where its value is stored; or NO_SLOT. Variants, optional fields
			* and sequences: slot of the tag or length */
	int32_t clock; /* the clock whose value it is; or NO_CLOCK */

	/* Integers without labels; NULL: their values have no names. */
	const struct strata_ctf_names *names;

	/* Enumerations: labels, in order of the text.  Several may fit one value. */
	const struct strata_ctf_label *labels;
	size_t nr_labels;

	/* Structures: fields; variants: options; optional fields: the single field. */
	const struct strata_ctf_field *fields;
	size_t nr_fields;

	/* Variants: the option for a tag; a value without an option is an error in the data. */
	const struct strata_ctf_choice *choices;
	size_t nr_choices;
	bool tag_is_signed;

	/* Arrays and sequences. */
	const struct strata_ctf_type *element;
	uint64_t length; /* of an array */
	/* The first element if its values have names, or NULL. */
	const struct strata_ctf_type *first;
	bool is_blob; /* bytes of unknown meaning */

	/* Strings; and arrays and sequences of bytes that are text if this is not UTF8. */
	enum strata_ctf_encoding encoding;
};

/* Bytes of the least character. */
static inline unsigned int strata_ctf_unit_bytes(enum strata_ctf_encoding encoding)
{
	return encoding == STRATA_CTF_UTF8 ? 1 : encoding <= STRATA_CTF_UTF16_BE ? 2 : 4;
}

/* An integer of any size. */
static inline bool strata_ctf_is_integer(const struct strata_ctf_type *type)
{
	return type->kind <= STRATA_CTF_ENUM || type->kind == STRATA_CTF_VARINT;
}

/* Whether values of the integer may have names. */
static inline bool strata_ctf_has_labels(const struct strata_ctf_type *type)
{
	return type->kind == STRATA_CTF_ENUM ||
	       (type->kind == STRATA_CTF_VARINT && type->nr_labels);
}

struct strata_ctf_clock {
	const char *name;
	bool has_uuid;
	uint8_t uuid[16];
	const char *description; /* NULL: none */
	uint64_t frequency;      /* Hz, at least 1 */
	uint64_t precision;      /* cycles */
	int64_t offset_seconds;
	uint64_t offset; /* cycles, besides the seconds */
	bool absolute;
};

struct strata_ctf_event_class {
	uint64_t id;
	const char *name;                      /* any bytes: escape it before it is shown */
	int64_t loglevel;                      /* -1: none */
	const char *format;                    /* as printf()'s: hostile; NULL: none */
	const struct strata_ctf_type *context; /* a structure; NULL: none; likewise below */
	const struct strata_ctf_type *payload;
	size_t index; /* of all the events of the trace */
};

struct strata_ctf_stream_class {
	uint64_t id; /* 0 if the text has none: then it is the only one */
	const struct strata_ctf_type *packet_context;
	const struct strata_ctf_type *event_header;
	const struct strata_ctf_type *event_context;
	int32_t clock; /* of its timestamps, if no field is mapped to a clock; or NO_CLOCK */
	const struct strata_ctf_event_class *events; /* sorted by id */
	size_t nr_events;
	size_t index;
};

struct strata_ctf_env {
	const char *name;
	const char *text; /* NULL: a number.  Any bytes: escape it before it is shown */
	int64_t number;
};

struct strata_ctf_metadata {
	unsigned int major, minor; /* of CTF */
	bool has_uuid;
	uint8_t uuid[16];
	bool big_endian; /* from the byte order of the packets' magic number */
	const struct strata_ctf_type *packet_header;
	const struct strata_ctf_clock *clocks;
	size_t nr_clocks;
	const struct strata_ctf_stream_class *streams; /* sorted by id */
	size_t nr_streams;
	const struct strata_ctf_env *env;
	size_t nr_env;
	size_t nr_events;               /* of all streams */
	struct strata_ctf_arena *arena; /* allocator of all of it */
};

#endif /* STRATA_MERGE_CTF_TYPES_H */
