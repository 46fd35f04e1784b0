/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_app.h - the running applications that can be recorded. */
#ifndef STRATA_STRATAD_LIST_APP_H
#define STRATA_STRATAD_LIST_APP_H

#include <json-c/json.h>

#include "base/error.h"
#include "stratad/listing/list_events.h"

/*
 * Lists the applications that this user may record; only their processes while as many recorders
 * run as there can be.  It talks to them, for 3 s at most.
 * @json: gets the member "applications" (docs/formats.md)
 * 0 or -1.
 */
int list_apps(const struct list_choice *choice, struct json_object *json,
	      struct strata_error *error);

#endif /* STRATA_STRATAD_LIST_APP_H */
