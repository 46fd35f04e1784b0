/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_reader_packet.h - functions of ctf_reader_packet.c for ctf_reader.c, and for others that read
 * packets without their events. */
#ifndef STRATA_MERGE_CTF_READER_PACKET_H
#define STRATA_MERGE_CTF_READER_PACKET_H

#include "ctf/reader/ctf_reader.h"

/* Alignment counts from the window's begin (ctf_cursor.h). Up to this many bytes before an event
 * are left unread, because the window would read them again each time it moves. */
#define STRATA_CTF_WINDOW_ALIGN       (STRATA_CTF_ALIGN_MAX / 8)
#define STRATA_CTF_WINDOW_BYTES(room) (STRATA_CTF_WINDOW_ALIGN + (room) + STRATA_CTF_PADDING)

/*
 * Fills the window from @offset of the file on; with less, which is reported, if the file has
 * become shorter.
 * @gap: bytes to leave unread in front of it
 */
void strata_ctf_reader_fetch(struct strata_ctf_reader *reader, uint64_t offset, size_t gap);

/* Ends the current packet at the end of the file, if the file became shorter. */
void strata_ctf_reader_hold_to_file(struct strata_ctf_reader *reader);

/* Doubles the size of the window; its contents stay. False: windows of the trace may take no more
 * (window_room.h), or out of memory. */
bool strata_ctf_reader_enlarge(struct strata_ctf_reader *reader);

/* Enters the next good packet. 1; 0: end of the stream. */
int strata_ctf_reader_next_packet(struct strata_ctf_reader *reader);

/* Notes losses before the current packet's end. */
void strata_ctf_reader_note_losses(struct strata_ctf_reader *reader);

/* At the end of the stream: notes what was discarded after its last packet, if known. */
void strata_ctf_reader_note_end(struct strata_ctf_reader *reader);

/* Reports a fault at bit @at of the current packet; after a few reports only counts. */
void strata_ctf_reader_complain(struct strata_ctf_reader *reader, uint64_t at, const char *format,
				...) __attribute__((format(printf, 3, 4)));

#endif /* STRATA_MERGE_CTF_READER_PACKET_H */
