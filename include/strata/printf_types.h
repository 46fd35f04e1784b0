/* SPDX-License-Identifier: MIT */
/*
 * printf_types.h - how printf.h records an argument of each C type: the kind and size of its field,
 * and how it is written to a record. Included by printf.h alone.
 *
 * In C, _Generic chooses, and in C++ overloads do. An array counts as a pointer, and an enumeration
 * as its integer.
 */
#ifndef STRATA_PRINTF_TYPES_H
#define STRATA_PRINTF_TYPES_H

#include <strata/tracepoint_fields.h>

/* How much of a "char *" is recorded; any other value: that many bytes less one at most. */
#define STRATA_PRINTF_WHOLE   0u      /* up to its zero byte */
#define STRATA_PRINTF_EMPTY   1u      /* nothing */
#define STRATA_PRINTF_ADDRESS 0xffffu /* its address */
/* As many bytes at most as the integer before it says, which has 1 << N bytes: N << 1, and the sign
 * bit if the integer is signed. */
#define STRATA_PRINTF_COUNTED      0xfff0u
#define STRATA_PRINTF_COUNTED_MASK 0x7u
#define STRATA_PRINTF_COUNTED_SIGN 0x1u

/* Kind and size of a field in one number. */
#define STRATA_PRINTF_CODE_(kind, bytes) (STRATA_FIELD_##kind << 8 | (bytes))
#define STRATA_PRINTF_STRING_            STRATA_PRINTF_CODE_(STRING, 1)
#define STRATA_PRINTF_POINTER_           STRATA_PRINTF_CODE_(HEX, sizeof(void *))

#ifdef __cplusplus
#define STRATA_PRINTF_PUT_NAME_(suffix) strata_printf_put
#else
#define STRATA_PRINTF_PUT_NAME_(suffix) strata_printf_put_##suffix
#endif

/* clang-format off */
/* Each type, its name here, and its kind. */
#ifdef __CHAR_UNSIGNED__
#define STRATA_PRINTF_CHAR_KIND_ UNSIGNED
#else
#define STRATA_PRINTF_CHAR_KIND_ SIGNED
#endif
#define STRATA_PRINTF_NUMBERS_(m)                            \
	m(STRATA_PRINTF_BOOL_, truth, UNSIGNED) \
	m(char, char, STRATA_PRINTF_CHAR_KIND_) \
	m(signed char, schar, SIGNED) \
	m(unsigned char, uchar, UNSIGNED) \
	m(short, short, SIGNED) \
	m(unsigned short, ushort, UNSIGNED) \
	m(int, int, SIGNED) \
	m(unsigned int, uint, UNSIGNED) \
	m(long, long, SIGNED) \
	m(unsigned long, ulong, UNSIGNED) \
	m(long long, llong, SIGNED) \
	m(unsigned long long, ullong, UNSIGNED) \
	m(float, float, FLOAT) \
	m(double, double, FLOAT)
#ifdef __cplusplus
#define STRATA_PRINTF_BOOL_ bool
#else
#define STRATA_PRINTF_BOOL_ _Bool
#endif

#define STRATA_PRINTF_DEFINE_PUT_(type, suffix, kind)                                      \
	static inline __attribute__((__always_inline__, __unused__)) void                  \
	STRATA_PRINTF_PUT_NAME_(suffix)(struct strata_body *body, type value, const uint16_t *limit) \
	{                                                                                  \
		(void)limit;                                                               \
		strata_put(body, &value, sizeof(value), sizeof(value) < 4 ? sizeof(value) : 4); \
	}
STRATA_PRINTF_NUMBERS_(STRATA_PRINTF_DEFINE_PUT_)
/* clang-format on */

/* As a double: other sizes are no field's. */
static inline __attribute__((__unused__)) void
STRATA_PRINTF_PUT_NAME_(ldouble)(struct strata_body *body, long double value, const uint16_t *limit)
{
	const double narrow = (double)value;

	(void)limit;
	strata_put(body, &narrow, sizeof(narrow), 4);
}

