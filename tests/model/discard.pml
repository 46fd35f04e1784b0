/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * discard.pml - a ring that loses its newest records when it is full: contexts
 * nested on one CPU write and flush, a reader in another domain
 * reads.  What each unit of the buffer holds is one bit: written, or not.
 */
#include "properties.pmh"
#include "counters.pmh"
#ifdef THREADS
#include "threads.pmh"
#else
#include "cpu.pmh"
#endif

byte read_count = FIRST; /* struct strata_ring_reader_area */

byte written;            /* a bit for each unit: holds a byte that is still to be read */
byte header[NR_SUBBUFS]; /* the content that a packet header says */

#ifdef NO_FULL_CHECK
#define BUFFER_IS_FULL(position) false
#else
#define BUFFER_IS_FULL(position) BUFFER_FULL(position, read_count)
#endif

/* Not over a byte that the reader has not let go. */
inline check_won(position, nr)
{
	PROPERTY(unread_byte_stays, (written & UNITS(position, nr)) == 0)
}

inline hold_page()
{
	skip
}

inline fill_record()
{
	written = written | UNITS(begin, size);
#ifdef PACKETS
	record_ticks[begin & (BUFFER - 1)] = ticks
#endif
}

inline build_header()
{
	d_step {
		header[INDEX(position)] = content[INDEX(position)];
#ifdef PACKETS
		build_packet();
#endif
		written = written | UNITS(START(position), HEADER)
	}
}

/* A record is not lost while there is room for it in the sub-buffer that is open. */
inline check_lost()
{
	PROPERTY(lost_only_without_room,
		 OFFSET(write_count) == 0 || OFFSET(write_count) + size > SUBBUF || STEPPED_BACK)
}

#include "writer.pmh"

#ifdef K42
#define READY (START(write_count) != START(read) && OFFSET(shared_seq[INDEX(read)]) == 0)
#else
#define READY SUBBUF_READY(read, shared_seq[INDEX(read)])
#endif

/*
 * strata_reader_get() and strata_reader_put() in one step: that it may come as
 * soon as the packet is ready is the worst case of a get, and that it may come at
 * any later time is the worst case of a put, as check_won() looks at what is
 * still to be read.
 */
active proctype reader()
{
	byte read = FIRST;
#ifdef PACKETS
	byte last_ticks, last_lost, unit;
#endif

end_idle:
	do
	::	d_step {
			READY ->
			/* No byte that a writer still holds, and all that the header says. */
			PROPERTY(only_committed_bytes_read,
				 (open_units & UNITS(read, SUBBUF)) == 0 &&
				 (written & UNITS(read, SUBBUF)) ==
					 UNITS(read, header[INDEX(read)]) &&
				 header[INDEX(read)] > HEADER);
#ifdef PACKETS
			check_packet_times();
#endif
			written = written & ~UNITS(read, SUBBUF);
			read = COUNT(read + SUBBUF);
			read_count = read
		}
	od
}
