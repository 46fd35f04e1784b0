/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tsdl_parser.h - shared by the parser's files: the current token, values of attributes, and scopes
 * of type names.
 */
#ifndef STRATA_MERGE_CTF_TSDL_PARSER_H
#define STRATA_MERGE_CTF_TSDL_PARSER_H

#include "ctf/tsdl/tsdl_parse.h"

/* A pair of braces; types declared in it are known until it closes. */
struct strata_tsdl_scope {
	uint64_t id; /* unique among all scopes */
	const struct strata_tsdl_scope *outer;
};

struct strata_tsdl_parser {
	struct strata_tsdl_source *source;
	struct strata_tsdl_token token; /* not yet used */
	struct strata_tsdl_table types; /* by scope and name */
	const struct strata_tsdl_scope *scope;
	uint64_t nr_scopes;
	unsigned int nesting; /* of types in the text */
	struct strata_tsdl_file *file;
	/* The ends of the lists, for appending. */
	struct strata_tsdl_clock_block **clock_end;
	struct strata_tsdl_stream_block **stream_end;
	struct strata_tsdl_event_block **event_end;
	struct strata_tsdl_env **env_end;
};

/* The right side of an attribute: a number, a string, or words joined by dots. */
enum strata_tsdl_value_kind { STRATA_TSDL_IS_NUMBER, STRATA_TSDL_IS_STRING, STRATA_TSDL_IS_PATH };

struct strata_tsdl_value {
	enum strata_tsdl_value_kind kind;
	size_t at;
	uint64_t number; /* without its sign */
	bool negative;
	const char *text; /* of a string; of a path, too: interned */
	struct strata_tsdl_path path;
};

/* All of these return 0, or -1 with an error. */

/* tsdl_tokens.c */
int strata_tsdl_next(struct strata_tsdl_parser *parser);
/* The token after the current one. */
int strata_tsdl_peek(struct strata_tsdl_parser *parser, struct strata_tsdl_token *token);
bool strata_tsdl_is(const struct strata_tsdl_parser *parser, int kind);
bool strata_tsdl_is_word(const struct strata_tsdl_parser *parser, const char *word);
/* Skips a token of this kind.  @what: names the missing token in errors */
int strata_tsdl_expect(struct strata_tsdl_parser *parser, int kind, const char *what);
/* Skips an unneeded block, from its { to its }. */
int strata_tsdl_skip_block(struct strata_tsdl_parser *parser);

/* tsdl_values.c */
int strata_tsdl_parse_path(struct strata_tsdl_parser *parser, struct strata_tsdl_path *path);
int strata_tsdl_parse_value(struct strata_tsdl_parser *parser, struct strata_tsdl_value *value);
/* Converts a value; @name: of the attribute, for errors. */
int strata_tsdl_to_u64(struct strata_tsdl_parser *parser, const char *name,
		       const struct strata_tsdl_value *value, uint64_t *number);
int strata_tsdl_to_s64(struct strata_tsdl_parser *parser, const char *name,
		       const struct strata_tsdl_value *value, int64_t *number);
int strata_tsdl_to_bool(struct strata_tsdl_parser *parser, const char *name,
			const struct strata_tsdl_value *value, bool *truth);
int strata_tsdl_to_text(struct strata_tsdl_parser *parser, const char *name,
			const struct strata_tsdl_value *value, const char **text);
int strata_tsdl_to_uuid(struct strata_tsdl_parser *parser, const struct strata_tsdl_value *value,
			uint8_t uuid[16]);
int strata_tsdl_to_order(struct strata_tsdl_parser *parser, const struct strata_tsdl_value *value,
			 enum strata_tsdl_order *order);
int strata_tsdl_to_align(struct strata_tsdl_parser *parser, const struct strata_tsdl_value *value,
			 uint32_t *align);

/* tsdl_scalars.c: to be called after the words integer, floating_point and string. */
int strata_tsdl_parse_integer(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type);
int strata_tsdl_parse_float(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type);
int strata_tsdl_parse_string(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type);

/* tsdl_enums.c: to be called after the word enum. */
const struct strata_tsdl_type *strata_tsdl_parse_enum(struct strata_tsdl_parser *parser, size_t at);

/* tsdl_scopes.c */
void strata_tsdl_open_scope(struct strata_tsdl_parser *parser, struct strata_tsdl_scope *scope);
void strata_tsdl_close_scope(struct strata_tsdl_parser *parser);
/* @name: "uint8_t", "unsigned long", "struct x". Returns NULL if unknown. */
const struct strata_tsdl_type *strata_tsdl_find_type(const struct strata_tsdl_parser *parser,
						     const char *name);
int strata_tsdl_declare_type(struct strata_tsdl_parser *parser, size_t at, const char *name,
			     const struct strata_tsdl_type *type);
/*
 * Parses a name of several words and stars, normalised: "unsigned long *" becomes "unsigned long
 * *"; const is ignored.
 * @last: OUT, if not NULL: the last word, which does not belong to the name
 */
const char *strata_tsdl_parse_type_name(struct strata_tsdl_parser *parser,
					struct strata_tsdl_token *last);
/* Parses a type name, and returns its type. */
const struct strata_tsdl_type *strata_tsdl_parse_named(struct strata_tsdl_parser *parser,
						       struct strata_tsdl_token *last);
/* Makes "struct x" from "struct" and "x"; NULL with an error. */
const char *strata_tsdl_tag(struct strata_tsdl_parser *parser, const char *word, const char *name);
struct strata_tsdl_type *strata_tsdl_new_type(struct strata_tsdl_parser *parser,
					      enum strata_ctf_kind kind, size_t at);

/* tsdl_types.c */
/*
 * Parses a type without declarators. @name: OUT, if not NULL and if words follow: the last word,
 * which is not part of the type but the declared name.
 * Returns NULL with an error.
 */
const struct strata_tsdl_type *strata_tsdl_parse_type(struct strata_tsdl_parser *parser,
						      struct strata_tsdl_token *name);
/* Whether the token begins a declaration that names a type (typedef, struct, ...). */
bool strata_tsdl_begins_declaration(struct strata_tsdl_parser *parser);
int strata_tsdl_parse_declaration(struct strata_tsdl_parser *parser);

/* tsdl_blocks.c: to be called after the words trace, clock, stream, event and env. */
int strata_tsdl_parse_trace(struct strata_tsdl_parser *parser, size_t at);
int strata_tsdl_parse_clock(struct strata_tsdl_parser *parser, size_t at);
int strata_tsdl_parse_stream(struct strata_tsdl_parser *parser, size_t at);
int strata_tsdl_parse_event(struct strata_tsdl_parser *parser, size_t at);
int strata_tsdl_parse_env(struct strata_tsdl_parser *parser);

#endif /* STRATA_MERGE_CTF_TSDL_PARSER_H */