static inline __attribute__((__unused__)) void
STRATA_PRINTF_PUT_NAME_(pointer)(struct strata_body *body, const volatile void *value,
				 const uint16_t *limit)
{
	(void)limit;
	strata_put(body, &value, sizeof(value), 4);
}

/* Writes at most @most bytes of a string that may change meanwhile: only the copy matters. */
static inline __attribute__((__unused__)) void
strata_printf_put_bounded(struct strata_body *body, const char *text, uint32_t most)
{
	const uint32_t at = body->used, room = at < body->room ? body->room - at : 0;
	uint32_t length = 0;

	if (!text)
		text = "(null)";
	while (length < most && length < room && text[length]) {
		body->bytes[at + length] = (unsigned char)text[length];
		length++;
	}
	if (length >= room) {
		body->used = body->room + 1;
		return;
	}
	body->bytes[at + length] = 0;
	body->used = at + (uint32_t)__builtin_strlen((const char *)body->bytes + at) + 1;
}

#ifdef __cplusplus
static inline void strata_printf_put(struct strata_body *body, decltype(nullptr),
				     const uint16_t *limit)
{
	strata_printf_put(body, (const volatile void *)0, limit);
}
#endif

/* Reads the integer that was written last, by its code STRATA_PRINTF_COUNTED: the most bytes of the
 * string after it.  A negative one is no limit, as for printf(). */
