/* SPDX-License-Identifier: MIT */
/*
 * printf.h - messages of an application as events: C11 and C++11, with GCC or clang.
 *
 *   #include <strata/printf.h>
 *
 *   strata_printf("request %d of %s took %lu us", id, name, us);
 *   strata_printf_level(STRATA_LOG_WARNING, "disk %s is slow: %u ms", disk, ms);
 *
 * The format is a string literal, and recorded once, with the event's description; a record holds
 * the arguments in binary form, and readers make the text. While the event is not recorded, it
 * costs what STRATA_TRACE() costs: a load and a predicted branch, and its arguments are not
 * evaluated. The compiler checks the arguments as it does those of printf().
 *
 * Each call is an event of its own, of the group "printf", with its file and line for a name:
 * server_c_42 in server.c. A further one of that name is server_c_42_2. So
 * `--app 'server:server_c_*'` selects those of a file, GROUP/NAME "printf/" with a star all of
 * them, and @LEVEL those of a level, before main() as well. An argument that is a variable or a
 * member gives its field its name (request->id: request_id), every other one is arg1, arg2, by its
 * place.
 *
 * Arguments, at most 12: integers, bool, char, enumerations, float, double, pointers, and strings.
 * A long double is recorded as a double. A "char *", signed or unsigned, is a string up to its zero
 * byte, or up to the precision of its conversion (%.8s, %.*s), and an address where the conversion
 * is %p. A bit-field needs "+ 0" in C. A lambda in an argument needs C++20. %m appears as it is: it
 * has no argument, and errno is not recorded. Records are bounded, and longer ones are lost and
 * counted, as those of STRATA_EVENT(). A format has fewer than STRATA_EVENT_FORMAT_BYTES bytes;
 * newlines at its end are dropped.  Numbered arguments (%1$d) are not supported.
 *
 * A program has at most STRATA_APP_EVENTS_MAX events, and each call counts.
 */
#ifndef STRATA_PRINTF_H
#define STRATA_PRINTF_H

#include <strata/printf_types.h>
#include <strata/tracepoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call; strata_printf() makes it, and libstrata fills in its state. */
struct strata_printf_site {
	struct strata_tracepoint tracepoint; /* its fields have no names yet */
	const char *format;
	const char *file;
	const char *const *arguments; /* their text in the program */
	uint16_t *limits;             /* of each argument: STRATA_PRINTF_WHOLE ... */
	uint32_t line;
	uint32_t reserved;
};

/* Names a call's event, reads its format once, and registers it.  A call that is registered, by
 * another library with the same inline function, stays as it is until each of them has passed it to
 * strata_app_unregister(). */
void strata_app_register_printf(struct strata_printf_site *site);

#ifdef __cplusplus
}
#endif

/* Lets the compiler check the arguments; never called. */
static inline __attribute__((__format__(__printf__, 1, 2), __unused__)) void
strata_printf_check(const char *format, ...)
{
	(void)format;
}

/* clang-format off */

/* Records a message: a format, and its arguments. */
#define strata_printf(...) strata_printf_level(STRATA_LOG_NONE, __VA_ARGS__)

/* The same, with a log level: an enum strata_log_level. */
#define strata_printf_level(level, ...)                                                    \
	do {                                                                               \
		static const struct strata_field_desc strata_fields_[] = {                 \
			STRATA_PRINTF_EACH(STRATA_PRINTF_DESC_, __VA_ARGS__) { "", 0, 0, 0 } \
		};                                                                         \
		static const char *const strata_arguments_[] = {                           \
			STRATA_PRINTF_EACH(STRATA_PRINTF_TEXT_, __VA_ARGS__) ""            \
		};                                                                         \
		static uint16_t strata_limits_[sizeof(strata_arguments_) / sizeof(char *)]; \
		static struct strata_printf_site strata_site_ = {                          \
			{ 0, 0, 0, 0, "printf", "", strata_fields_,                        \
			  sizeof(strata_fields_) / sizeof(struct strata_field_desc) - 1,   \
			  0, level, 0, 0 },                                                \
			"" STRATA_FIRST_(__VA_ARGS__, ), __FILE__, strata_arguments_,      \
			strata_limits_, __LINE__, 0                                        \
		};                                                                         \
		STRATA_PRINTF_ASSERT_(STRATA_COUNT_(__VA_ARGS__) <= 12,                    \
				      "strata_printf() takes at most 12 arguments behind its format"); \
		STRATA_PRINTF_ASSERT_(sizeof(STRATA_FIRST_(__VA_ARGS__, )) <=              \
				      STRATA_EVENT_FORMAT_BYTES,                           \
				      "the format of strata_printf() is too long");        \
		STRATA_PRINTF_BEGIN_(strata_site_)                                         \
		if (0)                                                                     \
			strata_printf_check(__VA_ARGS__);                                  \
		if (STRATA_NEVER_(strata_read_once(&strata_site_.tracepoint.enabled) != 0)) { \
			STRATA_BODY_(STRATA_PRINTF_EACH(STRATA_PRINTF_ROOM_, __VA_ARGS__)) \
			STRATA_PRINTF_EACH(STRATA_PRINTF_PUT_, __VA_ARGS__)                \
			strata_app_write(&strata_site_.tracepoint, strata_words_,          \
					 strata_body_finish(&strata_body_));               \
		}                                                                          \
	} while (0)

