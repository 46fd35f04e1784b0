// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forge_times.c - an application that writes events, and then other times over those that they
 * have: FORGE_TIMES past|future FILE.
 *
 * Of the events of each ring the first is then of half an hour or more before the program began, or
 * the last of two hundred years ahead.  FILE comes when that is done; it goes on until it is
 * killed.
 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <strata/packet.h>
#include <strata/ring_single.h>
#include <strata/tracepoint.h>

#define EVENTS 3

STRATA_EVENT(test, forged, strata_u64(number));

#define TICKS_AT 4u

static void forge(unsigned char *ring, int past)
{
	const struct strata_single_area *area = (const struct strata_single_area *)ring;
	unsigned char *records = ring + STRATA_SINGLE_HEAD_BYTES + STRATA_PACKET_HEADER_BYTES;
	const uint64_t written = area->position - STRATA_PACKET_HEADER_BYTES;
	unsigned char *ticks_at;
	uint64_t ticks;

	if (written == 0)
		return;
	ticks_at = records + TICKS_AT + (past ? 0 : written - written / EVENTS);
	memcpy(&ticks, ticks_at, sizeof(ticks));
	ticks = past ? ticks / 2 : ticks + ((uint64_t)1 << 62);
	memcpy(ticks_at, &ticks, sizeof(ticks));
}

int main(int argc, char **argv)
{
	const struct strata_app_rings *rings;
	uint64_t number;
	uint32_t channel, i;

	if (argc < 3)
		return 2;
	for (number = 0; number < EVENTS; number++)
		STRATA_TRACE(test, forged, number);
	for (channel = 0; channel < STRATA_APP_CHANNELS; channel++) {
		rings = strata_app_rings[channel];
		for (i = 0; rings && i < rings->nr_single; i++)
			forge(rings->memory + i * rings->stride, strcmp(argv[1], "past") == 0);
	}
	close(open(argv[2], O_WRONLY | O_CREAT, 0600));
	for (;;)
		pause();
}
