/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - the counters of a small ring and the equations over them:
 * include/strata/ring_state.h, a macro for each function that the models need.
 *
 * A ring of 2 sub-buffers of 4 units.  A packet header takes one unit, a record
 * one or two.  Counters are COUNTS values wide and start one buffer before they wrap.
 */
#ifndef COUNTS
#define COUNTS 16 /* 2^wbits: how many values a counter has */
#endif

#define SUBBUF_BITS     2
#define NR_SUBBUFS_BITS 1
#define SUBBUF          4
#define NR_SUBBUFS      2
#define BUFFER          8
#define HEADER          1 /* STRATA_PACKET_HEADER_BYTES */

#define COUNT(x) ((x) & (COUNTS - 1)) /* arithmetic modulo 2^wbits */

/* strata_ring_init(), @first, and the commit counts that it begins with */
#define FIRST        (COUNTS - BUFFER)
#define FIRST_COMMIT ((COUNTS - BUFFER) / NR_SUBBUFS)

#define INDEX(position)  (((position) >> SUBBUF_BITS) & (NR_SUBBUFS - 1))
#define OFFSET(position) ((position) & (SUBBUF - 1))
#define START(position)  COUNT((position) & ~(SUBBUF - 1))
#define ALIGN_UP(position) START((position) + SUBBUF - 1)

/* strata_commit_at_turn(), strata_commit_mask() */
#define COMMIT_AT_TURN(position) (COUNT((position) & ~(BUFFER - 1)) >> NR_SUBBUFS_BITS)
#define COMMIT_MASK              (COUNTS / NR_SUBBUFS - 1)

/* Equation (1), strata_buffer_full() */
#define BUFFER_FULL(write, read) (COUNT(START(write) - START(read)) >= BUFFER)
/* Equation (2), strata_subbuf_ready() */
#define SUBBUF_READY(position, commit) \
	(COMMIT_AT_TURN(position) == (((commit) - SUBBUF) & COMMIT_MASK))
/* Equation (3), strata_fully_committed() */
#define FULLY_COMMITTED(position, commit) \
	(COMMIT_AT_TURN(position) == ((commit) & COMMIT_MASK))

/* Units of the buffer as a set, a bit for each. */
#define UNITS(position, nr) (((1 << (nr)) - 1) << ((position) & (BUFFER - 1)))

/* strata_ring_stepped_back(), in the models that have a clock (packet.h) */
#ifdef PACKETS
#define STEPPED_BACK (ticks < newest)
#else
#define STEPPED_BACK false
#endif
