/* SPDX-License-Identifier: GPL-2.0-or-later */
/* app_socket.h - the socket to which applications connect (strata/abi/app.h). */
#ifndef STRATA_CONSUMERD_APP_SOCKET_H
#define STRATA_CONSUMERD_APP_SOCKET_H

#include "base/error.h"

/* Listens as the recorder with that number, and replaces the socket that a killed one left. Returns
 * a non-blocking descriptor, or -1. */
int app_socket_open(unsigned int recorder, struct strata_error *error);

void app_socket_close(int fd, unsigned int recorder);

#endif /* STRATA_CONSUMERD_APP_SOCKET_H */
