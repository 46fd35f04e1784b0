/* SPDX-License-Identifier: MIT */
/*
 * app.h - the contract between an instrumented application (libstrata in it) and
 * the recorder.
 *
 * Up to STRATA_APP_CHANNELS recorders run at a time, each with a number.  They meet on a
 * sequenced-packet UNIX socket of each recorder, STRATA_APP_SOCKET and its number.  Its
 * directory belongs to root, so no other process can listen there.  The program always
 * connects to the recorder; nothing can connect to a program:
 *
 *   - at its start a program maps a page of its own (struct strata_app_wait), and then
 *     connects to each recorder that listens, before main();
 *   - a thread of the program sleeps on a futex in that page.  At its start a recorder
 *     first listens, and then searches /proc/PID/maps for these pages.  It opens each
 *     through /proc/PID/map_files, increments its count of calls, and wakes the thread,
 *     which connects to each recorder that the program is not connected to.
 *
 * With each recorder a program has a channel of its own: a connection, rings and a
 * selection of events.  The number of a recorder is that of its channel.  An aggregator is
 * a recorder whose channels have tables instead of rings, in which programs count their
 * events (abi/aggregate.h).
 *
 * Map, then connect; listen, then search: whichever comes second sees the other.  Only
 * the owner of a program and root can open its page.
 *
 * Each side checks the other's credentials (SO_PEERCRED).  The application accepts root
 * and its own user.  The recorder takes pid and uid from them.  The overflow uid
 * represents every user that this user namespace does not map, so it gives no rights: a
 * program in a user namespace that does not map the recorder's user cannot be traced.
 *
 * Then each packet is one message, a struct strata_app_message and its payload:
 *
 *   application               recorder
 *   HELLO  value = the modes
 *          that it can write,
 *          count = CPUs,
 *          headers = a bit for
 *          each form of header
 *          that it can write
 *          in RESERVE_COMMIT, and
 *          STRATA_APP_WAKES;
 *          or NO_THREAD: it can have
 *          no thread to be recorded by
 *   EVENT  an event's description, its id the next from 0; repeated
 *   READY
 *                             SETUP   geometry; value = the mode to write, one of those,
 *                                     or STRATA_APP_COUNT: then a strata_aggregate_spec
 *                                     follows, count = tables, and only these, first_page
 *                                     and the memory have a meaning;
 *                                     headers = the form to write, likewise (STRATA_HEADER_FULL
 *                                     in mode SINGLE_STORE); memory for the rings as SCM_RIGHTS,
 *                                     first_page = where in it they begin;
 *                                     switch_ms: period of the forced switch in mode
 *                                     RESERVE_COMMIT, where the reader cannot read an
 *                                     open sub-buffer (strata/switch_period.h; 0: never)
 *   ATTACHED: the rings exist, nothing is written yet
 *                             SELECT  count = events announced until then; a bit
 *                                     for each event that is recorded or counted from now
 *                                     on.  Of times: a bit for each event that begins
 *                                     one, and then a bit for each that ends one
 *   ... EVENT, READY: a library was loaded; SELECT: likewise
 *   ... WAKE: it has left a sub-buffer of a single-store ring whose reader sleeps
 *       (ring_single.h), if it has STRATA_APP_WAKES; value = STRATA_APP_WENT_ON: this SELECT
 *       came after its wait for it
 *                             STOP
 *   STOPPED: nothing is written any more
 *
 * Either side ends the connection by closing the socket: the application stops writing,
 * and the recorder drains what is published in its rings.  Neither side waits longer
 * than its own limit: at its start an application waits for the first SELECT for
 * STRATA_APP_WAIT_MS, or the time that the environment sets, and then continues.
 *
 * The recorder creates the memory: a memfd that can neither shrink nor grow, or a file
 * that outlives both processes.  On ATTACHED the recorder forbids new writable mappings
 * of a memfd (F_SEAL_FUTURE_WRITE), so the application maps it before that.  The
 * application accepts memory that can shrink from root only.  The application can write
 * to it at any time: the recorder treats every word of it, and every message, as hostile.
 */
#ifndef STRATA_ABI_APP_H
#define STRATA_ABI_APP_H

#include <strata/abi/aggregate.h>
#include <strata/event.h>
#include <strata/ring_single.h>
#include <strata/switch_period.h>

#define STRATA_APP_MAGIC       0x50525453u /* "STRP" */
#define STRATA_APP_ABI_VERSION 4u

/* Recorders that record an application at a time. */
#define STRATA_APP_CHANNELS 8u

/* The socket of recorder 0, unless the environment variable names another.  That of recorder N has
 * ".N" behind it.  (A libstrata of version 2 knows the first only, and is refused there.) */
#define STRATA_APP_SOCKET          "/run/strata/apps.sock"
#define STRATA_APP_SOCKET_VARIABLE "STRATA_APP_SOCKET"

/* Recorders of an application's own user, besides those of root, that record it at a time. */
#define STRATA_APP_USER_CHANNELS 4u

