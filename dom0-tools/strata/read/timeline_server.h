/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline_server.h - serves a timeline to browsers on this machine by HTTP, with libmicrohttpd.
 *
 *     GET /TOKEN/           the page, including the description
 *     GET /TOKEN/meta       the description alone
 *     GET /TOKEN/chunk/ID   a chunk, deflated
 *     GET /TOKEN/why?track=ID&at=NS   why a slice took its time, if it is one of the slowest
 *                           requests; else nothing
 *
 * Other users of the machine must not read a recording made by root: TOKEN is random, and printed
 * only to the user who starts the server. Requests of other sites by DNS rebinding (their own name
 * for 127.0.0.1) are refused by the Host header.
 */
#ifndef STRATA_STRATA_TIMELINE_SERVER_H
#define STRATA_STRATA_TIMELINE_SERVER_H

#include "outputs/timeline/timeline.h"

/* Prints the address, then serves until SIGINT or SIGTERM. @port: 0: any free one.
 * Returns 0, or -1 with the reason. */
int timeline_serve(const struct strata_timeline *timeline, uint16_t port,
		   struct strata_error *error);

#endif /* STRATA_STRATA_TIMELINE_SERVER_H */
