/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subordinate_uids.h - finds the owner of a user id in /etc/subuid: with newuidmap one user may
 * run processes under each of 65,536 such ids.  Called by principal.c, app_find.c and
 * stratad's member_socket.c.
 */
#ifndef STRATA_CONSUMERD_SUBORDINATE_UIDS_H
#define STRATA_CONSUMERD_SUBORDINATE_UIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a machine has them. */
#define SUBUID_FILE "/etc/subuid"
#define PASSWD_FILE "/etc/passwd"

struct uid_range {
	uint32_t first;
	uint32_t nr;
	uint32_t owner; /* never root; the range's first id if root has it, or a name without id */
};

struct subordinate_uids {
	struct uid_range *ranges;
	size_t nr;
};

/* Replaces the contents of @uids by those of the two files; a missing file counts as empty. Without
 * memory some ranges are missing: each id in them counts as a user. */
void subordinate_uids_read(struct subordinate_uids *uids, const char *subuid_path,
			   const char *passwd_path);

/* Returns the user who owns @uid; @uid itself if it is in no range. */
uint32_t subordinate_uids_owner(const struct subordinate_uids *uids, uint32_t uid);

/* Whether @uid is in a range, whoever owns that. */
bool subordinate_uids_has(const struct subordinate_uids *uids, uint32_t uid);

void subordinate_uids_clear(struct subordinate_uids *uids);

#endif /* STRATA_CONSUMERD_SUBORDINATE_UIDS_H */
