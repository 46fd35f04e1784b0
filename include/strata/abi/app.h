/* SPDX-License-Identifier: MIT */
/*
 * app.h - the contract between an instrumented application (libstrata in it) and
 * the recorder.
 *
 * They meet on a sequenced-packet UNIX socket of the recorder's, STRATA_APP_SOCKET.
 * Its directory belongs to root, so nobody else can stand there.  A program always
 * connects outwards; nothing and nobody can connect to a program:
 *
 *   - a program that starts maps a page of its own (struct strata_app_wait), and then
 *     connects, before main();
 *   - if no recorder listens, a thread of it sleeps on a futex in that page.  A
 *     recorder that starts listens first, and then looks for these pages in
 *     /proc/PID/maps.  It opens each by /proc/PID/map_files, counts a call in it, and
 *     wakes the thread, which connects.
 *
 * Map, then connect; listen, then look: whichever comes second sees the other.  Only
 * the owner of a program and root can open its page.
 *
 * Each decides by the kernel's word on the other (SO_PEERCRED).  The application
 * serves root and its own user.  The recorder takes pid and uid from there.  The
 * overflow uid, which stands for every user without a number in this user namespace,
 * is nobody's: a program in a user namespace that has no number for the recorder's
 * user cannot be traced.
 *
 * Then each packet is one message, a struct strata_app_message and what follows:
 *
 *   application               recorder
 *   HELLO  value = mode,
 *          count = CPUs,
 *          headers = a bit for
 *          each form of header
 *          that it can write
 *   EVENT  an event's description, its id the next from 0; repeated
 *   READY
 *                             SETUP   geometry; mode; headers = the form to write, one of
 *                                     those; memory for the rings as SCM_RIGHTS,
 *                                     first_page = where in it they begin;
 *                                     switch_ms: how often what is in a sub-buffer is
 *                                     handed over in mode RESERVE_COMMIT, where the reader
 *                                     cannot take it (strata/switch_period.h; 0: never)
 *   ATTACHED: the rings are made, nothing is written yet
 *                             SELECT  count = events that were announced until then; a bit
 *                                     for each event: it records these from now on
 *   ... EVENT, READY: a library came; SELECT: likewise
 *                             STOP
 *   STOPPED: nothing is written any more
 *
 * Either side ends it by closing the socket: the application goes quiet then, and
 * the recorder takes what is published in its rings.  Nobody waits for the other
 * for longer than he wants to: an application that starts waits STRATA_APP_WAIT_MS,
 * or what the environment says instead, for the first SELECT, and goes on.
 *
 * The memory is the recorder's: a memfd that can neither shrink nor grow, or a file
 * that outlives both of them.  The application takes memory that can shrink from
 * root only.  The application writes it at any time: every word of
 * it is hostile to the recorder, and so is every message.
 */
#ifndef STRATA_ABI_APP_H
#define STRATA_ABI_APP_H

#include <strata/event.h>
#include <strata/ring_single.h>
#include <strata/switch_period.h>

#define STRATA_APP_MAGIC       0x50525453u /* "STRP" */
#define STRATA_APP_ABI_VERSION 2u

/* The recorder's socket; the environment variable may name another. */
#define STRATA_APP_SOCKET          "/run/strata/apps.sock"
#define STRATA_APP_SOCKET_VARIABLE "STRATA_APP_SOCKET"

/*
 * The page that a program waits in: a memfd of that name and of STRATA_PAGE_BYTES, sealed against
 * shrinking, growing and further seals, mapped shared.  Hostile to the recorder, as all else.
 */
#define STRATA_APP_WAIT_NAME  "strata-wait"
#define STRATA_APP_WAIT_MAGIC 0x57525453u /* "STRW" */

struct strata_app_wait {
	uint32_t magic;
	/* The futex: counts the calls of recorders. */
	uint32_t calls;
	/* What calls was before the program last tried to connect, once that has succeeded or
	 * failed.  Only for recorders that want to know whether they have been heard. */
	uint32_t answered;
	uint32_t connected; /* 1: a recorder has it; it tries again when that one is gone */
};

#define STRATA_APP_EVENTS_MAX 1024u
#define STRATA_APP_RINGS_MAX  4096u
#define STRATA_APP_WAIT_MS    1000

