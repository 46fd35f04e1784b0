/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * single.pml - a ring that is written by single stores: ring_single.h and
 * ring_single_writer.h.  Two threads write to the ring of CPU 0 by restartable
 * sections, which the kernel aborts between any two instructions when it takes
 * the CPU away; a reader takes also from the sub-buffer that is being written;
 * somebody stops it all.
 *
 * A ring of 2 sub-buffers of 3 units; the room for a packet header takes one, a
 * record another.  The counters are too wide to wrap.  On x86 stores land in their
 * order, so that to the reader a store that waits is one that comes later.
 */
#include "properties.pmh"

#define SUBBUF  3
#define BUFFER  6
#define HEADER  1
#define THREADS 2
#ifndef RECORDS
#define RECORDS 3
#endif

/* How often the kernel takes the CPU from a thread in a section, in all. */
#ifndef ABORTS
#define ABORTS 2
#endif

#define OFFSET(count) ((count) % SUBBUF)
#define START(count)  ((count) - OFFSET(count))
#define PLACE(count)  ((count) % BUFFER)
#define INDEX(count)  (PLACE(count) / SUBBUF)

/* struct strata_single_area and its data; struct strata_single_reader_area */
byte position = HEADER;
byte newest_ticks;
bool closed_to_all; /* fit_mask is all ones */
byte content[2];    /* closed[].content_bytes */
byte data[BUFFER];  /* the ticks of the record that lies there */
byte read_count;

/* What is published there and not read. */
byte published[BUFFER];

/* Time goes on where it can be seen: with each record. */
byte clock = 1;
byte records_left = RECORDS;
bool stop_returned;

/* The kernel's view: where the threads are, which of them runs on CPU 0, who is in a section. */
byte cpu_of[THREADS];
byte running;
bool in_section[THREADS];
bool aborted[THREADS];
byte aborts_left = ABORTS;

#define HAS_A_CPU provided (cpu_of[_pid] == 1 || cpu_of[1 - _pid] == 1 || running == _pid)

/* STRATA_RSEQ_BEGIN, up to the label 1: from here on the section is known. */
inline arm()
{
	d_step {
		ticks = 0;
		in_section[_pid] = true
	}
}

/* An instruction of a section is done, or the kernel goes on at the abort handler. */
#define INSTRUCTION(does)                           \
	atomic {                                    \
		if                                  \
		:: aborted[_pid] -> goto abort_handler \
		:: else -> does                     \
		fi                                  \
	}

/* The last: the section is left with it. */
#define LAST_INSTRUCTION(does) INSTRUCTION(does; in_section[_pid] = false)

/* The CPU found before the section began, as if it were the one the section runs on. */
#ifdef NO_CPU_CHECK
#define RIGHT_CPU true
#else
#define RIGHT_CPU (cpu_of[_pid] == 0)
#endif

/*
 * STRATA_SINGLE_BEGIN: movl cpu_id, movq areas: on another CPU it is another ring, and this one
 * is to be written again; STRATA_RSEQ_ENTER: cmpl cpu_id, jnz aborted.
 */
#define CHECK_CPU                                  \
	INSTRUCTION(if                             \
		    :: RIGHT_CPU                   \
		    :: else -> goto abort_handler  \
		    fi)

#define STORE_BODY                                                             \
	INSTRUCTION(PROPERTY(unread_byte_stays, published[PLACE(old)] == 0);   \
		    data[PLACE(old)] = ticks)

/* Whether the record's bytes come before the position that publishes them, or after. */
#ifdef PUBLISH_FIRST
#define BEFORE_POSITION skip
#define BEHIND_POSITION STORE_BODY
#else
#define BEFORE_POSITION STORE_BODY
#define BEHIND_POSITION skip
#endif

