// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_text.c - see event_text.h.  Called for each event of the text timeline,
 * so numbers are written by hand: printf would cost more than the merge does.
 */
#include "event_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

#define PCPU_COLUMN   4u
#define DOMAIN_COLUMN 10u
#define NAME_COLUMN   28u

/* Decimal digits of @value, at least @width (1 or more) with zeros in front; two at a time,
 * because the divisions are what takes the time. */
static char *put_decimal(char *out, uint64_t value, unsigned int width)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char digits[20];
	char *first = digits + sizeof(digits);
	size_t length;

	while (value >= 10) {
		first -= 2;
		memcpy(first, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value > 0)
		*--first = (char)('0' + value);
	length = (size_t)(digits + sizeof(digits) - first);
	for (; width > length; width--)
		*out++ = '0';
	memcpy(out, first, length);
	return out + length;
}

static char *put_hex(char *out, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	int shift = value ? (63 - __builtin_clzll(value)) & ~3 : 0;

	*out++ = '0';
	*out++ = 'x';
	for (; shift >= 0; shift -= 4)
		*out++ = digits[value >> shift & 15];
	return out;
}

static char *put_text(char *out, const char *text)
{
	size_t length = strlen(text);

	memcpy(out, text, length);
	return out + length;
}

/* Spaces up to the column @width from @start, and one more. */
static char *pad_to(char *out, const char *start, unsigned int width)
{
	while (out < start + width)
		*out++ = ' ';
	*out++ = ' ';
	return out;
}

static char *put_seconds(char *out, uint64_t ns)
{
	out = put_decimal(out, ns / 1000000000u, 1);
	*out++ = '.';
	return put_decimal(out, ns % 1000000000u, 9);
}

/* Right-aligned in a column of @width. */
static char *put_number_right(char *out, uint64_t value, unsigned int width)
{
	char text[20];
	unsigned int length = (unsigned int)(put_decimal(text, value, 1) - text);

	for (; width > length; width--)
		*out++ = ' ';
	memcpy(out, text, length);
	return out + length;
}

static uint64_t load(const uint8_t *bytes, unsigned int size)
{
	uint64_t value64;
	uint32_t value32;
	uint16_t value16;

	switch (size) {
	case 1:
		return *bytes;
	case 2:
		memcpy(&value16, bytes, sizeof(value16));
		return value16;
	case 4:
		memcpy(&value32, bytes, sizeof(value32));
		return value32;
	default:
		memcpy(&value64, bytes, sizeof(value64));
		return value64;
	}
}

/* As few digits as give the same number again: a float's are 6 to 9, a double's 15 to 17. */
static char *put_float(char *out, const uint8_t *bytes, unsigned int size)
{
	const bool narrow = size == sizeof(float);
	const int most = narrow ? 9 : 17;
	int digits = narrow ? 6 : 15;
	double number;
	float single;
	char text[32];

	if (narrow) {
		memcpy(&single, bytes, sizeof(single));
		number = (double)single;
	} else {
		memcpy(&number, bytes, sizeof(number));
	}
	do
		snprintf(text, sizeof(text), "%.*g", digits, number);
	while (digits++ < most &&
	       (narrow ? (double)strtof(text, NULL) : strtod(text, NULL)) != number);
	return put_text(out, text);
}

static char *put_element(char *out, const struct strata_field_desc *field, const uint8_t *bytes)
{
	uint64_t value = load(bytes, field->bytes);
	unsigned int unused_bits = 64u - field->bytes * 8u;
	int64_t number;

	if (field->kind == STRATA_FIELD_FLOAT)
		return put_float(out, bytes, field->bytes);
	if (field->kind == STRATA_FIELD_HEX)
		return put_hex(out, value);
	if (field->kind == STRATA_FIELD_UNSIGNED)
		return put_decimal(out, value, 1);
	number = (int64_t)(value << unused_bits) >> unused_bits;
	if (number >= 0)
		return put_decimal(out, (uint64_t)number, 1);
	*out++ = '-';
	return put_decimal(out, -(uint64_t)number, 1);
}

/* @count: elements, or bytes of a string */
static char *put_field(char *out, const struct strata_field_desc *field, const uint8_t *bytes,
		       uint32_t count)
{
	uint32_t i;

	*out++ = ' ';
	out = put_text(out, field->name);
	*out++ = '=';
	if (field->kind == STRATA_FIELD_TEXT || field->kind == STRATA_FIELD_STRING) {
		*out++ = '"';
		out = strata_escape(out, (const char *)bytes, count);
		*out++ = '"';
		return out;
	}
	if (field->count == 1)
		return put_element(out, field, bytes);
	*out++ = '[';
	for (i = 0; i < count; i++) {
		if (i > 0)
			*out++ = ',';
		out = put_element(out, field, bytes + (size_t)i * field->bytes);
	}
	*out++ = ']';
	return out;
}

