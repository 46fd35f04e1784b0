/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_app.h - `strata list --apps`: the running applications that can be recorded. */
#ifndef STRATA_STRATA_LIST_APP_H
#define STRATA_STRATA_LIST_APP_H

#include "strata/list_kernel.h"

/*
 * Prints each application, and its chosen events if @events.
 * Returns an exit status.
 */
int list_apps(bool events, const struct list_choice *choice);

#endif /* STRATA_STRATA_LIST_APP_H */
