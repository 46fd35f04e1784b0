/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tsdl_parse.h - parses TSDL text into declarations. ctf2_parse.h makes the same declarations from
 * the JSON of CTF 2, and the same types are built from both.
 *
 * A type is declared once and used in many places; tsdl_build.h resolves it in each place (byte
 * order, integers that it refers to) after the whole text has been parsed.
 */
#ifndef STRATA_MERGE_CTF_TSDL_PARSE_H
#define STRATA_MERGE_CTF_TSDL_PARSE_H

#include "ctf/types/ctf_types.h"
#include "ctf/tsdl/tsdl_lex.h"

/* Where a path of CTF 2 starts. */
enum strata_tsdl_origin {
	STRATA_TSDL_NO_ORIGIN, /* a path of TSDL, searched by its first name */
	STRATA_TSDL_FROM_HERE, /* the structure around the reference */
	STRATA_TSDL_FROM_SCOPE,
};

/* a.b.c; its words are interned. In CTF 2 a word may be NULL: the enclosing structure. */
struct strata_tsdl_path {
	enum strata_tsdl_origin origin;
	unsigned int scope; /* enum strata_ctf_scope */
	const char **words;
	size_t nr_words; /* 0: no path */
	size_t at;
};

enum strata_tsdl_order {
	STRATA_TSDL_ORDER_OF_TRACE,
	STRATA_TSDL_LITTLE_ENDIAN,
	STRATA_TSDL_BIG_ENDIAN,
};

struct strata_tsdl_field {
	struct strata_tsdl_field *next;
	const char *name; /* as written; interned */
	size_t at;
	const struct strata_tsdl_type *type;
};

struct strata_tsdl_label {
	struct strata_tsdl_label *next; /* of the enumeration */
	struct strata_tsdl_label *same; /* the next with the same name */
	size_t index;
	struct strata_ctf_label label; /* its name is interned */
};

/* A declared type; members as in struct strata_ctf_type. */
struct strata_tsdl_type {
	enum strata_ctf_kind kind;
	size_t at;
	unsigned int depth; /* 1: no inner types */
	uint32_t align;     /* bits; 0: not written */

	uint8_t bits;
	bool is_signed;
	enum strata_tsdl_order order;
	uint8_t base;
	bool is_text;
	struct strata_tsdl_path clock; /* the clock to which it is mapped */
	bool is_reversed, is_bool, is_bit_map,
		is_blob; /* as in struct strata_ctf_type; only in CTF 2 */
	enum strata_ctf_encoding encoding;
	uint16_t roles; /* from CTF 2; in TSDL, roles follow from names */

	struct strata_tsdl_label *labels;
	const struct strata_ctf_label *label_array; /* the same labels as an array */
	size_t nr_labels;

	struct strata_tsdl_field *fields;
	size_t nr_fields;
	struct strata_tsdl_path reference; /* to a variant's tag or a sequence's length */
	/* The options for the values of the tag, in CTF 2; TSDL uses labels for that. */
	const struct strata_ctf_choice *choices;
	size_t nr_choices;
	bool has_ranges; /* an optional field whose tag is an integer, not a boolean */

	const struct strata_tsdl_type *element;
	uint64_t length;
};

struct strata_tsdl_clock_block {
	struct strata_tsdl_clock_block *next;
	size_t at;
	int32_t index;                 /* in the trace */
	struct strata_ctf_clock clock; /* its name is interned, or NULL */
};

struct strata_tsdl_stream_block {
	struct strata_tsdl_stream_block *next;
	size_t at;
	bool has_id;
	uint64_t id;
	const struct strata_tsdl_type *packet_context, *event_header, *event_context;
	const struct strata_tsdl_clock_block *clock; /* of CTF 2's timestamps; NULL: none */
};

struct strata_tsdl_event_block {
	struct strata_tsdl_event_block *next;
	size_t at;
	bool has_id, has_stream_id;
	uint64_t id, stream_id;
	const char *name; /* or NULL */
	int64_t loglevel;
	const struct strata_tsdl_type *context, *payload;
};

struct strata_tsdl_env {
	struct strata_tsdl_env *next;
	struct strata_ctf_env env;
};

/* All declarations of a text, in order. */
struct strata_tsdl_file {
	bool is_ctf_2;
	bool has_trace;
	bool has_uuid;
	uint8_t uuid[16];
	enum strata_tsdl_order order;
	const struct strata_tsdl_type *packet_header;

	struct strata_tsdl_clock_block *clocks;
	size_t nr_clocks;
	struct strata_tsdl_stream_block *streams;
	size_t nr_streams;
	struct strata_tsdl_event_block *events;
	size_t nr_events;
	struct strata_tsdl_env *env;
	size_t nr_env;
};

/* Joins a path's words with dots, interned; NULL with an error. */
const char *strata_tsdl_path_text(struct strata_tsdl_source *source,
				  const struct strata_tsdl_path *path);

/*
 * Returns 0, or -1 with an error.  The result lives in the source's arena.
 * @is_cut: the text is known to be truncated: an unfinished declaration is reported and left out
 */
int strata_tsdl_parse(struct strata_tsdl_source *source, bool is_cut,
		      struct strata_tsdl_file *file);

#endif /* STRATA_MERGE_CTF_TSDL_PARSE_H */
