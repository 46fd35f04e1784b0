// SPDX-License-Identifier: GPL-2.0-only
/* btf_names.c - see btf_names.h. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <strata/event.h>

#include "btf_names.h"
#include "btf_prototype.h"

#define NAME_BYTES 64u

/* Where one has got in "file->f_inode->i_ino". */
struct position {
	struct strata_btf_value *value;
	const struct btf_type *type; /* plain */
	bool user;                   /* its pointer is to the task's memory */
	u32 bits;                    /* offset in the struct that the last pointer leads to */
	bool bit_field;
	char name[NAME_BYTES]; /* of the last part */
};

int strata_btf_refuse(struct strata_btf_names *names, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vscnprintf(names->why, sizeof(names->why), format, args);
	va_end(args);
	return -EINVAL;
}

void strata_btf_names_init(struct strata_btf_names *names, const char *place,
			   enum strata_probe_args_of of)
{
	memset(names, 0, sizeof(*names));
	names->place = place;
	names->of = of;
}

void strata_btf_names_close(struct strata_btf_names *names)
{
	strata_btf_close(&names->module);
	strata_btf_close(&names->kernel);
	strata_kernel_btf_put(&names->owner);
}

static bool is_name_char(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

static size_t name_length(const char *text)
{
	size_t length = 0;

	while (is_name_char(text[length]))
		length++;
	return length;
}

bool strata_btf_names_is(const char *text)
{
	if (*text == '$')
		return text[1 + name_length(text + 1)] != '\0';
	return is_name_char(*text) && !isdigit(*text);
}

bool strata_btf_names_label(const char *text, char *label, size_t bytes)
{
	size_t length = 0;

	for (text += *text == '$'; *text && length < bytes; text++) {
		if (text[0] == '-' && text[1] == '>')
			text++;
		label[length++] = is_name_char(*text) ? *text : '_';
	}
	if (length == bytes)
		return false;
	label[length] = '\0';
	return true;
}

/* Whether a parameter takes one register, as numbers and pointers do. */
static bool fits_register(const struct btf_type *type)
{
	switch (strata_btf_kind(type)) {
	case BTF_KIND_PTR:
		return true;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return type->size <= sizeof(u64);
	default:
		return false;
	}
}

static int refuse_parameter(struct strata_btf_names *names, const char *name)
{
	char list[STRATA_BTF_WHY_BYTES / 2] = "";
	const struct btf_param *params;
	u32 nr, i;

	params = strata_btf_parameters(names, &nr);
	for (i = 0; i < nr; i++)
		if (!strata_btf_list_add(list, sizeof(list),
					 strata_btf_name(names->btf, params[i].name_off)))
			break;
	if (!*list)
		return strata_btf_refuse(names, "'%s' has no parameters", names->place);
	return strata_btf_refuse(names, "'%s' has no parameter '%s'; its parameters: %s",
				 names->place, name, list);
}

/* Takes parameter @number, if its register is known. */
static int take_parameter(struct strata_btf_names *names, u32 number, struct position *at)
{
	const bool tracepoint = names->of == STRATA_ARGS_OF_TRACEPOINT;
	const struct btf_type *type = NULL;
	const struct btf_param *params;
	u32 nr, i;

	params = strata_btf_parameters(names, &nr);
	for (i = 0; i <= number; i++) {
		at->user = false;
		type = strata_btf_plain(names->btf, params[i].type, &at->user);
		if (!fits_register(type))
			return strata_btf_refuse(
				names,
				"parameter '%s' of '%s' is passed by value and is no number, so the places of it and of those behind it are not known%s",
				strata_btf_name(names->btf, params[i].name_off), names->place,
				tracepoint ? "" : "; use registers such as %di");
	}
	if (tracepoint && number >= STRATA_TRACEPOINT_PARAMETERS_MAX)
		return strata_btf_refuse(
			names, "parameter '%s' of '%s' is behind the first %u, which are recorded",
			at->name, names->place, STRATA_TRACEPOINT_PARAMETERS_MAX);
	if (!tracepoint && number >= STRATA_FUNCTION_PARAMETERS_MAX)
		return strata_btf_refuse(
			names,
			"parameter '%s' of '%s' is on the stack, not in a register; use +%u(%%sp)",
			at->name, names->place, 8 * (number - STRATA_FUNCTION_PARAMETERS_MAX + 1));
	at->value->number = number;
	at->type = type;
	return 0;
}

/* "count", or "$arg2" */
static int find_parameter(struct strata_btf_names *names, struct position *at)
{
	const struct btf_param *params;
	u32 nr, number = 0;

	if (names->of == STRATA_ARGS_OF_RETURN)
		return strata_btf_refuse(
			names,
			"'%s' is a parameter, which is lost when the function returns; use $retval",
			at->name);
	params = strata_btf_parameters(names, &nr);
	if (!strncmp(at->name, "$arg", 4)) {
		if (kstrtouint(at->name + 4, 10, &number) || !number || number > nr)
			return refuse_parameter(names, at->name);
		return take_parameter(names, number - 1, at);
	}
	while (number < nr &&
	       strcmp(strata_btf_name(names->btf, params[number].name_off), at->name))
		number++;
	return number < nr ? take_parameter(names, number, at) : refuse_parameter(names, at->name);
}

/* "$retval" */
static int find_returned(struct strata_btf_names *names, struct position *at)
{
	if (names->of != STRATA_ARGS_OF_RETURN)
		return strata_btf_refuse(
			names, "only a function's return has $retval; use it with --kretprobe");
	at->type = strata_btf_plain(names->btf, names->prototype->type, &at->user);
	if (!names->prototype->type)
		return strata_btf_refuse(names, "'%s' returns nothing", names->place);
	if (!fits_register(at->type))
		return strata_btf_refuse(names,
					 "'%s' returns a struct, which is in no register; use %%ax",
					 names->place);
	return 0;
}

/* Follows a pointer, by "->". */
static int follow(struct strata_btf_names *names, struct position *at)
{
	struct strata_btf_value *value = at->value;

	if (strata_btf_is_compound(at->type))
		return strata_btf_refuse(
			names, "'%s' is a struct, not a pointer; use '.' behind it", at->name);
	if (strata_btf_kind(at->type) != BTF_KIND_PTR)
		return strata_btf_refuse(names, "'%s' is no pointer, and has no members", at->name);
	if (value->nr_derefs == STRATA_PROBE_DEREFS_MAX)
		return strata_btf_refuse(names,
					 "'%s' is behind more than %u pointers; name less of them",
					 at->name, STRATA_PROBE_DEREFS_MAX);
	value->deref[value->nr_derefs++].user = at->user;
	at->bits = 0;
	at->user = false;
	at->type = strata_btf_plain(names->btf, at->type->type, &at->user);
	/* "struct file __user *": the tag is behind the pointer. */
	value->deref[value->nr_derefs - 1].user |= at->user;
	if (strata_btf_kind(at->type) == BTF_KIND_FWD || !at->type)
		return strata_btf_refuse(
			names,
			"the type behind '%s' is not known to the kernel's BTF; use an offset: +8($arg1)",
			at->name);
	if (!strata_btf_is_compound(at->type))
		return strata_btf_refuse(names, "'%s' points to no struct; it has no members",
					 at->name);
	return 0;
}

/* Takes the member of a struct. */
static int take_member(struct strata_btf_names *names, struct position *at, const char *name)
{
	const struct btf_member *member;
	char list[STRATA_BTF_WHY_BYTES / 2];

	if (strata_btf_kind(at->type) == BTF_KIND_PTR)
		return strata_btf_refuse(names, "'%s' is a pointer; use '->' behind it", at->name);
	if (!strata_btf_is_compound(at->type))
		return strata_btf_refuse(names, "'%s' is no struct, and has no members", at->name);
	member = strata_btf_member(names->btf, at->type, name, &at->bits, &at->bit_field);
	if (!member) {
		strata_btf_list_members(names->btf, at->type, list, sizeof(list));
		return strata_btf_refuse(names, "struct %s has no member '%s'; its members: %s",
					 strata_btf_name(names->btf, at->type->name_off), name,
					 list);
	}
	at->bit_field |= at->bits % 8 != 0;
	at->value->deref[at->value->nr_derefs - 1].offset = at->bits / 8;
	at->user = false;
	at->type = strata_btf_plain(names->btf, member->type, &at->user);
	strscpy(at->name, name, sizeof(at->name));
	return 0;
}

/* Whether it is a character, or of no type. */
static bool is_character(const struct strata_btf *btf, u32 id, bool *user)
{
	const struct btf_type *type = strata_btf_plain(btf, id, user);

	return !type || (strata_btf_kind(type) == BTF_KIND_INT && type->size == 1);
}

/* A number's kind, and whether it is one. */
static int take_number(struct strata_btf_names *names, struct position *at)
{
	const struct btf_type *type = at->type;
	struct strata_btf_value *value = at->value;
	u32 encoding = 0;

	value->bytes = type->size;
	if (strata_btf_kind(type) == BTF_KIND_INT) {
		encoding = *(const u32 *)strata_btf_parts(type);
		at->bit_field |= BTF_INT_BITS(encoding) != type->size * 8;
		value->kind = BTF_INT_ENCODING(encoding) & BTF_INT_SIGNED ? STRATA_FIELD_SIGNED
									  : STRATA_FIELD_UNSIGNED;
	} else {
		value->kind = BTF_INFO_KFLAG(type->info) ? STRATA_FIELD_SIGNED
							 : STRATA_FIELD_UNSIGNED;
	}
	if (at->bit_field)
		return strata_btf_refuse(
			names,
			"'%s' is a bit field; record the bytes around it by an offset: +8($arg1):x32",
			at->name);
	if (value->bytes != 1 && value->bytes != 2 && value->bytes != 4 && value->bytes != 8)
		return strata_btf_refuse(names,
					 "'%s' is a number of %u bytes; 8 at most are recorded",
					 at->name, value->bytes);
	return 0;
}

/* What to record of it. */
static int describe(struct strata_btf_names *names, struct position *at)
{
	struct strata_btf_value *value = at->value;
	const struct btf_array *array;

	value->text_user = at->user;
	switch (strata_btf_kind(at->type)) {
	case BTF_KIND_PTR:
		value->kind = STRATA_FIELD_HEX;
		value->bytes = sizeof(u64);
		if (is_character(names->btf, at->type->type, &value->text_user))
			value->text = STRATA_BTF_TEXT_POINTER;
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return take_number(names, at);
	case BTF_KIND_ARRAY:
		array = strata_btf_parts(at->type);
		if (is_character(names->btf, array->type, NULL))
			value->text = STRATA_BTF_TEXT;
		return 0;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return strata_btf_refuse(
			names, "'%s' is a struct, not a number; name a member of it", at->name);
	default:
		return strata_btf_refuse(
			names,
			"'%s' is of a type that cannot be recorded; use an offset: +8($arg1)",
			at->name);
	}
}

/* Cuts off the next name.  False: no name follows, or one that is too long. */
static bool next_name(const char **text, char name[NAME_BYTES])
{
	size_t length = name_length(*text + (**text == '$')) + (**text == '$');

	if (!length || length >= NAME_BYTES)
		return false;
	memcpy(name, *text, length);
	name[length] = '\0';
	*text += length;
	return true;
}

int strata_btf_names_find(struct strata_btf_names *names, const char *text,
			  struct strata_btf_value *value)
{
	const char *all = text;
	struct position at = { .value = value };
	char name[NAME_BYTES];
	int err = strata_btf_prototype_find(names);

	memset(value, 0, sizeof(*value));
	if (err)
		return err;
	if (!next_name(&text, at.name))
		return strata_btf_refuse(names, "'%s' is no name", all);
	err = strcmp(at.name, "$retval") ? find_parameter(names, &at) : find_returned(names, &at);
	while (!err && *text) {
		if (text[0] == '-' && text[1] == '>') {
			err = follow(names, &at);
			text += 2;
		} else if (*text == '.') {
			text++;
		} else {
			return strata_btf_refuse(
				names, "'%s' is no name of a member; join names by '->' or '.'",
				all);
		}
		if (!err && (*text == '$' || !next_name(&text, name)))
			err = strata_btf_refuse(names, "a name is missing in '%s'", all);
		if (!err)
			err = take_member(names, &at, name);
	}
	return err ?: describe(names, &at);
}

bool strata_btf_names_has(struct strata_btf_names *names, u32 number)
{
	u32 nr;

	if (strata_btf_prototype_find(names)) {
		*names->why = '\0';
		return true;
	}
	strata_btf_parameters(names, &nr);
	if (number < nr)
		return true;
	strata_btf_refuse(names, "'%s' has %u parameters", names->place, nr);
	return false;
}

const char *strata_btf_names_parameter(struct strata_btf_names *names, u32 number)
{
	const struct btf_param *params;
	u32 nr;

	if (names->of == STRATA_ARGS_OF_RETURN) {
		strata_btf_refuse(names,
				  "the parameters are lost when the function returns; use $retval");
		return NULL;
	}
	if (strata_btf_prototype_find(names))
		return NULL;
	params = strata_btf_parameters(names, &nr);
	return number < nr ? strata_btf_name(names->btf, params[number].name_off) : NULL;
}
