/* SPDX-License-Identifier: GPL-2.0-or-later */
/* time_text.h - reads and writes times in the form that people use. */
#ifndef STRATA_STRATA_TIME_TEXT_H
#define STRATA_STRATA_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a time: seconds since 1970 ("1767600047.5"), since @first_ns ("+1.5"), or a date and a time
 * of day ("2026-01-31 12:00:00.5"), with up to nine decimal places.
 * @gmt: dates are in UTC, not in the local time zone
 * @ns:  OUT, since 1970
 */
bool time_parse(const char *text, bool gmt, uint64_t first_ns, uint64_t *ns);

/* Reads a length of time of at least a millisecond: "10s", "500ms", "2m", "10" (seconds). Returns
 * ms; 0: invalid. */
uint64_t time_parse_ms(const char *text);

/* Likewise of at least a nanosecond, and always with a unit: "500us", "20ns".  Returns ns; 0:
 * invalid. */
uint64_t time_parse_ns(const char *text);

/* Writes a time as a time of day: "12:00:01.500". @gmt: as above. Returns @text. */
#define TIME_OF_DAY_BYTES 32u
const char *time_of_day(char text[TIME_OF_DAY_BYTES], bool gmt, uint64_t ns);

#endif /* STRATA_STRATA_TIME_TEXT_H */
