/* SPDX-License-Identifier: MIT */
/*
 * recorder_socket.h - finds a recorder that listens, and decides whether it may trace this process.
 *
 * A recorder is one of RECORDERS: those of root, by their numbers, then those of this process's own
 * user.  If the environment names a socket, there are no others than those beside it.
 */
#ifndef STRATA_LIBSTRATA_RECORDER_SOCKET_H
#define STRATA_LIBSTRATA_RECORDER_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/app.h>

#define RECORDERS (2 * STRATA_APP_CHANNELS)

/* Whether it is one of this process's own user. */
static inline bool recorder_is_of_user(uint32_t recorder)
{
	return recorder >= STRATA_APP_CHANNELS;
}

/* Room for the paths of a user's directory, with a name in it. */
#define RECORDER_USER_PATH_BYTES 108u

enum recorder_user_dir {
	RECORDER_NO_USER_DIR, /* no place for one, or this process uses another user's rights */
	RECORDER_RUNTIME_DIR, /* in /run/user/UID */
	RECORDER_HOME_DIR,
};

/* Names the directory of the recorders of this process's own user.  It may not exist yet. */
enum recorder_user_dir recorder_user_dir(char *path, size_t bytes);

/* Whether that directory exists, and only its user and root may change what is in it.  HOME may be
 * another user's, or one that all may write to: who listens there makes each program that starts or
 * forks wait. */
bool recorder_user_dir_is_own(const char *path);

/* Reads, once in a process, what recorder_connect() has to know of this machine.  Call it before a
 * recorder waits for us: other users can delay a process that reads a file (docs/security.md). */
void recorder_prepare(void);

/* A socket to connect to a recorder; -1 with errno. */
int recorder_socket(void);

/* Connects it.  0, or -1 with errno: that recorder does not listen, it is too busy to accept within
 * @wait_ms (EAGAIN), or it may not trace this process (EACCES). */
int recorder_connect(int socket, uint32_t recorder, uint32_t wait_ms);

/* Whether a socket to connect to exists.  Needs no file descriptor. */
bool recorder_is_there(uint32_t recorder);

/* Whether the peer is root. */
bool recorder_is_root(int socket);

#endif /* STRATA_LIBSTRATA_RECORDER_SOCKET_H */
