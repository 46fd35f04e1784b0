/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stratad_program.h - finds the program stratad and runs it as a child; start_daemon.c and list.c
 * call it.
 *
 * The child inherits environment and user, but no other descriptor, blocked signal or signal
 * disposition of the calling program.
 */
#ifndef STRATA_CONTROL_LIBRARY_STRATAD_PROGRAM_H
#define STRATA_CONTROL_LIBRARY_STRATAD_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "control/library/handle.h"

struct stratad_program {
	pid_t pid;
	int said; /* the file of its messages */
};

/*
 * Starts it.
 * @option: its only argument
 * @input:  its standard input; -1: empty
 * @program: OUT, for stratad_program_end()
 * 0 or -1.
 */
int stratad_program_begin(struct strata_control *control, const char *option, int input,
			  struct stratad_program *program, struct strata_error *error);

/*
 * Waits for its end, and notes what it said.
 * @kill_it: does not wait until it ends by itself
 * Returns whether it ended well.
 */
bool stratad_program_end(struct strata_control *control, struct stratad_program *program,
			 bool kill_it);

#endif /* STRATA_CONTROL_LIBRARY_STRATAD_PROGRAM_H */
