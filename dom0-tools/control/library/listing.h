/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listing.h - the reply to the request `list`, as structures. */
#ifndef STRATA_CONTROL_LIBRARY_LISTING_H
#define STRATA_CONTROL_LIBRARY_LISTING_H

#include "control/library/handle.h"

/* Makes the structures of the reply that the handle holds.  0 or -1. */
int listing_read(struct strata_control *control, struct strata_error *error);

/* Frees them. */
void listing_free(struct strata_control *control);

#endif /* STRATA_CONTROL_LIBRARY_LISTING_H */