/*
 * Names the directory of a user's own recorders, whose sockets have the same names as in root's:
 * "/run/user/UID/strata", or "HOME/.strata" on a machine without /run/user/UID.
 * @text:    OUT, with @bytes of room
 * @runtime: "/run/user/UID" if it exists, else NULL
 * @home:    of the environment; may be NULL
 * Returns whether the user has such a directory, and its name fits.
 */
static inline bool strata_app_user_dir(char *text, size_t bytes, const char *runtime,
				       const char *home)
{
	const char *parent = runtime ? runtime : home, *name = runtime ? "/strata" : "/.strata";
	const size_t length = parent ? strlen(parent) : 0, name_bytes = strlen(name) + 1;

	if (!length || parent[0] != '/' || length + name_bytes > bytes)
		return false;
	memcpy(text, parent, length);
	memcpy(text + length, name, name_bytes);
	return true;
}

/*
 * Names the socket of a recorder.
 * @text:   OUT, with @bytes of room
 * @socket: of recorder 0
 * Returns whether it fits.
 */
static inline bool strata_app_socket_name(char *text, size_t bytes, const char *socket,
					  uint32_t recorder)
{
	const size_t length = strlen(socket);

	if (recorder >= STRATA_APP_CHANNELS || length + 3 > bytes)
		return false;
	memcpy(text, socket, length + 1);
	if (recorder) {
		text[length] = '.';
		text[length + 1] = (char)('0' + recorder);
		text[length + 2] = '\0';
	}
	return true;
}

/*
 * The page that a program waits in: a memfd of that name and of STRATA_PAGE_BYTES, sealed against
 * shrinking, growing and further seals, mapped shared.  Hostile to the recorder, like
 * everything else.
 */
#define STRATA_APP_WAIT_NAME  "strata-wait"
#define STRATA_APP_WAIT_MAGIC 0x57525453u /* "STRW" */

struct strata_app_wait {
	uint32_t magic;
	/* The futex: counts the calls of recorders, and of the program's own threads that have a
	 * recorder woken (STRATA_APP_WAKE). */
	uint32_t calls;
	/* The value of calls before the program last tried to connect, stored once each attempt
	 * has succeeded or failed.  Recorders read it to see whether the program noticed
	 * them. */
	uint32_t answered;
	/* STRATA_APP_ABI_VERSION; 0 or 1 in version 2. */
	uint32_t version;
};

/*
 * The page in which the programs of one user wait for that user's recorders, which may not open the
 * pages above: a file of that name in the user's directory, of STRATA_PAGE_BYTES, his alone.  A
 * program makes it, too, so that a recorder that comes later finds it mapped.
 */
#define STRATA_APP_USER_WAIT_NAME "wait"

struct strata_app_user_wait {
	/* The futex: counts the calls of recorders. */
	uint32_t calls;
	/* Counts programs that have tried to connect since they noticed a call. */
	uint32_t answers;
};

#define STRATA_APP_EVENTS_MAX 1024u
#define STRATA_APP_RINGS_MAX  STRATA_SINGLE_RINGS_MAX
#define STRATA_APP_WAIT_MS    1000

/* The environment of either side may set another number of milliseconds, up to
 * STRATA_APP_WAIT_MS_MAX: for slow machines, or if no event may be missed. */
#define STRATA_APP_WAIT_VARIABLE "STRATA_APP_WAIT_MS"
#define STRATA_APP_WAIT_MS_MAX   3600000

/* @text: from the environment, or NULL.  Invalid numbers are ignored. */
static inline uint32_t strata_app_wait_ms(const char *text)
{
	uint32_t ms = 0;

	if (!text || !*text)
		return STRATA_APP_WAIT_MS;
	for (; *text >= '0' && *text <= '9' && ms <= STRATA_APP_WAIT_MS_MAX; text++)
		ms = ms * 10 + (uint32_t)(*text - '0');
	return *text || ms > STRATA_APP_WAIT_MS_MAX ? STRATA_APP_WAIT_MS : ms;
}

/* Each is a bit of its own. */
enum strata_app_mode {
	STRATA_APP_SINGLE_STORE = 1,   /* ring_single.h */
	STRATA_APP_RESERVE_COMMIT = 2, /* ring_writer.h: where there are no restartable sequences */
	STRATA_APP_COUNT = 4,          /* in tables; every program can */
};

/* Both ways to write records. */
#define STRATA_APP_WRITE_MODES ((uint32_t)STRATA_APP_SINGLE_STORE | STRATA_APP_RESERVE_COMMIT)

enum strata_app_message_type {
	STRATA_APP_HELLO = 1,
	STRATA_APP_EVENT,
	STRATA_APP_READY,
	STRATA_APP_SETUP,
	STRATA_APP_ATTACHED,
	STRATA_APP_SELECT,
	STRATA_APP_STOP,
	STRATA_APP_STOPPED,
	STRATA_APP_WAKE,
	STRATA_APP_NO_THREAD,
};

/* HELLO, beside the forms of headers. */
#define STRATA_APP_WAKES 0x80u

/* WAKE. */
#define STRATA_APP_WENT_ON 1u

