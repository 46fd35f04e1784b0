// SPDX-License-Identifier: GPL-2.0-or-later
/* proc_text.c - see proc_text.h. */
#include "consumerd/host/proc_text.h"

#include "consumerd/host/own_proc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A longer chain of parents is not followed. */
#define ANCESTORS_MAX 1000u

bool proc_text_at(const char *path, char *text, size_t bytes)
{
	int fd = own_proc_open(path, O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, text, bytes - 1);

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

bool proc_text_read(pid_t pid, const char *name, char *text, size_t bytes)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/%s", pid, name);
	return proc_text_at(path, text, bytes);
}

const char *proc_text_stat(pid_t pid, char *text, size_t bytes)
{
	const char *end;

	if (!proc_text_read(pid, "stat", text, bytes))
		return NULL;
	end = strrchr(text, ')');
	return end ? end + 1 : NULL;
}

bool proc_text_uids(pid_t pid, struct proc_uids *uids)
{
	char text[1024];
	const char *line;

	proc_text_read(pid, "status", text, sizeof(text));
	/* The name of the process comes first; a line break in it is escaped. */
	line = strstr(text, "\nUid:\t");
	return line && sscanf(line + 6, "%" SCNu32 " %" SCNu32, &uids->real, &uids->effective) == 2;
}

/* The parent of a process; 0: it is not known. */
static pid_t parent_of(pid_t pid)
{
	char text[512];
	const char *after = proc_text_stat(pid, text, sizeof(text));
	int parent = 0;

	return after && sscanf(after, " %*c %d", &parent) == 1 ? parent : 0;
}

bool proc_text_descends(pid_t pid, pid_t ancestor)
{
	unsigned int i;

	for (i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		pid = parent_of(pid);
		if (pid == ancestor)
			return true;
	}
	return false;
}
