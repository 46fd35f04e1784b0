/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_player.h - plays a recording back as one that goes on: RAW/.live says at each time which of
 * its packets had been closed by then, and it ends when a part of it is over, with all that is
 * there.
 */
#ifndef STRATA_TESTS_LIVE_PLAYER_H
#define STRATA_TESTS_LIVE_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/live_table.h"

/* A packet of a stream's file; times are the host's ticks. */
struct played_packet {
	uint64_t first_ticks, last_ticks; /* of its events */
	uint64_t end;                     /* offset */
};

struct played_stream {
	uint32_t source, cpu;
	struct played_packet *packets;
	size_t nr, room;
	size_t next; /* first packet that is not closed yet */
};

struct live_player {
	char raw[256];
	int dir; /* locked, as by its recorder */
	struct strata_live_table *table;
	struct played_stream *streams;
	size_t nr;
	uint64_t begin_ticks, end_ticks;
	uint64_t first_ns, last_ns; /* of all events */
};

/* Writes the table in RAW/.live as that of an empty recorder; also for a recording that is not
 * played. */
struct strata_live_table *live_player_make_table(const char *raw);

/* Reads the recording, and begins. */
void live_player_open(struct live_player *player, const char *raw);

/* Writes what the recorder knows at that time.  @has_ended: it has written everything, and ended */
void live_player_say(struct live_player *player, uint64_t now_ticks, bool has_ended);

/* Removes RAW/.live. */
void live_player_close(struct live_player *player);

#endif /* STRATA_TESTS_LIVE_PLAYER_H */
