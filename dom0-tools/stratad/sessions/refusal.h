/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refusal.h - refuses a connection of an untrusted user without waiting for that user.
 *
 * What is queued in the connection may carry descriptors, whose last close can take as long as
 * their creator likes.  Sending wakes all waiters of the other end, which can be millions (epoll).
 * So a thread sends, and closes the connection by its own end (consumerd/host/last_close.h).
 */
#ifndef STRATA_STRATAD_REFUSAL_H
#define STRATA_STRATAD_REFUSAL_H

/* Replies with that reason, and closes the client.  0; -1: there is no thread for it now, and the
 * client is still open.  @why: static */
int refusal_begin(int client, const char *why);

#endif /* STRATA_STRATAD_REFUSAL_H */
