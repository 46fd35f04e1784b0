// SPDX-License-Identifier: GPL-2.0-or-later
/* watched_start.c - see watched_start.h. */
#include "stratad/sessions/watched_start.h"

int watched_start(struct managed_channel *place, const struct strata_session *model,
		  const struct strata_channel *channel, const char *output,
		  struct strata_error *error)
{
	const struct session_consumer of = session_files_consumer(model, channel);
	struct consumer consumer;

	if (consumer_start(&consumer, model, channel, output, error))
		return -1;
	place->ended = SESSION_NO_NEWS;
	if (!session_table_watch(place, &of, &consumer, error))
		return 0;
	consumer_end(&consumer);
	consumer_wait(&consumer);
	consumer_forget(&consumer);
	return -1;
}
