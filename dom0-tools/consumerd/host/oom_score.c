// SPDX-License-Identifier: GPL-2.0-or-later
/* oom_score.c - see oom_score.h. */
#include "consumerd/host/oom_score.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/own_proc.h"
#include "consumerd/host/proc_text.h"

/* In thousandths of the machine's memory: more than all rings together, which are half of it. A
 * recorder that takes nearly all memory can still be killed. */
#define SCORE "-900"

void oom_score_lower(const char *file)
{
	char text[16];
	int fd;

	proc_text_at(file, text, sizeof(text));
	if (strcmp(text, "0\n") != 0)
		return;
	fd = own_proc_open(file, O_WRONLY);
	if (fd < 0)
		return;
	/* Without the right to, it stays as it is. */
	if (write(fd, SCORE, strlen(SCORE)) < 0)
		errno = 0;
	close(fd);
}
