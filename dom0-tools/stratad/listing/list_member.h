/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_member.h - lists the hypervisor and the kernels for a member of the group tracing, in a
 * child of root's stratad (sessions/member_list.h).
 */
#ifndef STRATA_STRATAD_LIST_MEMBER_H
#define STRATA_STRATAD_LIST_MEMBER_H

/* stratad's option for it. */
#define LIST_MEMBER_OPTION "--list-for-member"

/* The child kills itself then: also if stratad has ended meanwhile. */
#define LIST_MEMBER_S 30u

/*
 * Receives a request, which stratad has checked, and sends the reply to the member.
 * @request: a socket
 * @client: the member's, from which nothing is read
 * Returns an exit status: OK if the reply was sent.
 */
int list_member_serve(int request, int client);

#endif /* STRATA_STRATAD_LIST_MEMBER_H */
