// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * messages_loader.c - loads the libraries that it is given, has each write its messages, and closes
 * them, the others writing again each time.  A child goes through the events that are registered
 * after that.
 *
 *     forward LIBRARY...   closes them in their order
 *     backward LIBRARY...  closes the last one first
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/printf.h>

#define LIBRARIES_MAX 4

static void *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return library;
}

static void write_messages(void *library)
{
	void (*write)(void);

	*(void **)&write = dlsym(library, "library_write");
	write();
}

static void write_all(void *const *libraries, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (libraries[i])
			write_messages(libraries[i]);
}

int main(int argc, char **argv)
{
	const int nr = argc - 2;
	void *libraries[LIBRARIES_MAX];
	int i, at, status;

	if (nr < 1 || nr > LIBRARIES_MAX)
		return 2;
	for (i = 0; i < nr; i++)
		libraries[i] = load(argv[i + 2]);
	write_all(libraries, nr);
	for (i = 0; i < nr; i++) {
		at = strcmp(argv[1], "forward") == 0 ? i : nr - 1 - i;
		dlclose(libraries[at]);
		libraries[at] = NULL;
		strata_printf("%d closed", i + 1);
		write_all(libraries, nr);
	}
	if (fork() == 0)
		_exit(0);
	return wait(&status) < 0 || status ? 1 : 0;
}
