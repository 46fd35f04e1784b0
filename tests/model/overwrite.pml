/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overwrite.pml - a ring that loses its oldest sub-buffers: include/strata/ring_table.h.
 * Contexts nested on one CPU write and flush, a reader in another domain
 * exchanges pages.  Each unit of a page holds the number of the sub-buffer that
 * it was written for, so the reader sees whose bytes it has.
 */
#define OVERWRITE
#define LEVELS 2
#define COUNTS 64
#include "properties.pmh"
#include "counters.pmh"
#include "cpu.pmh"

#define PAGES        (NR_SUBBUFS + 1)
#define TURN(position)   ((position) / BUFFER)
#define NUMBER(position) ((position) / SUBBUF + 1)

/* The sub-buffer table, its words in three parts: strata_table_word() */
byte table_page[NR_SUBBUFS] = { 0, 1 };
byte table_turn[NR_SUBBUFS] = (COUNTS / BUFFER - 2);
bool table_held[NR_SUBBUFS];

/* struct strata_ring_subbuf */
byte page[NR_SUBBUFS] = { 0, 1 };

byte data[PAGES * SUBBUF];
byte header[PAGES]; /* the content that the packet header in a page says */

#define BUFFER_IS_FULL(position) false

inline check_won(position, nr)
{
	skip
}

/* strata_ring_hold() */
inline hold_page()
{
#if defined(NO_HOLD)
	unit = table_page[INDEX(position)];
#elif defined(HOLD_IN_TWO_STEPS)
	unit = table_page[INDEX(position)];
	d_step {
		table_page[INDEX(position)] = unit;
		table_held[INDEX(position)] = true
	};
#else
	d_step {
		unit = table_page[INDEX(position)];
		table_held[INDEX(position)] = true
	};
#endif
	page[INDEX(position)] = unit
}

inline fill_record()
{
	unit = 0;
	do
	:: unit < size ->
		data[page[INDEX(begin)] * SUBBUF + OFFSET(begin) + unit] = NUMBER(begin);
		unit++
	:: else -> break
	od
}

/* strata_table_release() */
inline let_page_go()
{
	d_step {
		table_page[INDEX(position)] = page[INDEX(position)];
		table_turn[INDEX(position)] = TURN(position);
		table_held[INDEX(position)] = false
	}
}

inline build_header()
{
	d_step {
		header[page[INDEX(position)]] = content[INDEX(position)];
		data[page[INDEX(position)] * SUBBUF] = NUMBER(position)
	};
#ifndef RELEASE_AFTER_PUBLISH
	let_page_go()
#endif
}

/* Nothing is lost to a full ring, so only to a wrap onto a slot that is not committed, or not
 * yet told. */
inline check_lost()
{
	skip
}

#include "writer.pmh"

/* strata_table_turn_start() */
#define TURN_START(index, commit) \
	COUNT(((COUNT((commit) - 1) & ~(SUBBUF - 1)) << NR_SUBBUFS_BITS) + (index) * SUBBUF)

/* Whether the writer has entered the place of @position again. */
#define OVERWRITTEN(position) (COUNT(write_count - (position)) > BUFFER)

/* What the reader took is its own, and whole. */
inline check_packet()
{
	unit = 0;
	do
	:: unit < header[spare] ->
		PROPERTY(only_committed_bytes_read, data[spare * SUBBUF + unit] == NUMBER(read));
		unit++
	:: else -> break
	od;
	PROPERTY(only_committed_bytes_read, unit > HEADER);
	unit = 0
}

/* The word of a page that was completed in the turn that the reader came for, strata_table_word() */
#ifdef NO_TURN
#define COMPLETE(position) (!table_held[INDEX(position)])
#else
#define COMPLETE(position) \
	(!table_held[INDEX(position)] && table_turn[INDEX(position)] == TURN(position))
#endif

/* The compare-and-swap of strata_table_exchange(): the page found, or no page. */
inline exchange()
{
#ifdef EXCHANGE_IN_TWO_STEPS
	taken = (COMPLETE(read) -> table_page[INDEX(read)] : PAGES);
	d_step {
#else
	d_step {
		taken = (COMPLETE(read) -> table_page[INDEX(read)] : PAGES);
#endif
		if
		:: taken < PAGES ->
			table_page[INDEX(read)] = spare;
			table_turn[INDEX(read)] = TURN(COUNT(~read));
			spare = taken;
			check_packet()
		:: else ->
			/* A finished sub-buffer is stepped over only if it is written again. */
			PROPERTY(passed_over_only_overwritten, OVERWRITTEN(read))
		fi
	}
}

#define NEGATIVE(difference) (COUNT(difference) >= COUNTS / 2)

/*
 * strata_reader_get() by strata_table_take(), strata_reader_put().  The word is
 * loaded first and compared in the exchange: a difference is a failure in either.
 */
active proctype reader()
{
	byte read = FIRST, spare = NR_SUBBUFS, taken, commit, start, unit;

end_idle:
	do
	::	d_step {
			/* Until there is something to do, a look is as no look. */
			COUNT(TURN_START(INDEX(read), shared_seq[INDEX(read)]) - read) < COUNTS / 2 &&
			(TURN_START(INDEX(read), shared_seq[INDEX(read)]) != read ||
			 SUBBUF_READY(read, shared_seq[INDEX(read)])) ->
			commit = shared_seq[INDEX(read)];
			start = TURN_START(INDEX(read), commit)
		}
		if
		:: start == read ->
			exchange();
			if
			:: taken < PAGES -> d_step { check_packet() }
			:: else
			fi;
			read = COUNT(read + SUBBUF)
		:: else ->
			d_step {
				/* The oldest that may be left of the turn before. */
#ifdef STEP_TO_THE_OVERWRITTEN
				start = COUNT(start - BUFFER);
#else
				start = COUNT(start - BUFFER + SUBBUF);
#endif
				PROPERTY(read_in_order_once, start != read && !NEGATIVE(start - read));
				PROPERTY(passed_over_only_overwritten, OVERWRITTEN(COUNT(start - SUBBUF)));
				read = start
			}
		fi;
		d_step { commit = 0; start = 0; taken = 0 }
	od
}
