// SPDX-License-Identifier: GPL-2.0-or-later
/* start_daemon.c - see start_daemon.h. */
#include "control/library/start_daemon.h"

#include "control/library/stratad_program.h"

int start_daemon(struct strata_control *control, struct strata_error *error)
{
	struct stratad_program program;

	if (stratad_program_begin(control, "--background", -1, &program, error))
		return -1;
	if (stratad_program_end(control, &program, false))
		return 0;
	if (!control->nr_notes)
		return strata_fail(error, "stratad could not be started");
	return strata_fail(error, "stratad could not be started: %s", control->notes[0]);
}
