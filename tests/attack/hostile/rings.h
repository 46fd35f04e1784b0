/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rings.h - fills the rings of a connection without running a tracer. */
#ifndef STRATA_TESTS_HOSTILE_RINGS_H
#define STRATA_TESTS_HOSTILE_RINGS_H

#include "connection.h"

/* Fills each sub-buffer of a ring with records, of which the last is wrong: the recorder checks all
 * of them and writes none, so that no disk gets full. */
void fill_once(const struct connection *connection, uint32_t cpu);

/* The same, of all rings of the first @nr connections. */
void fill_all_once(uint32_t nr);

/* Claims one record in each sub-buffer of a ring, and does not touch the pages. */
void fill_with_nothing(const struct connection *connection, uint32_t cpu);

/* Makes all sub-buffers but the last ready to be read again, with the bytes that they have. */
void refill(const struct connection *connection, uint32_t cpu);

/* The same, of all rings of the first @nr connections. */
void refill_all(uint32_t nr);

/* Refills a ring until the recorder has read its every sub-buffer, or has hung up. */
void be_read(const struct connection *connection, uint32_t cpu);

/* Whether the recorder has anything to say to a connection that has its rings: it hung up. */
bool has_hung_up(const struct connection *connection);

#endif /* STRATA_TESTS_HOSTILE_RINGS_H */
