// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline_server.c - see timeline_server.h. */
#include "strata/read/timeline_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/put_text.h"
#include "timeline/page.h"

#define TOKEN_BYTES 16u
/* Requests are small, and browsers keep up to six connections. */
#define CONNECTIONS_MAX      64u
#define CONNECTION_BYTES     32768u
#define CONNECTION_TIMEOUT_S 30u

/* Attempts to find a port that is free at both addresses. */
#define PORT_TURNS 16u

struct server {
	const struct strata_timeline *timeline;
	struct strata_buffer page;
	char token[2 * TOKEN_BYTES + 1];
	char hosts[2][32]; /* Host headers that a browser may send */
};

/* The headers of every answer: other sites must not use it, and browsers must not store it. */
static const char *const headers[][2] = {
	{ "Cache-Control", "no-store" },
	{ "Referrer-Policy", "no-referrer" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      const char *type, struct MHD_Response *response)
{
	enum MHD_Result result;
	size_t i;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned int status, const char *why)
{
	return answer(connection, status, "text/plain; charset=utf-8",
		      MHD_create_response_from_buffer(strlen(why), (void *)(uintptr_t)why,
						      MHD_RESPMEM_PERSISTENT));
}

/* Compares in constant time. */
static bool is_same(const char *a, const char *b, size_t bytes)
{
	unsigned char difference = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		difference |= (unsigned char)(a[i] ^ b[i]);
	return difference == 0;
}

static enum MHD_Result give_chunk(const struct server *server, struct MHD_Connection *connection,
				  const char *number)
{
	char *end;
	const unsigned long at = strtoul(number, &end, 10);
	const struct strata_chunk_store *store = strata_timeline_chunks(server->timeline);
	const struct strata_chunk *chunk =
		*number < '0' || *number > '9' || *end ? NULL : strata_chunk_store_get(store, at);
	struct strata_error error;
	void *bytes;

	if (!chunk || chunk->is_raw)
		return say(connection, MHD_HTTP_NOT_FOUND, "there is no such chunk\n");
	bytes = malloc(chunk->bytes + 1);
	if (!bytes)
		return say(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	if (strata_chunk_store_read(store, chunk, bytes, &error)) {
		free(bytes);
		fprintf(stderr, "strata: timeline: %s\n", error.text);
		return say(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			   "the chunk cannot be read\n");
	}
	return answer(connection, MHD_HTTP_OK, "application/octet-stream",
		      MHD_create_response_from_buffer(chunk->bytes, bytes, MHD_RESPMEM_MUST_FREE));
}

/* Answers with the explanation of a slice; empty where `why` has nothing to say. */
static enum MHD_Result give_why(const struct server *server, struct MHD_Connection *connection)
{
	const char *track = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "track");
	const char *at = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "at");
	const char *text = track && at ? strata_timeline_why(server->timeline,
							     (uint32_t)strtoul(track, NULL, 10),
							     strtoull(at, NULL, 10))
				       : NULL;

	return say(connection, MHD_HTTP_OK, text ? text : "");
}

static bool is_for_us(const struct server *server, struct MHD_Connection *connection)
{
	const char *host =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	return host &&
	       (strcasecmp(host, server->hosts[0]) == 0 || strcasecmp(host, server->hosts[1]) == 0);
}

static enum MHD_Result handle(void *data, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **state)
{
	static char seen;
	const struct server *server = data;
	const size_t token = 2 * TOKEN_BYTES;
	const char *meta, *path;
	size_t length;

	(void)version, (void)upload;
	/* The first call for a request precedes its body, which is ignored. */
	if (!*state) {
		*state = &seen;
		return MHD_YES;
	}
	if (*upload_bytes) {
		*upload_bytes = 0;
		return MHD_YES;
	}
	if (!is_for_us(server, connection))
		return say(connection, MHD_HTTP_FORBIDDEN,
			   "use the address that strata timeline printed\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is served\n");
	if (strlen(url) < token + 2 || url[0] != '/' || url[token + 1] != '/' ||
	    !is_same(url + 1, server->token, token))
		return say(connection, MHD_HTTP_NOT_FOUND,
			   "use the whole address that strata timeline printed\n");
	path = url + token + 2;
	if (!*path)
		return answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
			      MHD_create_response_from_buffer(server->page.used, server->page.bytes,
							      MHD_RESPMEM_PERSISTENT));
	if (strcmp(path, "meta") == 0) {
		meta = strata_timeline_meta(server->timeline, &length);
		return answer(connection, MHD_HTTP_OK, "application/json",
			      MHD_create_response_from_buffer(length, (void *)(uintptr_t)meta,
							      MHD_RESPMEM_PERSISTENT));
	}
	if (strcmp(path, "why") == 0)
		return give_why(server, connection);
	if (strncmp(path, "chunk/", 6) == 0)
		return give_chunk(server, connection, path + 6);
	return say(connection, MHD_HTTP_NOT_FOUND, "there is no such page\n");
}

