// SPDX-License-Identifier: GPL-2.0-only
/* probe_args.c - see probe_args.h. */
#include <linux/align.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "btf_names.h"
#include "probe_args.h"

#define TEXT_BYTES     64u
#define TEXT_BYTES_MAX 255u

#define FAULT "(fault)"

static const struct {
	const char *name;
	unsigned int offset;
} registers[] = {
	{ "ax", offsetof(struct pt_regs, ax) },       { "bx", offsetof(struct pt_regs, bx) },
	{ "cx", offsetof(struct pt_regs, cx) },       { "dx", offsetof(struct pt_regs, dx) },
	{ "si", offsetof(struct pt_regs, si) },       { "di", offsetof(struct pt_regs, di) },
	{ "bp", offsetof(struct pt_regs, bp) },       { "sp", offsetof(struct pt_regs, sp) },
	{ "r8", offsetof(struct pt_regs, r8) },       { "r9", offsetof(struct pt_regs, r9) },
	{ "r10", offsetof(struct pt_regs, r10) },     { "r11", offsetof(struct pt_regs, r11) },
	{ "r12", offsetof(struct pt_regs, r12) },     { "r13", offsetof(struct pt_regs, r13) },
	{ "r14", offsetof(struct pt_regs, r14) },     { "r15", offsetof(struct pt_regs, r15) },
	{ "flags", offsetof(struct pt_regs, flags) }, { "ip", offsetof(struct pt_regs, ip) },
};

/* Of a call's arguments, by the x86-64 ABI. */
static const unsigned int argument_registers[STRATA_FUNCTION_PARAMETERS_MAX] = {
	offsetof(struct pt_regs, di), offsetof(struct pt_regs, si), offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, cx), offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
};

/* Where a parameter is, counted from 0. */
static unsigned int parameter_place(enum strata_probe_args_of of, unsigned int number)
{
	return of == STRATA_ARGS_OF_TRACEPOINT ? number * sizeof(unsigned long)
					       : argument_registers[number];
}

static unsigned int parameters_max(enum strata_probe_args_of of)
{
	return of == STRATA_ARGS_OF_TRACEPOINT ? STRATA_TRACEPOINT_PARAMETERS_MAX
					       : STRATA_FUNCTION_PARAMETERS_MAX;
}

static bool parse_register(const char *name, unsigned int *offset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(registers); i++)
		if (!strcmp(name, registers[i].name)) {
			*offset = registers[i].offset;
			return true;
		}
	return false;
}

/* "%di", "$arg1" or "$retval" */
static bool parse_base(const char *text, enum strata_probe_args_of of, unsigned int *offset)
{
	unsigned int number;

	if (text[0] == '%')
		return of != STRATA_ARGS_OF_TRACEPOINT && parse_register(text + 1, offset);
	if (of == STRATA_ARGS_OF_RETURN) {
		*offset = offsetof(struct pt_regs, ax);
		return !strcmp(text, "$retval");
	}
	if (strncmp(text, "$arg", 4) || !isdigit(text[4]) || kstrtouint(text + 4, 10, &number) ||
	    !number || number > parameters_max(of))
		return false;
	*offset = parameter_place(of, number - 1);
	return true;
}

/* "+8(" or "-0x10u(" up to its bracket: a sign, perhaps u, and an offset. */
static bool parse_offset(char *text, struct strata_probe_deref *deref)
{
	char sign = *text++;
	unsigned int offset;

	deref->user = *text == 'u';
	text += deref->user;
	if (!isdigit(*text) || kstrtouint(text, 0, &offset) || offset > INT_MAX)
		return false;
	deref->offset = sign == '-' ? -(long)offset : (long)offset;
	return true;
}

