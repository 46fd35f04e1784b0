// SPDX-License-Identifier: GPL-2.0-or-later
/* app.c - see app.h. */
#include "app.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "event_table.h"
#include "ring_shared.h"

/* Memory that one application may be given. */
#define MEMORY_BYTES_MAX (1ull << 30)

/* A socket to the process whose abstract socket has this name, or -1. */
static int call_process(const char *name, size_t length)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (length >= sizeof(address.sun_path))
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	memcpy(address.sun_path + 1, name, length);
	if (!connect(fd, (struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)))
		return fd;
	close(fd);
	return -1;
}

void app_call_all(void (*called)(void *data, int socket), void *data)
{
	FILE *list = fopen("/proc/net/unix", "re");
	char line[256];

	while (list && fgets(line, sizeof(line), list)) {
		const char *name = strstr(line, "@" STRATA_APP_NAME_PREFIX);
		/* Bit 16 of the flags: it listens. */
		const char *flags = strstr(line, " 00010000 ");
		int fd = -1;

		if (name && flags && flags < name)
			fd = call_process(name + 1, strcspn(name + 1, "\n"));
		if (fd >= 0)
			called(data, fd);
	}
	if (list)
		fclose(list);
}

static void read_names(struct app *app)
{
	char path[64], link[400];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", app->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? 0 : read(fd, app->comm, sizeof(app->comm) - 1);
	if (fd >= 0)
		close(fd);
	app->comm[length > 0 ? length : 0] = '\0';
	app->comm[strcspn(app->comm, "\n")] = '\0';

	snprintf(path, sizeof(path), "/proc/%d/exe", app->pid);
	length = readlink(path, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	snprintf(app->program, sizeof(app->program), "%.79s",
		 strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
}

int app_open(struct app *app, int socket, struct strata_error *error)
{
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	memset(app, 0, sizeof(*app));
	app->socket = socket;
	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) || peer.pid <= 0) {
		close(socket);
		return strata_fail(error, "the kernel does not say whose socket it is");
	}
	app->pid = peer.pid;
	read_names(app);
	return 0;
}

static int send_packet(struct app *app, struct strata_app_packet *packet, size_t bytes, int fd,
		       struct strata_error *error)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { .iov_base = packet, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	packet->head.magic = STRATA_APP_MAGIC;
	packet->head.version = STRATA_APP_ABI_VERSION;
	if (fd >= 0) {
		memset(&control, 0, sizeof(control));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	}
	if (sendmsg(app->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)bytes)
		return 0;
	return strata_fail(error, "it does not listen: %s", strerror(errno));
}

static int take_hello(struct app *app, const struct strata_app_message *head,
		      struct strata_error *error)
{
	if (app->mode || app->nr_events)
		return strata_fail(error, "it says hello twice");
	if (head->value != STRATA_APP_SINGLE_STORE && head->value != STRATA_APP_RESERVE_COMMIT)
		return strata_fail(error, "its rings are of an unknown kind %u", head->value);
	if (head->count < 1 || head->count > STRATA_APP_RINGS_MAX)
		return strata_fail(error, "it says to have %u CPUs", head->count);
	app->mode = head->value;
	app->nr_cpus = head->count;
	return 0;
}

static int take_event(struct app *app, const struct strata_app_packet *packet, size_t bytes,
		      struct strata_error *error)
{
	struct strata_event_desc *events;

	if (!app->mode)
		return strata_fail(error, "it does not say hello");
	if (app->nr_events == STRATA_APP_EVENTS_MAX)
		return strata_fail(error, "more than %u events", STRATA_APP_EVENTS_MAX);
	events = reallocarray(app->events, app->nr_events + 1, sizeof(*events));
	if (!events)
		return strata_fail(error, "out of memory");
	app->events = events;
	memset(&events[app->nr_events], 0, sizeof(*events));
	if (!event_table_parse_entry((const unsigned char *)&packet->u.event,
				     bytes - sizeof(packet->head), app->nr_events,
				     &events[app->nr_events], error))
		return -1;
	app->nr_events++;
	return 0;
}

static enum app_news take_message(struct app *app, const struct strata_app_packet *packet,
				  size_t bytes, struct strata_error *error)
{
	switch (packet->head.type) {
	case STRATA_APP_HELLO:
		return take_hello(app, &packet->head, error) ? APP_GONE : APP_NO_NEWS;
	case STRATA_APP_EVENT:
		return take_event(app, packet, bytes, error) ? APP_GONE : APP_NO_NEWS;
	case STRATA_APP_READY:
		return APP_READY;
	case STRATA_APP_ATTACHED:
		return APP_ATTACHED;
	case STRATA_APP_STOPPED:
		return APP_STOPPED;
	default:
		strata_fail(error, "it sends a message of the unknown type %u", packet->head.type);
		return APP_GONE;
	}
}

enum app_news app_hear(struct app *app, struct strata_error *error)
{
	struct strata_app_packet packet;
	ssize_t bytes = recv(app->socket, &packet, sizeof(packet), MSG_DONTWAIT | MSG_TRUNC);

	error->text[0] = '\0';
	if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
		return APP_NO_NEWS;
	if (bytes <= 0)
		return APP_GONE;
	if ((size_t)bytes < sizeof(packet.head) || (size_t)bytes > sizeof(packet) ||
	    packet.head.magic != STRATA_APP_MAGIC) {
		strata_fail(error, "it sends what is no message (%zd bytes)", bytes);
		return APP_GONE;
	}
	if (packet.head.version != STRATA_APP_ABI_VERSION) {
		strata_fail(error,
			    "its libstrata speaks version %u, and this program %u; build both "
			    "from the same sources",
			    packet.head.version, STRATA_APP_ABI_VERSION);
		return APP_GONE;
	}
	return take_message(app, &packet, (size_t)bytes, error);
}

