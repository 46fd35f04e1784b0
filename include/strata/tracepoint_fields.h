/* SPDX-License-Identifier: MIT */
/*
 * tracepoint_fields.h - the field types of tracepoint.h: for each, its parameter, its
 * description, its size and how it is written to a record. Included by tracepoint.h
 * alone.
 */
#ifndef STRATA_TRACEPOINT_FIELDS_H
#define STRATA_TRACEPOINT_FIELDS_H

#include <strata/event.h>
#include <strata/ring_single.h>

/* A record's body while it is built: context, fields, then padding to whole words. */
struct strata_body {
	unsigned char *bytes;
	uint32_t used;
	uint32_t room;
};

static inline __attribute__((__always_inline__)) void
strata_put(struct strata_body *body, const void *from, uint32_t bytes, uint32_t align)
{
	uint32_t at = strata_field_align(body->used, align);
	uint32_t gap = body->used;

	/* Beyond the end: the length continues to grow, so that the record is refused. */
	if (strata_likely(bytes <= body->room && at <= body->room - bytes)) {
		while (gap < at)
			body->bytes[gap++] = 0;
		__builtin_memcpy(body->bytes + at, from, bytes);
	}
	body->used = at + bytes;
}

/* Any number of elements, as long as their bytes fit into 32 bits. */
static inline void strata_put_sequence(struct strata_body *body, const void *from, uint32_t count,
				       uint32_t element_bytes)
{
	if (count > STRATA_SINGLE_BODY_MAX)
		count = STRATA_SINGLE_BODY_MAX;
	strata_put(body, &count, 4, 4);
	strata_put(body, from, count * element_bytes, element_bytes);
}

/* A string may change while it is copied: only the copy matters.  NULL becomes "(null)". */
static inline void strata_put_string(struct strata_body *body, const char *text)
{
	uint32_t at = body->used, room, length;

	if (!text)
		text = "(null)";
	room = at < body->room ? body->room - at : 0;
	length = (uint32_t)__builtin_strlen(text);
	if (length >= room) {
		body->used = body->room + 1;
		return;
	}
	__builtin_memcpy(body->bytes + at, text, length);
	body->bytes[at + length] = 0;
	body->used = at + (uint32_t)__builtin_strlen((const char *)body->bytes + at) + 1;
}

/* What the body takes of a record; over STRATA_SINGLE_BODY_MAX: it is to be refused.  The rest of
 * its last word is made zero. */
static inline __attribute__((__always_inline__)) uint32_t
strata_body_finish(struct strata_body *body)
{
	uint32_t end = (body->used + 7u) & ~7u, at;

	if (end <= STRATA_SINGLE_BODY_MAX)
		for (at = body->used; at < end; at++)
			body->bytes[at] = 0;
	return (body->used + 3u) & ~3u;
}

/* Fields, by the names that STRATA_EVENT() takes --------------------------------------------- */

