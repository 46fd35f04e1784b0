/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * member_list.h - lists the hypervisor and the kernels for a member of the group tracing, who may
 * not look at them himself.
 *
 * A list takes seconds, and reads tables that guests wrote.  So a child (listing/list_member.h)
 * makes it, and sends the reply to the member: stratad never has it in memory.  The child has
 * limits of time and memory, and a member has one at a time.
 */
#ifndef STRATA_STRATAD_MEMBER_LIST_H
#define STRATA_STRATAD_MEMBER_LIST_H

#include <json-c/json.h>
#include <stdbool.h>
#include <sys/types.h>

/* Whether a request is for a list. */
bool member_list_is_asked(struct json_object *request);

/* Serves such a request: the client gets the list, or a refusal.  Waits for the child, until the
 * client hangs up. */
void member_list_serve(int client, uid_t member, struct json_object *request);

#endif /* STRATA_STRATAD_MEMBER_LIST_H */
