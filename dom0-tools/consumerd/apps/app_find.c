// SPDX-License-Identifier: GPL-2.0-or-later
/* app_find.c - see app_find.h. */
#include "consumerd/apps/app_find.h"

#include "consumerd/host/own_proc.h"
#include "consumerd/shares/subordinate_uids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <strata/abi/app.h>

/* How the kernel shows a memfd of that name. */
#define SHOWN_NAME "/memfd:" STRATA_APP_WAIT_NAME " (deleted)"

/* More lines than a process can have, unless it adds mappings meanwhile. */
#define MAPS_LINES_MAX 300000u

/* Each may take the kernel some 100 us. */
#define MAPS_LINES_AT_ONCE 16u

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int by_user(const void *a, const void *b)
{
	const struct app_process *one = a, *other = b;

	if (one->uid != other->uid)
		return one->uid < other->uid ? -1 : 1;
	return one->pid < other->pid ? -1 : one->pid > other->pid;
}

static int by_turn(const void *a, const void *b)
{
	const struct app_process *one = a, *other = b;

	if (one->turn != other->turn)
		return one->turn < other->turn ? -1 : 1;
	return by_user(a, b);
}

static void put_in_order(struct app_process *list, size_t nr)
{
	size_t i;

	qsort(list, nr, sizeof(*list), by_user);
	for (i = 0; i < nr; i++)
		list[i].turn = i && list[i - 1].uid == list[i].uid ? list[i - 1].turn + 1 : 0;
	qsort(list, nr, sizeof(*list), by_turn);
}

/* As of app_find_begin(). */
static struct subordinate_uids subordinates;

void app_find_begin(void)
{
	subordinate_uids_read(&subordinates, SUBUID_FILE, PASSWD_FILE);
}

int app_find_processes(struct app_process **list, size_t *nr, struct strata_error *error)
{
	const int proc = own_proc_open(".", O_RDONLY | O_DIRECTORY);
	DIR *stream = proc < 0 ? NULL : fdopendir(proc);
	struct app_process *grown, *process;
	struct stat owner;
	struct dirent *entry;
	size_t room = 0;
	int result = 0;

	*list = NULL;
	*nr = 0;
	if (!stream) {
		strata_fail(error, "/proc: %s", strerror(errno));
		if (proc >= 0)
			close(proc);
		return -1;
	}
	while (!result && (entry = readdir(stream))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		if (*nr == room) {
			room = room ? 2 * room : 256;
			grown = reallocarray(*list, room, sizeof(**list));
			if (!grown) {
				result = strata_fail(error, "out of memory");
				break;
			}
			*list = grown;
		}
		process = &(*list)[*nr];
		process->pid = pid;
		/* The owner of that directory is the effective user, whatever the owner of the
		 * files in it is.  To ask for it needs no reference to the process's memory
		 * (peer_look.h).
		 */
		if (fstatat(dirfd(stream), entry->d_name, &owner, 0))
			continue;
		process->uid = subordinate_uids_owner(&subordinates, owner.st_uid);
		++*nr;
	}
	closedir(stream);
	put_in_order(*list, *nr);
	return result;
}

/* Whether that line of a process's maps describes a page in which it waits. */
static bool parse_line(const char *line, struct app_page_place *place)
{
	unsigned int major_number, minor_number;
	char rights[8], name[sizeof(SHOWN_NAME) + 2];
	unsigned long offset;

	/* Most lines describe something else. */
	if (!strstr(line, SHOWN_NAME))
		return false;
	if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %30[^\n]", &place->begin, &place->end, rights,
		   &offset, &major_number, &minor_number, &place->inode, name) != 8)
		return false;
	place->device = makedev(major_number, minor_number);
	return strcmp(name, SHOWN_NAME) == 0 && strcmp(rights, "rw-s") == 0 && offset == 0 &&
	       place->end - place->begin == STRATA_PAGE_BYTES;
}

void app_maps_open(struct app_maps *maps, pid_t pid)
{
	char path[64];

	memset(maps, 0, sizeof(*maps));
	snprintf(path, sizeof(path), "%d/maps", pid);
	maps->file = own_proc_file(path);
}

