// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_sleep.c - how long the loop of a recording may wait; see session.h.
 *
 * While something goes on it looks at the rings every SESSION_POLL_MS.  When nothing has happened
 * for QUIET_MS it sleeps: programs and commands wake it, and once in SLEEP_MS, or in the period of
 * the switch timer, it looks all the same, for the events in open sub-buffers.  It sleeps only
 * where all that it waits for can wake it: with programs that store single words, or as a flight
 * recorder, which takes nothing out of rings (recorder_sleep()), and without a command of its own,
 * whose end is looked for.  Xenstore announces what happens to domains.
 */
#include "stratad/session.h"

#include "consumerd/host/stderr_queue.h"

#define QUIET_MS 200u
#define SLEEP_MS 1000u

void session_note_news(struct session *session)
{
	session->news_ticks = strata_clock();
	recorder_awake(session->recorder);
}

/* Whether anything but the rings needs the loop. */
static bool is_busy(const struct session *session)
{
	return !participants_quiet(&session->kernels) || session->options->command ||
	       session->selecting || session->taken || !apps_quiet(&session->apps) ||
	       !stderr_queue_is_empty();
}

/* Shortens a wait to what is left of the recording. */
static uint64_t until_the_end(const struct session *session, uint64_t wait_ms)
{
	const uint64_t passed_ms = session_ms_since(session, session->start_ticks);
	const uint64_t all_ms = session->options->duration_ms;

	if (!all_ms || passed_ms + wait_ms < all_ms)
		return wait_ms;
	return passed_ms < all_ms ? all_ms - passed_ms : 0;
}

int session_wait_ms(struct session *session, enum recorder_drain extent)
{
	uint64_t wait_ms = SLEEP_MS;

	/* Not before the recording has begun, nor while it ends. */
	if (!session->start_ticks || session->apps.stopping || is_busy(session)) {
		session_note_news(session);
		return SESSION_POLL_MS;
	}
	if (session_ms_since(session, session->news_ticks) < QUIET_MS)
		return SESSION_POLL_MS;
	if (!recorder_sleep(session->recorder, extent)) {
		session_note_news(session);
		return SESSION_POLL_MS;
	}
	if (session->options->switch_ms && session->options->switch_ms < wait_ms)
		wait_ms = session->options->switch_ms;
	wait_ms = until_the_end(session, wait_ms);
	return (int)session_rotation_wait_ms(session, wait_ms);
}
