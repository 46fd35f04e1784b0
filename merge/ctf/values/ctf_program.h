/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_program.h - the contexts and payload of an event as a short list of operations, so that
 * skipping or hashing them takes a few instructions instead of a walk through a tree of types.
 *
 * Numbers of whole bytes at known distances form runs, which are skipped at once.  Other fields
 * (numbers of odd bits, variants, arrays of structures) are read by ctf_cursor.h.  Both ways must
 * give the same result; tests compare them.
 */
#ifndef STRATA_MERGE_CTF_PROGRAM_H
#define STRATA_MERGE_CTF_PROGRAM_H

#include "ctf/values/ctf_cursor.h"
#include "ctf/types/ctf_types.h"

enum strata_ctf_op_kind {
	STRATA_CTF_OP_RUN,    /* numbers at fixed offsets */
	STRATA_CTF_OP_STRING, /* ends with its zero byte */
	STRATA_CTF_OP_TEXT,   /* an array or sequence of characters */
	STRATA_CTF_OP_BLOCK,  /* an array or sequence of numbers of whole bytes */
	STRATA_CTF_OP_TYPE,   /* anything else */
};

/* A number of 1, 2, 4 or 8 bytes. */
struct strata_ctf_number {
	uint64_t mask;   /* of its bits */
	uint64_t sign;   /* its highest bit if it is signed, else 0 */
	uint32_t offset; /* bytes, from where its run begins */
	int16_t slot;
	uint8_t bytes;
	bool big_endian;
};

static inline void strata_ctf_number_init(struct strata_ctf_number *number,
					  const struct strata_ctf_type *type, uint32_t offset)
{
	number->mask = UINT64_MAX >> (64 - type->bits);
	number->sign = type->is_signed ? 1ull << (type->bits - 1) : 0;
	number->offset = offset;
	number->slot = type->slot;
	number->bytes = type->bits / 8;
	number->big_endian = type->big_endian;
}

struct strata_ctf_op {
	enum strata_ctf_op_kind kind;
	uint32_t align; /* bytes */
	uint32_t bytes; /* of a run, or of a text or block whose length is known; else 0 */
	uint32_t first; /* of a run: its numbers */
	uint32_t nr;    /* of these, or of the elements */
	bool is_plain;  /* a run: all are little-endian and have no slots */
	const struct strata_ctf_type *type; /* of the others */
};

struct strata_ctf_ops {
	struct strata_ctf_op *ops;
	size_t nr;
	struct strata_ctf_number *numbers; /* of all runs, in order */
	size_t nr_numbers;
};

struct strata_ctf_program {
	/* Two lists for the same fields.  Skipping needs only numbers with slots, and arrays of
	 * fixed length are part of a run. */
	struct strata_ctf_ops skip;
	struct strata_ctf_ops fold;
	bool is_one_run;    /* skip is a single run without slots: */
	uint32_t run_align; /* bits */
	uint32_t run_bits;
};

/*
 * Makes the program for adjacent fields: @types, in order; NULL entries are skipped. 0, or -1: out
 * of memory.  Free it with strata_ctf_program_clear().
 */
int strata_ctf_program_make(struct strata_ctf_program *program,
			    const struct strata_ctf_type *const *types, size_t nr_types);

void strata_ctf_program_clear(struct strata_ctf_program *program);

/* The same as strata_ctf_program_skip(), for programs of more than one run. */
bool strata_ctf_program_skip_ops(const struct strata_ctf_program *program,
				 struct strata_ctf_cursor *cursor);

/* Skips the fields and fills the slots.  False: they exceed the end. */
static inline bool strata_ctf_program_skip(const struct strata_ctf_program *program,
					   struct strata_ctf_cursor *cursor)
{
	if (!program->is_one_run)
		return strata_ctf_program_skip_ops(program, cursor);
	if (!strata_ctf_align(cursor, program->run_align) ||
	    cursor->end - cursor->at < program->run_bits)
		return false;
	cursor->at += program->run_bits;
	return true;
}

/*
 * Folds all values, in their order, into a hash: numbers as 64 bits (signed ones extended), strings
 * and text by their bytes up to the first zero byte and their length, arrays element by element, of
 * sequences the length before.  Moves over them, too.  @hash: IN/OUT
 * False: it does not fit.
 */
bool strata_ctf_program_fold(const struct strata_ctf_program *program,
			     struct strata_ctf_cursor *cursor, uint64_t *hash);

#endif /* STRATA_MERGE_CTF_PROGRAM_H */
