// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_memory.c - see kernel_memory.h. */
#include "consumerd/host/kernel_memory.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long bpf(int command, union bpf_attr *attributes)
{
	return syscall(SYS_bpf, command, attributes, sizeof(*attributes));
}

static int read_id(int fd, uint32_t *id)
{
	struct bpf_map_info info;
	union bpf_attr ask;

	memset(&info, 0, sizeof(info));
	memset(&ask, 0, sizeof(ask));
	ask.info.bpf_fd = (uint32_t)fd;
	ask.info.info_len = sizeof(info);
	ask.info.info = (uintptr_t)&info;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &ask))
		return -1;
	*id = info.id;
	return 0;
}

/* The map's descriptor; -1 with errno. */
static int open_by_id(uint32_t id)
{
	union bpf_attr ask;

	memset(&ask, 0, sizeof(ask));
	ask.map_id = id;
	return (int)bpf(BPF_MAP_GET_FD_BY_ID, &ask);
}

int kernel_memory_make(size_t bytes, uint32_t *id)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	union bpf_attr make;
	int fd, again, error;

	memset(&make, 0, sizeof(make));
	make.map_type = BPF_MAP_TYPE_ARRAY;
	make.key_size = sizeof(uint32_t);
	make.value_size = (uint32_t)page;
	make.max_entries = (uint32_t)((bytes + page - 1) / page);
	make.map_flags = BPF_F_MMAPABLE;
	memcpy(make.map_name, "strata_rings", sizeof("strata_rings"));
	fd = (int)bpf(BPF_MAP_CREATE, &make);
	if (fd < 0)
		return -1;
	/* It must be possible to ask later whether it exists. */
	again = read_id(fd, id) ? -1 : open_by_id(*id);
	if (again >= 0) {
		close(again);
		return fd;
	}
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

bool kernel_memory_exists(uint32_t id)
{
	const int fd = open_by_id(id);

	if (fd < 0)
		return errno != ENOENT;
	close(fd);
	return true;
}
