/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_formats.h - where CTF metadata holds the formats of events (strata/event.h): in the
 * environment of the trace.
 *
 *     env { ...; message_format_STREAM_EVENT = "request %d of %s"; };
 *
 * STREAM and EVENT are the ids of the classes, decimal. CTF 1.8 has no attribute of an event class
 * for this, and babeltrace2 warns about attributes that it does not know; every reader takes any
 * entry of an environment.
 */
#ifndef STRATA_MERGE_CTF_FORMATS_H
#define STRATA_MERGE_CTF_FORMATS_H

#include "ctf/types/ctf_types.h"

/* Whether an entry of the environment has the name of a format. */
bool strata_ctf_is_format(const char *name);

/* Number of the formats of a trace's classes. */
size_t strata_ctf_nr_formats(const struct strata_ctf_stream_class *streams, size_t nr_streams);

/*
 * Makes the entry of a format.
 * @format: outlives @env
 * @arena:  owns the entry's name
 * Returns 0, or -1: out of memory.
 */
int strata_ctf_format_env(struct strata_ctf_env *env, struct strata_ctf_arena *arena,
			  uint64_t stream, uint64_t event, const char *format);

/*
 * Gives each event class the format that the environment holds for it; formats of classes that do
 * not exist are ignored.
 * @streams: sorted by id, as their @events are; those are elements of @events
 */
void strata_ctf_bind_formats(const struct strata_ctf_env *env, size_t nr_env,
			     const struct strata_ctf_stream_class *streams, size_t nr_streams,
			     struct strata_ctf_event_class *events);

#endif /* STRATA_MERGE_CTF_FORMATS_H */