active [THREADS] proctype thread() HAS_A_CPU
{
	byte old, ticks, next;

end_idle:
	do
	::	d_step { records_left > 0 -> records_left-- };
again:
		/* On another CPU it would be another ring. */
		atomic {
			cpu_of[_pid] == 0 ->
			old = 0;
			next = 0
		};
		/* strata_single_section_1(): STRATA_SINGLE_BEGIN */
		arm();
		CHECK_CPU;
		INSTRUCTION(old = position);
		INSTRUCTION(if
			    :: closed_to_all || OFFSET(old) + 1 >= SUBBUF -> goto slow
			    :: else
			    fi);
		INSTRUCTION(ticks = clock);
		INSTRUCTION(if
			    :: ticks < newest_ticks -> goto slow
			    :: else
			    fi);
		INSTRUCTION(newest_ticks = ticks);
		BEFORE_POSITION;
		/* The store that publishes */
		LAST_INSTRUCTION(PROPERTY(no_probe_after_stop, !stop_returned);
				 position = old + 1;
				 published[PLACE(old)] = ticks;
				 clock++);
		BEHIND_POSITION;
		goto done;
slow:
		/* strata_rseq_clear(), strata_single_make_room() */
		atomic {
			in_section[_pid] = false;
			aborted[_pid] = false;
			old = position
		};
		if
		:: closed_to_all -> goto done
		:: else
		fi;
		if
		:: OFFSET(old) + 1 < SUBBUF -> goto again
		:: else
		fi;
		next = START(old) + SUBBUF;
#ifndef NO_FULL_CHECK
		if
		:: next - read_count >= BUFFER -> goto done /* lost */
		:: else
		fi;
#endif
		/* strata_single_close() */
		arm();
		CHECK_CPU;
		INSTRUCTION(if
			    :: closed_to_all -> goto abort_handler
			    :: else
			    fi);
#ifndef CLOSE_WITHOUT_LOOK
		INSTRUCTION(if
			    :: position != old -> goto abort_handler
			    :: else
			    fi);
#endif
		INSTRUCTION(content[INDEX(old)] = OFFSET(old));
		LAST_INSTRUCTION(PROPERTY(no_probe_after_stop, !stop_returned);
				 position = next + HEADER);
		goto again;
abort_handler:
		atomic {
			in_section[_pid] = false;
			aborted[_pid] = false;
			goto again
		};
done:
		old = 0;
		ticks = 0;
		next = 0
	od
}

/* A thread that loses its CPU in a section is aborted. */
inline take_the_cpu_from(who)
{
	if
	:: in_section[who] ->
		aborts_left--;
#ifndef NO_ABORT
		aborted[who] = true
#endif
	:: else
	fi
}

#define MAY_LOSE_IT(who) (!in_section[who] || aborts_left > 0)

active proctype kernel()
{
end_idle:
	do
	::	d_step {
			cpu_of[0] == 0 && cpu_of[1] == 0 && MAY_LOSE_IT(running) ->
			take_the_cpu_from(running);
			running = 1 - running
		}
	/* A migration, there and back, when the other thread has CPU 0; also what a signal does. */
	::	d_step {
			MAY_LOSE_IT(0) ->
			take_the_cpu_from(0);
			cpu_of[0] = 1 - cpu_of[0];
			running = 1
		}
	od
}

/* strata_single_stop(), then the home's membarrier() */
active proctype stop()
{
	closed_to_all = true;
#ifndef NO_MEMBARRIER
	d_step {
		aborted[0] = in_section[0];
		aborted[1] = in_section[1]
	};
#endif
	stop_returned = true
}

/* strata_single_take(), with @partly, and strata_single_put() */
active proctype reader()
{
	byte next = HEADER, written, end, last;

end_idle:
	do
	::	d_step { position != next -> written = position };
		/* What it takes stays as it is: that the reader comes at once is the worst case. */
		d_step {
			if
			:: START(next) != START(written) -> end = content[INDEX(next)]
			:: else -> end = OFFSET(written)
			fi;
			do
			:: OFFSET(next) < end && OFFSET(next) >= HEADER ->
				PROPERTY(only_committed_bytes_read,
					 published[PLACE(next)] != 0 &&
					 published[PLACE(next)] == data[PLACE(next)]);
				PROPERTY(time_never_goes_back, data[PLACE(next)] > last);
				last = data[PLACE(next)];
				published[PLACE(next)] = 0;
				next++
			:: else -> break
			od;
			if
			:: START(next) != START(written) ->
				/* Behind what it says that it holds there is nothing. */
				do
				:: OFFSET(next) != 0 ->
					PROPERTY(read_in_order_once, published[PLACE(next)] == 0);
					next++
				:: else -> break
				od;
				next = next + HEADER
			:: else
			fi;
			read_count = START(next);
			written = 0;
			end = 0
		}
	od
}
