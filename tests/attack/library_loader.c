// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library_loader.c - an honest program that loads a library with events while it is recorded:
 * LIBRARY_LOADER NUMBER FILE LIBRARY.  It writes NUMBER events "step" and creates FILE.1; when
 * FILE.2 is there, it loads the library, whose library_write() writes ten events, creates FILE.3,
 * and writes nothing more until it is killed.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <strata/tracepoint.h>

STRATA_EVENT(loader, step, strata_u64(number));

static const char *file(const char *name, int number)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s.%d", name, number);
	return path;
}

int main(int argc, char **argv)
{
	void (*write_some)(uint64_t number);
	uint64_t nr, i;
	void *library;

	if (argc < 4)
		return 2;
	nr = strtoull(argv[1], NULL, 10);
	for (i = 0; i < nr; i++)
		STRATA_TRACE(loader, step, i);
	close(open(file(argv[2], 1), O_WRONLY | O_CREAT, 0644));
	while (access(file(argv[2], 2), F_OK))
		usleep(1000);
	library = dlopen(argv[3], RTLD_NOW);
	if (!library)
		return 1;
	*(void **)&write_some = dlsym(library, "library_write");
	write_some(10);
	close(open(file(argv[2], 3), O_WRONLY | O_CREAT, 0644));
	for (;;)
		pause();
}