struct strata_app_message {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t value;
	uint32_t count;
	uint8_t subbuf_bits; /* SETUP */
	uint8_t nr_subbufs_bits;
	uint8_t overwrite;   /* 1: a full ring overwrites its oldest records */
	uint8_t headers;     /* HELLO: STRATA_HEADER_FORM_BIT()s; SETUP: enum strata_header_form */
	uint32_t first_page; /* SETUP: pages of the memory before the first ring */
	uint32_t switch_ms;  /* SETUP */
};

/* The largest message. */
struct strata_app_packet {
	struct strata_app_message head;
	union {
		struct strata_event_desc event; /* the beginning of one, as long as needed */
		uint8_t selected[STRATA_APP_EVENTS_MAX / 8];    /* bit 0 of byte 0: event 0 */
		uint8_t measured[2][STRATA_APP_EVENTS_MAX / 8]; /* of times: begins, and ends */
		struct strata_aggregate_spec spec;              /* SETUP of STRATA_APP_COUNT */
	} u;
};

/* Each payload begins with this, which the event table's fields leave out. */
struct strata_app_context {
	int32_t pid;
	int32_t tid;
};

/*
 * The memory: a ring for each CPU, strata_app_ring_bytes() apart.  In single-store mode each has
 * strata_single_bytes(); otherwise it is a writer area, a reader area and the data, as in
 * ring_layout.h, and then marks.
 *
 * A mark shows how far the writer of a slot got.  Where threads share a ring, commit seq
 * does not describe an incomplete sub-buffer, so the records of a killed process would be
 * lost.  A slot that begins at a position has the mark strata_app_mark(), which holds the
 * position of its end, plus STRATA_APP_MARK_OPEN until it is written whole.  A mark of an
 * earlier turn holds an earlier position, so marks are never cleared.
 */
#define STRATA_APP_MARK_SPACING 8u /* no two slots begin this close to each other */
#define STRATA_APP_MARK_OPEN    1u

static inline uint64_t strata_app_marks_bytes(struct strata_ring_geometry geo)
{
	return (uint64_t)strata_buffer_bytes(geo) / STRATA_APP_MARK_SPACING * sizeof(uint64_t);
}

/* Offset of a ring's marks. */
static inline uint64_t strata_app_marks_offset(struct strata_ring_geometry geo)
{
	return (uint64_t)(STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES) * STRATA_PAGE_BYTES +
	       strata_data_bytes(geo);
}

/* Index of a slot's mark among a ring's marks.  @mask: strata_buffer_bytes(geo) - 1 */
static inline uint64_t strata_app_mark_at(strata_count_t mask, strata_count_t position)
{
	return (position & mask) / STRATA_APP_MARK_SPACING;
}

static inline uint64_t strata_app_mark(struct strata_ring_geometry geo, strata_count_t position)
{
	return strata_app_mark_at(strata_buffer_bytes(geo) - 1, position);
}

static inline uint64_t strata_app_ring_bytes(enum strata_app_mode mode,
					     struct strata_ring_geometry geo)
{
	if (mode == STRATA_APP_SINGLE_STORE)
		return strata_single_bytes(geo);
	return strata_app_marks_offset(geo) + strata_app_marks_bytes(geo);
}

/*
 * The memory of a channel that counts: a table for each CPU, and one for threads that have no CPU's
 * (libstrata/counts.c), strata_app_table_bytes() apart.  Counts: the row of an event is its id.
 * Times: the program has one row; a reader adds up all.
 */
#define STRATA_APP_COUNT_ROW_BITS 10u
#define STRATA_APP_TIME_ROW_BITS  STRATA_AGGREGATE_ROW_BITS_MIN
/* What an event is in a channel that measures times: bits. */
#define STRATA_APP_BEGINS 1u
#define STRATA_APP_ENDS   2u

static inline struct strata_aggregate_spec strata_app_spec(enum strata_aggregate_kind kind)
{
	const struct strata_aggregate_event begin = { STRATA_APP_BEGINS, STRATA_APP_BEGINS };
	const struct strata_aggregate_event end = { STRATA_APP_ENDS, STRATA_APP_ENDS };
	struct strata_aggregate_spec spec;

	memset(&spec, 0, sizeof(spec));
	spec.version = STRATA_AGGREGATE_VERSION;
	spec.kind = (uint8_t)kind;
	spec.row_bits = STRATA_APP_COUNT_ROW_BITS;
	if (kind == STRATA_AGGREGATE_TIME) {
		spec.row_bits = STRATA_APP_TIME_ROW_BITS;
		spec.begin = begin;
		spec.end = end;
	}
	return spec;
}

static inline uint32_t strata_app_table_bytes(const struct strata_aggregate_spec *spec)
{
	const uint32_t bytes = strata_aggregate_table_words(spec) * (uint32_t)sizeof(uint64_t);

	return (bytes + STRATA_PAGE_BYTES - 1) / STRATA_PAGE_BYTES * STRATA_PAGE_BYTES;
}

#endif /* STRATA_ABI_APP_H */
