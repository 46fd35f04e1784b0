/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_owner.h - which user a session belongs to: the user who runs stratad, or a member of the
 * group tracing.
 *
 * The name of a member's session ends in his number, "web@1000".  So names of different users never
 * collide, and the files of a session (session_files.h) tell its owner to the next stratad.  Nobody
 * but stratad can put the mark into a name (member_admit.h, session_verbs.c).
 */
#ifndef STRATA_STRATAD_SESSION_OWNER_H
#define STRATA_STRATAD_SESSION_OWNER_H

#include <sys/types.h>

/* The owner that is the user who runs stratad. */
#define SESSION_OWNER_SELF 0

/* "@4294967295" */
#define SESSION_OWNER_BYTES 12

/* The owner of the session of this name. */
uid_t session_owner(const char *name);

/* Writes the end of the names of an owner's sessions; "" for SESSION_OWNER_SELF. */
void session_owner_suffix(char suffix[SESSION_OWNER_BYTES], uid_t owner);

#endif /* STRATA_STRATAD_SESSION_OWNER_H */
