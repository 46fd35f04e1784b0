// SPDX-License-Identifier: GPL-2.0-or-later
/* log_limit.c - see log_limit.h. */
#include "consumerd/host/log_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/out_file.h"
#include "files/read_at.h"

/* The bytes of @text up to and with its last newline. */
static size_t whole_lines(const char *text, size_t bytes)
{
	const char *end = memrchr(text, '\n', bytes);

	return end ? (size_t)(end - text) + 1 : 0;
}

/* Where the first whole line of @text begins. */
static size_t next_line(const char *text, size_t bytes)
{
	const char *end = memchr(text, '\n', bytes);

	return end ? (size_t)(end - text) + 1 : bytes;
}

void log_limit(int fd, size_t most)
{
	const size_t head = most / 8, tail = most / 2;
	size_t kept_head, kept_tail, begin, size;
	struct stat status;
	char note[128], *text;
	int length;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size <= (off_t)most)
		return;
	size = (size_t)status.st_size;
	text = malloc(tail);
	if (!text)
		return;
	kept_head = whole_lines(text, strata_read_at(fd, text, head, 0));
	kept_tail = strata_read_at(fd, text, tail, size - tail);
	begin = next_line(text, kept_tail);
	kept_tail -= begin;
	length = snprintf(note, sizeof(note),
			  "strata: %zu bytes of messages are removed here: this log has at most "
			  "%zu\n",
			  size - kept_head - kept_tail, most);
	if (!ftruncate(fd, (off_t)kept_head) && !strata_write_all(fd, note, (size_t)length))
		strata_write_all(fd, text + begin, kept_tail);
	free(text);
}
