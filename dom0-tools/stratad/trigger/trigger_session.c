// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_session.c - see trigger_session.h. */
#include "stratad/trigger/trigger_session.h"

#include <stdio.h>
#include <time.h>

#include "control/handle_beside.h"
#include "stratad/tell_ready.h"
#include "stratad/trigger/trigger.h"

/* What is told of. */
struct run {
	int ready_fd;
};

/* struct trigger: open. */
static struct strata_control *open_handle(void)
{
	struct strata_error error = { "" };
	struct strata_control *control = handle_beside(&error);

	if (!control)
		fprintf(stderr, "strata: %s\n", error.text);
	return control;
}

/* struct trigger: begun. */
static void begun(void *data)
{
	struct trigger *trigger = data;
	const struct run *run = trigger->data;

	tell_ready(run->ready_fd);
}

/* struct trigger: tell. */
static void tell(void *data, const char *seen, const char *done, bool failed)
{
	const time_t now = time(NULL);
	char when[32] = "";
	struct tm parts;

	(void)data;
	if (localtime_r(&now, &parts))
		strftime(when, sizeof(when), "%F %T", &parts);
	fprintf(stderr, "%s %s: %s%s\n", when, seen, failed ? "failed: " : "", done);
}

int trigger_session(const char *session, const struct strata_trigger *trigger, bool without_probes,
		    int ready_fd)
{
	struct run run = { .ready_fd = ready_fd };
	struct trigger state = { .model = trigger,
				 .session = session,
				 .of_session = true,
				 .without_probes = without_probes,
				 .open = open_handle,
				 .tell = tell,
				 .begun = begun,
				 .data = &run };

	return trigger_run(&state);
}
