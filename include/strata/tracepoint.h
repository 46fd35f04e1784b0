/* SPDX-License-Identifier: MIT */
/*
 * tracepoint.h - instruments an application: C11 and C++11, with GCC or clang.
 *
 *   #include <strata/tracepoint.h>
 *
 *   STRATA_EVENT(server, request, strata_u64(id), strata_string(path), strata_f64(load));
 *   ...
 *   STRATA_TRACE(server, request, id, path, 0.5);
 *
 * Put STRATA_EVENT(group, name, fields...) once into a file, or into a header that
 * several files include, so that it is the same everywhere. `strata record --app PROGRAM`
 * finds the events of a program that is linked with -lstrata, before its main() and also
 * while it runs. While the event is not recorded, STRATA_TRACE() is a load and a
 * predicted branch, and its arguments are not evaluated.
 *
 * STRATA_EVENT_LEVEL(STRATA_LOG_WARNING, server, overload, fields...) gives the event a log
 * level, with the names of LTTng (log_level.h): `--app 'server:*@warning'` selects by it.
 *
 * Fields, at most 20, each with a name:
 *
 *   strata_u8 .. u64, i8 .. i64, x8 .. x64    integers; x: shown in base 16
 *   strata_f32, f64                           float, double
 *   strata_string(name)                       const char *, up to its zero byte
 *   strata_array_u8(name, count) ...          of any of these: a pointer to count elements
 *   strata_sequence_u8(name) ...              a pointer, and how many: two arguments
 *
 * A record has at most STRATA_SINGLE_BODY_MAX - 8 bytes of fields; a longer one is
 * refused and counted as lost. An event with a string or a sequence uses that many bytes
 * of stack. STRATA_TRACE() works anywhere, also in signal handlers and in all threads,
 * except between vfork() and exec, where the child has its parent's thread pointer. It
 * makes no system call, takes no lock and allocates nothing; but a thread's first event
 * asks for the thread's number.
 */
#ifndef STRATA_TRACEPOINT_H
#define STRATA_TRACEPOINT_H

#include <strata/abi/app.h>
#include <strata/ring_single_writer.h>
#include <strata/tracepoint_fields.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the records of a channel go; one is made for each recording and stays as it is. */
struct strata_app_rings {
	unsigned char *memory;
	uint64_t stride;
	uint32_t nr_single; /* rings written by single stores; 0: reserve/commit */
	uint32_t nr;
};

struct strata_single_rings;
struct strata_app_shared_rings;

/*
 * An event of the program; STRATA_EVENT() makes it, libstrata fills in its state.  Where only one
 * channel records the event, one of the two pointers leads to its rings; else neither leads to a
 * ring, and libstrata goes by the bits.
 */
struct strata_tracepoint {
	uint32_t enabled; /* a bit for each channel that records it */
	uint32_t id;
	const struct strata_single_rings *single;
	const struct strata_app_shared_rings *shared; /* reserve/commit */
	const char *group;
	const char *name;
	const struct strata_field_desc *fields;
	uint32_t nr_fields;
	/* A program that was built before there were levels has one word of zero here. */
	uint16_t registered; /* by how many libraries: they can share a call of strata_printf() */
	uint8_t level;       /* enum strata_log_level */
	uint8_t reserved;
	struct strata_tracepoint *next;
};

/* The rest belongs to libstrata, for use by the macros only. */

/* By channel; set before any event is enabled there. */
extern const struct strata_app_rings *strata_app_rings[STRATA_APP_CHANNELS];

/* Process and thread, a struct strata_app_context; 0: unknown yet, or the process cannot write by
 * single stores. */
extern __thread uint64_t strata_app_context_word __attribute__((__tls_model__("initial-exec")));

void strata_app_register(struct strata_tracepoint *tracepoint);
void strata_app_ready(void);
void strata_app_unregister(struct strata_tracepoint *tracepoint);
/* Records an event that strata_single_write() could not write, or whose context is not yet known,
 * in each channel that records it.
 * @body: its first word is for the context, and is not read */
void strata_app_write_long(const struct strata_tracepoint *tracepoint, uint64_t *body,
			   uint32_t body_bytes);
/* The same for at most STRATA_SINGLE_SHORT_BODY bytes, passed in registers, so that the caller need
 * not build them in memory: the words behind the context. */
void strata_app_write_short(const struct strata_tracepoint *tracepoint, uint32_t body_bytes,
			    uint64_t word1, uint64_t word2, uint64_t word3);

#ifdef __cplusplus
}
#endif

/* @body: begins with strata_app_context_word */
static inline __attribute__((__always_inline__)) void
strata_app_write(const struct strata_tracepoint *tracepoint, uint64_t *body, uint32_t body_bytes)
{
#ifdef STRATA_HAS_RSEQ
	/* With a context there may be such rings: see strata_app_context_word. */
	if (strata_likely(body[0]) &&
	    strata_likely(strata_single_write(strata_read_once(&tracepoint->single), tracepoint->id,
					      body, body_bytes)))
		return;
#endif
	if (strata_likely(body_bytes <= STRATA_SINGLE_SHORT_BODY))
		strata_app_write_short(tracepoint, body_bytes, body_bytes > 8 ? body[1] : 0,
				       body_bytes > 16 ? body[2] : 0,
				       body_bytes > 24 ? body[3] : 0);
	else
		strata_app_write_long(tracepoint, body, body_bytes);
}

