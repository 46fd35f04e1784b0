// SPDX-License-Identifier: GPL-2.0-or-later
/* handle_beside.c - see handle_beside.h. */
#include "control/handle_beside.h"

#include "control/sibling.h"

struct strata_control *handle_beside(struct strata_error *error)
{
	struct strata_control *control = strata_control_new();
	struct strata_error reason = { "" };
	char path[PATH_MAX] = "";

	/* A missing program is no error before it is needed. */
	sibling_path("stratad", path, &reason);
	if (control && path[0] && strata_control_set_stratad(control, path) == STRATA_CONTROL_OK)
		return control;
	strata_control_free(control);
	strata_fail(error, "%s", reason.text[0] ? reason.text : "out of memory");
	return NULL;
}
