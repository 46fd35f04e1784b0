// SPDX-License-Identifier: GPL-2.0-or-later
/* time_text.c - see time_text.h. */
#include "strata/read/time_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Parses decimal places as nanoseconds; NULL: not digits, or too many. */
static const char *parse_fraction(const char *text, uint64_t *ns)
{
	uint64_t place = 100000000;

	*ns = 0;
	for (; *text >= '0' && *text <= '9'; text++, place /= 10) {
		if (!place)
			return NULL;
		*ns += (uint64_t)(*text - '0') * place;
	}
	return text;
}

static bool parse_seconds(const char *text, uint64_t *ns)
{
	uint64_t fraction = 0;
	unsigned long long whole;
	char *end;

	errno = 0;
	whole = strtoull(text, &end, 10);
	if (end == text || errno || *text == '-' || whole > UINT64_MAX / 1000000000u - 1)
		return false;
	if (*end == '.') {
		const char *behind = parse_fraction(end + 1, &fraction);

		if (!behind || *behind)
			return false;
	} else if (*end) {
		return false;
	}
	*ns = whole * 1000000000u + fraction;
	return true;
}

static bool parse_date(const char *text, bool gmt, uint64_t *ns)
{
	struct tm when = { .tm_isdst = -1 };
	const char *behind = strptime(text, "%Y-%m-%d %H:%M:%S", &when);
	uint64_t fraction = 0;
	time_t seconds;

	if (!behind || (*behind == '.' && !(behind = parse_fraction(behind + 1, &fraction))) ||
	    *behind)
		return false;
	when.tm_isdst = -1;
	seconds = gmt ? timegm(&when) : mktime(&when);
	if (seconds < 0)
		return false;
	*ns = (uint64_t)seconds * 1000000000u + fraction;
	return true;
}

bool time_parse(const char *text, bool gmt, uint64_t first_ns, uint64_t *ns)
{
	if (*text != '+')
		return parse_seconds(text, ns) || parse_date(text, gmt, ns);
	if (!parse_seconds(text + 1, ns))
		return false;
	*ns = *ns > UINT64_MAX - first_ns ? UINT64_MAX : first_ns + *ns;
	return true;
}

/* Reads a length of time as a number of ns.  @plain: ns of a number without a unit.  0: invalid. */
static double parse_length(const char *text, double plain)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 },
		      { "ns", 1 },  { "m", 60e9 }, { "min", 60e9 } };
	double number;
	char *end;
	size_t i;

	errno = 0;
	number = strtod(text, &end);
	if (errno || end == text || !(number > 0))
		return 0;
	if (!*end)
		return number * plain;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name))
			return number * units[i].ns;
	return 0;
}

uint64_t time_parse_ms(const char *text)
{
	const double ms = parse_length(text, 1e9) / 1e6;

	return ms >= 1 && ms < 1e12 ? (uint64_t)ms : 0;
}

uint64_t time_parse_ns(const char *text)
{
	const double ns = parse_length(text, 0);

	return ns >= 1 && ns < 1e18 ? (uint64_t)ns : 0;
}

const char *time_of_day(char text[TIME_OF_DAY_BYTES], bool gmt, uint64_t ns)
{
	const time_t seconds = (time_t)(ns / 1000000000u);
	struct tm when;

	if (gmt ? !gmtime_r(&seconds, &when) : !localtime_r(&seconds, &when))
		return "?";
	snprintf(text, TIME_OF_DAY_BYTES, "%02d:%02d:%02d.%03u", when.tm_hour, when.tm_min,
		 when.tm_sec, (unsigned int)(ns % 1000000000u / 1000000u));
	return text;
}
