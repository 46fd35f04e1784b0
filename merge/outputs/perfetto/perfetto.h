/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfetto.h - a writer of traces for Perfetto (https://ui.perfetto.dev). */
#ifndef STRATA_MERGE_OUTPUTS_PERFETTO_H
#define STRATA_MERGE_OUTPUTS_PERFETTO_H

#include "outputs/event_writer.h"

/* NULL: out of memory. */
struct strata_event_writer *strata_perfetto_new(void);

#endif /* STRATA_MERGE_OUTPUTS_PERFETTO_H */
