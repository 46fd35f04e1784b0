/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_message.h - sends and receives a message with a descriptor.
 *
 * Called by app_message.c and memory_makers.c.
 */
#ifndef STRATA_CONSUMERD_FILE_MESSAGE_H
#define STRATA_CONSUMERD_FILE_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

/* Sends a message of @bytes as a whole, with a duplicate of @fd, or with none if that is -1.
 * @flags: of sendmsg().  0, or errno. */
int file_message_send(int socket, const void *data, size_t bytes, int fd, int flags);

/* Receives a message of at most @bytes.  @fd: OUT: the descriptor that came with it; -1: none
 * @flags: of recvmsg().  Its result. */
ssize_t file_message_receive(int socket, void *data, size_t bytes, int *fd, int flags);

#endif /* STRATA_CONSUMERD_FILE_MESSAGE_H */
