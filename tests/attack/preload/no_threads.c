// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no_threads.c - LD_PRELOAD for a recorder that can make no thread once the file $NO_THREADS is
 * there, as on a machine whose processes have all been taken.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*create_call)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *argument)
{
	const char *path = getenv("NO_THREADS");

	if (path && !access(path, F_OK))
		return EAGAIN;
	return ((create_call)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, run, argument);
}
