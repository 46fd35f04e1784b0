/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loss.h - events or packets that are missing from a stream: how many, why, and between
 * which times.  Both merges hand it to their outputs.
 *
 * A tracer counts discarded events up to the end of each packet.  So they are missing somewhere
 * between the last event before the packet and the packet's end.  Overwritten packets are a gap
 * in the sequence of packets.
 */
#ifndef STRATA_MERGE_LOSS_H
#define STRATA_MERGE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include <strata/ring_layout.h>

struct strata_loss {
	uint64_t discarded;             /* events */
	uint64_t kinds[STRATA_NR_LOST]; /* the same by enum strata_lost, if has_kinds */
	bool has_kinds;
	uint64_t missing_packets;
	bool is_damage; /* bytes that could not be read are missing, too; what they held is unknown
			 */
	uint64_t from_ns, to_ns; /* since 1970 */
};

/* Whether it says of anything how much of it is missing. */
static inline bool strata_loss_is_counted(const struct strata_loss *loss)
{
	return loss->discarded || loss->missing_packets;
}

/* Adds a loss of the same stream that comes behind it, without an event in between. */
void strata_loss_add(struct strata_loss *loss, const struct strata_loss *more);

#define STRATA_LOSS_TEXT_BYTES 256u

/* Names of enum strata_lost, for people and for JSON. */
extern const char *const strata_loss_names[STRATA_NR_LOST];
extern const char *const strata_loss_json_names[STRATA_NR_LOST];

/* Writes "123 events discarded: buffer full; 4 packets missing", without a zero byte at the end.
 * @out: room for STRATA_LOSS_TEXT_BYTES.  Returns where the text ends. */
char *strata_loss_text(char *out, const struct strata_loss *loss);

#endif /* STRATA_MERGE_LOSS_H */
