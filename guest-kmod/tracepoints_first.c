// SPDX-License-Identifier: GPL-2.0-only
/* tracepoints_first.c - where the list of trace points begins: linked before every trace_*.c. */
#include "tracepoints.h"

struct strata_tracepoint *const strata_tracepoints_first[0] __section(STRATA_TRACEPOINTS_SECTION);
