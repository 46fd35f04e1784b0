// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_program_run.c - runs the programs of ctf_program.h: over an event, and into a hash. */
#include "ctf/values/ctf_program.h"
#include "ctf/values/fields.h"
#include "base/value_hash.h"

/* Skips the elements of a block, and returns the first.  NULL: too many. */
static const uint8_t *enter_block(const struct strata_ctf_op *op, struct strata_ctf_cursor *cursor,
				  uint64_t *length)
{
	const uint8_t *from;

	if (op->run.bytes) {
		*length = op->nr;
		return strata_ctf_run_enter(&op->run, cursor);
	}
	if (!strata_ctf_read_length(cursor, op->type, length))
		return NULL;
	from = cursor->bytes + cursor->at / 8;
	cursor->at += *length * op->type->element->bits;
	return from;
}

bool strata_ctf_program_skip_ops(const struct strata_ctf_program *program,
				 struct strata_ctf_cursor *cursor)
{
	const struct strata_ctf_ops *ops = &program->skip;
	size_t i, j;

	for (i = 0; i < ops->nr; i++) {
		const struct strata_ctf_op *op = &ops->ops[i];
		const uint8_t *from;
		const char *text;
		uint64_t length;

		switch (op->kind) {
		case STRATA_CTF_OP_RUN:
			from = strata_ctf_run_enter(&op->run, cursor);
			if (!from)
				return false;
			for (j = op->first; j < op->first + op->nr; j++)
				cursor->slots[ops->numbers[j].slot] =
					strata_ctf_number_load(from, &ops->numbers[j]);
			break;
		case STRATA_CTF_OP_STRING:
			if (!strata_ctf_read_string(cursor, op->type, &text, &length))
				return false;
			break;
		case STRATA_CTF_OP_TEXT:
		case STRATA_CTF_OP_BLOCK:
			if (!enter_block(op, cursor, &length))
				return false;
			break;
		case STRATA_CTF_OP_TYPE:
			if (!strata_ctf_skip(cursor, op->type))
				return false;
			break;
		}
	}
	return true;
}

/* Computes strata_hash_bytes() of the text up to its first zero byte, eight bytes at a time; a few
 * bytes after the end must be readable. */
static uint64_t hash_text(uint64_t hash, const char *text, uint64_t room)
{
	const uint64_t ones = 0x0101010101010101ull, tops = ones << 7;
	uint64_t at, word, zeros;

	for (at = 0;; at += 8) {
		memcpy(&word, text + at, sizeof(word));
		zeros = (word - ones) & ~word & tops;
		if (room - at < 8)
			zeros |= 0x80ull << ((room - at) * 8);
		if (zeros)
			break;
		hash = strata_hash_number(hash, word);
	}
	/* The lowest marked byte is zero or the end; higher marks may be wrong. */
	at += (uint64_t)__builtin_ctzll(zeros) / 8;
	word &= (1ull << (at % 8 * 8)) - 1;
	return strata_hash_number(strata_hash_number(hash, word), at);
}

struct folder {
	struct strata_field_visitor visitor;
	uint64_t hash;
};

static void fold_number(struct strata_field_visitor *visitor, const char *name,
			const struct strata_ctf_type *type, uint64_t value)
{
	struct folder *folder = (struct folder *)visitor;

	(void)name;
	(void)type;
	folder->hash = strata_hash_number(folder->hash, value);
}

static void fold_text(struct strata_field_visitor *visitor, const char *name, const char *text,
		      uint64_t length)
{
	struct folder *folder = (struct folder *)visitor;

	(void)name;
	folder->hash = strata_hash_bytes(folder->hash, text, length);
}

static void fold_length(struct strata_field_visitor *visitor, const char *name,
			const struct strata_ctf_type *type, uint64_t length)
{
	struct folder *folder = (struct folder *)visitor;

	(void)name;
	if (type->kind == STRATA_CTF_SEQUENCE)
		folder->hash = strata_hash_number(folder->hash, length);
}

/* Hashes a field by its type, if the program has no specific operation. */
static bool fold_type(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
		      uint64_t *hash)
{
	struct folder folder = {
		.visitor = { .number = fold_number, .text = fold_text, .begin = fold_length },
		.hash = *hash
	};

	if (!strata_field_visit(&folder.visitor, "", type, cursor))
		return false;
	*hash = folder.hash;
	return true;
}

static bool fold_block(const struct strata_ctf_op *op, struct strata_ctf_cursor *cursor,
		       uint64_t *hash)
{
	const struct strata_ctf_type *element = op->type->element;
	struct strata_ctf_number number;
	uint64_t i, length, folded = *hash;
	const uint8_t *from = enter_block(op, cursor, &length);

	if (!from)
		return false;
	strata_ctf_number_init(&number, element, 0);
	if (op->type->kind == STRATA_CTF_SEQUENCE)
		folded = strata_hash_number(folded, length);
	for (i = 0; i < length; i++)
		folded = strata_hash_number(
			folded, strata_ctf_number_load(from + i * number.bytes, &number));
	*hash = folded;
	return true;
}

bool strata_ctf_program_fold(const struct strata_ctf_program *program,
			     struct strata_ctf_cursor *cursor, uint64_t *hash)
{
	const struct strata_ctf_number *number = program->fold.numbers;
	uint64_t folded = *hash;
	size_t i, j;

	for (i = 0; i < program->fold.nr; i++) {
		const struct strata_ctf_op *op = &program->fold.ops[i];
		const uint8_t *from;
		const char *text;
		uint64_t length, value;

		switch (op->kind) {
		case STRATA_CTF_OP_RUN:
			from = strata_ctf_run_enter(&op->run, cursor);
			if (!from)
				return false;
			if (op->is_plain) {
				for (j = 0; j < op->nr; j++, number++)
					folded = strata_hash_number(
						folded, strata_ctf_number_load_plain(from, number));
				break;
			}
			for (j = 0; j < op->nr; j++, number++) {
				value = strata_ctf_number_load(from, number);
				if (number->slot >= 0)
					cursor->slots[number->slot] = value;
				folded = strata_hash_number(folded, value);
			}
			break;
		case STRATA_CTF_OP_STRING:
			if (!strata_ctf_read_string(cursor, op->type, &text, &length))
				return false;
			folded = strata_hash_bytes(folded, text, length);
			break;
		case STRATA_CTF_OP_TEXT:
			from = enter_block(op, cursor, &length);
			if (!from)
				return false;
			folded = hash_text(folded, (const char *)from, length);
			break;
		case STRATA_CTF_OP_BLOCK:
			if (!fold_block(op, cursor, &folded))
				return false;
			break;
		case STRATA_CTF_OP_TYPE:
			if (!fold_type(cursor, op->type, &folded))
				return false;
			break;
		}
	}
	*hash = folded;
	return true;
}
