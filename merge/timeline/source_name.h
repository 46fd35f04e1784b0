/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source_name.h - the name of a trace's source: the same in outputs, messages, files and
 * options. */
#ifndef STRATA_MERGE_TIMELINE_SOURCE_NAME_H
#define STRATA_MERGE_TIMELINE_SOURCE_NAME_H

#include "ctf/trace/ctf_trace.h"

/*
 * Returns the name of its source, unique on its host: for a recording the source's directory, which
 * its metadata also has as host name; for another trace its host's name. Any bytes; NULL: none.
 */
const char *strata_source_name(const struct strata_ctf_trace *trace);

#endif /* STRATA_MERGE_TIMELINE_SOURCE_NAME_H */
