/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tsdl_lex.h - splits TSDL text into tokens, and reports positions of errors.
 */
#ifndef STRATA_MERGE_CTF_TSDL_LEX_H
#define STRATA_MERGE_CTF_TSDL_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctf/types/ctf_arena.h"
#include "ctf/tsdl/tsdl_table.h"
#include "base/error.h"

/* Any other kind is the character itself: '{', ';', ... */
enum strata_tsdl_token_kind {
	STRATA_TSDL_END = 256,
	STRATA_TSDL_WORD, /* keywords included */
	STRATA_TSDL_NUMBER,
	STRATA_TSDL_STRING,
	STRATA_TSDL_ASSIGN_TYPE, /* := */
	STRATA_TSDL_TO,          /* ... */
};

struct strata_tsdl_token {
	int kind;
	size_t at; /* its first byte in the text */
	size_t length;
	const char *text; /* of a word: interned; of a string: decoded */
	uint64_t number;
};

/* The text, and the state that all parsers share. */
struct strata_tsdl_source {
	const char *name; /* of the file, for errors */
	const char *text;
	size_t size;
	bool is_ctf_2; /* errors name fragments, not lines */
	struct strata_ctf_arena *arena;
	struct strata_tsdl_table names; /* of strata_tsdl_intern() */
	void (*complain)(void *data, const char *message);
	void *data;
	unsigned int nr_complaints;
	struct strata_error *error;
};

/* Reads the next token from byte @at on. Returns -1 with an error. */
int strata_tsdl_lex(struct strata_tsdl_source *source, size_t at, struct strata_tsdl_token *token);

/* Interns a text that is not in the source. */
const char *strata_tsdl_name(struct strata_tsdl_source *source, const char *text, size_t length);

/* Allocates zeroed memory from the arena; NULL with an error. */
void *strata_tsdl_get(struct strata_tsdl_source *source, size_t count, size_t size);

/* Sets the error "NAME:LINE:COLUMN: ..." or "NAME: fragment N: ..." for byte @at; returns -1. */
int strata_tsdl_fail(struct strata_tsdl_source *source, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports lack of memory at byte @at; returns -1. */
int strata_tsdl_fail_memory(struct strata_tsdl_source *source, size_t at);

/* Reports a non-fatal fault in the same way; at most a few dozen for a text. */
void strata_tsdl_complain(struct strata_tsdl_source *source, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* STRATA_MERGE_CTF_TSDL_LEX_H */
