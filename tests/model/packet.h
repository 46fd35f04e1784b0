/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.h - what a packet says of time and of losses: newest_ticks, begin_ticks,
 * end_ticks and lost of struct strata_ring_subbuf, and the clock.
 *
 * Every look at the clock finds it one tick further; once, at any time, it steps
 * back.  Part of the writer in a model that defines PACKETS.
 */
#define CLOCK_FIRST 6
#define STEP_BACK   3

byte clock = CLOCK_FIRST;
bool stepped;    /* the clock has stepped back */
byte lost;       /* struct strata_ring */
byte newest_ticks[NR_SUBBUFS];
byte begin_ticks[NR_SUBBUFS];
byte end_ticks[NR_SUBBUFS];
byte lost_before[NR_SUBBUFS];

/* The packet header, strata_packet_header_build(), and the records' ticks */
byte header_begin[NR_SUBBUFS];
byte header_end[NR_SUBBUFS];
byte header_lost[NR_SUBBUFS];
byte record_ticks[BUFFER]; /* 0: no record begins in this unit */

#define PACKET_LOCALS byte ticks, newest, opened, newest_of, lost_sampled

inline read_clock()
{
	d_step {
		ticks = clock;
		clock++
	}
}

/* The rest of strata_ring_sample(), after write_count */
inline sample_packet()
{
	d_step {
		newest = newest_ticks[INDEX(old)];
		lost_sampled = lost
	};
#ifndef CLOCK_BEFORE_POSITION
	read_clock()
#endif
}

/* strata_ring_raise_ticks(); OUT: won */
inline raise_ticks()
{
#ifndef NO_NEWEST
	d_step {
		if
		:: open_new -> newest_of = opened
		:: else -> newest_of = newest
		fi;
		if
		:: newest_of != 0 && ticks < newest_of -> won = true
		:: else ->
			won = (newest_ticks[INDEX(begin)] == newest_of);
			if
			:: won -> newest_ticks[INDEX(begin)] = ticks
			:: else
			fi
		fi;
		newest_of = 0
	}
#else
	skip
#endif
}

/* strata_ring_close() of the sub-buffer that is left: it ends with its newest record at least */
inline close_packet()
{
	end_ticks[INDEX(position)] = (STEPPED_BACK -> newest : ticks);
	lost_before[INDEX(position)] = lost_sampled
}

inline build_packet()
{
	header_begin[INDEX(position)] = begin_ticks[INDEX(position)];
	header_end[INDEX(position)] = end_ticks[INDEX(position)];
#ifdef LOST_AT_DELIVERY
	header_lost[INDEX(position)] = lost;
#else
	header_lost[INDEX(position)] = lost_before[INDEX(position)];
#endif
	newest_ticks[INDEX(position)] = 0
}

/* Reader's: in the packet time never goes back; from packet to packet neither, unless the clock
 * did, and the losses never. */
inline check_packet_times()
{
	PROPERTY(losses_never_go_back, header_lost[INDEX(read)] >= last_lost);
	PROPERTY(time_never_goes_back, stepped || header_begin[INDEX(read)] >= last_ticks);
	last_lost = header_lost[INDEX(read)];
	last_ticks = header_begin[INDEX(read)];
	unit = 0;
	do
	:: unit < SUBBUF ->
		if
		:: record_ticks[INDEX(read) * SUBBUF + unit] != 0 ->
			PROPERTY(time_never_goes_back,
				 record_ticks[INDEX(read) * SUBBUF + unit] >= last_ticks);
			last_ticks = record_ticks[INDEX(read) * SUBBUF + unit];
			record_ticks[INDEX(read) * SUBBUF + unit] = 0
		:: else
		fi;
		unit++
	:: else -> break
	od;
	PROPERTY(time_never_goes_back, header_end[INDEX(read)] >= last_ticks);
	last_ticks = header_end[INDEX(read)];
	header_begin[INDEX(read)] = 0;
	header_end[INDEX(read)] = 0;
	unit = 0
}
