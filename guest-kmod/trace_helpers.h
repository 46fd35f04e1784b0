/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_helpers.h - the building blocks of the stages of shadow/trace/define_trace.h;
 * included by each trace_*.c before the kernel's headers of trace events.
 */
#ifndef STRATA_KMOD_TRACE_HELPERS_H
#define STRATA_KMOD_TRACE_HELPERS_H

#include <linux/align.h>
#include <linux/bitmap.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "assembled.h"
#include "record.h"
#include "tracepoints.h"

/* Whether the events' trace points come with modules. */
#ifndef STRATA_OF_MODULES
#define STRATA_OF_MODULES false
#endif

/* Longer strings are cut. */
#define STRATA_STRING_BYTES_MAX 512u

/* In a packed structure: aligned to its size, but to no more than 4, as strata/event.h says. */
#define STRATA_PACKED_FIELD(type) __aligned(__alignof__(type) < 4 ? __alignof__(type) : 4)

/* A structure is described as words or bytes. */
#define STRATA_STRUCT_UNIT(type) (__alignof__(type) >= 4 && sizeof(type) % 4 == 0 ? 4 : 1)

/* Pointers, and `unsigned long`, which mostly holds an address, a set of flags or a system call's
 * argument, are shown in base 16. */
#define STRATA_POINTER_CLASS 5 /* of gcc's typeclass.h */
#define STRATA_KIND(type, text)                                       \
	(__builtin_classify_type((type)0) == STRATA_POINTER_CLASS ||  \
			 __builtin_strcmp(text, "unsigned long") == 0 \
		 ? STRATA_FIELD_HEX                                   \
	 : is_signed_type(type) ? STRATA_FIELD_SIGNED                 \
				: STRATA_FIELD_UNSIGNED)
#define STRATA_ARRAY_KIND(type, text) \
	(__builtin_types_compatible_p(type, char) ? STRATA_FIELD_TEXT : STRATA_KIND(type, text))

/* Offset of the elements of a sequence that follows @used bytes: after their number. */
static __always_inline u32 strata_sequence_at(u32 used)
{
	return ALIGN(used, 4) + 4;
}

/* Bytes of a sequence; too many for a record stay too many, and do not wrap. */
static __always_inline u32 strata_length(size_t bytes)
{
	return min_t(size_t, bytes, 2 * STRATA_PAYLOAD_BYTES_MAX);
}

/* Bytes of a string's field, its end included, for text of @length. */
static __always_inline u32 strata_cut_string(size_t length)
{
	return min_t(size_t, length, STRATA_STRING_BYTES_MAX - 1) + 1;
}

static __always_inline const char *strata_string_or_null(const char *text)
{
	return text ?: "(null)";
}

static __always_inline u32 strata_string_bytes(const void *text)
{
	return strata_cut_string(strnlen(strata_string_or_null(text), STRATA_STRING_BYTES_MAX - 1));
}

/* Copies into a string's field; the source may have become another since it was measured. */
static __always_inline void strata_copy_string(char *to, u32 bytes, const void *text)
{
	const char *from = strata_string_or_null(text);
	u32 length = strnlen(from, bytes - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

static __always_inline void strata_copy_bytes(char *to, u32 bytes, const void *from, size_t length)
{
	length = min_t(size_t, length, bytes - 1);
	memcpy(to, from, length);
	to[length] = '\0';
}

static __always_inline void strata_copy_format(char *to, u32 bytes, const char *format,
					       va_list *arguments)
{
	va_list copy;

	va_copy(copy, *arguments);
	vsnprintf(to, bytes, format, copy);
	va_end(copy);
}

static __always_inline void strata_put_count(void *elements, u32 count)
{
	((u32 *)elements)[-1] = count;
}

/*
 * Pads a string that is shorter than its field: a reader would take it to end early,
 * and the next field to begin there.
 */
static __always_inline void strata_end_string(char *text, u32 bytes)
{
	u32 length = strnlen(text, bytes - 1);

	if (unlikely(length < bytes - 1))
		memset(text + length, ' ', bytes - 1 - length);
	text[bytes - 1] = '\0';
}

#endif /* STRATA_KMOD_TRACE_HELPERS_H */