/* "+8(+0($arg1))": the outermost comes first in the text, and last in the list. */
static bool parse_fetch(char *text, enum strata_probe_args_of of, struct strata_probe_arg *arg)
{
	struct strata_probe_deref deref[STRATA_PROBE_DEREFS_MAX];
	unsigned int nr = 0, i;
	size_t length;
	char *inner;

	while (*text == '+' || *text == '-') {
		length = strlen(text);
		inner = strchr(text, '(');
		if (nr == STRATA_PROBE_DEREFS_MAX || !inner || text[length - 1] != ')')
			return false;
		text[length - 1] = '\0';
		*inner = '\0';
		if (!parse_offset(text, &deref[nr++]))
			return false;
		text = inner + 1;
	}
	arg->nr_derefs = nr;
	for (i = 0; i < nr; i++)
		arg->deref[i] = deref[nr - 1 - i];
	return parse_base(text, of, &arg->at);
}

/* "string" or "string[N]" */
static bool parse_text_type(const char *text, struct strata_field_desc *field)
{
	unsigned int bytes = TEXT_BYTES;
	int end = 0;

	if (*text && (sscanf(text, "[%u]%n", &bytes, &end) != 1 || !end || text[end]))
		return false;
	field->kind = STRATA_FIELD_TEXT;
	field->bytes = 1;
	field->count = bytes;
	return bytes > 1 && bytes <= TEXT_BYTES_MAX;
}

/* "u32", "s8", "x64", or a text; "ustring" is one in the task's memory. */
static bool parse_type(const char *text, struct strata_field_desc *field, bool *user)
{
	static const char letters[] = "usx";
	static const u8 kinds[] = { STRATA_FIELD_UNSIGNED, STRATA_FIELD_SIGNED, STRATA_FIELD_HEX };
	const char *letter = strchr(letters, *text);
	unsigned int bits;

	*user = !strncmp(text, "ustring", 7);
	if (*user || !strncmp(text, "string", 6))
		return parse_text_type(text + 6 + *user, field);
	if (!*text || !letter || kstrtouint(text + 1, 10, &bits) ||
	    (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return false;
	field->kind = kinds[letter - letters];
	field->bytes = bits / 8;
	field->count = 1;
	return true;
}

static bool parse_name(const char *name, struct strata_field_desc *field)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isascii(name[i]) || !(isalnum(name[i]) || name[i] == '_'))
			return false;
	return i > 0 && !isdigit(name[0]) && strscpy(field->name, name, sizeof(field->name)) >= 0;
}

/* "FETCH:TYPE"; without a type x64. */
static bool parse_place(char *fetch, const char *type, enum strata_probe_args_of of,
			struct strata_probe_arg *arg, struct strata_field_desc *field)
{
	bool user;

	if (!parse_fetch(fetch, of, arg) || !parse_type(type ?: "x64", field, &user))
		return false;
	arg->text = field->kind == STRATA_FIELD_TEXT;
	/* A register holds no text. */
	if (arg->text && !arg->nr_derefs)
		return false;
	if (user)
		arg->deref[arg->nr_derefs - 1].user = true;
	return true;
}

/* The text that a name leads to, which is an array of characters or a pointer to them. */
static bool parse_named_text(const char *name, const struct strata_btf_value *value, bool user,
			     struct strata_btf_names *names, struct strata_probe_arg *arg)
{
	if (value->text == STRATA_BTF_NO_TEXT)
		return !strata_btf_refuse(
			names, "'%s' is no text: neither an array of char nor a pointer to it",
			name);
	if (value->text == STRATA_BTF_TEXT_POINTER) {
		if (arg->nr_derefs == STRATA_PROBE_DEREFS_MAX)
			return !strata_btf_refuse(
				names, "the text of '%s' is behind more than %u pointers", name,
				STRATA_PROBE_DEREFS_MAX);
		arg->deref[arg->nr_derefs++] =
			(struct strata_probe_deref){ .user = value->text_user };
	}
	arg->deref[arg->nr_derefs - 1].user |= user;
	return true;
}

/* "NAME:TYPE"; without a type the parameter's own, or the member's. */
static bool parse_named(char *name, const char *type, struct strata_btf_names *names,
			struct strata_probe_arg *arg, struct strata_field_desc *field)
{
	struct strata_btf_value value;
	bool user = false;

