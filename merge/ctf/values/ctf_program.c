// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_program.c - makes programs: see ctf_program.h.  ctf_program_run.c runs them. */
#include "ctf/values/ctf_program.h"

#include <stdlib.h>

#define RUN_ELEMENTS_MAX 65536u /* limit for an array within a run */

struct maker {
	struct strata_ctf_ops *ops;
	bool folding; /* for hashing: every value matters */
	size_t ops_room, numbers_room;
	bool no_memory;
};

/* Returns room for one more element at the end of *@array. */
static void *one_more(struct maker *maker, void *array, size_t nr, size_t *room, size_t bytes)
{
	void *more;

	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 8;
	more = realloc(array, *room * bytes);
	if (!more) {
		maker->no_memory = true;
		*room = nr;
		return array;
	}
	return more;
}

static struct strata_ctf_op *add_op(struct maker *maker, enum strata_ctf_op_kind kind,
				    const struct strata_ctf_type *type, uint32_t align)
{
	struct strata_ctf_ops *ops = maker->ops;
	struct strata_ctf_op *op;

	ops->ops = one_more(maker, ops->ops, ops->nr, &maker->ops_room, sizeof(*ops->ops));
	if (maker->no_memory)
		return NULL;
	op = &ops->ops[ops->nr++];
	memset(op, 0, sizeof(*op));
	op->kind = kind;
	op->type = type;
	op->run.align = align;
	op->first = (uint32_t)ops->nr_numbers;
	op->is_plain = true;
	return op;
}

/* Returns the run to which a field of this alignment (bytes) belongs: the current one, if its
 * alignment fixes the field's distance. NULL: out of memory. */
static struct strata_ctf_op *run_for(struct maker *maker, uint32_t align, uint64_t bytes)
{
	struct strata_ctf_op *run = maker->ops->nr ? &maker->ops->ops[maker->ops->nr - 1] : NULL;

	if (!run || run->kind != STRATA_CTF_OP_RUN ||
	    !strata_ctf_run_takes(&run->run, align, bytes))
		run = add_op(maker, STRATA_CTF_OP_RUN, NULL, align);
	return run;
}

static void add_number(struct maker *maker, const struct strata_ctf_type *type)
{
	struct strata_ctf_ops *ops = maker->ops;
	const uint32_t align = type->align / 8;
	struct strata_ctf_op *run = run_for(maker, align, type->bits / 8);
	uint32_t offset;

	if (!run)
		return;
	offset = strata_ctf_run_extend(&run->run, align, type->bits / 8);
	if (!maker->folding && type->slot < 0)
		return;
	ops->numbers = one_more(maker, ops->numbers, ops->nr_numbers, &maker->numbers_room,
				sizeof(*ops->numbers));
	if (maker->no_memory)
		return;
	strata_ctf_number_init(&ops->numbers[ops->nr_numbers++], type, offset);
	run->nr++;
	run->is_plain &= type->slot < 0 && !type->big_endian;
}

static void add_type(struct maker *maker, const struct strata_ctf_type *type);

/* Whether a field aligns itself to bytes: all do except numbers of odd bits, and types that begin
 * with one. */
static bool aligns_itself(const struct strata_ctf_type *type)
{
	return type->kind == STRATA_CTF_STRING ||
	       (type->kind != STRATA_CTF_VARIANT && type->kind != STRATA_CTF_OPTIONAL &&
		type->align >= 8);
}

static void add_fields(struct maker *maker, const struct strata_ctf_type *type)
{
	size_t i;

	/* Its own alignment may exceed that of its first field. */
	if (type->align > 8 ||
	    (type->align == 8 && !(type->nr_fields && aligns_itself(type->fields[0].type)))) {
		struct strata_ctf_op *run = run_for(maker, type->align / 8, 0);

		if (run)
			strata_ctf_run_extend(&run->run, type->align / 8, 0);
	}
	for (i = 0; i < type->nr_fields; i++)
		add_type(maker, type->fields[i].type);
}