/* Moves the recording code out of the surrounding code, also out of loops, which strata_unlikely()
 * does not: the branch is not taken, and nothing else is disturbed. */
#if __GNUC__ >= 9 || (defined(__clang_major__) && __clang_major__ >= 11)
#define STRATA_NEVER_(condition) (__builtin_expect_with_probability(!!(condition), 0, 1.0) != 0)
#else
#define STRATA_NEVER_(condition) strata_unlikely(condition)
#endif

/* Announces the events of a file to a recorder together, once all constructors with a priority have
 * registered theirs. */
static __attribute__((__constructor__, __unused__)) void strata_app_file_ready(void)
{
	strata_app_ready();
}

/* clang-format off */

/*
 * Defines an event of @group, called @name, with these fields.
 * At file scope.  Group and name are C identifiers, shorter than 32 and 64 bytes.
 */
#define STRATA_EVENT(group, ...) STRATA_EVENT_LEVEL(STRATA_LOG_NONE, group, __VA_ARGS__)

/* The same, with a log level: an enum strata_log_level. */
#define STRATA_EVENT_LEVEL(level, group, ...)                                              \
	STRATA_EVENT_1_(level, group, STRATA_FIRST_(__VA_ARGS__, ), __VA_ARGS__)

/* Records the event, if it is enabled: the fields' values, in their order. */
#define STRATA_TRACE(group, name, ...)                                                     \
	do {                                                                               \
		if (STRATA_TRACE_ENABLED(group, name))                                     \
			strata_record_##group##_##name(&strata_event_##group##_##name,     \
						       ##__VA_ARGS__);                     \
	} while (0)

/* Whether it would be recorded: to skip values that are expensive to compute. */
#define STRATA_TRACE_ENABLED(group, name) \
	STRATA_NEVER_(strata_read_once(&strata_event_##group##_##name.enabled) != 0)

/* The body of a record on the stack, strata_body_, with its context.  The arguments add up the
 * bytes of its fields: + BYTES for each. */
#define STRATA_BODY_(...)                                                                  \
	enum {                                                                             \
		strata_sum_ = 8 __VA_ARGS__,                                               \
		strata_room_ = strata_sum_ < STRATA_SINGLE_BODY_MAX ?                      \
			       strata_sum_ : STRATA_SINGLE_BODY_MAX,                       \
		strata_short_ = strata_room_ <= STRATA_SINGLE_SHORT_BODY                   \
	};                                                                                 \
	uint64_t strata_words_[strata_short_ ? STRATA_SINGLE_SHORT_BODY / 8 :              \
			       (strata_room_ + 7) / 8];                                    \
	struct strata_body strata_body_ = { (unsigned char *)strata_words_, 8,             \
					    strata_room_ };                                \
	strata_words_[0] = strata_app_context_word;

#define STRATA_FIRST_(first, ...) first
#define STRATA_EVENT_1_(level, group, name, ...) STRATA_EVENT_2_(level, group, name, __VA_ARGS__)
#define STRATA_EVENT_2_(level, group, name, ...)                                                  \
	static const struct strata_field_desc strata_fields_##group##_##name[] = {         \
		STRATA_EACH(STRATA_DESC_, __VA_ARGS__) { "", 0, 0, 0 }                     \
	};                                                                                 \
	/* One for all files of a program or library that include the definition. */       \
	__attribute__((__weak__, __visibility__("hidden")))                                \
	struct strata_tracepoint strata_event_##group##_##name = {                         \
		0, 0, 0, 0, #group, #name, strata_fields_##group##_##name,                 \
		sizeof(strata_fields_##group##_##name) / sizeof(struct strata_field_desc) - 1, \
		0, level, 0, 0                                                             \
	};                                                                                 \
	static __attribute__((__constructor__(65000))) void strata_begin_##group##_##name(void) \
	{                                                                                  \
		strata_app_register(&strata_event_##group##_##name);                       \
	}                                                                                  \
	static __attribute__((__destructor__)) void strata_end_##group##_##name(void)      \
	{                                                                                  \
		strata_app_unregister(&strata_event_##group##_##name);                     \
	}                                                                                  \
	static inline __attribute__((__unused__)) void strata_record_##group##_##name(     \
		const struct strata_tracepoint *strata_tracepoint_                         \
		STRATA_EACH(STRATA_PARAMETER_, __VA_ARGS__))                               \
	{                                                                                  \
		STRATA_BODY_(STRATA_EACH(STRATA_ROOM_, __VA_ARGS__))                       \
		STRATA_EACH(STRATA_PUT_, __VA_ARGS__)                                      \
		strata_app_write(strata_tracepoint_, strata_words_,                        \
				 strata_body_finish(&strata_body_));                       \
	}                                                                                  \
	struct strata_tracepoint

/* clang-format on */

#endif /* STRATA_TRACEPOINT_H */
