// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_status.c - LD_PRELOAD for a recorder: each object of an answer to `strata status` takes 2
 * ms.
 *
 * test_slow_status.sh uses it.  So 300 programs that have been recorded stand for as many as a
 * recording can have.
 */
#include <dlfcn.h>
#include <time.h>

#include <json-c/json.h>

struct json_object *json_object_new_object(void)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	nanosleep(&pause, NULL);
	return ((struct json_object * (*)(void)) dlsym(RTLD_NEXT, "json_object_new_object"))();
}
