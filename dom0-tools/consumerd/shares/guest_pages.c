// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guest_pages.c - see guest_pages.h.
 *
 * The file has an area for each recorder.  A lock on byte N of it says that recorder N lives; one
 * on the byte after these is held for the few system calls of a claim.
 */
#include "consumerd/shares/guest_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/recorder_number.h"
#include "consumerd/host/run_dir.h"

#define FILE_NAME "guest-pages"

/* Domains of one recorder.  Each has some 40 pages at least, so the total is used up before. */
#define ROWS_MAX 8191u

/* Rows that are read at a time. */
#define ROWS_READ 128u

struct row {
	uint8_t uuid[PRINCIPAL_UUID_BYTES];
	uint32_t id;
	uint32_t trusted;
	uint64_t pages;
};

/* In the file. */
struct area {
	uint64_t nr;
	uint64_t reserved[3];
	struct row rows[ROWS_MAX];
};

struct guest_pages {
	int fd;
	unsigned int recorder;
	struct area own; /* as in the file */
};

static off_t row_offset(unsigned int recorder, uint64_t row)
{
	return (off_t)(recorder * sizeof(struct area) + offsetof(struct area, rows) +
		       row * sizeof(struct row));
}

static int lock(int fd, unsigned int byte, short type, int command)
{
	struct flock one = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1
	};
	int result;

	do
		result = fcntl(fd, command, &one);
	while (result && errno == EINTR);
	return result;
}

static bool lives(int fd, unsigned int recorder)
{
	struct flock one = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)recorder, .l_len = 1
	};

	return fcntl(fd, F_OFD_GETLK, &one) || one.l_type != F_UNLCK;
}

/* Writes the number of own rows, and row @row. 0, or -1 with errno. */
static int write_own(const struct guest_pages *pages, uint64_t row)
{
	const off_t start = (off_t)(pages->recorder * sizeof(struct area));

	if (row < pages->own.nr &&
	    pwrite(pages->fd, &pages->own.rows[row], sizeof(struct row),
		   row_offset(pages->recorder, row)) != (ssize_t)sizeof(struct row))
		return -1;
	return pwrite(pages->fd, &pages->own.nr, sizeof(pages->own.nr), start) ==
			       (ssize_t)sizeof(pages->own.nr)
		       ? 0
		       : -1;
}

struct guest_pages *guest_pages_open(unsigned int recorder, struct strata_error *error)
{
	struct guest_pages *pages = calloc(1, sizeof(*pages));
	int dir = pages ? run_dir_open(error) : -1;

	if (!pages)
		strata_fail(error, "out of memory");
	if (dir < 0) {
		free(pages);
		return NULL;
	}
	pages->recorder = recorder;
	pages->fd = openat(dir, FILE_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	close(dir);
	/* The list before the lock that makes it count. */
	if (pages->fd >= 0 && !write_own(pages, 0) &&
	    !lock(pages->fd, recorder, F_WRLCK, F_OFD_SETLK))
		return pages;
	strata_fail(error, "%s/" FILE_NAME ": %s; free some space in /run", run_dir_path(),
		    strerror(errno));
	guest_pages_close(pages);
	return NULL;
}

void guest_pages_close(struct guest_pages *pages)
{
	if (!pages)
		return;
	if (pages->fd >= 0)
		close(pages->fd);
	free(pages);
}

static void add(const struct row *row, const struct principal *who, struct principal_beside *beside)
{
	beside->all += row->pages;
	if (!row->trusted)
		beside->untrusted += row->pages;
	if (row->id == who->id && !memcmp(row->uuid, who->uuid, sizeof(row->uuid)))
		beside->own += row->pages;
}

/* Adds another recorder's rows.  0, or -1 with errno. */
static int add_list(const struct guest_pages *pages, unsigned int recorder,
		    const struct principal *who, struct principal_beside *beside)
{
	struct row rows[ROWS_READ];
	uint64_t nr, at, part, i;

	if (pread(pages->fd, &nr, sizeof(nr), (off_t)(recorder * sizeof(struct area))) !=
	    (ssize_t)sizeof(nr))
		return -1;
	for (at = 0; at < nr && at < ROWS_MAX; at += part) {
		part = nr - at < ROWS_READ ? nr - at : ROWS_READ;
		if (pread(pages->fd, rows, part * sizeof(*rows), row_offset(recorder, at)) !=
		    (ssize_t)(part * sizeof(*rows)))
			return -1;
		for (i = 0; i < part; i++)
			add(&rows[i], who, beside);
	}
	return 0;
}

/* Sums up what other living recorders map.  0 or -1 with errno. */
static int look_beside(const struct guest_pages *pages, const struct principal *who,
		       struct principal_beside *beside)
{
	unsigned int i;