/* clang-format off */
#define STRATA_PARAMETER_strata_u8(name) , uint8_t name
#define STRATA_DESC_strata_u8(name) { #name, STRATA_FIELD_UNSIGNED, 1, 1 },
#define STRATA_ROOM_strata_u8(name) + 1 + 3
#define STRATA_PUT_strata_u8(name) strata_put(&strata_body_, &name, 1, 1);
#define STRATA_PARAMETER_strata_u16(name) , uint16_t name
#define STRATA_DESC_strata_u16(name) { #name, STRATA_FIELD_UNSIGNED, 2, 1 },
#define STRATA_ROOM_strata_u16(name) + 2 + 3
#define STRATA_PUT_strata_u16(name) strata_put(&strata_body_, &name, 2, 2);
#define STRATA_PARAMETER_strata_u32(name) , uint32_t name
#define STRATA_DESC_strata_u32(name) { #name, STRATA_FIELD_UNSIGNED, 4, 1 },
#define STRATA_ROOM_strata_u32(name) + 4 + 3
#define STRATA_PUT_strata_u32(name) strata_put(&strata_body_, &name, 4, 4);
#define STRATA_PARAMETER_strata_u64(name) , uint64_t name
#define STRATA_DESC_strata_u64(name) { #name, STRATA_FIELD_UNSIGNED, 8, 1 },
#define STRATA_ROOM_strata_u64(name) + 8 + 3
#define STRATA_PUT_strata_u64(name) strata_put(&strata_body_, &name, 8, 8);
#define STRATA_PARAMETER_strata_i8(name) , int8_t name
#define STRATA_DESC_strata_i8(name) { #name, STRATA_FIELD_SIGNED, 1, 1 },
#define STRATA_ROOM_strata_i8(name) + 1 + 3
#define STRATA_PUT_strata_i8(name) strata_put(&strata_body_, &name, 1, 1);
#define STRATA_PARAMETER_strata_i16(name) , int16_t name
#define STRATA_DESC_strata_i16(name) { #name, STRATA_FIELD_SIGNED, 2, 1 },
#define STRATA_ROOM_strata_i16(name) + 2 + 3
#define STRATA_PUT_strata_i16(name) strata_put(&strata_body_, &name, 2, 2);
#define STRATA_PARAMETER_strata_i32(name) , int32_t name
#define STRATA_DESC_strata_i32(name) { #name, STRATA_FIELD_SIGNED, 4, 1 },
#define STRATA_ROOM_strata_i32(name) + 4 + 3
#define STRATA_PUT_strata_i32(name) strata_put(&strata_body_, &name, 4, 4);
#define STRATA_PARAMETER_strata_i64(name) , int64_t name
#define STRATA_DESC_strata_i64(name) { #name, STRATA_FIELD_SIGNED, 8, 1 },
#define STRATA_ROOM_strata_i64(name) + 8 + 3
#define STRATA_PUT_strata_i64(name) strata_put(&strata_body_, &name, 8, 8);
#define STRATA_PARAMETER_strata_x8(name) , uint8_t name
#define STRATA_DESC_strata_x8(name) { #name, STRATA_FIELD_HEX, 1, 1 },
#define STRATA_ROOM_strata_x8(name) + 1 + 3
#define STRATA_PUT_strata_x8(name) strata_put(&strata_body_, &name, 1, 1);
#define STRATA_PARAMETER_strata_x16(name) , uint16_t name
#define STRATA_DESC_strata_x16(name) { #name, STRATA_FIELD_HEX, 2, 1 },
#define STRATA_ROOM_strata_x16(name) + 2 + 3
#define STRATA_PUT_strata_x16(name) strata_put(&strata_body_, &name, 2, 2);
#define STRATA_PARAMETER_strata_x32(name) , uint32_t name
#define STRATA_DESC_strata_x32(name) { #name, STRATA_FIELD_HEX, 4, 1 },
#define STRATA_ROOM_strata_x32(name) + 4 + 3
#define STRATA_PUT_strata_x32(name) strata_put(&strata_body_, &name, 4, 4);
#define STRATA_PARAMETER_strata_x64(name) , uint64_t name
#define STRATA_DESC_strata_x64(name) { #name, STRATA_FIELD_HEX, 8, 1 },
#define STRATA_ROOM_strata_x64(name) + 8 + 3
#define STRATA_PUT_strata_x64(name) strata_put(&strata_body_, &name, 8, 8);
#define STRATA_PARAMETER_strata_f32(name) , float name
#define STRATA_DESC_strata_f32(name) { #name, STRATA_FIELD_FLOAT, 4, 1 },
#define STRATA_ROOM_strata_f32(name) + 4 + 3
#define STRATA_PUT_strata_f32(name) strata_put(&strata_body_, &name, 4, 4);
#define STRATA_PARAMETER_strata_f64(name) , double name
#define STRATA_DESC_strata_f64(name) { #name, STRATA_FIELD_FLOAT, 8, 1 },
#define STRATA_ROOM_strata_f64(name) + 8 + 3
#define STRATA_PUT_strata_f64(name) strata_put(&strata_body_, &name, 8, 8);
#define STRATA_PARAMETER_strata_array_u8(name, count) , const uint8_t *name
#define STRATA_DESC_strata_array_u8(name, count) { #name, STRATA_FIELD_UNSIGNED, 1, count },
#define STRATA_ROOM_strata_array_u8(name, count) + 1 * (count) + 3
#define STRATA_PUT_strata_array_u8(name, count) strata_put(&strata_body_, name, 1 * (count), 1);
#define STRATA_PARAMETER_strata_array_u16(name, count) , const uint16_t *name
#define STRATA_DESC_strata_array_u16(name, count) { #name, STRATA_FIELD_UNSIGNED, 2, count },
#define STRATA_ROOM_strata_array_u16(name, count) + 2 * (count) + 3
#define STRATA_PUT_strata_array_u16(name, count) strata_put(&strata_body_, name, 2 * (count), 2);
#define STRATA_PARAMETER_strata_array_u32(name, count) , const uint32_t *name
#define STRATA_DESC_strata_array_u32(name, count) { #name, STRATA_FIELD_UNSIGNED, 4, count },
#define STRATA_ROOM_strata_array_u32(name, count) + 4 * (count) + 3
#define STRATA_PUT_strata_array_u32(name, count) strata_put(&strata_body_, name, 4 * (count), 4);
#define STRATA_PARAMETER_strata_array_u64(name, count) , const uint64_t *name
#define STRATA_DESC_strata_array_u64(name, count) { #name, STRATA_FIELD_UNSIGNED, 8, count },
#define STRATA_ROOM_strata_array_u64(name, count) + 8 * (count) + 3
#define STRATA_PUT_strata_array_u64(name, count) strata_put(&strata_body_, name, 8 * (count), 8);
#define STRATA_PARAMETER_strata_array_i8(name, count) , const int8_t *name
#define STRATA_DESC_strata_array_i8(name, count) { #name, STRATA_FIELD_SIGNED, 1, count },
#define STRATA_ROOM_strata_array_i8(name, count) + 1 * (count) + 3
#define STRATA_PUT_strata_array_i8(name, count) strata_put(&strata_body_, name, 1 * (count), 1);
#define STRATA_PARAMETER_strata_array_i16(name, count) , const int16_t *name
#define STRATA_DESC_strata_array_i16(name, count) { #name, STRATA_FIELD_SIGNED, 2, count },
#define STRATA_ROOM_strata_array_i16(name, count) + 2 * (count) + 3
#define STRATA_PUT_strata_array_i16(name, count) strata_put(&strata_body_, name, 2 * (count), 2);
#define STRATA_PARAMETER_strata_array_i32(name, count) , const int32_t *name
#define STRATA_DESC_strata_array_i32(name, count) { #name, STRATA_FIELD_SIGNED, 4, count },
#define STRATA_ROOM_strata_array_i32(name, count) + 4 * (count) + 3
#define STRATA_PUT_strata_array_i32(name, count) strata_put(&strata_body_, name, 4 * (count), 4);
#define STRATA_PARAMETER_strata_array_i64(name, count) , const int64_t *name
#define STRATA_DESC_strata_array_i64(name, count) { #name, STRATA_FIELD_SIGNED, 8, count },
#define STRATA_ROOM_strata_array_i64(name, count) + 8 * (count) + 3
#define STRATA_PUT_strata_array_i64(name, count) strata_put(&strata_body_, name, 8 * (count), 8);
#define STRATA_PARAMETER_strata_array_x8(name, count) , const uint8_t *name
#define STRATA_DESC_strata_array_x8(name, count) { #name, STRATA_FIELD_HEX, 1, count },
#define STRATA_ROOM_strata_array_x8(name, count) + 1 * (count) + 3
#define STRATA_PUT_strata_array_x8(name, count) strata_put(&strata_body_, name, 1 * (count), 1);
#define STRATA_PARAMETER_strata_array_x16(name, count) , const uint16_t *name
#define STRATA_DESC_strata_array_x16(name, count) { #name, STRATA_FIELD_HEX, 2, count },
#define STRATA_ROOM_strata_array_x16(name, count) + 2 * (count) + 3
#define STRATA_PUT_strata_array_x16(name, count) strata_put(&strata_body_, name, 2 * (count), 2);
#define STRATA_PARAMETER_strata_array_x32(name, count) , const uint32_t *name
#define STRATA_DESC_strata_array_x32(name, count) { #name, STRATA_FIELD_HEX, 4, count },
#define STRATA_ROOM_strata_array_x32(name, count) + 4 * (count) + 3
#define STRATA_PUT_strata_array_x32(name, count) strata_put(&strata_body_, name, 4 * (count), 4);
#define STRATA_PARAMETER_strata_array_x64(name, count) , const uint64_t *name
#define STRATA_DESC_strata_array_x64(name, count) { #name, STRATA_FIELD_HEX, 8, count },
#define STRATA_ROOM_strata_array_x64(name, count) + 8 * (count) + 3
#define STRATA_PUT_strata_array_x64(name, count) strata_put(&strata_body_, name, 8 * (count), 8);
#define STRATA_PARAMETER_strata_array_f32(name, count) , const float *name
#define STRATA_DESC_strata_array_f32(name, count) { #name, STRATA_FIELD_FLOAT, 4, count },
#define STRATA_ROOM_strata_array_f32(name, count) + 4 * (count) + 3
#define STRATA_PUT_strata_array_f32(name, count) strata_put(&strata_body_, name, 4 * (count), 4);
#define STRATA_PARAMETER_strata_array_f64(name, count) , const double *name
#define STRATA_DESC_strata_array_f64(name, count) { #name, STRATA_FIELD_FLOAT, 8, count },
#define STRATA_ROOM_strata_array_f64(name, count) + 8 * (count) + 3
#define STRATA_PUT_strata_array_f64(name, count) strata_put(&strata_body_, name, 8 * (count), 8);
#define STRATA_PARAMETER_strata_sequence_u8(name) , const uint8_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_u8(name) { #name, STRATA_FIELD_UNSIGNED, 1, 0 },
#define STRATA_ROOM_strata_sequence_u8(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_u8(name) strata_put_sequence(&strata_body_, name, name##_count, 1);
#define STRATA_PARAMETER_strata_sequence_u16(name) , const uint16_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_u16(name) { #name, STRATA_FIELD_UNSIGNED, 2, 0 },
#define STRATA_ROOM_strata_sequence_u16(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_u16(name) strata_put_sequence(&strata_body_, name, name##_count, 2);
#define STRATA_PARAMETER_strata_sequence_u32(name) , const uint32_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_u32(name) { #name, STRATA_FIELD_UNSIGNED, 4, 0 },
#define STRATA_ROOM_strata_sequence_u32(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_u32(name) strata_put_sequence(&strata_body_, name, name##_count, 4);
#define STRATA_PARAMETER_strata_sequence_u64(name) , const uint64_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_u64(name) { #name, STRATA_FIELD_UNSIGNED, 8, 0 },
#define STRATA_ROOM_strata_sequence_u64(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_u64(name) strata_put_sequence(&strata_body_, name, name##_count, 8);
#define STRATA_PARAMETER_strata_sequence_i8(name) , const int8_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_i8(name) { #name, STRATA_FIELD_SIGNED, 1, 0 },
#define STRATA_ROOM_strata_sequence_i8(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_i8(name) strata_put_sequence(&strata_body_, name, name##_count, 1);
#define STRATA_PARAMETER_strata_sequence_i16(name) , const int16_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_i16(name) { #name, STRATA_FIELD_SIGNED, 2, 0 },
#define STRATA_ROOM_strata_sequence_i16(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_i16(name) strata_put_sequence(&strata_body_, name, name##_count, 2);
#define STRATA_PARAMETER_strata_sequence_i32(name) , const int32_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_i32(name) { #name, STRATA_FIELD_SIGNED, 4, 0 },
#define STRATA_ROOM_strata_sequence_i32(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_i32(name) strata_put_sequence(&strata_body_, name, name##_count, 4);
#define STRATA_PARAMETER_strata_sequence_i64(name) , const int64_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_i64(name) { #name, STRATA_FIELD_SIGNED, 8, 0 },
#define STRATA_ROOM_strata_sequence_i64(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_i64(name) strata_put_sequence(&strata_body_, name, name##_count, 8);
#define STRATA_PARAMETER_strata_sequence_x8(name) , const uint8_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_x8(name) { #name, STRATA_FIELD_HEX, 1, 0 },
#define STRATA_ROOM_strata_sequence_x8(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_x8(name) strata_put_sequence(&strata_body_, name, name##_count, 1);
#define STRATA_PARAMETER_strata_sequence_x16(name) , const uint16_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_x16(name) { #name, STRATA_FIELD_HEX, 2, 0 },
#define STRATA_ROOM_strata_sequence_x16(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_x16(name) strata_put_sequence(&strata_body_, name, name##_count, 2);
#define STRATA_PARAMETER_strata_sequence_x32(name) , const uint32_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_x32(name) { #name, STRATA_FIELD_HEX, 4, 0 },
#define STRATA_ROOM_strata_sequence_x32(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_x32(name) strata_put_sequence(&strata_body_, name, name##_count, 4);
#define STRATA_PARAMETER_strata_sequence_x64(name) , const uint64_t *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_x64(name) { #name, STRATA_FIELD_HEX, 8, 0 },
#define STRATA_ROOM_strata_sequence_x64(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_x64(name) strata_put_sequence(&strata_body_, name, name##_count, 8);
#define STRATA_PARAMETER_strata_sequence_f32(name) , const float *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_f32(name) { #name, STRATA_FIELD_FLOAT, 4, 0 },
#define STRATA_ROOM_strata_sequence_f32(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_f32(name) strata_put_sequence(&strata_body_, name, name##_count, 4);
#define STRATA_PARAMETER_strata_sequence_f64(name) , const double *name, uint32_t name##_count
#define STRATA_DESC_strata_sequence_f64(name) { #name, STRATA_FIELD_FLOAT, 8, 0 },
#define STRATA_ROOM_strata_sequence_f64(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_sequence_f64(name) strata_put_sequence(&strata_body_, name, name##_count, 8);
#define STRATA_PARAMETER_strata_string(name) , const char *name
#define STRATA_DESC_strata_string(name) { #name, STRATA_FIELD_STRING, 1, 1 },
#define STRATA_ROOM_strata_string(name) + STRATA_SINGLE_BODY_MAX
#define STRATA_PUT_strata_string(name) strata_put_string(&strata_body_, name);