/* Fields of the hypervisor that hold a domain's number get its name behind it. */
static char *put_domain_of_field(char *out, const struct strata_merge *merge,
				 const struct strata_field_desc *field, const uint8_t *bytes)
{
	size_t length = strlen(field->name);
	const char *name;
	uint64_t domain;

	if (length < 6 || field->count != 1 || strcmp(field->name + length - 6, "domain") != 0)
		return out;
	domain = load(bytes, field->bytes);
	name = domain <= UINT16_MAX ? strata_merge_domain_name(merge, (uint16_t)domain) : NULL;
	if (!name)
		return out;
	*out++ = '(';
	out = put_text(out, name);
	*out++ = ')';
	return out;
}

/* The reason of a VM exit, its first field, gets its name behind it. */
static char *put_exit_reason(char *out, const struct strata_timeline_event *event)
{
	const struct strata_event_desc *desc = &event->class->desc;
	const char *name;

	if (event->class->role != STRATA_ROLE_GUEST_EXIT ||
	    strcmp(desc->fields[0].name, "reason") != 0)
		return out;
	name = strata_exit_reason_name(event->stream->source->exits,
				       (uint32_t)load(event->payload, desc->fields[0].bytes), NULL);
	if (!name)
		return out;
	*out++ = '(';
	out = put_text(out, name);
	*out++ = ')';
	return out;
}

static char *put_fields(char *out, const struct strata_merge *merge,
			const struct strata_timeline_event *event)
{
	const struct strata_event_desc *desc = &event->class->desc;
	struct strata_field_place place;
	uint32_t offset = 0;
	unsigned int i;

	for (i = 0; i < desc->nr_fields; i++) {
		const struct strata_field_desc *field = &desc->fields[i];

		/* The packet has been checked, so all are there. */
		if (!strata_field_find(field, event->payload, event->payload_bytes, &offset,
				       &place))
			break;
		out = put_field(out, field, event->payload + place.offset, place.count);
		if (event->class->layer == STRATA_LAYER_XEN)
			out = put_domain_of_field(out, merge, field, event->payload + place.offset);
		if (i == 0)
			out = put_exit_reason(out, event);
	}
	return out;
}

/* The name of an application, as one more field of its context. */
static char *put_process(char *out, const struct strata_source *source)
{
	out = put_text(out, " comm=\"");
	out = strata_escape(out, source->domain_name, (uint32_t)strlen(source->domain_name));
	*out++ = '"';
	return out;
}

/* A context's fields stand before the event's, in brackets, because an event may have fields of
 * the same names; the hypervisor's are columns already. */
static char *put_context(char *out, const struct strata_timeline_event *event)
{
	const struct strata_event_desc *context = strata_layer_context(event->class->layer);
	uint32_t offset = 0;
	unsigned int i;
	char *bracket;

	if (event->class->layer == STRATA_LAYER_XEN || context->nr_fields == 0)
		return out;
	*out++ = ' ';
	bracket = out;
	if (event->class->layer == STRATA_LAYER_APP)
		out = put_process(out, event->stream->source);
	for (i = 0; i < context->nr_fields; i++) {
		const struct strata_field_desc *field = &context->fields[i];

		offset = strata_field_align(offset, field->bytes);
		out = put_field(out, field, event->context + offset, field->count);
		offset += (uint32_t)field->bytes * field->count;
	}
	*bracket = '['; /* where put_field() put a space */
	*out++ = ']';
	return out;
}

static char *put_domain(char *out, const struct strata_merge *merge, uint16_t domain)
{
	const char *name = strata_merge_domain_name(merge, domain);

	if (name)
		return put_text(out, name);
	*out++ = 'd';
	return put_decimal(out, domain, 1);
}

char *strata_event_text(char *out, const struct strata_merge *merge,
			const struct strata_timeline_event *event, uint64_t first_ns,
			uint64_t previous_ns)
{
	const uint64_t since_first = event->ns - first_ns;
	char *start;

	out = put_number_right(out, since_first / 1000000000u, 6);
	*out++ = '.';
	out = put_decimal(out, since_first % 1000000000u, 9);
	*out++ = ' ';
	*out++ = '+';
	out = put_seconds(out, event->ns - previous_ns);
	*out++ = ' ';

	start = out;
	out = pad_to(put_text(out, strata_layer_name(event->class->layer)), start, 6);
	if (event->pcpu == STRATA_PCPU_UNKNOWN) {
		out = pad_to(out, out, PCPU_COLUMN - 1);
		out[-1] = '-';
	} else {
		out = put_number_right(out, event->pcpu, PCPU_COLUMN);
	}
	*out++ = ' ';

	start = out;
	out = put_domain(out, merge, event->domain);
	*out++ = '/';
	out = pad_to(put_decimal(out, event->vcpu, 1), start, DOMAIN_COLUMN);

	start = out;
	out = put_text(out, event->class->desc.name);
	if (event->class->desc.nr_fields == 0 && event->class->layer == STRATA_LAYER_XEN)
		return out;
	out = pad_to(out, start, NAME_COLUMN) - 1;
	out = put_context(out, event);
	return put_fields(out, merge, event);
}