#define STRATA_PRINTF_DESC_(index, x) \
	{ "", STRATA_PRINTF_TYPE_(x) >> 8, STRATA_PRINTF_TYPE_(x) & 0xff, 1 },
#define STRATA_PRINTF_TEXT_(index, x) #x,
#define STRATA_PRINTF_ROOM_(index, x)                                                      \
	+ (STRATA_PRINTF_TYPE_(x) >> 8 == STRATA_FIELD_STRING ? STRATA_SINGLE_BODY_MAX :   \
								(STRATA_PRINTF_TYPE_(x) & 0xff) + 3)
#define STRATA_PRINTF_PUT_(index, x) \
	STRATA_PRINTF_PUT_OF_(x)(&strata_body_, (x), &strata_limits_[index]);

#ifdef __cplusplus
#define STRATA_PRINTF_ASSERT_(condition, text) static_assert(condition, text)
#else
#define STRATA_PRINTF_ASSERT_(condition, text) _Static_assert(condition, text)
#endif

#if defined(__cplusplus) && !defined(__clang__)
/* A local class reaches the call, and a member of a template of it runs before main().  GCC refuses
 * a section for calls of inline functions and of templates. */
#define STRATA_PRINTF_BEGIN_(site)                                                         \
	struct strata_here_ {                                                              \
		static struct strata_printf_site *call() { return &site; }                 \
	};                                                                                 \
	(void)&strata_printf_registrar<strata_here_>::instance;

template <typename here> struct strata_printf_registrar {
	strata_printf_registrar() { strata_app_register_printf(here::call()); }
	~strata_printf_registrar() { strata_app_unregister(&here::call()->tracepoint); }
	static strata_printf_registrar instance;
};

/* Before strata_app_file_ready(), which has no priority. */
template <typename here>
__attribute__((__init_priority__(65000)))
strata_printf_registrar<here> strata_printf_registrar<here>::instance;
#else
/* The linker collects the calls for a constructor, which a function cannot contain. clang has no
 * priority for members of templates. */
#define STRATA_PRINTF_BEGIN_(site)                                                         \
	static struct strata_printf_site *strata_place_                                    \
		__attribute__((__section__("strata_printf"), __used__ STRATA_PRINTF_RETAIN_)) = &site;

#if defined(__has_attribute)
#if __has_attribute(__retain__)
#define STRATA_PRINTF_RETAIN_ , __retain__
#endif
#endif
#ifndef STRATA_PRINTF_RETAIN_
#define STRATA_PRINTF_RETAIN_
#endif

/* The linker's names for the section's bounds; null: no file of the program has a call. */
#ifdef __cplusplus
extern "C" {
#endif
extern struct strata_printf_site *__start_strata_printf[]
	__attribute__((__weak__, __visibility__("hidden")));
extern struct strata_printf_site *__stop_strata_printf[]
	__attribute__((__weak__, __visibility__("hidden")));
#ifdef __cplusplus
}
#endif

/* Whether the calls of this program or library are registered: one flag for all of its files.  No
 * call can tell, because another library may share that of an inline function. */
__attribute__((__weak__, __visibility__("hidden"))) unsigned char strata_printf_has_begun = 0;

