/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_file.h - a file that holds the rings of one application and outlives both it
 * and its recorder, with everything needed to read them without either.
 *
 *   a page      struct ring_file_header, and zeros
 *   the rings   header.nr_rings of them, header.ring_bytes each (strata/abi/app.h)
 *   the table   header.nr_events event descriptions, packed like an event table; it
 *               grows during the recording
 *
 * The recorder makes the file, and writes it by pwrite() except the rings, which it maps.
 * The application has a descriptor to it: to `strata recover` all of it is hostile, except
 * its name, which is that of its source.
 */
#ifndef STRATA_CONSUMERD_RING_FILE_H
#define STRATA_CONSUMERD_RING_FILE_H

#include <strata/abi/app.h>

#include "files/safe_dir.h"

#define RING_FILE_MAGIC   0x46525453u /* "STRF" */
#define RING_FILE_VERSION 3u
/* The oldest version that is read. */
#define RING_FILE_VERSION_MIN 2u
/* Since this version the table has formats.  An older recorder copied format_bytes from a program
 * that set it, but not the format. */
#define RING_FILE_VERSION_FORMATS 3u
#define RING_FILE_SUFFIX          ".ring"

/* In an output directory: the directory of these files, or a link to it. */
#define RING_FILE_DIR "rings"

/* Limit of the memory of one application. */
#define RING_FILE_BYTES_MAX (1ull << 30)

struct ring_file_header {
	uint32_t magic;
	uint32_t version;
	uint32_t app_version; /* STRATA_APP_ABI_VERSION: the layout of the rings */
	uint32_t mode;        /* enum strata_app_mode */
	uint8_t subbuf_bits;
	uint8_t nr_subbufs_bits;
	uint8_t count_bits;
	uint8_t overwrite;
	uint32_t nr_rings;
	uint64_t ring_bytes; /* of one */
	uint64_t table_bytes;
	uint32_t nr_events;
	int32_t pid;
	char comm[32];
	uint8_t uuid[16]; /* of the source's trace */
	uint64_t came_ticks;
	/* The clock: how fast ticks go, and a date for one of them. */
	uint32_t tsc_khz;
	uint8_t form; /* enum strata_header_form */
	uint8_t reserved[3];
	uint64_t anchor_ticks;
	uint64_t anchor_realtime_ns;
	uint32_t uid; /* of the process, as pid by the kernel's word */
	uint32_t reserved2;
};

/* Where the rings begin. */
#define RING_FILE_FIRST_PAGE 1u

static inline uint64_t ring_file_table_offset(const struct ring_file_header *header)
{
	return RING_FILE_FIRST_PAGE * (uint64_t)STRATA_PAGE_BYTES +
	       header->nr_rings * header->ring_bytes;
}

/* Of the name of a file, in its directory. */
#define RING_FILE_NAME_BYTES 128

/* Creates the directory DIR/RING_FILE_DIR; if @named is not NULL, as a link to that directory,
 * which is created if missing, and must satisfy safe_dir.h's rules for output. Refuses a directory
 * that holds rings. 0 or -1. */
int ring_file_make_dir(const struct strata_dir *dir, const char *named, struct strata_error *error);

/* Removes it, if it is empty; a directory given as @named stays. */
void ring_file_remove_dir(const struct strata_dir *dir);

/* Whether DIR/RING_FILE_DIR holds rings that a recorder left. */
bool ring_file_any(const struct strata_dir *dir);

/* Removes one file of it; whether one is there. */
void ring_file_remove(const struct strata_dir *dir, const char *name);
bool ring_file_is_there(const struct strata_dir *dir, const char *name);

/*
 * Creates a file under a temporary name, with disk space for all of its rings, so that no writer to
 * them runs into a full disk. It is locked as long as it is open.
 * @dir:    that holds RING_FILE_DIR
 * @header: mode, geometry, nr_rings, ring_bytes and other known fields; the rest is filled in
 * @name:   OUT, in RING_FILE_DIR
 * @second: OUT, another descriptor without the lock, for the application; the caller's
 * Returns a descriptor, or -1.
 */
int ring_file_make(const struct strata_dir *dir, struct ring_file_header *header,
		   char name[RING_FILE_NAME_BYTES], int *second, struct strata_error *error);

/* Names it after its source, and stores @header in it.  Returns 0 or -1. */
int ring_file_name(int fd, const struct ring_file_header *header, const struct strata_dir *dir,
		   const char *source, char name[RING_FILE_NAME_BYTES], struct strata_error *error);

/* Adds an event, whose id is header.nr_events, to its table.  Returns 0 or -1. */
int ring_file_add_event(int fd, struct ring_file_header *header,
			const struct strata_event_desc *event, struct strata_error *error);

/* A file that was read: a private copy. */
struct ring_file {
	struct ring_file_header header; /* checked */
	unsigned char *rings;
	struct strata_event_desc *events; /* header.nr_events; each is still to be checked */
};

/*
 * Reads a file from any writer.  Refuses one that a recorder still locks, that is truncated, of
 * another version, or has impossible values.
 * Returns 0, or -1 with the reason.
 */
int ring_file_load(struct ring_file *file, const char *path, struct strata_error *error);

void ring_file_clear(struct ring_file *file);

#endif /* STRATA_CONSUMERD_RING_FILE_H */
