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

/* The number of the first map behind that number; 0 with errno. */
static uint32_t next_id(uint32_t id)
{
	union bpf_attr ask;

	memset(&ask, 0, sizeof(ask));
	ask.start_id = id;
	return bpf(BPF_MAP_GET_NEXT_ID, &ask) ? 0 : ask.next_id;
}

int kernel_memory_make(size_t bytes, struct kernel_memory *memory)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	union bpf_attr make;
	int fd, error;

	memory->fd = -1;
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
	if (!read_id(fd, &memory->id) && next_id(memory->id - 1) == memory->id) {
		memory->fd = fd;
		memory->bytes = make.max_entries * page;
		return 0;
	}
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

bool kernel_memory_is_possible(void)
{
	struct kernel_memory memory;

	if (kernel_memory_make(1, &memory))
		return false;
	close(memory.fd);
	return true;
}

/* Opens no descriptor: each close of one may take as long as any user likes (apps/app_relay.h). */
bool kernel_memory_exists(uint32_t id)
{
	const uint32_t next = next_id(id - 1);

	return next ? next == id : errno != ENOENT;
}