/* Each file has both; the first to run serves all files of its program or library. */
static __attribute__((__constructor__(65000), __unused__)) void strata_printf_begin_all(void)
{
	struct strata_printf_site **place = __start_strata_printf;

	if (strata_printf_has_begun)
		return;
	strata_printf_has_begun = 1;
	for (; place < __stop_strata_printf; place++)
		strata_app_register_printf(*place);
}

static __attribute__((__destructor__, __unused__)) void strata_printf_end_all(void)
{
	struct strata_printf_site **place = __start_strata_printf;

	if (!strata_printf_has_begun)
		return;
	strata_printf_has_begun = 0;
	for (; place < __stop_strata_printf; place++)
		strata_app_unregister(&(*place)->tracepoint);
}
#endif

/* STRATA_PRINTF_EACH(MACRO, format, arguments...): MACRO(index, argument) for each, up to 12. */
#define STRATA_PRINTF_EACH_0(m, format)
#define STRATA_PRINTF_EACH_1(m, format, a1) m(0, a1)
#define STRATA_PRINTF_EACH_2(m, format, a1, a2) m(0, a1) m(1, a2)
#define STRATA_PRINTF_EACH_3(m, format, a1, a2, a3) m(0, a1) m(1, a2) m(2, a3)
#define STRATA_PRINTF_EACH_4(m, format, a1, a2, a3, a4) m(0, a1) m(1, a2) m(2, a3) m(3, a4)
#define STRATA_PRINTF_EACH_5(m, format, a1, a2, a3, a4, a5) m(0, a1) m(1, a2) m(2, a3) m(3, a4) m(4, a5)
#define STRATA_PRINTF_EACH_6(m, format, a1, a2, a3, a4, a5, a6) m(0, a1) m(1, a2) m(2, a3) m(3, a4) m(4, a5) m(5, a6)
#define STRATA_PRINTF_EACH_7(m, format, a1, a2, a3, a4, a5, a6, a7) m(0, a1) m(1, a2) m(2, a3) m(3, a4) m(4, a5) m(5, a6) m(6, a7)
#define STRATA_PRINTF_EACH_8(m, format, a1, a2, a3, a4, a5, a6, a7, a8) m(0, a1) m(1, a2) m(2, a3) m(3, a4) m(4, a5) m(5, a6) m(6, a7) m(7, a8)
#define STRATA_PRINTF_EACH_9(m, format, a1, a2, a3, a4, a5, a6, a7, a8, a9) m(0, a1) m(1, a2) m(2, a3) m(3, a4) m(4, a5) m(5, a6) m(6, a7) m(7, a8) m(8, a9)
#define STRATA_PRINTF_EACH_10(m, format, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) m(0, a1) m(1, a2) m(2, a3) m(3, a4) m(4, a5) m(5, a6) m(6, a7) m(7, a8) m(8, a9) m(9, a10)
#define STRATA_PRINTF_EACH_11(m, format, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) m(0, a1) m(1, a2) m(2, a3) m(3, a4) m(4, a5) m(5, a6) m(6, a7) m(7, a8) m(8, a9) m(9, a10) m(10, a11)
#define STRATA_PRINTF_EACH_12(m, format, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) m(0, a1) m(1, a2) m(2, a3) m(3, a4) m(4, a5) m(5, a6) m(6, a7) m(7, a8) m(8, a9) m(9, a10) m(10, a11) m(11, a12)
/* More of them fail an assertion of strata_printf_level() that names the limit. */
#define STRATA_PRINTF_EACH_13(m, ...)
#define STRATA_PRINTF_EACH_14(m, ...)
#define STRATA_PRINTF_EACH_15(m, ...)
#define STRATA_PRINTF_EACH_16(m, ...)
#define STRATA_PRINTF_EACH_17(m, ...)
#define STRATA_PRINTF_EACH_18(m, ...)
#define STRATA_PRINTF_EACH_19(m, ...)
#define STRATA_PRINTF_EACH_20(m, ...)
#define STRATA_PRINTF_EACH(m, ...) \
	STRATA_PASTE(STRATA_PRINTF_EACH_, STRATA_COUNT_(__VA_ARGS__))(m, __VA_ARGS__)
/* clang-format on */

#endif /* STRATA_PRINTF_H */
