/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_manager.h - what stratad and systemd tell each other: the listening socket that systemd
 * hands over (sd_listen_fds(3)), and that stratad is ready or ends (sd_notify(3)).
 *
 * Both protocols are a few lines and stable, so stratad does without the library.  Called by
 * daemon.c and stratad's main().
 */
#ifndef STRATA_STRATAD_SERVICE_MANAGER_H
#define STRATA_STRATAD_SERVICE_MANAGER_H

#include "base/error.h"

#define SERVICE_MANAGER_NO_SOCKET (-2)

/*
 * Takes the socket that listens at @path.  Removes the variables of both protocols from the
 * environment, so that consumers do not take them for their own; so call it before there are
 * threads.
 * Returns a nonblocking descriptor, which the caller closes; SERVICE_MANAGER_NO_SOCKET: none was
 * handed over; or -1: something else was.
 */
int service_manager_take_socket(const char *path, struct strata_error *error);

/* Report that stratad serves requests, or has begun to end.  No effect without a service manager
 * that asked for it (NOTIFY_SOCKET). */
void service_manager_tell_ready(void);
void service_manager_tell_stopping(void);

#endif /* STRATA_STRATAD_SERVICE_MANAGER_H */
