// SPDX-License-Identifier: GPL-2.0-only
/* tracepoints_last.c - where the list of trace points ends: linked after every trace_*.c. */
#include "tracepoints.h"

struct strata_tracepoint *const strata_tracepoints_last[0] __section(STRATA_TRACEPOINTS_SECTION);