static void add_elements(struct maker *maker, const struct strata_ctf_type *type)
{
	const struct strata_ctf_type *element = type->element;
	const bool plain = strata_ctf_is_whole_bytes(element) && element->slot < 0 &&
			   element->align <= element->bits && type->align == element->align;

	const uint64_t bits = type->length * element->bits;

	if (!plain || (maker->folding && type->encoding != STRATA_CTF_UTF8)) {
		add_op(maker, STRATA_CTF_OP_TYPE, type, 1);
	} else if (!maker->folding && type->kind == STRATA_CTF_ARRAY &&
		   type->length < RUN_ELEMENTS_MAX) {
		struct strata_ctf_op *run = run_for(maker, type->align / 8, bits / 8);

		if (run)
			strata_ctf_run_extend(&run->run, type->align / 8, (uint32_t)(bits / 8));
	} else {
		const bool is_text = element->is_text && element->bits == 8;
		struct strata_ctf_op *op =
			add_op(maker, is_text ? STRATA_CTF_OP_TEXT : STRATA_CTF_OP_BLOCK, type,
			       element->align / 8);

		if (op && type->kind == STRATA_CTF_ARRAY && type->length < RUN_ELEMENTS_MAX) {
			op->run.bytes = (uint32_t)(bits / 8);
			op->nr = (uint32_t)type->length;
		}
	}
}

static void add_type(struct maker *maker, const struct strata_ctf_type *type)
{
	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_FLOAT:
		if (strata_ctf_is_whole_bytes(type))
			add_number(maker, type);
		else
			add_op(maker, STRATA_CTF_OP_TYPE, type, 1);
		break;
	case STRATA_CTF_STRING:
		if (type->encoding == STRATA_CTF_UTF8)
			add_op(maker, STRATA_CTF_OP_STRING, type, 1);
		else
			add_op(maker, STRATA_CTF_OP_TYPE, type, 1);
		break;
	case STRATA_CTF_STRUCT:
		/* Runs do not support alignment to bits. */
		if (type->align == 2 || type->align == 4)
			add_op(maker, STRATA_CTF_OP_TYPE, type, 1);
		else
			add_fields(maker, type);
		break;
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_VARINT:
	case STRATA_CTF_OPTIONAL:
		add_op(maker, STRATA_CTF_OP_TYPE, type, 1);
		break;
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		add_elements(maker, type);
		break;
	}
}

static int make_ops(struct strata_ctf_ops *ops, bool folding,
		    const struct strata_ctf_type *const *types, size_t nr_types)
{
	struct maker maker = { .ops = ops, .folding = folding };
	size_t i;

	for (i = 0; i < nr_types; i++) {
		if (types[i])
			add_type(&maker, types[i]);
	}
	return maker.no_memory ? -1 : 0;
}

int strata_ctf_program_make(struct strata_ctf_program *program,
			    const struct strata_ctf_type *const *types, size_t nr_types)
{
	const struct strata_ctf_op *only;

	memset(program, 0, sizeof(*program));
	if (make_ops(&program->skip, false, types, nr_types) ||
	    make_ops(&program->fold, true, types, nr_types)) {
		strata_ctf_program_clear(program);
		return -1;
	}
	only = program->skip.ops;
	program->is_one_run = program->skip.nr == 0 ||
			      (program->skip.nr == 1 && only->kind == STRATA_CTF_OP_RUN &&
			       program->skip.nr_numbers == 0);
	program->run_align = program->skip.nr && program->is_one_run ? only->run.align * 8 : 1;
	program->run_bits = program->skip.nr && program->is_one_run ? only->run.bytes * 8 : 0;
	return 0;
}

void strata_ctf_program_clear(struct strata_ctf_program *program)
{
	free(program->skip.ops);
	free(program->skip.numbers);
	free(program->fold.ops);
	free(program->fold.numbers);
	memset(program, 0, sizeof(*program));
}