	if (!*field->name && !strata_btf_names_label(name, field->name, sizeof(field->name)))
		return !strata_btf_refuse(
			names, "'%s' is too long for the name of a field; name it: FIELD=%s", name,
			name);
	if (strata_btf_names_find(names, name, &value))
		return false;
	arg->at = names->of == STRATA_ARGS_OF_RETURN ? offsetof(struct pt_regs, ax)
						     : parameter_place(names->of, value.number);
	arg->nr_derefs = value.nr_derefs;
	memcpy(arg->deref, value.deref, sizeof(arg->deref));
	if (type && !parse_type(type, field, &user))
		return !strata_btf_refuse(names, "'%s' is no type; use u32, s8, x64, string...",
					  type);
	arg->text = type && field->kind == STRATA_FIELD_TEXT;
	if (arg->text)
		return parse_named_text(name, &value, user, names, arg);
	if (!value.bytes)
		return !strata_btf_refuse(names, "'%s' is an array%s", name,
					  value.text ? "; record its text with :string"
						     : ", not a number");
	if (!type) {
		field->kind = value.kind;
		field->bytes = value.bytes;
		field->count = 1;
	}
	return true;
}

/* "FIELD=FETCH:TYPE"; without FIELD "argN", or as the parameter is called. */
static bool parse_arg(char *text, enum strata_probe_args_of of, struct strata_btf_names *names,
		      unsigned int number, struct strata_probe_arg *arg,
		      struct strata_field_desc *field)
{
	char *fetch = strchr(text, '='), *type = strrchr(text, ':');

	memset(field, 0, sizeof(*field));
	if (fetch) {
		*fetch++ = '\0';
		if (!parse_name(text, field))
			return false;
	} else {
		fetch = text;
	}
	if (type)
		*type++ = '\0';
	if (names && of == STRATA_ARGS_OF_TRACEPOINT && strchr(fetch, '%'))
		return !strata_btf_refuse(
			names, "a trace point has no registers, but parameters, $arg1 to $arg%u",
			STRATA_TRACEPOINT_PARAMETERS_MAX);
	if (names && strata_btf_names_is(fetch))
		return parse_named(fetch, type, names, arg, field);
	if (!*field->name)
		snprintf(field->name, sizeof(field->name), "arg%u", number);
	if (!parse_place(fetch, type, of, arg, field))
		return false;
	/* Behind its parameters a trace point has nothing that means anything. */
	return of != STRATA_ARGS_OF_TRACEPOINT || !names ||
	       strata_btf_names_has(names, arg->at / sizeof(unsigned long));
}

static bool is_named(const struct strata_field_desc *fields, unsigned int nr, const char *name)
{
	while (nr-- > 0)
		if (!strcmp(fields[nr].name, name))
			return true;
	return !strcmp(name, "tid");
}

/* Parses one argument behind the others.  0 or -EINVAL. */
static int add_arg(char *word, enum strata_probe_args_of of, struct strata_btf_names *names,
		   struct strata_probe_args *args, struct strata_field_desc *fields)
{
	const unsigned int nr = args->nr;
	struct strata_field_desc *field = &fields[nr];
	struct strata_probe_arg *arg = &args->arg[nr];

	if (nr == STRATA_PROBE_ARGS_MAX) {
		if (names)
			strata_btf_refuse(names, "more than %u arguments", STRATA_PROBE_ARGS_MAX);
		return -EINVAL;
	}
	if (!parse_arg(word, of, names, nr + 1, arg, field))
		return -EINVAL;
	if (is_named(fields, nr, field->name)) {
		if (names)
			strata_btf_refuse(
				names, "two fields are called '%s'; name the argument: FIELD=...",
				field->name);
		return -EINVAL;
	}
	arg->place = strata_field_align(args->end, field->bytes);
	arg->bytes = field->bytes * field->count;
	args->end = arg->place + arg->bytes;
	args->nr++;
	return 0;
}

