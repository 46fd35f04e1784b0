/* SPDX-License-Identifier: MIT */
/*
 * record.c - records what a command's applications do while it runs, and shows their events:
 *
 *	cc record.c -o record $(pkg-config --cflags --libs libstrata-control)
 *	./record /tmp/recorded ./server
 *
 * It does what `strata create`, `enable-event`, `start`, `stop`, `destroy` and `view` do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/control_client.h>

/* Runs a program and waits for its end.  0 or -1. */
static int run(char **command)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	return pid < 0 || waitpid(pid, &status, 0) < 0 || status ? -1 : 0;
}

/* Shows the result of a call.  0: it was done; notes say if something was left out. */
static int show(const struct strata_control *control, enum strata_control_result result)
{
	size_t i;

	fprintf(stderr, "record: %s\n", strata_control_message(control));
	for (i = 0; i < strata_control_nr_notes(control); i++)
		fprintf(stderr, "        %s\n", strata_control_note(control, i));
	return result == STRATA_CONTROL_OK || result == STRATA_CONTROL_PARTIAL ? 0 : -1;
}

/* Creates a session with its rules in one request.  0 or -1. */
static int create(struct strata_control *control, const char *name, const char *output,
		  const char *program)
{
	struct strata_session *session;
	enum strata_control_result result =
		strata_control_session_new(control, name, output, &session);

	if (result == STRATA_CONTROL_OK) {
		session->channels[0].domains[STRATA_DOMAIN_APP].nr_subbufs = 32;
		result = strata_control_session_add(control, session, NULL, STRATA_DOMAIN_APP,
						    STRATA_RULE_EVENT, program, "all");
	}
	if (result == STRATA_CONTROL_OK)
		result = strata_control_create(control, session);
	strata_control_session_free(session);
	return show(control, result);
}

/* Records while the command runs.  0 or -1. */
static int record(struct strata_control *control, const char *name, char **command)
{
	int result = show(control, strata_control_start(control, name));

	if (result)
		return result;
	result = run(command);
	return show(control, strata_control_stop(control, name)) ? -1 : result;
}

int main(int argc, char **argv)
{
	struct strata_control *control = strata_control_new();
	const char *program, *slash;
	char name[32];
	int result;

	if (argc < 3 || !control) {
		fprintf(stderr, "Usage: record DIRECTORY COMMAND...\n");
		return 2;
	}
	slash = strrchr(argv[2], '/');
	program = slash ? slash + 1 : argv[2];
	snprintf(name, sizeof(name), "record-%d", (int)getpid());
	result = create(control, name, argv[1], program);
	if (!result) {
		result = record(control, name, argv + 2);
		show(control, strata_control_destroy(control, name));
	}
	strata_control_free(control);
	if (result)
		return 1;
	execlp("strata", "strata", "view", "--json", argv[1], (char *)NULL);
	perror("strata view");
	return 1;
}
