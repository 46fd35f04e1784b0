/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handle_beside.h - handles (<strata/control_client.h>) for the programs of this build. */
#ifndef STRATA_CONTROL_HANDLE_BESIDE_H
#define STRATA_CONTROL_HANDLE_BESIDE_H

#include <strata/control_client.h>

#include "base/error.h"

/* Makes a handle that starts the stratad beside this program.  NULL with the reason. */
struct strata_control *handle_beside(struct strata_error *error);

#endif /* STRATA_CONTROL_HANDLE_BESIDE_H */
