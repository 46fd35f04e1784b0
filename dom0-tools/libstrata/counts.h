/* SPDX-License-Identifier: MIT */
/*
 * counts.h - the channels of this process that count events instead of recording them: made and
 * stopped through rings.c, written to by write.c.
 *
 *   operation                  who, beside whom
 *   counts_attach(), _select(),  the thread that serves the channel
 *   _stop(), _detach()
 *   counts_event(), _alone()   any thread and any signal handler, at any time
 *
 * Tables lie in shared memory, so what a killed process has counted stays.
 */
#ifndef STRATA_LIBSTRATA_COUNTS_H
#define STRATA_LIBSTRATA_COUNTS_H

#include <stdbool.h>

#include <strata/tracepoint.h>

/* Whether a channel counts.  Asked for with the registry's lock, or by threads within an event. */
bool counts_has(uint32_t channel);

/* Maps tables and directs the channel's events there.  @packet: SETUP of STRATA_APP_COUNT, whole.
 * 0 or -1. */
int counts_attach(uint32_t channel, int fd, const struct strata_app_packet *packet,
		  bool may_shrink);

/* Takes over what each event means.  Returns the events that the channel counts.
 * @merged: room for them */
const uint8_t *counts_select(uint32_t channel, const struct strata_app_packet *packet,
			     uint8_t merged[STRATA_APP_EVENTS_MAX / 8]);

/* As rings_stop() and rings_detach(). */
void counts_stop(uint32_t channel);
void counts_detach(uint32_t channel);

/* Counts an event in each of these channels that counts, and in no other. */
void counts_event(uint32_t channels, uint32_t id);

/* The tables in which events of these channels are counted in one restartable sequence each: there
 * is one channel, and it counts.  NULL: counts_event() counts them. */
struct count_tables;
const struct count_tables *counts_alone(uint32_t channels);

/* The same for an event of such a channel, in fewer instructions. */
void counts_event_alone(const struct count_tables *tables, uint32_t id);

#endif /* STRATA_LIBSTRATA_COUNTS_H */
