/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watched_start.h - starts a consumer of a session that the caller holds, and watches it. */
#ifndef STRATA_STRATAD_WATCHED_START_H
#define STRATA_STRATAD_WATCHED_START_H

#include "base/error.h"
#include "stratad/sessions/session_table.h"

/*
 * Starts the consumer of a channel or trigger; returns when it records, or counts.
 * @place: of the session
 * @model: of the session, with the channel or trigger
 * @channel, @output: as of consumer_start()
 * 0 or -1.
 */
int watched_start(struct managed_channel *place, const struct strata_session *model,
		  const struct strata_channel *channel, const char *output,
		  struct strata_error *error);

#endif /* STRATA_STRATAD_WATCHED_START_H */
