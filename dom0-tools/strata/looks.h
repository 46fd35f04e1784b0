/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * looks.h - looks at what guests publish in xenstore, in a thread of their own: xenstored serves
 * all guests, and one that keeps it busy must not hold up the loop that drains rings.
 */
#ifndef STRATA_STRATA_LOOKS_H
#define STRATA_STRATA_LOOKS_H

#include <stdbool.h>

#include "guest.h"

struct looks;

/* NULL with the reason. */
struct looks *looks_open(struct strata_error *error);

/* Asks for a look.  @whose: given back with the result.  False: out of memory. */
bool looks_ask(struct looks *looks, uint32_t domain, uint64_t whose);

/* The result of the oldest look that is done; false: there is none. */
bool looks_take(struct looks *looks, uint64_t *whose, struct guest *guest);

/* Waits for a look that is under way; NULL is fine. */
void looks_close(struct looks *looks);

#endif /* STRATA_STRATA_LOOKS_H */