/* "$arg*": all parameters.  0 or -EINVAL. */
static int add_parameters(struct strata_btf_names *names, struct strata_probe_args *args,
			  struct strata_field_desc *fields)
{
	char word[STRATA_FIELD_NAME_BYTES];
	unsigned int i;
	int err = 0;

	for (i = 0; !err; i++) {
		const char *name = strata_btf_names_parameter(names, i);

		if (!name)
			return *names->why ? -EINVAL : 0;
		if (strscpy(word, name, sizeof(word)) < 0) {
			strata_btf_refuse(
				names,
				"'%s' is too long for the name of a field; name it: FIELD=%s", name,
				name);
			return -EINVAL;
		}
		err = add_arg(word, names->of, names, args, fields);
	}
	return err;
}

int strata_probe_args_parse(char *words, enum strata_probe_args_of of,
			    struct strata_btf_names *names, unsigned int begin,
			    struct strata_probe_args *args, struct strata_field_desc *fields)
{
	char *word;
	int err = 0;

	args->nr = 0;
	args->end = begin;
	while (!err && (word = strsep(&words, " "))) {
		if (names && !strcmp(word, "$arg*"))
			err = add_parameters(names, args, fields);
		else
			err = add_arg(word, of, names, args, fields);
	}
	return err;
}

void strata_probe_args_of_program(struct strata_probe_args *args)
{
	unsigned int i, j;

	for (i = 0; i < args->nr; i++)
		for (j = 0; j < args->arg[i].nr_derefs; j++)
			args->arg[i].deref[j].user = true;
}

static bool copy(void *to, unsigned long from, size_t bytes, bool user)
{
	return !(user ? copy_from_user_nofault(to, (const void __user *)from, bytes)
		      : copy_from_kernel_nofault(to, (const void *)from, bytes));
}

/* Copies text, cut to fit, and zeros behind its end.  By words, which lie in one page each. */
static void copy_text(char *to, unsigned int bytes, unsigned long from, bool user)
{
	unsigned int done = 0, got;

	memset(to, 0, bytes);
	while (done < bytes - 1) {
		got = min_t(unsigned int, sizeof(long) - (from & (sizeof(long) - 1)),
			    bytes - 1 - done);
		if (!copy(to + done, from, got, user)) {
			memset(to, 0, bytes);
			memcpy(to, FAULT, min_t(unsigned int, sizeof(FAULT), bytes) - 1);
			return;
		}
		if (memchr(to + done, '\0', got))
			break;
		done += got;
		from += got;
	}
	/* What lies behind the end is nobody's business. */
	got = strnlen(to, bytes);
	memset(to + got, 0, bytes - got);
}

static void write_arg(const struct strata_probe_arg *arg, const void *from, void *to)
{
	unsigned long value = *(const unsigned long *)((const char *)from + arg->at);
	unsigned int i;

	for (i = 0; i < arg->nr_derefs; i++) {
		const struct strata_probe_deref *deref = &arg->deref[i];
		const bool last = i == arg->nr_derefs - 1;
		unsigned long address = value + deref->offset;

		if (last && arg->text) {
			copy_text(to, arg->bytes, address, deref->user);
			return;
		}
		value = 0;
		if (!copy(&value, address, last ? arg->bytes : sizeof(value), deref->user)) {
			value = 0;
			break;
		}
	}
	/* A fault on the way to a text. */
	if (arg->text)
		copy_text(to, arg->bytes, 0, false);
	else
		memcpy(to, &value, arg->bytes);
}

void strata_probe_args_write(const struct strata_probe_args *args, const void *from, void *payload,
			     unsigned int begin)
{
	unsigned int end = begin, i;

	for (i = 0; i < args->nr; i++) {
		const struct strata_probe_arg *arg = &args->arg[i];

		memset(payload + end, 0, arg->place - end);
		write_arg(arg, from, payload + arg->place);
		end = arg->place + arg->bytes;
	}
}