/* STRATA_EACH(PREFIX, event, fields...): PREFIX_ in front of each field, up to 20 of them. */
#define STRATA_EACH_0(prefix, event) 
#define STRATA_EACH_1(prefix, event, f1) prefix##f1
#define STRATA_EACH_2(prefix, event, f1, f2) prefix##f1 prefix##f2
#define STRATA_EACH_3(prefix, event, f1, f2, f3) prefix##f1 prefix##f2 prefix##f3
#define STRATA_EACH_4(prefix, event, f1, f2, f3, f4) prefix##f1 prefix##f2 prefix##f3 prefix##f4
#define STRATA_EACH_5(prefix, event, f1, f2, f3, f4, f5) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5
#define STRATA_EACH_6(prefix, event, f1, f2, f3, f4, f5, f6) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6
#define STRATA_EACH_7(prefix, event, f1, f2, f3, f4, f5, f6, f7) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7
#define STRATA_EACH_8(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8
#define STRATA_EACH_9(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9
#define STRATA_EACH_10(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10
#define STRATA_EACH_11(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11
#define STRATA_EACH_12(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12
#define STRATA_EACH_13(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12 prefix##f13
#define STRATA_EACH_14(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12 prefix##f13 prefix##f14
#define STRATA_EACH_15(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12 prefix##f13 prefix##f14 prefix##f15
#define STRATA_EACH_16(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12 prefix##f13 prefix##f14 prefix##f15 prefix##f16
#define STRATA_EACH_17(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12 prefix##f13 prefix##f14 prefix##f15 prefix##f16 prefix##f17
#define STRATA_EACH_18(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12 prefix##f13 prefix##f14 prefix##f15 prefix##f16 prefix##f17 prefix##f18
#define STRATA_EACH_19(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12 prefix##f13 prefix##f14 prefix##f15 prefix##f16 prefix##f17 prefix##f18 prefix##f19
#define STRATA_EACH_20(prefix, event, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20) prefix##f1 prefix##f2 prefix##f3 prefix##f4 prefix##f5 prefix##f6 prefix##f7 prefix##f8 prefix##f9 prefix##f10 prefix##f11 prefix##f12 prefix##f13 prefix##f14 prefix##f15 prefix##f16 prefix##f17 prefix##f18 prefix##f19 prefix##f20
#define STRATA_PICK_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, number, ...) number
#define STRATA_COUNT_(...) STRATA_PICK_(__VA_ARGS__, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define STRATA_PASTE_(a, b) a##b
#define STRATA_PASTE(a, b) STRATA_PASTE_(a, b)
#define STRATA_EACH(prefix, ...) \
	STRATA_PASTE(STRATA_EACH_, STRATA_COUNT_(__VA_ARGS__))(prefix, __VA_ARGS__)
/* clang-format on */

#endif /* STRATA_TRACEPOINT_FIELDS_H */