/* The environment may say another number of milliseconds, up to STRATA_APP_WAIT_MS_MAX, to both
 * sides: where a machine is slow, or nothing must be missing. */
#define STRATA_APP_WAIT_VARIABLE "STRATA_APP_WAIT_MS"
#define STRATA_APP_WAIT_MS_MAX   3600000

/* @text: what the environment says, or NULL.  What is no such number is not obeyed. */
static inline uint32_t strata_app_wait_ms(const char *text)
{
	uint32_t ms = 0;

	if (!text || !*text)
		return STRATA_APP_WAIT_MS;
	for (; *text >= '0' && *text <= '9' && ms <= STRATA_APP_WAIT_MS_MAX; text++)
		ms = ms * 10 + (uint32_t)(*text - '0');
	return *text || ms > STRATA_APP_WAIT_MS_MAX ? STRATA_APP_WAIT_MS : ms;
}

enum strata_app_mode {
	STRATA_APP_SINGLE_STORE = 1,   /* ring_single.h */
	STRATA_APP_RESERVE_COMMIT = 2, /* ring_writer.h: where there are no restartable sequences */
};

enum strata_app_message_type {
	STRATA_APP_HELLO = 1,
	STRATA_APP_EVENT,
	STRATA_APP_READY,
	STRATA_APP_SETUP,
	STRATA_APP_ATTACHED,
	STRATA_APP_SELECT,
	STRATA_APP_STOP,
	STRATA_APP_STOPPED,
};

struct strata_app_message {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t value;
	uint32_t count;
	uint8_t subbuf_bits; /* SETUP */
	uint8_t nr_subbufs_bits;
	uint8_t overwrite;   /* 1: when a ring is full its oldest records make room */
	uint8_t headers;     /* HELLO: STRATA_HEADER_FORM_BIT()s; SETUP: enum strata_header_form */
	uint32_t first_page; /* SETUP: pages of the memory before the first ring */
	uint32_t switch_ms;  /* SETUP */
};

/* The largest message. */
struct strata_app_packet {
	struct strata_app_message head;
	union {
		struct strata_event_desc event; /* the beginning of one, as long as needed */
		uint8_t selected[STRATA_APP_EVENTS_MAX / 8]; /* bit 0 of byte 0: event 0 */
	} u;
};

/* Each payload begins with this, which the event table's fields leave out. */
struct strata_app_context {
	int32_t pid;
	int32_t tid;
};

/*
 * The memory: a ring for each CPU, strata_app_ring_bytes() apart.  In single-store mode each is as
 * strata_single_bytes() says; else a writer area, a reader area and the data, each as
 * ring_layout.h has it, and marks.
 *
 * A mark says of a slot how far its writer came.  Where threads share a ring, commit seq says
 * nothing of a sub-buffer that is not complete, and of a process that is killed nothing more would
 * be known.  A slot that begins at a position has the mark strata_app_mark(), which holds the
 * position of its end, plus STRATA_APP_MARK_OPEN until it is written whole.  A mark of an earlier
 * turn holds an earlier position, so none is ever taken away.
 */
#define STRATA_APP_MARK_SPACING 8u /* no two slots begin so close to one another */
#define STRATA_APP_MARK_OPEN    1u

static inline uint64_t strata_app_marks_bytes(struct strata_ring_geometry geo)
{
	return (uint64_t)strata_buffer_bytes(geo) / STRATA_APP_MARK_SPACING * sizeof(uint64_t);
}

/* Where a ring's marks begin, behind its first byte. */
static inline uint64_t strata_app_marks_offset(struct strata_ring_geometry geo)
{
	return (uint64_t)(STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES) * STRATA_PAGE_BYTES +
	       strata_data_bytes(geo);
}

/* Which of a ring's marks is that of a slot. */
static inline uint64_t strata_app_mark(struct strata_ring_geometry geo, strata_count_t position)
{
	return (position & (strata_buffer_bytes(geo) - 1)) / STRATA_APP_MARK_SPACING;
}

static inline uint64_t strata_app_ring_bytes(enum strata_app_mode mode,
					     struct strata_ring_geometry geo)
{
	if (mode == STRATA_APP_SINGLE_STORE)
		return strata_single_bytes(geo);
	return strata_app_marks_offset(geo) + strata_app_marks_bytes(geo);
}

#endif /* STRATA_ABI_APP_H */
