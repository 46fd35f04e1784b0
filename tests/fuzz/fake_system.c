// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_system.c - the calls of the recorder that wait, ask for the time, copy, or
 * would meet the machine's own Xen; the linker leads them here (--wrap).
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "fake_fds.h"
#include "fake_host.h"
#include "consumerd/host/run_lock.h"
#include "consumerd/host/run_dir.h"

/* The duration of a wait that an event ended, and how long the host has been up when a run begins.
 */
#define READY_NS 2000000ull
#define BEGIN_NS 1000000000000ull

/* A sleep that is longer is a wait, in which guests have a turn. */
#define SETTLE_NS 2000000

struct fake_host fake_host;
char fake_socket_path[100];

/* The recorder's thread, and not while a guest has its turn. */
static __thread bool recorder_runs;

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
int __real_poll(struct pollfd *fds, nfds_t nr, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t nr, int timeout_ms);
int __real_bind(int fd, const struct sockaddr *address, socklen_t bytes);
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t bytes);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __real_fstatvfs(int fd, struct statvfs *disk);
int __wrap_fstatvfs(int fd, struct statvfs *disk);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
time_t __wrap_time(time_t *now);

void fake_host_reset(struct fake_guest *guests, size_t nr_guests)
{
	size_t i;

	memset(&fake_host, 0, sizeof(fake_host));
	for (i = 0; i < nr_guests; i++)
		fake_guest_reset(&guests[i]);
	fake_host.guests = guests;
	fake_host.nr_guests = nr_guests;
	fake_host.ns = BEGIN_NS;
	recorder_runs = true;
}

uint64_t virtual_clock(void)
{
	return ++fake_host.ns;
}

int __wrap_poll(struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	int ready = 0;
	nfds_t i;

	if (nr > 1 && fake_host.turn_ns &&
	    fake_host.ns - fake_host.turn_ns > fake_host.longest_turn_ns)
		fake_host.longest_turn_ns = fake_host.ns - fake_host.turn_ns;
	if (timeout_ms) {
		fake_host.waits++;
		fake_host.work(fake_host.data);
	}
	for (i = 0; i < nr; i++) {
		bool readable = (fds[i].fd == FAKE_FD_XENSTORE && fake_xenstore_readable()) ||
				(fds[i].fd == FAKE_FD_EVTCHN && fake_evtchn_readable());

		fds[i].revents = (short)(readable ? POLLIN : 0);
		if (fds[i].fd < FAKE_FD_XENSTORE)
			__real_poll(&fds[i], 1, 0);
		ready += fds[i].revents != 0;
	}
	if (timeout_ms)
		fake_host.ns += ready ? READY_NS : (uint64_t)timeout_ms * 1000000;
	if (nr > 1)
		fake_host.turn_ns = fake_host.ns;
	return ready;
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
	(void)left;
	if (wanted->tv_nsec > SETTLE_NS) {
		fake_host.waits++;
		fake_host.work(fake_host.data);
	}
	fake_host.ns += (uint64_t)wanted->tv_nsec + (uint64_t)wanted->tv_sec * 1000000000;
	return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t ns = virtual_clock();

	if (clock == CLOCK_REALTIME)
		ns += 1790000000000000000ull;
	now->tv_sec = (time_t)(ns / 1000000000);
	now->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

time_t __wrap_time(time_t *now)
{
	struct timespec spec;

	__wrap_clock_gettime(CLOCK_REALTIME, &spec);
	if (now)
		*now = spec.tv_sec;
	return spec.tv_sec;
}

int __wrap_fstatvfs(int fd, struct statvfs *disk)
{
	const int result = __real_fstatvfs(fd, disk);

	if (fake_host.disk_bytes)
		disk->f_bavail = fake_host.disk_bytes / disk->f_frsize;
	return result;
}

int __wrap_access(const char *path, int mode)
{
	return strncmp(path, "/dev/xen/", 9) ? __real_access(path, mode) : 0;
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t bytes)
{
	struct sockaddr_un elsewhere = { .sun_family = AF_UNIX };

	(void)address;
	(void)bytes;
	snprintf(elsewhere.sun_path, sizeof(elsewhere.sun_path), "%s", fake_socket_path);
	return __real_bind(fd, (struct sockaddr *)&elsewhere, sizeof(elsewhere));
}

int __wrap_unlink(const char *path)
{
	return __real_unlink(strncmp(path, "/run/", 5) ? path : fake_socket_path);
}

/* Whether it may be the recorder's view of a guest; few other things are looked up. */
static bool may_be_mapped(const volatile void *address)
{
	return recorder_runs && (uintptr_t)address >= fake_host.mapped_from &&
	       (uintptr_t)address < fake_host.mapped_to;
}

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
	if (!may_be_mapped(from))
		return __real_memcpy(to, from, bytes);
	recorder_runs = false;
	fake_host.copying(fake_host.data, from, bytes);
	__real_memcpy(to, from, bytes);
	fake_host.copied(fake_host.data);
	recorder_runs = true;
	return to;
}

void before_load(const volatile void *word, uint32_t bytes)
{
	if (!may_be_mapped(word))
		return;
	recorder_runs = false;
	fake_host.copying(fake_host.data, (const void *)word, bytes);
	recorder_runs = true;
}

/* The machine's locks keep recorders apart; here each has a host of its own, and others that only
 * have their numbers. */
int run_lock_take(const char *name, char holder[RUN_LOCK_HOLDER_BYTES], struct strata_error *error)
{
	unsigned int number;

	(void)holder;
	(void)error;
	if (sscanf(name, "recorder-%u", &number) == 1 && number < fake_host.recorders)
		return RUN_LOCK_HELD;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* None of them has died. */
int run_lock_look(const char *name, char holder[RUN_LOCK_HOLDER_BYTES], struct strata_error *error)
{
	(void)name;
	(void)error;
	holder[0] = '\0';
	return 0;
}

void run_lock_release(int lock)
{
	close(lock);
}

/* Nor do its sockets and its list of mapped pages lie in the machine's directory. */
const char *run_dir_path(void)
{
	return "/run/strata";
}

int run_dir_open(struct strata_error *error)
{
	char dir[sizeof(fake_socket_path)];
	int fd;

	snprintf(dir, sizeof(dir), "%s", fake_socket_path);
	fd = open(dirname(dir), O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? strata_fail(error, "%s: %s", dir, strerror(errno)) : fd;
}

int run_dir_bind(int socket, const char *name, mode_t mode, struct strata_error *error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	(void)name;
	(void)mode;
	unlink(fake_socket_path);
	if (bind(socket, (struct sockaddr *)&address, sizeof(address)))
		return strata_fail(error, "%s: %s", fake_socket_path, strerror(errno));
	return 0;
}

void run_dir_remove(const char *name)
{
	(void)name;
	unlink(fake_socket_path);
}
