/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_write.h - which events of traces are wanted, and in which form: `strata view`, `convert`.
 */
#ifndef STRATA_STRATA_TRACES_WRITE_H
#define STRATA_STRATA_TRACES_WRITE_H

#include "outputs/event_writer.h"
#include "traces.h"

#define PATTERNS_MAX 32u

struct patterns {
	const char *of[PATTERNS_MAX];
	size_t nr;
};

struct write_options {
	const char *format;              /* one of traces_formats(); NULL: the verb's own choice */
	const char *out;                 /* "-": standard output */
	const char *from, *to;           /* NULL: from the first, to the last event */
	struct patterns events, sources; /* none: all */
	bool gmt;
	bool date;
	bool colours; /* columns only */
	unsigned int threads;
};

/* Options that view and convert share.  0: taken; 1: it is none of them; -1: wrong, with what. */
#define WRITE_OPTIONS                                                                           \
	{ "from", required_argument, NULL, 'F' }, { "to", required_argument, NULL, 'T' },       \
		{ "event", required_argument, NULL, 'e' },                                      \
		{ "source", required_argument, NULL, 's' },                                     \
		{ "threads", required_argument, NULL, 'n' }, { "gmt", no_argument, NULL, 'g' }, \
		{ "date", no_argument, NULL, 'd' },
int write_option(struct write_options *options, int option, const char *value,
		 struct strata_error *error);

/* What the usage says of them. */
#define WRITE_OPTIONS_USAGE                                                                       \
	"  --from TIME, --to TIME  only what is in between; TIME is in seconds since the first\n" \
	"                          event (+1.5), in seconds since 1970, or a date and time:\n"    \
	"                          '2026-01-31 12:00:00.5'\n"                                     \
	"  --event PATTERN         only events of such a name; may be given several times\n"      \
	"  --source PATTERN        only of such a source, as stat names them; likewise\n"         \
	"  --gmt                   times of day in UTC\n"                                         \
	"  --date                  with the date\n"                                               \
	"  --threads N             with so many threads (as many as there are CPUs)\n"

/* Whether there is such a format. */
bool write_format_known(const char *format);

/* Makes what writes that format. @first_ns: of all events.  NULL: out of memory. */
struct strata_event_writer *write_make_writer(const struct write_options *options,
					      uint64_t first_ns);

/* Whether an event is wanted; @data is the options. */
bool write_wants(void *data, const struct strata_shown_event *event);

/* Opens, merges, writes; says what went wrong.  The exit status. */
int write_traces(const char *verb, const struct write_options *options, char *const *paths,
		 size_t nr);

#endif /* STRATA_STRATA_TRACES_WRITE_H */
