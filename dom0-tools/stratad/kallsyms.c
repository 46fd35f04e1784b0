// SPDX-License-Identifier: GPL-2.0-or-later
/* kallsyms.c - see kallsyms.h. */
#include "stratad/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/own_proc.h"
#include "recording/recording.h"

#define BYTES_MAX (32u << 20) /* far more than kernels have */

/* "ffffffff81000000 T _text": of a function, and not hidden. */
static bool is_function(const char *line)
{
	const char *space = strchr(line, ' ');

	return space && space[1] && strchr("tTwW", space[1]) && strspn(line, "0") < 16;
}

static int copy(FILE *from, FILE *to)
{
	size_t left = BYTES_MAX;
	char line[1024];

	while (fgets(line, sizeof(line), from)) {
		const size_t bytes = strlen(line);

		if (!is_function(line))
			continue;
		if (bytes > left) {
			errno = EFBIG;
			return -1;
		}
		left -= bytes;
		if (fputs(line, to) == EOF)
			return -1;
	}
	return ferror(from) || fflush(to) ? -1 : 0;
}

int kallsyms_save(const struct strata_dir *dir, const char *from, struct strata_error *error)
{
	FILE *source = own_proc_file(from), *file;
	int fd, status, cause;
	bool is_empty;

	if (!source)
		return strata_fail(error, "%s: %s", from, strerror(errno));
	strata_dir_remove(dir, STRATA_RECORDING_KALLSYMS);
	fd = strata_dir_create(dir, STRATA_RECORDING_KALLSYMS, 0600, error);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		if (fd >= 0)
			close(fd);
		fclose(source);
		return fd < 0 ? -1 : strata_fail(error, "out of memory for %s", from);
	}
	status = copy(source, file);
	cause = errno;
	is_empty = ftell(file) == 0;
	fclose(source);
	if (fclose(file) && !status) {
		status = -1;
		cause = errno;
	}
	if (status || is_empty)
		strata_dir_remove(dir, STRATA_RECORDING_KALLSYMS);
	return status ? strata_fail(error, "%s/%s: %s", dir->path, STRATA_RECORDING_KALLSYMS,
				    strerror(cause))
		      : 0;
}
