/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - include/strata/ring_writer.h: an inline for each function, a step
 * for each access to a word that somebody else may touch.
 *
 * The fast path of strata_ring_reserve() is not here: it is a turn of the loop
 * in strata_ring_reserve_slow() that opens and closes nothing.
 *
 * A model says in hooks of its own what it keeps books of:
 *   BUFFER_IS_FULL(position)        strata_ring_plan(), asks the reader's word
 *   check_won(position, nr)         units that a writer has just won
 *   hold_page()                     strata_ring_memory(), before the first byte
 *   fill_record()                   header and payload of the slot are written
 *   check_lost()                    a record that is lost, when that is decided
 *   build_header()                  strata_packet_header_build(), and the page let go
 */

/* struct strata_ring, struct strata_ring_subbuf, struct strata_ring_writer_area */
byte write_count = FIRST;
byte commit_count[NR_SUBBUFS] = FIRST_COMMIT;
byte commit_seq[NR_SUBBUFS] = FIRST_COMMIT;
byte shared_seq[NR_SUBBUFS] = FIRST_COMMIT;
byte content[NR_SUBBUFS];

/* Slots that were won and are not committed: a bit for each unit of the buffer. */
byte open_units;

#define WRITER_LOCALS                  \
	byte below;                    \
	byte old, begin, end, size;    \
	byte commit, published, unit;  \
	byte position, bytes;          \
	bool close_old, open_new, won
#ifdef PACKETS
#include "packet.h"
#endif

/* strata_ring_publish(); IN: commit */
inline publish(index)
{
	do
	::	d_step {
			published = commit;
			commit_seq[index] = commit
		}
		do
		::	d_step {
				commit = commit_seq[index];
				BEGIN_TURN(COPY_LOOP)
			}
			shared_seq[index] = commit;
			if
			:: commit == commit_seq[index] -> break
			:: else -> BOUNDED_STEPS(COPY_LOOP)
			fi
		od;
#ifdef PUBLISH_ONCE
		break;
#endif
		atomic {
			commit = commit_count[index];
			if
			:: commit != published -> BOUNDED_STEPS(PUBLISH_LOOP)
			:: else
			fi;
			BEGIN_TURN(PUBLISH_LOOP)
		}
		if
		:: commit == published -> break
		:: else
		fi
	od
}

/* strata_ring_deliver(); IN: position, commit */
inline deliver()
{
	build_header();
	publish(INDEX(position));
#ifdef RELEASE_AFTER_PUBLISH
	let_page_go()
#endif
}

