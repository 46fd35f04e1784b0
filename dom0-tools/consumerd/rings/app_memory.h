/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_memory.h - the memory of an application's rings, or of the tables in which it counts, by
 * where it lives:
 *
 *   the kernel's  (kernel_memory.h) has no owner who can block a reader
 *   anonymous     where the kernel's cannot be made; sealed, so that it cannot disappear while it
 *                 is read
 *   a file        stays (ring_file.h).  A file cannot be sealed: an application that
 *              truncates it finds zeros in the recorder's place of it, and no signal
 */
#ifndef STRATA_CONSUMERD_APP_MEMORY_H
#define STRATA_CONSUMERD_APP_MEMORY_H

#include "consumerd/rings/ring_file.h"
#include "consumerd/rings/ring_pages.h"
#include "consumerd/host/kernel_memory.h"

struct app_memory {
	unsigned char *rings; /* read-only, except the readers' pages; NULL: not mapped yet */
	size_t bytes;
	struct ring_pages pages; /* of anonymous memory */
	uint32_t kernel_id;      /* kernel_memory.h; 0: anonymous, or a file */
	uint32_t first_page;     /* pages of it before the rings */
	int file;                /* locked; -1: no file */
	int given;               /* no file: the application's, until app_memory_seal(); -1 */
	struct ring_file_header header;
	const struct strata_dir *dir;    /* of the recording, if it is a file, ... */
	char name[RING_FILE_NAME_BYTES]; /* ... and its name among the rings there */
};

/*
 * Makes memory for rings and maps it.
 * @dir:    where the files of a recording go; NULL: in the kernel's memory or anonymous
 * @ready:  the kernel's memory for it, large enough, which it takes: has no descriptor afterwards.
 *          Without a descriptor, or NULL: anonymous
 * @header: mode, geometry and number of the rings; for a file, also their owner
 * Returns a descriptor for the application, which the caller closes, or -1.
 */
int app_memory_make(struct app_memory *memory, const struct strata_dir *dir,
		    struct kernel_memory *ready, const struct ring_file_header *header,
		    struct strata_error *error);

/*
 * Forbids freeing pages of anonymous memory, which would block a reader, and new writable mappings
 * of it. Existing mappings stay; call it when the application has its own.
 * Returns 1; 0: a file, the kernel's memory, or Linux before 5.1, has no such seal; -1: the
 * application prevents it.
 */
int app_memory_seal(struct app_memory *memory, struct strata_error *error);

/* Leaves it as it is instead. */
void app_memory_leave_unsealed(struct app_memory *memory);

/* Truncates a file that the application has extended, and says so. Anonymous memory is sealed and
 * needs none of this. */
void app_memory_trim(struct app_memory *memory);

/* Hands over memory that is not a file, still mapped, with its size.  NULL: the rings have no such
 * memory. */
void *app_memory_take(struct app_memory *memory, size_t *bytes);

/* Unmaps it, and removes its file: its contents have been recorded. */
void app_memory_free(struct app_memory *memory);

#endif /* STRATA_CONSUMERD_APP_MEMORY_H */
