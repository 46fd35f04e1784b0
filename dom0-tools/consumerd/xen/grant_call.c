// SPDX-License-Identifier: GPL-2.0-or-later
/* grant_call.c - see grant_call.h. */
#include "consumerd/xen/grant_call.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <xen/sys/gntdev.h>

#include <strata/ring_layout.h>

int grant_call_map(xengnttab_handle *gnttab, void *address, uint32_t nr, uint32_t domain,
		   const uint32_t *refs, int protection)
{
	union {
		struct ioctl_gntdev_map_grant_ref call;
		/* One reference is in the structure. */
		unsigned char room[sizeof(struct ioctl_gntdev_map_grant_ref) +
				   GRANT_CALL_PAGES * sizeof(struct ioctl_gntdev_grant_ref)];
	} map = { .call = { .count = nr } };
	struct ioctl_gntdev_unmap_grant_ref unmap = { .count = nr };
	struct ioctl_gntdev_grant_ref *ref =
		(struct ioctl_gntdev_grant_ref *)(map.room +
						  offsetof(struct ioctl_gntdev_map_grant_ref,
							   refs));
	const int fd = xengnttab_fd(gnttab);
	int reason;
	uint32_t i;

	for (i = 0; i < nr; i++)
		ref[i] = (struct ioctl_gntdev_grant_ref){ .domid = domain, .ref = refs[i] };
	if (ioctl(fd, IOCTL_GNTDEV_MAP_GRANT_REF, &map)) {
		reason = errno;
		munmap(address, (size_t)nr * STRATA_PAGE_BYTES);
		errno = reason;
		return -1;
	}
	if (mmap(address, (size_t)nr * STRATA_PAGE_BYTES, protection, MAP_SHARED | MAP_FIXED, fd,
		 (off_t)map.call.index) != MAP_FAILED)
		return 0;
	reason = errno;
	unmap.index = map.call.index;
	ioctl(fd, IOCTL_GNTDEV_UNMAP_GRANT_REF, &unmap);
	errno = reason;
	return -1;
}
