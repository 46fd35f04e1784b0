/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * silent_files.h - a file system of a user's own (FUSE) with one file, "file", that answers all but
 * one kind of request.
 */
#ifndef STRATA_TESTS_SILENT_FILES_H
#define STRATA_TESTS_SILENT_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define SILENT_FILE_BYTES 65536u

static inline void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* In a user and a mount namespace of our own.  Returns the file system's descriptor. */
static inline int mount_ours(const char *dir)
{
	char map[64], options[128];
	const uid_t uid = getuid();
	const gid_t gid = getgid();
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) {
		perror("unshare");
		exit(1);
	}
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	write_text("/proc/self/uid_map", map);
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=0", fd, uid);
	write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", gid);
	write_text("/proc/self/gid_map", map);
	if (fd < 0 || mount("locked", dir, "fuse", MS_NOSUID | MS_NODEV, options)) {
		perror("mount");
		exit(1);
	}
	return fd;
}

static inline void answer(int fd, uint64_t unique, int error, const void *body, size_t bytes)
{
	char message[512];
	const struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + bytes),
					      .error = -error,
					      .unique = unique };

	memcpy(message, &head, sizeof(head));
	memcpy(message + sizeof(head), body, bytes);
	if (write(fd, message, sizeof(head) + bytes) < 0 && errno != ENOENT) {
		perror("answer");
		exit(1);
	}
}

/* Answers a request, unless it is a @silent one (FUSE_READ, FUSE_FLUSH).  Returns whether it was.
 */
static inline int serve(int fd, uint32_t silent)
{
	static char request[FUSE_MIN_READ_BUFFER + 65536];
	const struct fuse_in_header *head = (const struct fuse_in_header *)request;
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
				      .minor = FUSE_KERNEL_MINOR_VERSION,
				      .max_write = 4096 };
	struct fuse_entry_out entry = {
		.nodeid = 2,
		.attr = { .ino = 2, .mode = S_IFREG | 0666, .nlink = 1, .size = SILENT_FILE_BYTES }
	};
	struct fuse_attr_out attr = { .attr = { .ino = 1, .mode = S_IFDIR | 0777, .nlink = 2 } };
	struct fuse_open_out opened = { .fh = 1 };

	if (read(fd, request, sizeof(request)) < (ssize_t)sizeof(*head))
		return 0;
	if (head->opcode == silent)
		return 1;
	switch (head->opcode) {
	case FUSE_INIT:
		answer(fd, head->unique, 0, &init, sizeof(init));
		return 0;
	case FUSE_LOOKUP:
		answer(fd, head->unique, 0, &entry, sizeof(entry));
		return 0;
	case FUSE_GETATTR:
		if (head->nodeid == 2)
			attr.attr = entry.attr;
		answer(fd, head->unique, 0, &attr, sizeof(attr));
		return 0;
	case FUSE_OPEN:
		answer(fd, head->unique, 0, &opened, sizeof(opened));
		return 0;
	default:
		answer(fd, head->unique, ENOSYS, NULL, 0);
		return 0;
	}
}

#endif /* STRATA_TESTS_SILENT_FILES_H */
