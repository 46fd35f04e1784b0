// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile.c - an application that speaks the recorder's protocol correctly, and uses it to take
 * what belongs to others: HOSTILE SOCKET WHAT NUMBER [CPUS [WHO]].
 *
 *   silent N       N connections that never say anything
 *   started N UID  the same, as a set-user-ID program of root's that user UID has started
 *   turned N UID   the same, of user UID, by a process that then becomes WHO, an argument more
 *   hold N CPUS    N connections, each with a ring for each of CPUS CPUs and one lost event in it
 *   come N         N times: connects, makes a ring, reports a lost event, hangs up
 *   pass N         the same, with nothing in the ring
 *   describe N     N connections, each with 1,024 events of 40 fields, and a lost event
 *   refill N CPUS  as hold; then fills all the rings, again and again
 *   ready N        as hold, with one CPU; then sends READY without end
 *   lies N         N times: connects, makes a ring, writes into it what no ring can hold
 *   linger N       N connections, each with a message that carries a TCP connection: closing that
 *                  waits for ten minutes
 *   queue N        N connections that never say anything; then connects again and again, sends as
 *                  many messages as the socket takes, and hangs up
 *
 *   keep N CPUS    N times: connects, has rings made, hangs up, and keeps the memory's descriptor
 *   holes N CPUS   as hold; then lets the recorder read all rings, whose pages nobody has touched
 *   starve N CPUS GROUP OTHER
 *                  as hold; then fills the rings as a process of the control group GROUP, goes to
 *                  OTHER, and says "filled"; at SIGUSR1 the rings are ready to be read
 *   collapse N CPUS GROUP OTHER
 *                  as starve, but the recorder has read all pages before, and they are replaced by
 *                  huge ones then (MADV_COLLAPSE), which takes them out of the recorder's mapping;
 *                  prints "collapsed N" for each connection, how many could be made
 *   punch N CPUS   as hold; then tries in all ways to take pages out of the memory of its rings,
 * and prints "punched N", how often it could seal N         as hold, with one CPU, but forbids
 * further seals of the memory first
 *
 * It prints "connections N" when the recorder has answered the last of them, with the number of
 * those that are still connected; "come", "pass" and "lies" end then, and the others go on until
 * they are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/abi/app.h>
#include <strata/clock.h>

#include "../raw_app.h"

#ifndef MADV_COLLAPSE /* Linux 6.1 */
#define MADV_COLLAPSE 25
#endif

#define HUGE_BYTES      (2u << 20)
#define LINGER_S        600
#define CONNECTIONS_MAX 4096u
#define QUEUED_MAX      1000u
#define NO_FIELDS       20u /* bytes of a record whose event has none */

struct connection {
	int socket;
	uint32_t cpus;
	uint64_t stride;
	struct strata_ring_geometry geo;
	unsigned char *rings; /* NULL: none */
	size_t bytes;
	int memory; /* their descriptor */
};

static struct connection connections[CONNECTIONS_MAX];
static const char *socket_path;
static bool seals; /* forbids further seals of its memory */

/* False: the recorder has hung up. */
static bool say(int fd, uint16_t type, uint32_t value, uint32_t count, const void *more,
		size_t bytes)
{
	return raw_app_say(fd, type, value, count, more, bytes, 0);
}

/* Describes events with as many fields as can be, whose names are as long as they can be. */
static bool describe(int fd, uint32_t events, uint32_t fields)
{
	struct strata_event_desc event = { .nr_fields = (uint8_t)fields };
	uint32_t i, j;

	for (i = 0; i < events; i++) {
		event.id = i;
		snprintf(event.name, sizeof(event.name), "hostile_%054u", i);
		for (j = 0; j < fields; j++) {
			event.fields[j] =
				(struct strata_field_desc){ "", STRATA_FIELD_UNSIGNED, 4, 1 };
			snprintf(event.fields[j].name, sizeof(event.fields[j].name), "field_%025u",
				 j);
		}
		if (!say(fd, STRATA_APP_EVENT, 0, 0, &event, strata_event_desc_bytes(fields)))
			return false;
	}
	return true;
}