bool app_maps_read(struct app_maps *maps)
{
	char line[PATH_MAX + 128];
	unsigned int i;

	for (i = 0; i < MAPS_LINES_AT_ONCE; i++) {
		if (!maps->file || maps->nr == APP_PAGES_MAX || maps->lines++ == MAPS_LINES_MAX ||
		    !fgets(line, sizeof(line), maps->file))
			return true;
		maps->nr += parse_line(line, &maps->places[maps->nr]);
	}
	return false;
}

void app_maps_close(struct app_maps *maps)
{
	if (maps->file)
		fclose(maps->file);
	maps->file = NULL;
}

/* Opens the mapped file, once it is known to be a memfd: opening another file may block or have
 * side effects.  -1 with errno. */
static int open_memory(pid_t pid, const struct app_page_place *place)
{
	char path[96];
	struct stat status;
	int where, fd = -1, error = ENOENT;

	snprintf(path, sizeof(path), "%d/map_files/%lx-%lx", pid, place->begin, place->end);
	where = own_proc_open(path, O_PATH);
	if (where < 0)
		return -1;
	if (!fstat(where, &status) && S_ISREG(status.st_mode) && status.st_dev == place->device &&
	    status.st_ino == place->inode && status.st_size == STRATA_PAGE_BYTES) {
		snprintf(path, sizeof(path), "self/fd/%d", where);
		fd = own_proc_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
		error = errno;
	}
	close(where);
	errno = error;
	return fd;
}

/*
 * Memory with this name, these seals, this size and this word was created to be called there. Its
 * owner need not be the process's user: a program that gives up root keeps its page.
 */
static struct strata_app_wait *map_page(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct strata_app_wait *page;
	void *memory;

	if (seals < 0 || (seals & SEALS) != SEALS)
		return NULL;
	memory = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	page = memory;
	/* A fault on a page that was swapped out may wait forever if its control group has no
	 * memory left; mlock() fails with EAGAIN instead.  Other errors only mean that this process
	 * may not lock memory. */
	if ((!mlock(memory, STRATA_PAGE_BYTES) || errno != EAGAIN) &&
	    strata_read_once(&page->magic) == STRATA_APP_WAIT_MAGIC)
		return page;
	munmap(memory, STRATA_PAGE_BYTES);
	return NULL;
}

/* Returns the device number of memfds.  0: this kernel has no memfds. */
static dev_t memfd_device(void)
{
	static dev_t device;
	struct stat status;
	int fd;

	if (device)
		return device;
	fd = memfd_create("strata-device", MFD_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &status))
		device = status.st_dev;
	if (fd >= 0)
		close(fd);
	return device;
}

enum app_call app_page_call(pid_t pid, const struct app_page_place *place, struct app_page *page)
{
	int fd;

	if (place->device != memfd_device())
		return APP_NO_PAGE;
	fd = open_memory(pid, place);
	if (fd < 0)
		return errno == EPERM || errno == EACCES ? APP_NO_RIGHTS : APP_NO_PAGE;
	page->page = map_page(fd);
	close(fd);
	if (!page->page)
		return APP_NO_PAGE;
	if (strata_read_once(&page->page->version) != STRATA_APP_ABI_VERSION) {
		app_page_close(page);
		return APP_OTHER_VERSION;
	}
	/* A full barrier: listen() comes before.  Pairs with wait_page_calls() of libstrata: a
	 * program that sees the call connects, and one that does not sees the socket. */
	page->call = __atomic_add_fetch(&page->page->calls, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &page->page->calls, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	return APP_CALLED;
}

bool app_page_answered(const struct app_page *page)
{
	/* Acquire: pairs with wait_page_answer() of libstrata. */
	uint32_t answered = strata_load_acquire(&page->page->answered);

	return (int32_t)(answered - page->call) >= 0;
}

void app_page_close(struct app_page *page)
{
	munmap(page->page, STRATA_PAGE_BYTES);
	page->page = NULL;
}
