// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_program.c - makes programs: see ctf_program.h.  ctf_program_run.c runs them. */
#include "ctf/ctf_program.h"

#include <stdlib.h>

struct maker {
	struct strata_ctf_program *program;
	size_t ops_room, numbers_room, saves_room;
	bool no_memory;
};

/* Room for one more element at the end of *@array. */
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
	struct strata_ctf_program *program = maker->program;
	struct strata_ctf_op *op;

	program->ops = one_more(maker, program->ops, program->nr_ops, &maker->ops_room,
				sizeof(*program->ops));
	if (maker->no_memory)
		return NULL;
	op = &program->ops[program->nr_ops++];
	memset(op, 0, sizeof(*op));
	op->kind = kind;
	op->type = type;
	op->align = align;
	op->first = (uint32_t)program->nr_numbers;
	op->first_save = (uint32_t)program->nr_saves;
	return op;
}

static bool is_whole_bytes(const struct strata_ctf_type *type)
{
	return type->kind <= STRATA_CTF_FLOAT && type->align >= 8 &&
	       (type->bits == 8 || type->bits == 16 || type->bits == 32 || type->bits == 64);
}

static void add_number(struct maker *maker, const struct strata_ctf_type *type)
{
	struct strata_ctf_program *program = maker->program;
	const uint32_t align = type->align / 8;
	struct strata_ctf_number number = { .bytes = type->bits / 8,
					    .is_signed = type->is_signed,
					    .big_endian = type->big_endian,
					    .slot = type->slot };
	struct strata_ctf_op *run = program->nr_ops ? &program->ops[program->nr_ops - 1] : NULL;

	/* Its distance to what is before it in the run is known if the run is aligned as it is. */
	if (!run || run->kind != STRATA_CTF_OP_RUN || run->align < align)
		run = add_op(maker, STRATA_CTF_OP_RUN, NULL, align);
	program->numbers = one_more(maker, program->numbers, program->nr_numbers,
				    &maker->numbers_room, sizeof(number));
	program->saves = one_more(maker, program->saves, program->nr_saves, &maker->saves_room,
				  sizeof(number));
	if (!run || maker->no_memory)
		return;
	number.offset = (run->bytes + align - 1) & ~(align - 1);
	run->bytes = number.offset + number.bytes;
	program->numbers[program->nr_numbers++] = number;
	run->nr++;
	if (number.slot >= 0) {
		program->saves[program->nr_saves++] = number;
		run->saved++;
	}
}

static void add_type(struct maker *maker, const struct strata_ctf_type *type);

static void add_fields(struct maker *maker, const struct strata_ctf_type *type)
{
	size_t i;

	/* Its own alignment may be more than its first field's. */
	if (type->align > 8) {
		struct strata_ctf_program *program = maker->program;
		const struct strata_ctf_op *last =
			program->nr_ops ? &program->ops[program->nr_ops - 1] : NULL;

		if (!last || last->kind != STRATA_CTF_OP_RUN || last->bytes ||
		    last->align < type->align / 8)
			add_op(maker, STRATA_CTF_OP_RUN, NULL, type->align / 8);
	}
	for (i = 0; i < type->nr_fields; i++)
		add_type(maker, type->fields[i].type);
}

static void add_elements(struct maker *maker, const struct strata_ctf_type *type)
{
	const struct strata_ctf_type *element = type->element;
	const bool plain = is_whole_bytes(element) && element->slot < 0 &&
			   element->align <= element->bits && type->align == element->align;

	if (!plain)
		add_op(maker, STRATA_CTF_OP_TYPE, type, 1);
	else if (element->is_text && element->bits == 8)
		add_op(maker, STRATA_CTF_OP_TEXT, type, 1);
	else
		add_op(maker, STRATA_CTF_OP_BLOCK, type, element->align / 8);
}

static void add_type(struct maker *maker, const struct strata_ctf_type *type)
{
	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_FLOAT:
		if (is_whole_bytes(type))
			add_number(maker, type);
		else
			add_op(maker, STRATA_CTF_OP_TYPE, type, 1);
		break;
	case STRATA_CTF_STRING:
		add_op(maker, STRATA_CTF_OP_STRING, type, 1);
		break;
	case STRATA_CTF_STRUCT:
		add_fields(maker, type);
		break;
	case STRATA_CTF_VARIANT:
		add_op(maker, STRATA_CTF_OP_TYPE, type, 1);
		break;
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		add_elements(maker, type);
		break;
	}
}

int strata_ctf_program_make(struct strata_ctf_program *program,
			    const struct strata_ctf_type *const *types, size_t nr_types)
{
	struct maker maker = { .program = program };
	size_t i;

	memset(program, 0, sizeof(*program));
	for (i = 0; i < nr_types; i++) {
		if (types[i])
			add_type(&maker, types[i]);
	}
	if (!maker.no_memory)
		return 0;
	strata_ctf_program_clear(program);
	return -1;
}

void strata_ctf_program_clear(struct strata_ctf_program *program)
{
	free(program->ops);
	free(program->numbers);
	free(program->saves);
	memset(program, 0, sizeof(*program));
}