/* Returns where memory can be mapped so that huge pages fit. */
static void *aligned_place(size_t bytes)
{
	unsigned char *place = mmap(NULL, bytes + HUGE_BYTES, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (place == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return place + (HUGE_BYTES - (uintptr_t)place % HUGE_BYTES) % HUGE_BYTES;
}

/* Receives SETUP and maps the memory that comes with it.  False: the recorder has hung up. */
static bool receive_rings(struct connection *one)
{
	struct strata_app_packet packet;
	int given = raw_app_receive_memory(one->socket, &packet);

	if (given < 0)
		return false;
	one->memory = given;
	one->geo = (struct strata_ring_geometry){ packet.head.subbuf_bits,
						  packet.head.nr_subbufs_bits };
	one->stride = strata_single_bytes(one->geo);
	one->bytes = one->cpus * one->stride;
	one->rings = mmap(aligned_place(one->bytes), one->bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, one->memory,
			  (off_t)packet.head.first_page * STRATA_PAGE_BYTES);
	if (one->rings == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	if (seals && fcntl(one->memory, F_ADD_SEALS, F_SEAL_SEAL)) {
		perror("F_SEAL_SEAL");
		exit(1);
	}
	return true;
}

static struct strata_single_area *area_of(const struct connection *one, uint32_t cpu)
{
	return (struct strata_single_area *)(one->rings + cpu * one->stride);
}

/* Connects and does all that is asked of an application.  False: the recorder has hung up. */
static bool attach(struct connection *one, uint32_t cpus, uint32_t events, uint32_t fields,
		   uint64_t lost)
{
	struct strata_app_packet selected;
	uint32_t i;

	memset(one, 0, sizeof(*one));
	one->memory = -1;
	one->cpus = cpus;
	one->socket = raw_app_connect(socket_path);
	if (!say(one->socket, STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE, cpus, NULL, 0) ||
	    !describe(one->socket, events, fields) ||
	    !say(one->socket, STRATA_APP_READY, 0, 0, NULL, 0) || !receive_rings(one))
		return false;
	for (i = 0; i < cpus; i++) {
		strata_single_init(area_of(one, i), one->geo, i, false);
		area_of(one, i)->lost[0] = lost;
	}
	return say(one->socket, STRATA_APP_ATTACHED, 0, 0, NULL, 0) &&
	       recv(one->socket, &selected, sizeof(selected), 0) > 0;
}

static void hang_up(struct connection *one)
{
	if (one->rings)
		munmap(one->rings, one->bytes);
	if (one->memory >= 0)
		close(one->memory);
	close(one->socket);
	memset(one, 0, sizeof(*one));
}

static uint32_t attach_all(uint32_t nr, uint32_t cpus, uint32_t events, uint32_t fields)
{
	uint32_t i, attached = 0;

	for (i = 0; i < nr; i++) {
		if (attach(&connections[attached], cpus, events, fields, 1))
			attached++;
		else
			hang_up(&connections[attached]);
	}
	return attached;
}

static void tell(uint32_t nr)
{
	printf("connections %u\n", nr);
	fflush(stdout);
}

/* Records of an event without fields fill a sub-buffer up to its last whole record, which is of an
 * event that does not exist: the recorder checks all of it, and no disk gets full. */
static uint32_t fill(unsigned char *subbuf, struct strata_ring_geometry geo, uint64_t ticks)
{
	const struct strata_app_context context = { (int32_t)getpid(), (int32_t)getpid() };
	const struct strata_record_header header = { 0, ticks }, unknown = { 1, ticks };
	uint32_t at = STRATA_PACKET_HEADER_BYTES;

	for (; at + NO_FIELDS <= strata_subbuf_bytes(geo); at += NO_FIELDS) {
		memcpy(subbuf + at, &header, sizeof(header));
		memcpy(subbuf + at + sizeof(header), &context, sizeof(context));
	}
	memcpy(subbuf + at - NO_FIELDS, &unknown, sizeof(unknown));
	return at;
}

static void fill_once(const struct connection *one, uint32_t cpu)
{
	struct strata_single_area *area = area_of(one, cpu);
	unsigned char *data = (unsigned char *)area + STRATA_SINGLE_HEAD_BYTES;
	uint64_t ticks = strata_clock();
	uint32_t i;

	for (i = 0; i < strata_nr_subbufs(one->geo); i++)
		area->closed[i].content_bytes =
			fill(data + i * strata_subbuf_bytes(one->geo), one->geo, ticks);
}

/* The memory of its events is as it was made. */
static void fill_with_nothing(const struct connection *one, uint32_t cpu)
{
	struct strata_single_area *area = area_of(one, cpu);
	uint32_t i;

	for (i = 0; i < strata_nr_subbufs(one->geo); i++)
		area->closed[i].content_bytes = STRATA_PACKET_HEADER_BYTES + NO_FIELDS;
}

/* All but the last sub-buffer are full of what they held before. */
static void refill(const struct connection *one, uint32_t cpu)
{
	struct strata_single_area *area = area_of(one, cpu);
	uint64_t full = (strata_nr_subbufs(one->geo) - 1ull) << one->geo.subbuf_bits;

	strata_store_release(&area->position,
			     strata_load_acquire(&strata_single_reader_area(area)->read_count) +
				     full + STRATA_PACKET_HEADER_BYTES);
}

static bool is_left(const struct connection *one)
{
	struct pollfd hung_up = { .fd = one->socket };

	return poll(&hung_up, 1, 0) != 0;
}

/* Waits until the recorder has read a ring's every sub-buffer, or has hung up. */
static void be_read(const struct connection *one, uint32_t cpu)
{
	const struct strata_single_reader_area *reader =
		strata_single_reader_area(area_of(one, cpu));
	const uint64_t begin = strata_load_acquire(&reader->read_count);

	while (strata_load_acquire(&reader->read_count) - begin <
		       2 * strata_buffer_bytes(one->geo) &&
	       !is_left(one)) {
		refill(one, cpu);
		usleep(1000);
	}
}

static void refill_forever(uint32_t nr)
{
	uint32_t i, cpu;

	for (i = 0; i < nr; i++)
		for (cpu = 0; cpu < connections[i].cpus; cpu++)
			fill_once(&connections[i], cpu);
	tell(nr);
	for (;;)
		for (i = 0; i < nr; i++)
			for (cpu = 0; cpu < connections[i].cpus; cpu++)
				refill(&connections[i], cpu);
}

/* The recorder reads all pages, which nobody has touched before. */
static void have_holes_read(uint32_t nr)
{
	uint32_t i, cpu;

	for (i = 0; i < nr; i++) {
		for (cpu = 0; cpu < connections[i].cpus; cpu++) {
			fill_with_nothing(&connections[i], cpu);
			be_read(&connections[i], cpu);
		}
	}
	tell(nr);
}

/* This process becomes one of a control group. */
static void join(const char *group)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* Whether the recorder looks at pages of that huge page all the time. */
static bool has_head(const struct connection *one, size_t huge)
{
	const size_t bytes = STRATA_SINGLE_HEAD_BYTES;
	uint32_t cpu;

	for (cpu = 0; cpu < one->cpus; cpu++)
		if (cpu * one->stride + bytes > huge && cpu * one->stride < huge + HUGE_BYTES)
			return true;
	return false;
}

/* Touches the pages that cannot be taken from the recorder. */
static void touch_heads(const struct connection *one)
{
	size_t at;

	for (at = 0; at < one->bytes; at += STRATA_PAGE_BYTES)
		if (has_head(one, at - at % HUGE_BYTES))
			strata_write_once(&one->rings[at], one->rings[at]);
}

/* Makes huge pages of all others.  Returns how many it could make. */
static uint32_t collapse(const struct connection *one)
{
	uint32_t made = 0;
	size_t at;

	for (at = 0; at + HUGE_BYTES <= one->bytes; at += HUGE_BYTES)
		made += !has_head(one, at) && !madvise(one->rings + at, HUGE_BYTES, MADV_COLLAPSE);
	return made;
}

/* Fills rings with pages that are charged to a control group; they are ready to be read when that
 * group, which has no process any more, has been left without memory: at SIGUSR1. */
static void starve(uint32_t nr, const char *group, const char *other, bool collapses)
{
	sigset_t told;
	uint32_t i, cpu;
	int number;

	sigemptyset(&told);
	sigaddset(&told, SIGUSR1);
	sigprocmask(SIG_BLOCK, &told, NULL);
	for (i = 0; i < nr && collapses; i++)
		touch_heads(&connections[i]);
	join(group);
	for (i = 0; i < nr; i++)
		for (cpu = 0; cpu < connections[i].cpus; cpu++)
			fill_once(&connections[i], cpu);
	for (i = 0; i < nr && collapses; i++) {
		for (cpu = 0; cpu < connections[i].cpus; cpu++)
			be_read(&connections[i], cpu);
		printf("collapsed %u\n", collapse(&connections[i]));
	}
	join(other);
	printf("filled\n");
	fflush(stdout);
	sigwait(&told, &number);
	for (i = 0; i < nr; i++)
		for (cpu = 0; cpu < connections[i].cpus; cpu++)
			refill(&connections[i], cpu);
	tell(nr);
}

/* Says READY without end; what is answered is thrown away. */
static void send_ready_forever(uint32_t nr)
{
	const struct strata_app_packet ready = { .head = { .magic = STRATA_APP_MAGIC,
							   .version = STRATA_APP_ABI_VERSION,
							   .type = STRATA_APP_READY } };
	struct strata_app_packet answer;
	uint32_t i;

	tell(nr);
	for (i = 0;; i = (i + 1) % nr) {
		while (send(connections[i].socket, &ready, sizeof(ready.head),
			    MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
			;
		while (recv(connections[i].socket, &answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	}
}

/* Returns how many of them came to have a ring. */
static uint32_t come_and_go(uint32_t nr, uint64_t lost)
{
	uint32_t i, attached = 0;

	for (i = 0; i < nr; i++) {
		attached += attach(&connections[0], 1, 1, 0, lost);
		hang_up(&connections[0]);
	}
	return attached;
}

/* Has memory made again and again.  Returns how often it got some. */
static uint32_t keep(uint32_t nr, uint32_t cpus)
{
	uint32_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		struct connection *one = &connections[kept];

		if (!attach(one, cpus, 1, 0, 1)) {
			hang_up(one);
			continue;
		}
		close(one->socket);
		kept++;
	}
	return kept;
}

/* Returns how many of the ways to take pages out of that memory there are. */
static unsigned int punch(const struct connection *one)
{
	const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	char path[64];
	unsigned int punched;
	int again;

	punched = !fallocate(one->memory, mode, 0, (off_t)one->bytes);
	punched += !madvise(one->rings, one->bytes, MADV_REMOVE);
	punched += !mprotect(one->rings, one->bytes, PROT_READ) &&
		   !mprotect(one->rings, one->bytes, PROT_READ | PROT_WRITE) &&
		   !madvise(one->rings, one->bytes, MADV_REMOVE);
	punched += !ftruncate(one->memory, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", one->memory);
	again = open(path, O_RDWR | O_CLOEXEC);
	if (again >= 0) {
		punched += !fallocate(again, mode, 0, (off_t)one->bytes);
		close(again);
	}
	return punched;
}

static void punch_all(uint32_t nr)
{
	unsigned int punched = 0;
	uint32_t i;

	for (i = 0; i < nr; i++)
		punched += punch(&connections[i]);
	printf("punched %u\n", punched);
	tell(nr);
}

static uint32_t lie(uint32_t nr)
{
	struct pollfd fd = { .events = POLLIN };
	uint32_t i, attached = 0;

	for (i = 0; i < nr; i++) {
		if (attach(&connections[0], 1, 1, 0, 0)) {
			attached++;
			strata_write_once(&area_of(&connections[0], 0)->position,
					  0x123456789abcdf00u);
			fd.fd = connections[0].socket;
			poll(&fd, 1, RAW_APP_ANSWER_S * 1000);
		}
		hang_up(&connections[0]);
	}
	return attached;
}

static uint32_t connect_silently(uint32_t nr)
{
	struct pollfd fd = { .events = POLLIN };
	uint32_t i, left = 0;

	for (i = 0; i < nr; i++)
		connections[i].socket = raw_app_connect(socket_path);
	/* Those that are too many are sent away by when a later one is heard. */
	for (i = 0; i < nr; i++) {
		fd.fd = connections[i].socket;
		left += poll(&fd, 1, 0) == 0;
	}
	return left;
}

/* Beyond its share of connections: what is sent there nobody has to read. */
static void queue_messages_forever(uint32_t nr)
{
	uint32_t i;

	tell(connect_silently(nr));
	for (;;) {
		int fd = raw_app_connect(socket_path);

		for (i = 0; i < QUEUED_MAX && send(fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
		     i++)
			;
		close(fd);
	}
}

/* A TCP connection whose other end never reads, so that the last close() of it waits. */
static int make_lingering(void)
{
	const struct linger linger = { .l_onoff = 1, .l_linger = LINGER_S };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	static const char data[65536];

	if (bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes) ||
	    connect(fd, (struct sockaddr *)&address, bytes) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger))) {
		perror("TCP");
		exit(1);
	}
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	return fd;
}

/* A process that ends does not linger itself, so one of its own sends it: the recorder has the only
 * descriptor of the file when that has ended. */
static void give_away(int socket, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .align = { .cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS,
				 .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct strata_app_packet packet = { .head = { .magic = STRATA_APP_MAGIC,
						      .version = STRATA_APP_ABI_VERSION,
						      .type = STRATA_APP_HELLO,
						      .value = STRATA_APP_SINGLE_STORE,
						      .count = 1 } };
	struct iovec part = { .iov_base = &packet, .iov_len = sizeof(packet.head) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int gate[2];
	pid_t child;
	char byte;

	memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	if (pipe(gate) || (child = fork()) < 0) {
		perror("fork");
		exit(1);
	}
	if (!child) {
		close(gate[1]);
		/* Returns when the parent has closed its descriptor. */
		if (read(gate[0], &byte, 1) || sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
			_exit(1);
		_exit(0);
	}
	close(fd);
	close(gate[0]);
	close(gate[1]);
	waitpid(child, NULL, 0);
}

/* Every second one is sent behind a message without bytes, and hangs up at once. */
static void linger(uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		int fd = raw_app_connect(socket_path);

		if (i % 2)
			send(fd, "", 0, MSG_NOSIGNAL);
		give_away(fd, make_lingering());
		if (i % 2)
			close(fd);
	}
	tell(nr);
}

int main(int argc, char **argv)
{
	const struct rlimit files = { CONNECTIONS_MAX, CONNECTIONS_MAX };
	const char *what = argc > 3 ? argv[2] : "";
	uint32_t nr, cpus;

	if (argc < 4)
		return 2;
	socket_path = argv[1];
	nr = (uint32_t)strtoul(argv[3], NULL, 10);
	cpus = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 1;
	setrlimit(RLIMIT_NOFILE, &files);
	if (nr > CONNECTIONS_MAX || !cpus)
		return 2;
	if (strcmp(what, "silent") == 0) {
		tell(connect_silently(nr));
	} else if (strcmp(what, "started") == 0) {
		if (setresuid(cpus, 0, 0)) {
			perror("setresuid");
			return 1;
		}
		tell(connect_silently(nr));
	} else if (strcmp(what, "turned") == 0 && argc > 5) {
		const uid_t who = (uid_t)strtoul(argv[5], NULL, 10);

		if (setresuid((uid_t)-1, cpus, 0)) {
			perror("setresuid");
			return 1;
		}
		nr = connect_silently(nr);
		if (setresuid(0, 0, 0) || setresuid(who, who, who)) {
			perror("setresuid");
			return 1;
		}
		tell(nr);
	} else if (strcmp(what, "hold") == 0) {
		tell(attach_all(nr, cpus, 1, 0));
	} else if (strcmp(what, "describe") == 0) {
		tell(attach_all(nr, 1, STRATA_APP_EVENTS_MAX, STRATA_EVENT_FIELDS_MAX));
	} else if (strcmp(what, "refill") == 0) {
		refill_forever(attach_all(nr, cpus, 1, 0));
	} else if (strcmp(what, "holes") == 0) {
		have_holes_read(attach_all(nr, cpus, 1, 0));
	} else if (strcmp(what, "ready") == 0) {
		nr = attach_all(nr, 1, 1, 0);
		if (!nr)
			return 1;
		send_ready_forever(nr);
	} else if (strcmp(what, "come") == 0 || strcmp(what, "pass") == 0) {
		tell(come_and_go(nr, strcmp(what, "come") == 0));
		return 0;
	} else if (strcmp(what, "keep") == 0) {
		tell(keep(nr, cpus));
	} else if (strcmp(what, "starve") == 0 && argc > 6) {
		starve(attach_all(nr, cpus, 1, 0), argv[5], argv[6], false);
	} else if (strcmp(what, "collapse") == 0 && argc > 6) {
		starve(attach_all(nr, cpus, 1, 0), argv[5], argv[6], true);
	} else if (strcmp(what, "punch") == 0) {
		punch_all(attach_all(nr, cpus, 1, 0));
	} else if (strcmp(what, "seal") == 0) {
		seals = true;
		tell(attach_all(nr, 1, 1, 0));
	} else if (strcmp(what, "linger") == 0) {
		linger(nr);
	} else if (strcmp(what, "queue") == 0) {
		queue_messages_forever(nr);
	} else if (strcmp(what, "lies") == 0) {
		tell(lie(nr));
		return 0;
	} else {
		return 2;
	}
	for (;;)
		pause();
}
