/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source_name.h - the name of the source that a trace is of: the same in all that is shown, said,
 * written and asked for. */
#ifndef STRATA_MERGE_TIMELINE_SOURCE_NAME_H
#define STRATA_MERGE_TIMELINE_SOURCE_NAME_H

#include "ctf/trace/ctf_trace.h"

/*
 * The name of its source among those of its host: the directory of a recording's source, which the
 * metadata of these has as the host name, too; of another trace its host's.  Any bytes; NULL: none.
 */
const char *strata_source_name(const struct strata_ctf_trace *trace);

#endif /* STRATA_MERGE_TIMELINE_SOURCE_NAME_H */
