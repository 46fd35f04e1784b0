/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_packet_head.h - reads the beginning of a reader's packet, its header and context, a second
 * time, because the reader's window may have moved on.
 */
#ifndef STRATA_MERGE_CTF_PACKET_HEAD_H
#define STRATA_MERGE_CTF_PACKET_HEAD_H

#include "ctf/reader/ctf_reader.h"

/* Longer ones are not read. */
#define STRATA_CTF_PACKET_HEAD_BYTES_MAX 65536u

/* Zeroed: empty. The owner frees the bytes. */
struct strata_ctf_packet_head {
	uint8_t *bytes;
	size_t room;
};

/*
 * Reads the head of @reader's current packet.
 * @cursor: OUT, at the first field of the packet's context; the reader's slots are filled from it
 * Returns false if it is too long, cannot be read, or out of memory.
 */
bool strata_ctf_packet_head_read(struct strata_ctf_packet_head *head,
				 struct strata_ctf_reader *reader,
				 struct strata_ctf_cursor *cursor);

#endif /* STRATA_MERGE_CTF_PACKET_HEAD_H */