static int make_token(struct server *server, struct strata_error *error)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return strata_fail(error, "the kernel gives no random numbers: %s",
				   strerror(errno));
	*strata_put_hex_bytes(server->token, bytes, sizeof(bytes)) = '\0';
	return 0;
}

/* Listens at 127.0.0.1.  NULL with errno, or 0: unknown. */
static struct MHD_Daemon *listen_at(struct server *server, uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };

	errno = 0;
	return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, handle, server,
				MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT,
				CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
				CONNECTION_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				(size_t)CONNECTION_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
				MHD_OPTION_END);
}

/*
 * Takes the port at ::1, too.  "localhost" means both addresses: another user who listened at ::1
 * would get requests, and the secret in them, of a browser or ssh tunnel that tries ::1 first.
 * Connections there are refused, so a browser then tries 127.0.0.1.
 * @fd: OUT, -1: this machine has no ::1
 * 0, or -1 with errno: EADDRINUSE: another process uses it.
 */
static int take_ipv6_port(uint16_t port, int *fd)
{
	const struct sockaddr_in6 address = { .sin6_family = AF_INET6,
					      .sin6_port = htons(port),
					      .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int error;

	*fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return errno == EAFNOSUPPORT ? 0 : -1;
	if (!bind(*fd, (const struct sockaddr *)&address, sizeof(address)))
		return 0;
	error = errno;
	close(*fd);
	*fd = -1;
	errno = error;
	return error == EADDRNOTAVAIL ? 0 : -1;
}

/* @port: 0: any, other ones if one is used at ::1.  @ipv6: OUT, see take_ipv6_port() */
static struct MHD_Daemon *start(struct server *server, uint16_t port, int *ipv6,
				struct strata_error *error)
{
	unsigned int turn;
	int reason;

	for (turn = 0; turn < (port ? 1 : PORT_TURNS); turn++) {
		struct MHD_Daemon *daemon = listen_at(server, port);
		const union MHD_DaemonInfo *bound;

		if (!daemon)
			break;
		bound = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
		snprintf(server->hosts[0], sizeof(server->hosts[0]), "127.0.0.1:%u", bound->port);
		snprintf(server->hosts[1], sizeof(server->hosts[1]), "localhost:%u", bound->port);
		if (!take_ipv6_port(bound->port, ipv6))
			return daemon;
		reason = errno;
		MHD_stop_daemon(daemon);
		errno = reason;
	}
	strata_fail(
		error,
		"cannot listen at 127.0.0.1 and take ::1, port %u: %s; choose another one with --port",
		port, errno ? strerror(errno) : "the server did not start");
	return NULL;
}

int timeline_serve(const struct strata_timeline *timeline, uint16_t port,
		   struct strata_error *error)
{
	struct server server = { .timeline = timeline };
	struct MHD_Daemon *daemon = NULL;
	int ipv6 = -1;
	sigset_t ends, before;
	int status = make_token(&server, error), signal;

	if (!status)
		status = strata_timeline_put_page(timeline, (const char *)strata_timeline_page,
						  strata_timeline_page_bytes, &server.page, error);
	/* Signals must not go to the server's thread: this thread waits for them. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	if (!status && !(daemon = start(&server, port, &ipv6, error)))
		status = -1;
	if (!status) {
		printf("http://%s/%s/\n", server.hosts[0], server.token);
		fprintf(stderr, "strata: timeline: open this address in a browser on this machine; "
				"Ctrl-C ends it\n");
		if (fflush(stdout))
			status = strata_fail(error, "the address could not be written: %s",
					     strerror(errno));
		while (!status && sigwait(&ends, &signal) == EINTR)
			;
		MHD_stop_daemon(daemon);
	}
	if (ipv6 >= 0)
		close(ipv6);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	strata_buffer_free(&server.page);
	return status;
}