/* strata_ring_commit_bytes(); IN: position, bytes */
inline commit_bytes()
{
#ifdef COMMIT_IN_TWO_STEPS
	commit = commit_count[INDEX(position)];
	d_step {
		commit = COUNT(commit + bytes);
#else
	d_step {
		commit = COUNT(commit_count[INDEX(position)] + bytes);
#endif
		commit_count[INDEX(position)] = commit;
		open_units = open_units & ~UNITS(position, bytes);
		BEGIN_TURN(PUBLISH_LOOP)
	}
	if
	:: SUBBUF_READY(position, commit) ->
		deliver()
#ifndef NO_PREFIX
	:: !SUBBUF_READY(position, commit) &&
	   START(write_count ^ position) == 0 && OFFSET(write_count ^ commit) == 0 ->
		publish(INDEX(position))
#endif
	:: else
	fi
}

/* What an attempt wins when it advances write_count: padding, header, record. */
inline win_units(position, nr)
{
	PROPERTY(slot_is_won_once, (open_units & UNITS(position, nr)) == 0);
	open_units = open_units | UNITS(position, nr);
	check_won(position, nr)
}

inline win()
{
	if
	:: close_old -> win_units(old, SUBBUF - OFFSET(old))
	:: else
	fi;
	if
	:: open_new -> win_units(START(begin), HEADER)
	:: else
	fi;
	if
	:: begin != end -> win_units(begin, size)
	:: else
	fi
}

/* strata_ring_advance() */
inline advance()
{
#ifdef ADVANCE_IN_TWO_STEPS
	won = (write_count == old);
	d_step {
#else
	d_step {
		won = (write_count == old);
#endif
		if
		:: won ->
			write_count = end;
			win()
		:: else
		fi
	}
}

/* strata_ring_sample(), and the part of strata_ring_plan() and of strata_ring_flush() that looks at
 * no other word */
inline sample()
{
#if defined(PACKETS) && defined(CLOCK_BEFORE_POSITION)
	read_clock();
#endif
	d_step {
		old = write_count;
		BEGIN_TURN(RESERVE_LOOP)
	};
#ifdef PACKETS
	sample_packet();
#endif
	d_step {
		begin = old;
		close_old = (OFFSET(old) != 0 && (OFFSET(old) + size > SUBBUF || STEPPED_BACK));
		open_new = (OFFSET(old) == 0 || close_old);
		if
		:: size == 0 ->
			/* A flush: nothing is opened. */
			close_old = (OFFSET(old) != 0);
			open_new = false;
			begin = ALIGN_UP(old)
		:: size != 0 && open_new -> begin = COUNT(ALIGN_UP(old) + HEADER)
		:: else
		fi;
		end = COUNT(begin + size)
	}
}

/* The rest of strata_ring_plan(): may the next sub-buffer be entered?  OUT: won */
inline plan()
{
	won = true;
	if
	:: open_new ->
#ifndef NO_NESTED_CHECK
#ifdef COUNT_FOR_SEQ
		won = FULLY_COMMITTED(START(begin), commit_count[INDEX(begin)]);
#else
		won = FULLY_COMMITTED(START(begin), commit_seq[INDEX(begin)]);
#endif
#endif
		if
		:: won -> won = !BUFFER_IS_FULL(START(begin))
		:: else
		fi;
#ifdef PACKETS
		opened = newest_ticks[INDEX(begin)]
#endif
	:: else
	fi
}

/* strata_ring_reserve_slow(), up to the slot, and strata_ring_flush(), which wins no more than the
 * padding; OUT: won */
inline reserve()
{
	do
	::	sample();
		plan();
		if
		:: won && end == old -> break /* nothing to flush */
		:: won && end != old ->
#ifdef PACKETS
			if
			:: size != 0 -> raise_ticks()
			:: else
			fi;
			if
			:: won -> advance()
			:: else
			fi;
#else
			advance();
#endif
			if
			:: won -> break
			:: else -> BOUNDED_STEPS(RESERVE_LOOP)
			fi
		:: else ->
			if
#if defined(WAIT_FOR_THE_READER)
			:: BOUNDED_STEPS(RESERVE_LOOP)
#elif !defined(NO_SECOND_LOOK)
			:: write_count != old -> BOUNDED_STEPS(RESERVE_LOOP)
			:: d_step { write_count == old -> check_lost() }; break
#else
			:: d_step { true -> check_lost() }; break
#endif
			fi
		fi
	od
}

/*
 * What the attempt has won, committed one after the other: strata_ring_switch_old(),
 * strata_ring_switch_new(), then the record, with strata_ring_close() where it ends
 * as its sub-buffer does, strata_ring_fill_slot(), the payload and strata_ring_commit().
 */
inline commit_what_was_won()
{
	do
	::	if
		:: close_old ->
			d_step {
				position = old;
				bytes = SUBBUF - OFFSET(old);
				content[INDEX(old)] = OFFSET(old);
#ifdef PACKETS
				close_packet();
#endif
				close_old = false
			}
		:: !close_old && open_new ->
			d_step {
				position = START(begin);
				bytes = HEADER;
				open_new = false;
#ifdef PACKETS
				begin_ticks[INDEX(position)] = ticks
#endif
			};
#ifdef OVERWRITE
			hold_page()
#endif
		:: !close_old && !open_new && begin != end ->
			d_step {
				position = begin;
				bytes = size
			}
#ifdef OVERWRITE
			hold_page();
#endif
			d_step {
				if
				:: OFFSET(end) == 0 ->
					content[INDEX(begin)] = SUBBUF;
#ifdef PACKETS
					end_ticks[INDEX(begin)] = ticks;
					lost_before[INDEX(begin)] = lost_sampled
#endif
				:: else
				fi;
				fill_record();
				begin = end
			}
		:: else -> break
		fi;
		commit_bytes()
	od
}

/* What is left in these is nothing to a later attempt, nor to the search for states. */
inline forget_attempt()
{
	old = 0; begin = 0; end = 0; size = 0;
	position = 0; bytes = 0; commit = 0; published = 0; unit = 0;
	close_old = false; open_new = false; won = false;
#ifdef PACKETS
	ticks = 0; newest = 0; opened = 0; lost_sampled = 0
#endif
}

/*
 * When no context is under way, every sub-buffer that is finished is there for
 * the reader, and of the one that is being written every committed byte is.
 */
inline check_all_delivered()
{
	unit = 1;
	do
	:: unit <= NR_SUBBUFS ->
		begin = COUNT(ALIGN_UP(write_count) - SUBBUF * unit);
		if
		:: unit == 1 && OFFSET(write_count) != 0 ->
			PROPERTY(committed_prefix_told,
				 (shared_seq[INDEX(begin)] & COMMIT_MASK) ==
					 COMMIT_AT_TURN(begin) + OFFSET(write_count))
		:: else ->
			PROPERTY(finished_subbuf_delivered,
				 SUBBUF_READY(begin, shared_seq[INDEX(begin)]))
		fi;
		unit++
	:: else -> break
	od;
	begin = 0;
	unit = 0
}

/* A context: each time it enters it writes a record, or it is an interrupt that flushes. */
active [LEVELS] proctype context() ON_THE_CPU
{
	WRITER_LOCALS;
#ifdef PACKETS
	PACKET_LOCALS;
#endif

end_idle:
	do
	::	atomic {
			enter_context();
			if
			:: LEVEL <= LEVELS_OF_SMALL_RECORDS -> size = 1
			:: size = 2
			:: LEVEL == 2 -> size = 0
			fi
		}
		reserve();
		if
		:: won -> commit_what_was_won()
#ifdef PACKETS
		:: else -> lost++
#else
		:: else
#endif
		fi;
		atomic {
			forget_attempt();
			leave_context()
		}
	od
}