static uint64_t ring_bytes(const struct app *app, struct strata_ring_geometry geo)
{
	return strata_app_ring_bytes((enum strata_app_mode)app->mode, geo);
}

/* Where the reader's page lies in a ring. */
static size_t reader_offset(const struct app *app)
{
	return app->mode == STRATA_APP_SINGLE_STORE ? STRATA_SINGLE_AREA_BYTES
						    : STRATA_WRITER_AREA_PAGES * STRATA_PAGE_BYTES;
}

/* Maps the memory: what only the application writes cannot be written here by mistake. */
static int map_memory(struct app *app, int fd, struct strata_ring_geometry geo,
		      struct strata_error *error)
{
	void *memory = mmap(NULL, app->memory_bytes, PROT_READ, MAP_SHARED, fd, 0);
	size_t i;

	if (memory == MAP_FAILED)
		return strata_fail(error, "its rings cannot be mapped: %s", strerror(errno));
	app->memory = memory;
	for (i = 0; i < app->nr_rings; i++) {
		unsigned char *page = app->memory + i * ring_bytes(app, geo) + reader_offset(app);

		if (mprotect(page, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE))
			return strata_fail(error, "a page of it cannot be written: %s",
					   strerror(errno));
		app->rings[i].reader.geo = geo;
		app->rings[i].cpu = (uint32_t)i;
	}
	return 0;
}

static int make_memory(struct app *app, struct strata_error *error)
{
	int fd = memfd_create("strata", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && !ftruncate(fd, (off_t)app->memory_bytes) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	strata_fail(error, "there is no memory for its rings: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int app_give_rings(struct app *app, struct strata_ring_geometry geo, uint32_t switch_ms,
		   struct strata_error *error)
{
	struct strata_app_packet packet = { .head.type = STRATA_APP_SETUP,
					    .head.subbuf_bits = geo.subbuf_bits,
					    .head.nr_subbufs_bits = geo.nr_subbufs_bits,
					    .head.switch_ms = switch_ms,
					    .head.value = app->mode,
					    .head.count = app->nr_cpus };
	int fd, result;

	if (!app->mode || app->rings)
		return strata_fail(error, "it is not the time for its rings");
	if (ring_bytes(app, geo) > MEMORY_BYTES_MAX / app->nr_cpus)
		return strata_fail(error,
				   "its rings for %u CPUs would take more than %llu MiB; make them "
				   "smaller with --app-buffer",
				   app->nr_cpus, MEMORY_BYTES_MAX >> 20);
	app->nr_rings = app->nr_cpus;
	app->memory_bytes = ring_bytes(app, geo) * app->nr_rings;
	app->rings = calloc(app->nr_rings, sizeof(*app->rings));
	if (!app->rings)
		return strata_fail(error, "out of memory");
	fd = make_memory(app, error);
	if (fd < 0)
		return -1;
	result = map_memory(app, fd, geo, error);
	if (!result)
		result = send_packet(app, &packet, sizeof(packet.head), fd, error);
	close(fd);
	return result;
}

static bool read_ring(struct app *app, struct ring *ring, unsigned char *memory)
{
	struct strata_ring_geometry geo = ring->reader.geo;
	unsigned char *reader = memory + reader_offset(app);
	unsigned char *data = reader + STRATA_PAGE_BYTES;

	if (app->mode == STRATA_APP_SINGLE_STORE) {
		ring->is_single = true;
		return strata_single_reader_init(&ring->single, geo,
						 (const struct strata_single_area *)memory,
						 (struct strata_single_reader_area *)reader, data);
	}
	ring->get = ring_get_shared;
	ring->put = ring_put_shared;
	return strata_reader_init(
		       &ring->reader, geo, (const struct strata_ring_writer_area *)memory,
		       (struct strata_ring_reader_area *)reader, data) == STRATA_READER_OK;
}

int app_read_rings(struct app *app, struct strata_error *error)
{
	size_t i;

	if (!app->memory)
		return strata_fail(error, "it made rings that it was not given");
	for (i = 0; i < app->nr_rings; i++) {
		uint64_t stride = ring_bytes(app, app->rings[i].reader.geo);

		if (!read_ring(app, &app->rings[i], app->memory + i * stride))
			return strata_fail(error, "ring %zu does not begin as a ring does", i);
	}
	return 0;
}

int app_select(struct app *app, const struct event_set *events, struct strata_error *error)
{
	struct strata_app_packet packet = { .head.type = STRATA_APP_SELECT,
					    .head.count = (uint32_t)app->nr_events };
	size_t i;

	for (i = 0; i < app->nr_events; i++)
		if (event_set_has(events, i))
			packet.u.selected[i / 8] |= (uint8_t)(1u << i % 8);
	return send_packet(app, &packet, sizeof(packet.head) + sizeof(packet.u.selected), -1,
			   error);
}

int app_stop(struct app *app, struct strata_error *error)
{
	struct strata_app_packet packet = { .head.type = STRATA_APP_STOP };

	return send_packet(app, &packet, sizeof(packet.head), -1, error);
}

void app_close(struct app *app)
{
	if (app->memory)
		munmap(app->memory, app->memory_bytes);
	if (app->socket >= 0)
		close(app->socket);
	free(app->rings);
	free(app->events);
	memset(app, 0, sizeof(*app));
	app->socket = -1;
}
