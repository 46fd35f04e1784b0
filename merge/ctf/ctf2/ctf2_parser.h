/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf2_parser.h - shared by the files of the CTF 2 parser: the current fragment, checked access to
 * properties of JSON objects, and names.
 */
#ifndef STRATA_MERGE_CTF_CTF2_PARSER_H
#define STRATA_MERGE_CTF_CTF2_PARSER_H

#include <json-c/json.h>

#include "ctf/ctf2/ctf2_parse.h"
#include "ctf/types/ctf_scopes.h"

#define STRATA_CTF2_CRUMBS_MAX (STRATA_CTF_DEPTH_MAX * 2u + 8u)

struct strata_ctf2_parser {
	struct strata_tsdl_source *source;
	struct strata_tsdl_file *file;
	size_t at; /* of the fragment in the text */
	bool has_preamble;
	unsigned int nesting; /* of field classes in the text */
	/* The path from the fragment to the current object: names, for errors. */
	const char *crumbs[STRATA_CTF2_CRUMBS_MAX];
	unsigned int nr_crumbs;
	/* Names for references. Places of names: field classes, clock classes. */
	struct strata_tsdl_table names;
	/* The ends of the lists, for appending. */
	struct strata_tsdl_clock_block **clock_end;
	struct strata_tsdl_stream_block **stream_end;
	struct strata_tsdl_event_block **event_end;
	struct strata_tsdl_env **env_end;
};

enum { STRATA_CTF2_ALIASES = 1, STRATA_CTF2_CLOCKS };

/* All of these return 0, NULL or -1 with an error. */

/* ctf2_json.c */
/* "NAME: fragment N (line M): in WAY: ..."; returns -1. */
int strata_ctf2_fail(struct strata_ctf2_parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Enters an object of that name for error messages; @name must outlive the visit. And leaves it. */
void strata_ctf2_enter(struct strata_ctf2_parser *parser, const char *name);
void strata_ctf2_leave(struct strata_ctf2_parser *parser);
/* Checks that it is an object with no properties other than these (" a b c ") and attributes, and
 * without extensions. */
int strata_ctf2_check(struct strata_ctf2_parser *parser, struct json_object *object,
		      const char *properties);
/* Reads a property of a type; NULL without an error if absent. 0 or -1. */
int strata_ctf2_get(struct strata_ctf2_parser *parser, struct json_object *object, const char *key,
		    enum json_type type, bool is_needed, struct json_object **value);
/* Reads an integer from @least to @most; @value is unchanged if the property is absent. */
int strata_ctf2_get_uint(struct strata_ctf2_parser *parser, struct json_object *object,
			 const char *key, bool is_needed, uint64_t least, uint64_t most,
			 uint64_t *value);
/* Reads a valid alignment, a power of two. */
int strata_ctf2_get_align(struct strata_ctf2_parser *parser, struct json_object *object,
			  const char *key, uint32_t *align);
/* Returns a text unchanged; and as a name: interned, with control characters escaped. */
const char *strata_ctf2_text(struct strata_ctf2_parser *parser, struct json_object *string);
const char *strata_ctf2_name(struct strata_ctf2_parser *parser, struct json_object *string);
/* The same for a property; @name is unchanged if it is absent. */
int strata_ctf2_get_name(struct strata_ctf2_parser *parser, struct json_object *object,
			 const char *key, bool is_needed, const char **name);
/* Reads one of several words, a NULL-terminated list, as its index; @word is unchanged if
 * absent. */
int strata_ctf2_get_word(struct strata_ctf2_parser *parser, struct json_object *object,
			 const char *key, bool is_needed, const char *const *words,
			 unsigned int *word);
/* Reads [[low, high], ...] as labels without names; negative numbers stay signed. Returns their
 * number. */
int strata_ctf2_ranges(struct strata_ctf2_parser *parser, struct json_object *array,
		       struct strata_ctf_label **ranges, size_t *nr);

/* ctf2_scalars.c */
/* Numbers of fixed and of variable size.  @type: their kind is set. */
int strata_ctf2_parse_bits(struct strata_ctf2_parser *parser, struct json_object *object,
			   struct strata_tsdl_type *type, const char *name);
int strata_ctf2_parse_varint(struct strata_ctf2_parser *parser, struct json_object *object,
			     struct strata_tsdl_type *type, bool is_signed);

/* ctf2_bytes.c */
/* Texts whose length is known, BLOBs, and texts that end with a zero character. */
int strata_ctf2_parse_text(struct strata_ctf2_parser *parser, struct json_object *object,
			   struct strata_tsdl_type *type);
int strata_ctf2_parse_blob(struct strata_ctf2_parser *parser, struct json_object *object,
			   struct strata_tsdl_type *type);
int strata_ctf2_parse_string(struct strata_ctf2_parser *parser, struct json_object *object,
			     struct strata_tsdl_type *type);
/* The length of an array or text: a number, or the location of one. */
int strata_ctf2_parse_length(struct strata_ctf2_parser *parser, struct json_object *object,
			     struct strata_tsdl_type *type);

/* ctf2_types.c */
/* Notes that @inner is part of @outer, and limits the depth; an alias counts with its full
 * depth. */
int strata_ctf2_put_within(struct strata_ctf2_parser *parser, struct strata_tsdl_type *outer,
			   const struct strata_tsdl_type *inner);
/* Reads a property that is a field class, or the name of an alias; NULL if absent. */
int strata_ctf2_get_type(struct strata_ctf2_parser *parser, struct json_object *object,
			 const char *key, bool is_needed, const struct strata_tsdl_type **type);
struct strata_tsdl_type *strata_ctf2_new_type(struct strata_ctf2_parser *parser,
					      enum strata_ctf_kind kind);
int strata_ctf2_parse_location(struct strata_ctf2_parser *parser, struct json_object *object,
			       const char *key, struct strata_tsdl_path *path);

/* ctf2_clocks.c */
/* Properties that make up a clock class's identity. */
#define STRATA_CTF2_IDENTITY " namespace name uid "
int strata_ctf2_parse_clock(struct strata_ctf2_parser *parser, struct json_object *fragment);

/* ctf2_fragments.c */
int strata_ctf2_parse_fragment(struct strata_ctf2_parser *parser, struct json_object *fragment);

#endif /* STRATA_MERGE_CTF_CTF2_PARSER_H */
