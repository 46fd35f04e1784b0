/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_host.h - the hypervisor and the kernels of this host, and why some cannot be recorded. */
#ifndef STRATA_STRATAD_LIST_HOST_H
#define STRATA_STRATAD_LIST_HOST_H

#include <json-c/json.h>

#include "base/error.h"
#include "stratad/listing/list_events.h"

/*
 * Lists the hypervisor and the domains.
 * @target: "xen": only the hypervisor; a domain's name, number or pattern: only that; NULL: all
 * @json:   gets the members "hypervisor" and "domains" (docs/formats.md)
 * 0, or -1: not all could be listed, and @error says why.
 */
int list_host(const char *target, const struct list_choice *choice, struct json_object *json,
	      struct strata_error *error);

#endif /* STRATA_STRATAD_LIST_HOST_H */
