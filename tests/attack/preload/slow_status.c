// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_status.c - LD_PRELOAD for a recorder: to describe a source for `strata status` takes 2 ms.
 *
 * test_slow_status.sh uses it.  So 300 programs that have been recorded stand for as many as a
 * recording can have.  Only an answer to `strata status` says whether something is so.
 */
#include <dlfcn.h>
#include <time.h>

#include <json-c/json.h>

struct json_object *json_object_new_boolean(json_bool value)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	nanosleep(&pause, NULL);
	return ((struct json_object * (*)(json_bool))
			dlsym(RTLD_NEXT, "json_object_new_boolean"))(value);
}
