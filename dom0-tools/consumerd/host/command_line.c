// SPDX-License-Identifier: GPL-2.0-or-later
/* command_line.c - see command_line.h; called by record_session.c. */
#include "consumerd/host/command_line.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "consumerd/host/proc_text.h"

/* Fields of /proc/PID/stat, as numbered in proc(5). */
enum {
	PARENT = 4,
	START_CODE = 26,
	END_CODE,
	START_STACK,
	START_DATA = 45,
	END_DATA,
	START_BRK,
	ARG_START,
	ARG_END,
	ENV_START,
	ENV_END,
	NR_FIELDS,
};

/* False: it is unknown. */
static bool read_layout(struct prctl_mm_map *map)
{
	char text[1024], *end;
	const char *at = proc_text_stat(getpid(), text, sizeof(text));
	unsigned long long fields[NR_FIELDS];
	size_t i;

	if (!at || strlen(at) < 2)
		return false;
	/* A space and the state */
	at += 2;
	for (i = PARENT; i < NR_FIELDS; i++) {
		fields[i] = strtoull(at, &end, 10);
		if (end == at)
			return false;
		at = end;
	}
	memset(map, 0, sizeof(*map));
	map->start_code = fields[START_CODE];
	map->end_code = fields[END_CODE];
	map->start_data = fields[START_DATA];
	map->end_data = fields[END_DATA];
	map->start_brk = fields[START_BRK];
	map->brk = (uintptr_t)sbrk(0);
	map->start_stack = fields[START_STACK];
	map->arg_start = map->arg_end = fields[ARG_START];
	map->env_start = fields[ENV_START];
	map->env_end = fields[ENV_END];
	map->exe_fd = (uint32_t)-1;
	return true;
}

void command_line_hide(void)
{
	struct prctl_mm_map map;

	errno = ENODATA;
	if (read_layout(&map) && !prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0))
		return;
	fprintf(stderr,
		"strata: the command line cannot be hidden (%s), so other users can delay the "
		"recorder by reading it: docs/security.md\n",
		strerror(errno));
}
