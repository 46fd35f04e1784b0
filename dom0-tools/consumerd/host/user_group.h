/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_group.h - control groups that are charged for the memory of users' rings: for each recorder
 * and user one, which belongs to root: /sys/fs/cgroup/strata/RECORDER/UID, in version 1 of control
 * groups below memory/.
 *
 * RECORDER is the recorder's number, and the file system of its /run, where the numbers are taken:
 * recorders of containers have others.  A group outlives its recorder if its memory is still in
 * use, so the next recorder of that number finds what is left of it.  It also does if the recorder
 * and its helper were killed: each recorder removes such groups of all others when it begins.
 *
 * Called by memory_maker.c and memory_makers.c.
 */
#ifndef STRATA_CONSUMERD_USER_GROUP_H
#define STRATA_CONSUMERD_USER_GROUP_H

#include <stdbool.h>
#include <stdint.h>

/* Descriptors of the files that tell how many bytes the groups use; -1: it is in no such group. */
struct user_group {
	int usage;     /* of the user's */
	int usage_all; /* of all users of the recorder */
};

#define USER_GROUP_PATH_BYTES 160

/* The directory of a user's group.  False: no groups are charged for memory here. */
bool user_group_path(char path[USER_GROUP_PATH_BYTES], unsigned int recorder, uint32_t user);

/* Makes the directory of all recorders' groups, so that none has to be made in one that any user
 * may lock (files/apart.h) when programs wait.  It stays. */
void user_groups_prepare(void);

/*
 * Moves this process into a user's group, which is made if it does not exist.  Others who keep the
 * kernel's lock of all groups can make it take long.
 * @recorder: the recorder's number
 * 1; 0: there are no groups for memory here, or this process may not make any; -1 with errno: not
 * now, because a group was removed meanwhile (EAGAIN), or for another reason.
 */
int user_group_join(struct user_group *group, unsigned int recorder, uint32_t user);

/* Bytes that a group uses, within some 100 KiB for each CPU.  @usage: a descriptor of struct
 * user_group; -1 uses none */
uint64_t user_group_usage(int usage);

/* Removes the groups of a recorder that have no process, if all of them have hardly any memory.
 * False: some have more. */
bool user_groups_tidy(unsigned int recorder);

/* The same of all recorders, also of other /run.  A recorder that runs makes such a group again
 * when it needs it (user_group_join()). */
void user_groups_tidy_all(void);

#endif /* STRATA_CONSUMERD_USER_GROUP_H */