	memset(beside, 0, sizeof(*beside));
	for (i = 0; i < RECORDERS_MAX; i++)
		if (i != pages->recorder && lives(pages->fd, i) && add_list(pages, i, who, beside))
			return -1;
	return 0;
}

/* The row of a domain, or where it would be. */
static uint64_t row_of(const struct guest_pages *pages, const struct principal *who)
{
	const struct row *rows = pages->own.rows;
	uint64_t i = 0;

	while (i < pages->own.nr &&
	       (rows[i].id != who->id || memcmp(rows[i].uuid, who->uuid, sizeof(rows[i].uuid))))
		i++;
	return i;
}

/* Notes what a domain uses now. 0 or -1 with errno. */
static int note(struct guest_pages *pages, const struct principal *who)
{
	struct area *own = &pages->own;
	const uint64_t used = who->used[PRINCIPAL_GUEST_PAGES], row = row_of(pages, who);

	if (row == ROWS_MAX) {
		errno = ENOSPC;
		return -1;
	}
	if (row == own->nr && !used)
		return 0;
	if (row == own->nr)
		own->nr++;
	own->rows[row] = (struct row){ .id = who->id, .trusted = who->trusted, .pages = used };
	memcpy(own->rows[row].uuid, who->uuid, sizeof(own->rows[row].uuid));
	/* The last row takes the place of an empty one. */
	if (!used)
		own->rows[row] = own->rows[--own->nr];
	return write_own(pages, row);
}

static int claim(struct guest_pages *pages, struct principal *who, uint64_t nr,
		 struct strata_error *error)
{
	struct principal_beside beside;

	if (look_beside(pages, who, &beside))
		return strata_fail(error, "%s/" FILE_NAME ": %s", run_dir_path(), strerror(errno));
	if (principal_claim_beside(who, PRINCIPAL_GUEST_PAGES, nr, &beside, error))
		return -1;
	if (!note(pages, who))
		return 0;
	strata_fail(error, "%s/" FILE_NAME ": %s; free some space in /run", run_dir_path(),
		    strerror(errno));
	principal_give_back(who, PRINCIPAL_GUEST_PAGES, nr);
	note(pages, who);
	return -1;
}

int guest_pages_claim(struct guest_pages *pages, struct principal *who, uint64_t nr,
		      struct strata_error *error)
{
	int result;

	if (!pages)
		return principal_claim(who, PRINCIPAL_GUEST_PAGES, nr, error);
	/* Only recorders can open the file, and each has the lock for a moment. */
	if (lock(pages->fd, RECORDERS_MAX, F_WRLCK, F_OFD_SETLKW))
		return strata_fail(error, "%s/" FILE_NAME ": %s", run_dir_path(), strerror(errno));
	result = claim(pages, who, nr, error);
	lock(pages->fd, RECORDERS_MAX, F_UNLCK, F_OFD_SETLK);
	return result;
}

void guest_pages_give_back(struct guest_pages *pages, struct principal *who, uint64_t nr)
{
	principal_give_back(who, PRINCIPAL_GUEST_PAGES, nr);
	if (!pages || lock(pages->fd, RECORDERS_MAX, F_WRLCK, F_OFD_SETLKW))
		return;
	/* If it cannot be written, others count too many pages until we end. */
	note(pages, who);
	lock(pages->fd, RECORDERS_MAX, F_UNLCK, F_OFD_SETLK);
}
