// SPDX-License-Identifier: GPL-2.0-or-later
/* xenstore_requests.c - see xenstore_requests.h. */
#include "stratad/domains/xenstore_requests.h"

#include <stdio.h>
#include <stdlib.h>

#include <strata/abi/guest.h>

#include "consumerd/host/worker.h"

/* Timeout for the last requests. */
#define CLOSE_MS 1000u

struct xenstore_requests {
	struct worker *worker;
	struct xs_handle *xenstore;
	uint32_t channel;
};

struct request {
	struct work work; /* first: they are converted */
	struct xenstore_requests *requests;
	uint32_t domain;
	struct xenstore_reply reply;
	struct guest_command command;
};

static void look(struct work *work)
{
	struct request *request = (struct request *)work;

	guest_look(request->requests->xenstore, request->domain, request->requests->channel,
		   &request->reply.guest);
}

static void tell(struct work *work)
{
	struct request *request = (struct request *)work;

	request->reply.failed = guest_tell(request->requests->xenstore, request->domain,
					   request->requests->channel, &request->command,
					   &request->reply.why);
}

static void name_watch(const struct request *request, char *path, size_t path_bytes, char *token,
		       size_t token_bytes)
{
	snprintf(path, path_bytes, "/local/domain/%u/" STRATA_GUEST_XENSTORE_DIR, request->domain);
	snprintf(token, token_bytes, "%u", request->domain);
}

static void watch(struct work *work)
{
	struct request *request = (struct request *)work;
	char path[80], token[16];

	name_watch(request, path, sizeof(path), token, sizeof(token));
	xs_watch(request->requests->xenstore, path, token);
}

static void unwatch(struct work *work)
{
	struct request *request = (struct request *)work;
	char path[80], token[16];

	name_watch(request, path, sizeof(path), token, sizeof(token));
	xs_unwatch(request->requests->xenstore, path, token);
}

static struct request *make(struct xenstore_requests *requests, uint32_t domain,
			    void (*run)(struct work *work))
{
	struct request *request = calloc(1, sizeof(*request));

	if (!request)
		return NULL;
	request->work.run = run;
	request->requests = requests;
	request->domain = domain;
	return request;
}

struct xenstore_requests *xenstore_requests_open(struct xs_handle *xenstore, uint32_t channel,
						 struct strata_error *error)
{
	struct xenstore_requests *requests = calloc(1, sizeof(*requests));

	if (!requests) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	requests->xenstore = xenstore;
	requests->channel = channel;
	requests->worker = worker_open(-1, error);
	if (requests->worker)
		return requests;
	free(requests);
	return NULL;
}

bool xenstore_requests_look(struct xenstore_requests *requests, uint32_t domain, uint64_t whose)
{
	struct request *request = make(requests, domain, look);

	if (!request)
		return false;
	request->reply.is_look = true;
	request->reply.whose = whose;
	worker_give(requests->worker, &request->work);
	return true;
}

bool xenstore_requests_tell(struct xenstore_requests *requests, uint32_t domain, uint64_t whose,
			    uint32_t sequence, const struct guest_command *command)
{
	struct request *request = make(requests, domain, tell);

	if (!request)
		return false;
	request->reply.whose = whose;
	request->reply.sequence = sequence;
	request->command = *command;
	worker_give(requests->worker, &request->work);
	return true;
}

bool xenstore_requests_watch(struct xenstore_requests *requests, uint32_t domain, bool begins)
{
	struct request *request = make(requests, domain, begins ? watch : unwatch);

	if (!request)
		return false;
	worker_give(requests->worker, &request->work);
	return true;
}

bool xenstore_requests_take(struct xenstore_requests *requests, struct xenstore_reply *reply)
{
	struct request *request;
	bool replies;

	do {
		request = (struct request *)worker_take(requests->worker);
		if (!request)
			return false;
		replies = request->work.run == look || request->work.run == tell;
		*reply = request->reply;
		free(request);
	} while (!replies);
	return true;
}

static void drop(struct work *work)
{
	free(work);
}

void xenstore_requests_close(struct xenstore_requests *requests)
{
	if (!worker_close(requests->worker, CLOSE_MS, drop)) {
		fprintf(stderr,
			"strata: xenstored does not answer: modules that were not told to "
			"stop go on writing into their own memory until the next recording\n");
		return;
	}
	xs_close(requests->xenstore);
	free(requests);
}
