/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - runs the command of `strata record -- COMMAND`: it starts when recording has
 * begun, and recording stops when it ends.
 *
 * Its process is forked first, before the recorder opens or changes anything, and waits; so it
 * inherits nothing from the recorder. Orphaned processes of the command become the recorder's
 * children: all descendants of the recorder belong to the command.
 */
#ifndef STRATA_CONSUMERD_COMMAND_H
#define STRATA_CONSUMERD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct command {
	char *const *argv; /* NULL: no command, and all functions do nothing */
	pid_t pid;         /* 0: it has ended, or was never made */
	int go;            /* pipe that starts it; -1: started */
	int refusal;       /* pipe with the reason if it cannot start; -1 */
	bool refused;      /* it could not be started */
	int status;        /* exit status, as a shell has it: 126, 127, 128 + signal */
};

/* Finds the command and makes its process, which waits.  0, or -1: it cannot be started; status is
 * what a shell would return. */
int command_fork(struct command *command, char *const *argv, struct strata_error *error);

/* Lets it start.  0, or -1: it cannot be started; status as above. */
int command_start(struct command *command, struct strata_error *error);

/* Whether there was a command and it has ended.  Reaps it. */
bool command_has_ended(struct command *command);

/* Sends it a signal, if it runs. */
void command_signal(const struct command *command, int number);

/* Ends it, if it still runs, or has never started: sends SIGTERM, and waits some seconds. */
void command_end(struct command *command);

#endif /* STRATA_CONSUMERD_COMMAND_H */
