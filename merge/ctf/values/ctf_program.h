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

/* Reads a little-endian number of a run.  May load bytes beyond its end, which ctf_cursor.h
 * permits. */
static inline uint64_t strata_ctf_number_load_plain(const uint8_t *run,
						    const struct strata_ctf_number *number)
{
	uint64_t value;

	memcpy(&value, run + number->offset, sizeof(value));
	value &= number->mask;
	return (value ^ number->sign) - number->sign;
}

/* The same of either byte order. */
static inline uint64_t strata_ctf_number_load(const uint8_t *run,
					      const struct strata_ctf_number *number)
{
	uint64_t value;

	if (!number->big_endian)
		return strata_ctf_number_load_plain(run, number);
	memcpy(&value, run + number->offset, sizeof(value));
	value = __builtin_bswap64(value) >> (64 - number->bytes * 8);
	return (value ^ number->sign) - number->sign;
}

/* Whether the type is a number that a run may contain. */
static inline bool strata_ctf_is_whole_bytes(const struct strata_ctf_type *type)
{
	return type->kind <= STRATA_CTF_FLOAT && type->align >= 8 && !type->is_reversed &&
	       (type->bits == 8 || type->bits == 16 || type->bits == 32 || type->bits == 64);
}

/* Adjacent fields of known sizes. */
struct strata_ctf_run {
	uint32_t align; /* bytes */
	uint32_t bytes;
};

/* Whether the offset of a further field is known from the run's alignment.
 * @align: of the field, in bytes */
static inline bool strata_ctf_run_takes(const struct strata_ctf_run *run, uint32_t align,
					uint64_t bytes)
{
	return run->align >= align && run->bytes + bytes + align <= UINT32_MAX / 8;
}

/* Adds a field to the run; returns the field's offset. */
static inline uint32_t strata_ctf_run_extend(struct strata_ctf_run *run, uint32_t align,
					     uint32_t bytes)
{
	const uint32_t offset = (run->bytes + align - 1) & ~(align - 1);

	run->bytes = offset + bytes;
	return offset;
}

/* Skips a run, and returns its start; NULL: it exceeds the end. */
static inline const uint8_t *strata_ctf_run_enter(const struct strata_ctf_run *run,
						  struct strata_ctf_cursor *cursor)
{
	const uint64_t mask = (uint64_t)run->align * 8 - 1;
	const uint64_t from = (cursor->at + mask) & ~mask;
	const uint64_t to = from + (uint64_t)run->bytes * 8;

	if (to > cursor->end)
		return NULL;
	cursor->at = to;
	return cursor->bytes + from / 8;
}

struct strata_ctf_op {
	enum strata_ctf_op_kind kind;
	struct strata_ctf_run run; /* bytes: also of a text or block of known length; else 0 */
	uint32_t first;            /* of a run: its numbers */
	uint32_t nr;               /* of these, or of the elements */
	bool is_plain;             /* a run: all are little-endian and have no slots */
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
 * Folds all values, in order, into a hash, and skips them: numbers as 64 bits (sign-extended),
 * strings and text by their bytes up to the first zero byte and their length, arrays element by
 * element, preceded by the length for sequences. @hash: IN/OUT
 * Returns false if they exceed the end.
 */
bool strata_ctf_program_fold(const struct strata_ctf_program *program,
			     struct strata_ctf_cursor *cursor, uint64_t *hash);

#endif /* STRATA_MERGE_CTF_PROGRAM_H */
