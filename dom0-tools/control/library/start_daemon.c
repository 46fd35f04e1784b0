// SPDX-License-Identifier: GPL-2.0-or-later
/* start_daemon.c - see start_daemon.h. */
#include "control/library/start_daemon.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes of stratad's words that are noted. */
#define SAID_BYTES 4096

extern char **environ;

/* Writes DIRECTORY/REST/stratad.  Whether it is a program that we may run. */
static bool is_there(char path[PATH_MAX], int length, const char *directory, const char *rest)
{
	return directory[0] == '/' &&
	       snprintf(path, PATH_MAX, "%.*s%s/stratad", length, directory, rest) < PATH_MAX &&
	       !access(path, X_OK);
}

/*
 * Looks beside the installed shared library.  A program that has the static one may lie anywhere,
 * also below directories where others can write, so it vouches for nothing beside it.
 */
static bool is_beside_library(char path[PATH_MAX])
{
	Dl_info library, program;
	const char *slash;

	if (!dladdr((void *)start_daemon, &library) ||
	    (dladdr((void *)getauxval(AT_PHDR), &program) &&
	     library.dli_fbase == program.dli_fbase))
		return false;
	slash = strrchr(library.dli_fname, '/');
	return slash &&
	       is_there(path, (int)(slash - library.dli_fname), library.dli_fname, "/../bin");
}

static bool is_in_path(char path[PATH_MAX])
{
	const char *directories = secure_getenv("PATH");

	while (directories && *directories) {
		const size_t length = strcspn(directories, ":");

		if (length < PATH_MAX && is_there(path, (int)length, directories, ""))
			return true;
		directories += length + (directories[length] == ':');
	}
	return false;
}

/* Has the child begin with default signals and standard descriptors alone.  0 or an error number.
 */
static int spawn(pid_t *pid, const char *path, int said)
{
	char *const arguments[] = { "stratad", "--background", NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int number;

	sigemptyset(&none);
	sigfillset(&all);
	number = posix_spawn_file_actions_init(&files);
	if (number)
		return number;
	number = posix_spawnattr_init(&attributes);
	if (number) {
		posix_spawn_file_actions_destroy(&files);
		return number;
	}
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	number = posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO);
	if (!number)
		number = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
							  O_RDONLY, 0);
	if (!number)
		number = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null",
							  O_WRONLY, 0);
	if (!number)
		number = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
	if (!number)
		number = posix_spawn(pid, path, &files, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return number;
}

/* Waits for a child.  Whether it ended well; also if the program takes the ends of all children. */
static bool ended_well(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return true;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Notes each line that stratad said. */
static void note_said(struct strata_control *control, int said)
{
	char text[SAID_BYTES], *line, *rest;
	ssize_t length = pread(said, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		handle_note(control, line);
}

static int run(struct strata_control *control, const char *path, struct strata_error *error)
{
	/* A file, not a pipe: stratad lives on, and may never close it. */
	int said = memfd_create("stratad", MFD_CLOEXEC), number;
	bool well = false;
	pid_t pid;

	if (said < 0)
		return strata_fail(error, "no memory for the messages of stratad: %s",
				   strerror(errno));
	number = spawn(&pid, path, said);
	if (!number) {
		well = ended_well(pid);
		note_said(control, said);
	}
	close(said);
	if (number)
		return strata_fail(error, "%s: %s; install the programs of one build together",
				   path, strerror(number));
	if (well)
		return 0;
	if (!control->nr_notes)
		return strata_fail(error, "%s could not be started", path);
	return strata_fail(error, "stratad could not be started: %s", control->notes[0]);
}

int start_daemon(struct strata_control *control, struct strata_error *error)
{
	char path[PATH_MAX];

	if (control->stratad)
		return run(control, control->stratad, error);
	if (is_beside_library(path) || is_in_path(path))
		return run(control, path, error);
	return strata_fail(error, "stratad does not run, and is neither beside the library nor in "
				  "PATH; install the programs and the library of one build "
				  "together, or start stratad");
}
