// SPDX-License-Identifier: GPL-2.0-or-later
/* stratad_program.c - see stratad_program.h. */
#include "control/library/stratad_program.h"

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

#include <strata/own_fd.h>

/* Bytes of stratad's messages that are noted; programs and guests can cause many. */
#define SAID_BYTES 65536

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

	if (!dladdr((void *)stratad_program_begin, &library) ||
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

/* Sets the standard descriptors of the child, and closes the others.  0 or an error number. */
static int set_files(posix_spawn_file_actions_t *files, int input, int said)
{
	int number = posix_spawn_file_actions_adddup2(files, said, STDERR_FILENO);

	if (!number && input >= 0)
		number = posix_spawn_file_actions_adddup2(files, input, STDIN_FILENO);
	else if (!number)
		number = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null",
							  O_RDONLY, 0);
	if (!number)
		number = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null",
							  O_WRONLY, 0);
	if (!number)
		number = posix_spawn_file_actions_addclosefrom_np(files, STDERR_FILENO + 1);
	return number;
}

/* Has the child begin with default signals and standard descriptors alone.  0 or an error number.
 */
static int spawn(pid_t *pid, const char *path, const char *option, int input, int said)
{
	char name[] = "stratad", argument[32];
	char *const arguments[] = { name, argument, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int number;

	snprintf(argument, sizeof(argument), "%s", option);
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
	number = set_files(&files, input, said);
	if (!number)
		number = posix_spawn(pid, path, &files, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return number;
}

/* Starts the program at @path.  0 or -1. */
static int begin(const char *path, const char *option, int input, struct stratad_program *program,
		 struct strata_error *error)
{
	int number;

	/* A file, not a pipe: a daemon lives on, and may never close it. */
	program->said = strata_own_fd(memfd_create("stratad", MFD_CLOEXEC));
	if (program->said < 0)
		return strata_fail(error, "no memory for the messages of stratad: %s",
				   strerror(errno));
	number = spawn(&program->pid, path, option, input, program->said);
	if (!number)
		return 0;
	close(program->said);
	return strata_fail(error, "%s: %s; install the programs of one build together", path,
			   strerror(number));
}

int stratad_program_begin(struct strata_control *control, const char *option, int input,
			  struct stratad_program *program, struct strata_error *error)
{
	char path[PATH_MAX];

	if (control->stratad)
		return begin(control->stratad, option, input, program, error);
	if (is_beside_library(path) || is_in_path(path))
		return begin(path, option, input, program, error);
	return strata_fail(error, "the program stratad is neither beside the library nor in PATH; "
				  "install the programs and the library of one build together");
}

/* Notes each line that stratad said. */
static void note_said(struct strata_control *control, int said)
{
	char *text = malloc(SAID_BYTES), *line, *rest;
	ssize_t length;

	if (!text)
		return;
	length = pread(said, text, SAID_BYTES - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		handle_note(control, line);
	if (length == SAID_BYTES - 1)
		handle_note(control, "stratad: further messages are left out");
	free(text);
}

/* Also if the calling program reaps all children. */
bool stratad_program_end(struct strata_control *control, struct stratad_program *program,
			 bool kill_it)
{
	int status = 0, ended;

	if (kill_it)
		kill(program->pid, SIGKILL);
	do
		ended = waitpid(program->pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	note_said(control, program->said);
	close(program->said);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}
