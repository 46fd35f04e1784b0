/* SPDX-License-Identifier: GPL-2.0-or-later */
/* app_socket.h - the socket to which applications connect (strata/abi/app.h). */
#ifndef STRATA_CONSUMERD_APP_SOCKET_H
#define STRATA_CONSUMERD_APP_SOCKET_H

#include "base/error.h"

/* Listens, and replaces the socket of a killed recorder. Returns a non-blocking descriptor, or
 * -1. */
int app_socket_open(struct strata_error *error);

void app_socket_close(int fd);

#endif /* STRATA_CONSUMERD_APP_SOCKET_H */
