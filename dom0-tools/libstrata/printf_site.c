// SPDX-License-Identifier: MIT
/*
 * printf_site.c - registers the calls of strata_printf() (strata/printf.h): names each call's event
 * and fields, and reads its format once, for the arguments that are strings.
 *
 * The format is the program's own. A format that does not match its arguments, which the compiler
 * warned about, only makes strings be recorded up to their zero byte.
 */
#include "libstrata/libstrata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/printf.h>

/* Of a file's name in an event's, so that a line and a number fit behind it. */
#define FILE_BYTES 40u

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Names an event after its place: "/src/my-server.c", 42 becomes my_server_c_42.  @turn: 1, or more
 * if the name is taken. */
static void name_event(struct strata_event_desc *event, const char *file, uint32_t line,
		       unsigned int turn)
{
	const char *slash = strrchr(file, '/');
	char base[FILE_BYTES];
	size_t i;

	snprintf(base, sizeof(base), "%s%s", is_digit(slash ? slash[1] : *file) ? "_" : "",
		 slash ? slash + 1 : file);
	for (i = 0; base[i]; i++)
		if (!is_letter(base[i]) && !is_digit(base[i]))
			base[i] = '_';
	/* strncpy() of the name before left zeros, and so must this. */
	memset(event->name, 0, sizeof(event->name));
	if (turn == 1)
		snprintf(event->name, sizeof(event->name), "%s_%u", base, line);
	else
		snprintf(event->name, sizeof(event->name), "%s_%u_%u", base, line, turn);
}

/*
 * Names a field after a variable or a member: "request->id[0]" becomes request_id_0.
 * Returns false for any other expression, and for names that could be taken for another field's.
 */
static bool name_after(struct strata_field_desc *field, const char *argument)
{
	size_t used = 0;

	if (!is_letter(*argument) || *argument == '_' || strncmp(argument, "arg", 3) == 0)
		return false;
	for (; *argument; argument++) {
		const bool is_plain = is_letter(*argument) || is_digit(*argument);

		if (!is_plain && !strchr("->.[]", *argument))
			return false;
		/* "->" alone: "x-1" and "x>1" are expressions. */
		if ((*argument == '-' && argument[1] != '>') ||
		    (*argument == '>' && argument[-1] != '-'))
			return false;
		if (!is_plain && (used == 0 || field->name[used - 1] == '_'))
			continue;
		if (used == sizeof(field->name) - 1)
			return false;
		field->name[used++] = is_plain ? *argument : '_';
	}
	if (field->name[used - 1] == '_')
		used--;
	memset(field->name + used, 0, sizeof(field->name) - used);
	return true;
}

static bool is_taken(const struct strata_event_desc *event, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < index; i++)
		if (strcmp(event->fields[i].name, event->fields[index].name) == 0)
			return true;
	return false;
}

static void name_fields(struct strata_event_desc *event, const char *const *arguments)
{
	unsigned int i;

	for (i = 0; i < event->nr_fields; i++) {
		struct strata_field_desc *field = &event->fields[i];

		if (name_after(field, arguments[i]) && !is_taken(event, i))
			continue;
		memset(field->name, 0, sizeof(field->name));
		snprintf(field->name, sizeof(field->name), "arg%u", i + 1);
	}
}

/* Reads a width or a precision: digits, or a star, which takes an argument.  Returns its end. */
static const char *read_number(const char *at, uint32_t *number, bool *is_star)
{
	*is_star = *at == '*';
	if (*is_star)
		return at + 1;
	for (; is_digit(*at); at++)
		if (*number < STRATA_SINGLE_BODY_MAX)
			*number = *number * 10 + (uint32_t)(*at - '0');
	return at;
}

/* The limit of a string after a star: the integer @field.  Of a string that might lack a zero byte
 * nothing is recorded if another argument is in its place. */
static uint16_t limit_by(const struct strata_field_desc *field)
{
	const uint32_t sign = field->kind == STRATA_FIELD_SIGNED ? STRATA_PRINTF_COUNTED_SIGN : 0;

	if (field->kind != STRATA_FIELD_SIGNED && field->kind != STRATA_FIELD_UNSIGNED)
		return STRATA_PRINTF_EMPTY;
	return (uint16_t)(STRATA_PRINTF_COUNTED | (uint32_t)__builtin_ctz(field->bytes) << 1 |
			  sign);
}

/* What is recorded of the string @index, by its conversion. */
static uint16_t limit_of(const struct strata_event_desc *event, unsigned int index, char letter,
			 bool has_precision, bool is_star, uint32_t precision)
{
	if (letter == 'p')
		return STRATA_PRINTF_ADDRESS;
	if (!has_precision)
		return STRATA_PRINTF_WHOLE;
	return is_star ? limit_by(&event->fields[index - 1]) : (uint16_t)(precision + 1);
}

/* Sets the limits of the strings among the arguments.  Those that are addresses get such a field.
 * It reads conversions as strata_conversion_read() of the viewer does. */
static void read_format(struct strata_event_desc *event, const char *format, uint16_t *limits)
{
	const char *at = format;
	unsigned int index = 0;

	while ((at = strchr(at, '%'))) {
		uint32_t width = 0, precision = 0;
		bool has_precision, width_is_star, is_star = false;

		at += 1 + strspn(at + 1, "-+ #0'I");
		at = read_number(at, &width, &width_is_star);
		has_precision = *at == '.';
		if (has_precision)
			at = read_number(at + 1, &precision, &is_star);
		at += strspn(at, "hlLqjzt");
		if (*at != '%' && (!is_letter(*at) || *at == '_'))
			continue;
		index += (unsigned int)width_is_star + is_star;
		if (*at == '%' || *at == 'm') {
			at++;
			continue;
		}
		if (index >= event->nr_fields)
			return;
		if (event->fields[index].kind == STRATA_FIELD_STRING)
			limits[index] =
				limit_of(event, index, *at, has_precision, is_star, precision);
		if (limits[index] == STRATA_PRINTF_ADDRESS) {
			event->fields[index].kind = STRATA_FIELD_HEX;
			event->fields[index].bytes = sizeof(void *);
		}
		index++;
		at++;
	}
}

/* Without the newlines that end it: a message is a line of its own. */
static size_t length_of(const char *format)
{
	size_t length = strlen(format);

	while (length && format[length - 1] == '\n')
		length--;
	return length;
}

static void add(struct strata_printf_site *site)
{
	struct strata_event_desc *event = registry_make_description(&site->tracepoint);
	unsigned int turn = 1;

	if (!event)
		return;
	name_fields(event, site->arguments);
	read_format(event, site->format, site->limits);
	if (!strata_event_set_format(event, site->format, length_of(site->format))) {
		free(event);
		return;
	}
	do
		name_event(event, site->file, site->line, turn++);
	while (registry_has_other(event) && turn < STRATA_APP_EVENTS_MAX);
	registry_add(&site->tracepoint, event);
}

void strata_app_register_printf(struct strata_printf_site *site)
{
	registry_lock();
	if (site->tracepoint.registered)
		site->tracepoint.registered++;
	else if (site->tracepoint.nr_fields <= STRATA_EVENT_FIELDS_MAX)
		add(site);
	registry_unlock();
}
