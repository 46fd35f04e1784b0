/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_find.h - finds the pages of programs that wait for a recorder, and wakes them
 * (struct strata_app_wait in strata/abi/app.h).
 *
 * A page is found by its name in /proc/PID/maps and opened by /proc/PID/map_files,
 * which only root of the machine may do.  So no other process can call, and a program
 * that has closed all of its files is found as well.
 *
 * A process can make its maps slow to read, and its pages are hostile: app_wake.c does this in a
 * separate process.
 */
#ifndef STRATA_CONSUMERD_APP_FIND_H
#define STRATA_CONSUMERD_APP_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/* Most pages of one process that are examined: each copy of libstrata in it has one. */
#define APP_PAGES_MAX 4u

struct app_process {
	pid_t pid;
	uint32_t uid;  /* effective uid, from the kernel; of a subordinate user its owner's */
	uint32_t turn; /* how many of that user come before it */
};

/* Reads who owns the subordinate users.  Call it before the search, which others may delay by
 * watching these files (own_proc.h). */
void app_find_begin(void);

/*
 * Lists the processes of the machine, in an order that is fair to users: the first of
 * each user, the second of each, and so on.
 * @list: OUT, the caller's to free
 * 0 or -1.
 */
int app_find_processes(struct app_process **list, size_t *nr, struct strata_error *error);

struct app_page_place {
	unsigned long begin, end;
	unsigned long device, inode;
};

/* The mappings of a process while they are read. Zeroed: none are open. */
struct app_maps {
	FILE *file;
	unsigned int lines;
	struct app_page_place places[APP_PAGES_MAX]; /* of its pages */
	size_t nr;
};

void app_maps_open(struct app_maps *maps, pid_t pid);

/* Reads some more lines; a hostile process can make this slow. True: all lines are read. */
bool app_maps_read(struct app_maps *maps);

/* Allowed also if they are not open. */
void app_maps_close(struct app_maps *maps);

struct app_page {
	struct strata_app_wait *page; /* hostile */
	uint32_t call;                /* its count of calls after ours */
};

enum app_call {
	APP_CALLED,
	APP_NO_PAGE,       /* the process has no such page */
	APP_OTHER_VERSION, /* of libstrata: it speaks another protocol */
	APP_NO_RIGHTS,     /* this process may not open pages of others */
};

/* Opens the page, checks it, counts a call in it and wakes the thread that waits there. @page: OUT,
 * mapped, for APP_CALLED */
enum app_call app_page_call(pid_t pid, const struct app_page_place *place, struct app_page *page);

/* Whether the program has tried to connect since. */
bool app_page_answered(const struct app_page *page);

void app_page_close(struct app_page *page);

#endif /* STRATA_CONSUMERD_APP_FIND_H */
