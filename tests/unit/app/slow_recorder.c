// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_recorder.c - a program that is also its own recorder, which accepts and reads late, for
 * test_app_record.sh: SLOW_RECORDER WHAT, with STRATA_APP_SOCKET in the environment.
 *
 *   fork  the program forks while a thread of libstrata waits to be accepted; status 0: the child
 *         does not have that thread's socket
 *   late  the program describes more events than the recorder reads in time; status 0: the recorder
 *         gets the others when it reads on
 *   slow  likewise, before the recorder has read anything
 *   asleep  the recorder sleeps; status 0: the program wakes it when it leaves a sub-buffer, and
 *           only then
 *   threads  programs start that may have one thread, or two; status 0: the first does not promise
 *            to wake its recorder, and the second does
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/tracepoint.h>

#include "../../raw_app.h"

#define MANY      900u /* events, whose descriptions no socket has room for */
#define LIMIT_MS  60000
#define QUIET_MS  100 /* for a message that does not come */
#define PAUSE_US  1000
#define MAPS_LINE 512

STRATA_EVENT(test, first, strata_u64(number));

static void fail(const char *what)
{
	fprintf(stderr, "slow_recorder: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int threads_left = -1; /* that libstrata may start; negative: any number */

/* In place of the C library's, also for libstrata. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *argument)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (!threads_left)
		return EAGAIN;
	threads_left -= threads_left > 0;
	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	return create(thread, attributes, run, argument);
}

static struct sockaddr_un address = { .sun_family = AF_UNIX };

static int open_socket(int flags)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);

	if (fd < 0)
		fail("socket");
	return fd;
}

static int listen_there(int backlog)
{
	int fd = open_socket(0);

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, backlog))
		fail(address.sun_path);
	return fd;
}

/* Calls this program, as a recorder does. */
static void call(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct strata_app_wait *page = NULL;
	char line[MAPS_LINE];
	unsigned long begin;

	while (maps && !page && fgets(line, sizeof(line), maps))
		if (strstr(line, STRATA_APP_WAIT_NAME) && sscanf(line, "%lx", &begin) == 1)
			page = (struct strata_app_wait *)begin;
	if (!page)
		fail("no page to call");
	fclose(maps);
	__atomic_add_fetch(&page->calls, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &page->calls, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static unsigned int count_sockets(void)
{
	DIR *files = opendir("/proc/self/fd");
	const struct dirent *entry;
	unsigned int nr = 0;
	char target[32];

	if (!files)
		fail("/proc/self/fd");
	while ((entry = readdir(files))) {
		memset(target, 0, sizeof(target));
		nr += readlinkat(dirfd(files), entry->d_name, target, sizeof(target) - 1) > 0 &&
		      !strncmp(target, "socket:", 7);
	}
	closedir(files);
	return nr;
}

static int fork_while_connecting(void)
{
	int listener = listen_there(0), status;
	unsigned int before, turns = 0;
	pid_t child;

	/* One fills the queue, so that the next one waits. */
	if (connect(open_socket(SOCK_NONBLOCK), (struct sockaddr *)&address, sizeof(address)))
		fail("connect");
	before = count_sockets();
	call();
	while (count_sockets() == before) {
		if (turns++ > LIMIT_MS)
			fail("it does not connect");
		usleep(PAUSE_US);
	}
	/* The child finds no recorder of its own. */
	unlink(address.sun_path);
	child = fork();
	if (child == 0)
		_exit(count_sockets() != before);
	if (waitpid(child, &status, 0) != child)
		fail("fork");
	close(listener);
	return status != 0;
}

static void describe_many(void)
{
	static struct strata_tracepoint events[MANY];
	static char names[MANY][16];
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "event_%u", i);
		events[i].group = "test";
		events[i].name = names[i];
		strata_app_register(&events[i]);
	}
	strata_app_ready();
}

/* Receives a message.  Its type; 0: none came. */
static unsigned int receive(int fd, struct strata_app_packet *packet, int wait_ms)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	if (poll(&ready, 1, wait_ms) <= 0 || recv(fd, packet, sizeof(*packet), 0) <= 0)
		return 0;
	return packet->head.type;
}

/* Reads up to the READY that follows the description of that many events. */
static bool read_events(int fd, uint32_t nr)
{
	struct strata_app_packet packet;
	uint32_t have = 0;
	unsigned int type;

	while ((type = receive(fd, &packet, LIMIT_MS))) {
		have += type == STRATA_APP_EVENT;
		if (type == STRATA_APP_READY && have == nr)
			return true;
	}
	fprintf(stderr, "slow_recorder: %u events are described, to be %u\n", have, nr);
	return false;
}

static int accept_program(void)
{
	int listener = listen_there(1), fd;

	call();
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		fail("accept");
	return fd;
}

static int describe_late(void)
{
	int fd = accept_program();

	if (!read_events(fd, 1))
		return 1;
	describe_many();
	return !read_events(fd, MANY);
}

static int greet_late(void)
{
	int fd = accept_program();

	describe_many();
	return !read_events(fd, MANY + 1);
}

static const struct strata_ring_geometry geometry = { 12, 2 };

/* Sends SETUP with sealed memory for single-store rings.  Returns the memory. */
static unsigned char *give_rings(int fd, uint32_t nr)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	struct strata_app_message setup = { .magic = STRATA_APP_MAGIC,
					    .version = STRATA_APP_ABI_VERSION,
					    .type = STRATA_APP_SETUP,
					    .value = STRATA_APP_SINGLE_STORE,
					    .count = nr,
					    .subbuf_bits = geometry.subbuf_bits,
					    .nr_subbufs_bits = geometry.nr_subbufs_bits };
	struct iovec part = { .iov_base = &setup, .iov_len = sizeof(setup) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *with = CMSG_FIRSTHDR(&message);
	const size_t bytes = nr * strata_single_bytes(geometry);
	int memory = memfd_create("rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *there;

	if (memory < 0 || ftruncate(memory, (off_t)bytes) ||
	    fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		fail("memory for rings");
	there = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	with->cmsg_level = SOL_SOCKET;
	with->cmsg_type = SCM_RIGHTS;
	with->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(with), &memory, sizeof(memory));
	if (there == MAP_FAILED || sendmsg(fd, &message, 0) < 0)
		fail("SETUP");
	close(memory);
	return there;
}

static struct strata_single_area *ring_of(unsigned char *memory, uint32_t cpu)
{
	return (struct strata_single_area *)(memory + cpu * strata_single_bytes(geometry));
}

static void sleep_on_all(unsigned char *memory, uint32_t nr, uint64_t sleep)
{
	uint32_t cpu;

	for (cpu = 0; cpu < nr; cpu++)
		__atomic_store_n(&strata_single_reader_area(ring_of(memory, cpu))->asleep, sleep,
				 __ATOMIC_SEQ_CST);
}

/* Sub-buffers that have been left. */
static uint64_t nr_left(unsigned char *memory, uint32_t nr)
{
	uint64_t left = 0;
	uint32_t cpu;

	for (cpu = 0; cpu < nr; cpu++)
		left += strata_read_once(&ring_of(memory, cpu)->position) >> geometry.subbuf_bits;
	return left;
}

/* Writes events until @more sub-buffers have been left. */
static void leave_subbufs(unsigned char *memory, uint32_t nr, uint64_t more)
{
	const uint64_t until = nr_left(memory, nr) + more;

	while (nr_left(memory, nr) < until)
		STRATA_TRACE(test, first, 1);
}

/* Whether a message is a call, and no other follows at once. */
static bool is_woken_once(int fd)
{
	struct strata_app_packet packet;

	return receive(fd, &packet, LIMIT_MS) == STRATA_APP_WAKE &&
	       receive(fd, &packet, QUIET_MS) == 0;
}

static int wake_when_asleep(void)
{
	int fd = accept_program();
	struct strata_app_packet packet;
	uint8_t all[STRATA_APP_EVENTS_MAX / 8] = { 1 };
	unsigned char *memory;
	cpu_set_t here;
	uint32_t nr;

	/* All events go to one ring. */
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		fail("sched_setaffinity");
	if (receive(fd, &packet, LIMIT_MS) != STRATA_APP_HELLO)
		fail("no HELLO");
	if (!(packet.head.headers & STRATA_APP_WAKES) ||
	    !(packet.head.value & STRATA_APP_SINGLE_STORE))
		fail("it does not wake recorders");
	nr = packet.head.count;
	if (!read_events(fd, 1))
		return 1;
	memory = give_rings(fd, nr);
	if (receive(fd, &packet, LIMIT_MS) != STRATA_APP_ATTACHED ||
	    !raw_app_say(fd, STRATA_APP_SELECT, 0, 1, all, sizeof(all), 0))
		fail("it does not attach");
	while (!STRATA_TRACE_ENABLED(test, first))
		usleep(PAUSE_US);
	/* Nobody sleeps. */
	leave_subbufs(memory, nr, 1);
	if (receive(fd, &packet, QUIET_MS))
		return 1;
	/* The rings are not empty, and an event leaves no sub-buffer. */
	sleep_on_all(memory, nr, 1);
	STRATA_TRACE(test, first, 1);
	if (receive(fd, &packet, QUIET_MS))
		return 1;
	leave_subbufs(memory, nr, 1);
	if (!is_woken_once(fd))
		return 1;
	/* Of the same sleep it has woken us. */
	leave_subbufs(memory, nr, 1);
	if (receive(fd, &packet, QUIET_MS))
		return 1;
	/* A full ring wakes, too. */
	sleep_on_all(memory, nr, 2);
	for (nr = 0; nr < LIMIT_MS; nr++)
		STRATA_TRACE(test, first, 1);
	return !is_woken_once(fd);
}

/* Whether a program that may start that many threads promises to wake its recorder.  A child starts
 * anew, as a program does. */
static bool promises_to_wake(int listener, int threads)
{
	struct strata_app_packet packet;
	int fd, status;
	pid_t child;

	threads_left = threads;
	child = fork();
	if (child == 0)
		_exit(0);
	threads_left = -1;
	fd = child > 0 ? accept(listener, NULL, NULL) : -1;
	if (fd < 0)
		fail("no program connects");
	if (receive(fd, &packet, LIMIT_MS) != STRATA_APP_HELLO)
		fail("no HELLO");
	/* It waits for a recorder that stays. */
	close(fd);
	if (waitpid(child, &status, 0) != child || status)
		fail("the program does not end");
	return packet.head.headers & STRATA_APP_WAKES;
}

static int start_with_few_threads(void)
{
	int listener = listen_there(1);

	return promises_to_wake(listener, 1) || !promises_to_wake(listener, 2);
}

int main(int argc, char **argv)
{
	const char *path = getenv(STRATA_APP_SOCKET_VARIABLE), *what = argc == 2 ? argv[1] : "";

	if (!path || strlen(path) >= sizeof(address.sun_path))
		fail(STRATA_APP_SOCKET_VARIABLE);
	strcpy(address.sun_path, path);
	STRATA_TRACE(test, first, 1);
	if (!strcmp(what, "fork"))
		return fork_while_connecting();
	if (!strcmp(what, "late"))
		return describe_late();
	if (!strcmp(what, "slow"))
		return greet_late();
	if (!strcmp(what, "asleep"))
		return wake_when_asleep();
	if (!strcmp(what, "threads"))
		return start_with_few_threads();
	fprintf(stderr, "usage: slow_recorder fork|late|slow|asleep|threads\n");
	return 2;
}
