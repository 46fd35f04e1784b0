/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_app.h - `strata list --apps`: the running applications that can be recorded. */
#ifndef STRATA_STRATA_LIST_APP_H
#define STRATA_STRATA_LIST_APP_H

#include "strata/list_kernel.h"

/*
 * Lists each application, and its chosen events if @events.
 * @json: gets the member "applications"; NULL: they are printed as text
 * Returns an exit status.
 */
int list_apps(bool events, const struct list_choice *choice, struct json_object *json);

#endif /* STRATA_STRATA_LIST_APP_H */
