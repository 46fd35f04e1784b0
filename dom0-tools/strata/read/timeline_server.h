/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline_server.h - serves a timeline to browsers on this machine, by HTTP, from libmicrohttpd.
 *
 *     GET /TOKEN/           the page, with the description in it
 *     GET /TOKEN/meta       the description alone
 *     GET /TOKEN/chunk/ID   a chunk, as deflate left it
 *     GET /TOKEN/why?track=ID&at=NS   why a slice took its time, if it is one of the slowest
 *                           requests; else nothing
 *
 * A recording of root's is not for every user of the machine: TOKEN is random, and only who starts
 * the server is told.  A page of another site that had a browser ask 127.0.0.1 under a name of its
 * own (DNS rebinding) is refused by the Host header.
 */
#ifndef STRATA_STRATA_TIMELINE_SERVER_H
#define STRATA_STRATA_TIMELINE_SERVER_H

#include "outputs/timeline/timeline.h"

/* Serves until SIGINT or SIGTERM, after it has printed the address.  @port: 0: any that is free.
 * 0, or -1 with the reason. */
int timeline_serve(const struct strata_timeline *timeline, uint16_t port,
		   struct strata_error *error);

#endif /* STRATA_STRATA_TIMELINE_SERVER_H */