static inline __attribute__((__unused__)) uint32_t
strata_printf_count(const struct strata_body *body, uint16_t limit)
{
	const uint32_t bytes = 1u << ((limit & STRATA_PRINTF_COUNTED_MASK) >> 1);
	const uint32_t unused_bits = 64u - 8u * bytes;
	uint64_t count = 0;
	uint32_t i;

	/* The record is lost: it has no room for the integer. */
	if (body->used > body->room)
		return 0;
		/* Shifts keep to the byte order of the processor. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (i = bytes; i > 0; i--)
		count = count << 8 | body->bytes[body->used - bytes + i - 1];
#else
	for (i = 0; i < bytes; i++)
		count = count << 8 | body->bytes[body->used - bytes + i];
#endif
	if ((limit & STRATA_PRINTF_COUNTED_SIGN) && (int64_t)(count << unused_bits) < 0)
		return UINT32_MAX;
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* @limit: as libstrata read it from the format */
static inline __attribute__((__unused__)) void
STRATA_PRINTF_PUT_NAME_(string)(struct strata_body *body, const char *value, const uint16_t *limit)
{
	if (strata_likely(*limit == STRATA_PRINTF_WHOLE)) {
		strata_put_string(body, value);
	} else if (*limit == STRATA_PRINTF_ADDRESS) {
		strata_put(body, &value, sizeof(value), 4);
	} else if ((*limit & ~STRATA_PRINTF_COUNTED_MASK) == STRATA_PRINTF_COUNTED) {
		strata_printf_put_bounded(body, value, strata_printf_count(body, *limit));
	} else {
		strata_printf_put_bounded(body, value, *limit - 1u);
	}
}

/* Characters with a sign of their own make a string as well. */
#define STRATA_PRINTF_DEFINE_PUT_STRING_(suffix, type)                                  \
	static inline __attribute__((__unused__)) void STRATA_PRINTF_PUT_NAME_(suffix)( \
		struct strata_body * body, const type *value, const uint16_t *limit)    \
	{                                                                               \
		STRATA_PRINTF_PUT_NAME_(string)(body, (const char *)value, limit);      \
	}
STRATA_PRINTF_DEFINE_PUT_STRING_(ustring, unsigned char)
STRATA_PRINTF_DEFINE_PUT_STRING_(sstring, signed char)

#ifdef __cplusplus

/* The address of a function, which would be a bool otherwise. */
template <typename result, typename... parameters>
inline void strata_printf_put(struct strata_body *body, result (*value)(parameters...),
			      const uint16_t *limit)
{
	strata_printf_put(body, reinterpret_cast<const volatile void *>(value), limit);
}

template <typename result, typename... parameters>
inline void strata_printf_put(struct strata_body *body, result (*value)(parameters..., ...),
			      const uint16_t *limit)
{
	strata_printf_put(body, reinterpret_cast<const volatile void *>(value), limit);
}

template <int number> struct strata_printf_coded {
	enum { code = number };
};

#define STRATA_PRINTF_DECLARE_CODE_(type, suffix, kind) \
	strata_printf_coded<STRATA_PRINTF_CODE_OF_(type, kind)> strata_printf_code(type);
#define STRATA_PRINTF_CODE_OF_(type, kind) STRATA_PRINTF_CODE_(kind, sizeof(type))
STRATA_PRINTF_NUMBERS_(STRATA_PRINTF_DECLARE_CODE_)
strata_printf_coded<STRATA_PRINTF_CODE_(FLOAT, 8)> strata_printf_code(long double);
strata_printf_coded<STRATA_PRINTF_STRING_> strata_printf_code(char *);
strata_printf_coded<STRATA_PRINTF_STRING_> strata_printf_code(const char *);
strata_printf_coded<STRATA_PRINTF_STRING_> strata_printf_code(const unsigned char *);
strata_printf_coded<STRATA_PRINTF_STRING_> strata_printf_code(const signed char *);
strata_printf_coded<STRATA_PRINTF_POINTER_> strata_printf_code(const volatile void *);
template <typename result, typename... parameters>
strata_printf_coded<STRATA_PRINTF_POINTER_> strata_printf_code(result (*)(parameters...));
template <typename result, typename... parameters>
strata_printf_coded<STRATA_PRINTF_POINTER_> strata_printf_code(result (*)(parameters..., ...));
/* A pointer to a member has no form as an argument: it would be a bool. */
template <typename member, typename of> void strata_printf_code(member of::*) = delete;
strata_printf_coded<STRATA_PRINTF_POINTER_> strata_printf_code(decltype(nullptr));
#define STRATA_PRINTF_TYPE_(x)   decltype(strata_printf_code(x))::code
#define STRATA_PRINTF_PUT_OF_(x) strata_printf_put

#else

#define STRATA_PRINTF_TYPE_CASE_(type, suffix, kind) \
	type:                                        \
	STRATA_PRINTF_CODE_OF_(type, kind),
#define STRATA_PRINTF_PUT_CASE_(type, suffix, kind) \
	type:                                       \
	strata_printf_put_##suffix,
#define STRATA_PRINTF_CODE_OF_(type, kind) STRATA_PRINTF_CODE_(kind, sizeof(type))
/* clang-format off */
#define STRATA_PRINTF_TYPE_(x) _Generic((x),                                               \
	STRATA_PRINTF_NUMBERS_(STRATA_PRINTF_TYPE_CASE_)                                   \
	long double: STRATA_PRINTF_CODE_(FLOAT, 8),                                        \
	char *: STRATA_PRINTF_STRING_, const char *: STRATA_PRINTF_STRING_,                \
	unsigned char *: STRATA_PRINTF_STRING_, const unsigned char *: STRATA_PRINTF_STRING_, \
	signed char *: STRATA_PRINTF_STRING_, const signed char *: STRATA_PRINTF_STRING_,  \
	default: STRATA_PRINTF_POINTER_)
#define STRATA_PRINTF_PUT_OF_(x) _Generic((x),                                             \
	STRATA_PRINTF_NUMBERS_(STRATA_PRINTF_PUT_CASE_)                                    \
	long double: strata_printf_put_ldouble,                                            \
	char *: strata_printf_put_string, const char *: strata_printf_put_string,          \
	unsigned char *: strata_printf_put_ustring, const unsigned char *: strata_printf_put_ustring, \
	signed char *: strata_printf_put_sstring, const signed char *: strata_printf_put_sstring, \
	default: strata_printf_put_pointer)
/* clang-format on */

#endif

#endif /* STRATA_PRINTF_TYPES_H */
