// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * client.c - a user of libstrata-control for test_control_library.sh, compiled with sanitizers:
 *
 *   client status N MS   asks N times for all sessions, and waits MS for each reply; prints result
 *                        and message of each, and uses everything that was returned
 *   client threads N     N threads, with a handle each, create, change, save, load and destroy
 *   client arguments     passes wrong arguments; prints what is said to each
 *   client start PATH    starts PATH as stratad, while signals and descriptors are unusual
 *   client apps PATH N MS  lists applications N times by the stratad at PATH, and waits MS for each
 *                        list; prints result, number of applications and message of each, and the
 *                        applications with their events; and uses everything that was returned
 *   client host PATH     lists hypervisor and domains, likewise, and prints them
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/control_client.h>

static size_t used; /* so that no use is optimised away */

static void use(const char *text)
{
	used += strlen(text);
}

static void use_channel(const struct strata_channel_status *channel)
{
	size_t i;

	use(channel->name);
	use(channel->recording);
	use(channel->no_figures);
	for (i = 0; i < channel->nr_sources; i++) {
		use(channel->sources[i]->name);
		use(channel->sources[i]->layer);
		used += channel->sources[i]->events;
	}
	for (i = 0; i < channel->nr_waiting; i++) {
		use(channel->waiting[i]->target);
		use(channel->waiting[i]->why);
	}
}

static void use_rules(const struct strata_channel *channel)
{
	size_t i, domain;

	use(channel->name);
	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++)
		for (i = 0; i < channel->domains[domain].nr_rules; i++)
			use(channel->domains[domain].rules[i].text);
}

static void use_session(const struct strata_session_status *session)
{
	size_t i;

	use(session->model->name);
	use(session->model->output);
	use(session->recording);
	used += session->events;
	for (i = 0; i < session->model->nr_channels; i++)
		use_rules(&session->model->channels[i]);
	for (i = 0; i < session->nr_channels; i++)
		use_channel(session->channels[i]);
	for (i = 0; i < session->nr_triggers; i++) {
		use_rules(&session->model->triggers[i].counted);
		use(session->model->triggers[i].spec);
		use(session->triggers[i]->name);
		use(session->triggers[i]->last);
	}
}

static int ask_often(int nr, int limit_ms)
{
	struct strata_control *control = strata_control_new();
	const struct strata_session_status *session;
	int i;

	strata_control_set_timeout(control, limit_ms);
	for (i = 0; i < nr; i++) {
		enum strata_control_result result = strata_control_status(control, NULL);
		size_t at;

		printf("%d %zu %s\n", (int)result, strata_control_nr_sessions(control),
		       strata_control_message(control));
		fflush(stdout);
		for (at = 0; (session = strata_control_session(control, at)); at++)
			use_session(session);
		for (at = 0; at < strata_control_nr_notes(control); at++)
			use(strata_control_note(control, at));
		if (strata_control_reply(control))
			use(strata_control_reply(control));
	}
	strata_control_free(control);
	return 0;
}

/* Prints a call that failed.  Whether it did not. */
static bool fine(struct strata_control *control, enum strata_control_result result)
{
	if (result != STRATA_CONTROL_OK)
		printf("%d %s\n", (int)result, strata_control_message(control));
	return result == STRATA_CONTROL_OK;
}

/* Adds a trigger to a session, another one by text, and removes the first. */
static bool change_triggers(struct strata_control *control, const char *name)
{
	struct strata_trigger *trigger;
	bool ok;

	if (!fine(control, strata_control_trigger_new(control, "slow", "time:a..b", &trigger)))
		return false;
	trigger->above_ns = 1000000;
	trigger->rotate = true;
	ok = fine(control, strata_control_trigger_add(control, trigger, STRATA_DOMAIN_APP,
						      STRATA_RULE_EVENT, "program", "all")) &&
	     fine(control, strata_control_add_trigger(control, name, trigger)) &&
	     fine(control,
		  strata_control_add_trigger_text(
			  control, name,
			  "{\"name\": \"more\", \"spec\": \"count\", \"rotate\": true}")) &&
	     fine(control, strata_control_remove_trigger(control, name, "slow")) &&
	     fine(control, strata_control_status(control, name)) &&
	     strata_control_session(control, 0)->nr_triggers == 1 &&
	     !strcmp(strata_control_session(control, 0)->triggers[0]->name, "more");
	strata_control_trigger_free(trigger);
	return ok;
}

static void *live(void *data)
{
	struct strata_control *control = strata_control_new();
	struct strata_session *session, *saved, *copy;
	struct strata_channel *rare;
	char name[32], other[32];
	const char *text;
	bool ok;

	snprintf(name, sizeof(name), "thread-%d", *(int *)data);
	snprintf(other, sizeof(other), "copy-%d", *(int *)data);
	ok = fine(control, strata_control_session_new(control, name, "/tmp", &session)) &&
	     fine(control, strata_control_session_add_channel(control, session, "rare", &rare)) &&
	     fine(control, strata_control_create(control, session)) &&
	     fine(control, strata_control_enable_list(control, name, "rare", STRATA_DOMAIN_APP,
						      STRATA_RULE_EVENT, "program", "a,b,,c")) &&
	     fine(control, strata_control_disable_list(control, name, "rare", STRATA_DOMAIN_APP,
						       STRATA_RULE_EVENT, "program", "b")) &&
	     change_triggers(control, name) &&
	     fine(control, strata_control_status(control, name)) &&
	     /* An argument that the call itself frees. */
	     fine(control,
		  strata_control_get(control, strata_control_session(control, 0)->model->name,
				     &saved));
	text = ok ? strata_control_session_text(control, saved) : NULL;
	ok = text &&
	     fine(control,
		  strata_control_session_read(control, text, strlen(text), other, NULL, &copy)) &&
	     fine(control, strata_control_create(control, copy)) &&
	     copy->channels[1].domains[STRATA_DOMAIN_APP].nr_rules == 2 && copy->nr_triggers == 1 &&
	     fine(control, strata_control_destroy(control, other)) &&
	     fine(control, strata_control_destroy(control, name));
	if (ok)
		strata_control_session_free(copy);
	if (text)
		strata_control_session_free(saved);
	strata_control_session_free(session);
	strata_control_free(control);
	return ok ? data : NULL;
}

static int run_threads(int nr)
{
	pthread_t threads[16];
	int numbers[16], i, well = 0;
	void *result;

	for (i = 0; i < nr && i < 16; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, live, &numbers[i]);
	}
	while (i-- > 0) {
		pthread_join(threads[i], &result);
		well += result != NULL;
	}
	printf("%d of %d\n", well, nr);
	return well != nr;
}

static int pass_wrong_arguments(void)
{
	struct strata_control *control = strata_control_new();
	struct strata_domain_channel channel = { .rings = (enum strata_app_mode)99 };
	struct strata_rule rule = { .kind = (enum strata_rule_kind)77 };
	char *text = malloc(5000);
	struct strata_session *session, *none;
	struct strata_trigger *trigger;
	struct strata_channel *bad;

	memset(text, 'x', 4999);
	text[4999] = '\0';
	fine(control, strata_control_session_new(control, "a/b", NULL, &none));
	fine(control, strata_control_session_new(control, "name", text, &none));
	fine(control, strata_control_session_new(control, "name", "a\nb", &none));
	fine(control, strata_control_session_read(control, text, 4999, NULL, NULL, &none));
	fine(control, strata_control_session_new(control, "name", NULL, &session));
	fine(control, strata_control_session_add(control, session, NULL, STRATA_DOMAIN_APP,
						 STRATA_RULE_EVENT, "p", text));
	fine(control, strata_control_session_add(control, session, NULL, STRATA_DOMAIN_APP,
						 STRATA_RULE_EVENT, text, "e"));
	fine(control, strata_control_session_add(control, session, NULL, STRATA_DOMAIN_APP,
						 STRATA_RULE_EVENT, "p", ",,"));
	fine(control, strata_control_session_add(control, session, NULL, (enum strata_domain)9,
						 STRATA_RULE_EVENT, "p", "e"));
	fine(control, strata_control_enable(control, "name", NULL, STRATA_DOMAIN_APP, &rule, 1));
	rule.kind = STRATA_RULE_EVENT;
	memset(rule.text, 'x', sizeof(rule.text));
	fine(control, strata_control_enable(control, "name", NULL, STRATA_DOMAIN_APP, &rule, 1));
	fine(control,
	     strata_control_set_channel(control, "name", NULL, STRATA_DOMAIN_APP, &channel, NULL));
	channel.rings = (enum strata_app_mode)0;
	fine(control, strata_control_set_channel(control, "name", NULL, STRATA_DOMAIN_KERNEL,
						 &channel, "subbuf_bytes"));
	fine(control,
	     strata_control_set_channel_text(control, "name", NULL, STRATA_DOMAIN_APP, "[1]"));
	fine(control, strata_control_session_add_channel(control, session, "a:b", &bad));
	fine(control, strata_control_trigger_new(control, "a:b", "count", &trigger));
	fine(control, strata_control_trigger_new(control, "name", text, &trigger));
	fine(control, strata_control_add_trigger_text(control, "name", "{\"name\": \"n\"}"));
	fine(control, strata_control_trigger_new(control, "name", "count", &trigger));
	fine(control, strata_control_trigger_add(control, trigger, STRATA_DOMAIN_KERNEL,
						 STRATA_RULE_KPROBE, "g1", "f"));
	trigger->above_ns = 1;
	fine(control, strata_control_add_trigger(control, "name", trigger));
	memset(trigger->spec, 'x', sizeof(trigger->spec));
	fine(control, strata_control_add_trigger(control, "name", trigger));
	strata_control_trigger_free(trigger);
	session->nr_triggers = STRATA_SESSION_TRIGGERS_MAX + 1;
	fine(control, strata_control_create(control, session));
	session->nr_triggers = 0;
	session->nr_channels = STRATA_SESSION_CHANNELS_MAX + 1;
	fine(control, strata_control_create(control, session));
	session->nr_channels = 1;
	session->event_header = (enum strata_header_form)9;
	fine(control, strata_control_create(control, session));
	fine(control, strata_control_get(control, text, &none));
	fine(control, strata_control_list(control, "", STRATA_LIST_EVENTS, NULL));
	fine(control, strata_control_list(control, "a:b", STRATA_LIST_EVENTS, NULL));
	fine(control, strata_control_list_apps(control, (enum strata_list_detail)3, NULL));
	strata_control_session_free(session);
	strata_control_free(control);
	free(text);
	return 0;
}

static int start(const char *path)
{
	struct strata_control *control = strata_control_new();
	enum strata_control_result result;
	struct strata_session *session;
	sigset_t all;
	size_t i;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	signal(SIGCHLD, SIG_IGN);
	dup2(open("/dev/null", O_RDONLY), 77);
	strata_control_set_stratad(control, path);
	strata_control_session_new(control, "started", "/tmp", &session);
	result = strata_control_create(control, session);
	printf("%d %s\n", (int)result, strata_control_message(control));
	for (i = 0; i < strata_control_nr_notes(control); i++)
		printf("%s\n", strata_control_note(control, i));
	strata_control_session_free(session);
	strata_control_free(control);
	return result != STRATA_CONTROL_OK;
}

static void use_events(const struct strata_listed_event *const *events, size_t nr)
{
	size_t i, at;

	for (i = 0; i < nr; i++) {
		use(events[i]->name);
		use(events[i]->group);
		use(events[i]->xen_class);
		use(events[i]->loglevel);
		use(events[i]->format);
		for (at = 0; at < events[i]->nr_fields; at++) {
			use(events[i]->fields[at]->name);
			use(events[i]->fields[at]->type);
		}
	}
}

static void use_channels(const struct strata_listed_channel *const *channels, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		use(channels[i]->state);
		use(channels[i]->owner);
	}
}

static void use_listing(const struct strata_listing *listing)
{
	const struct strata_listed_hypervisor *hypervisor = listing->hypervisor;
	size_t i;

	if (hypervisor) {
		use(hypervisor->version);
		use_channels(hypervisor->channels, hypervisor->nr_channels);
		for (i = 0; i < hypervisor->nr_classes; i++) {
			use(hypervisor->classes[i]->name);
			use(hypervisor->classes[i]->what);
		}
		use_events(hypervisor->events, hypervisor->nr_events);
	}
	for (i = 0; i < listing->nr_domains; i++) {
		use(listing->domains[i]->name);
		use(listing->domains[i]->why_not);
		use(listing->domains[i]->state);
		use_channels(listing->domains[i]->channels, listing->domains[i]->nr_channels);
		use_events(listing->domains[i]->events, listing->domains[i]->nr_events);
	}
	for (i = 0; i < listing->nr_applications; i++) {
		use(listing->applications[i]->name);
		use_events(listing->applications[i]->events, listing->applications[i]->nr_events);
	}
}

static void print_event(const struct strata_listed_event *event)
{
	size_t i;

	printf("%s/%s [%s]", event->group, event->name, event->loglevel);
	for (i = 0; i < event->nr_fields; i++)
		printf(" %s:%s*%u", event->fields[i]->name, event->fields[i]->type,
		       event->fields[i]->count);
	printf("\n");
}

static void print_application(const struct strata_listed_application *app)
{
	size_t i;

	printf("app %s answer %d uid %u of %u events\n", app->name, (int)app->answer, app->uid,
	       app->all_events);
	for (i = 0; i < app->nr_events; i++)
		print_event(app->events[i]);
}

static void print_call(struct strata_control *control, enum strata_control_result result)
{
	const struct strata_listing *listing = strata_control_listing(control);
	size_t i;

	printf("%d %zu %s\n", (int)result, listing ? listing->nr_applications : 0,
	       strata_control_message(control));
	for (i = 0; i < strata_control_nr_notes(control); i++)
		printf("note %s\n", strata_control_note(control, i));
	if (strata_control_reply(control))
		use(strata_control_reply(control));
	if (listing)
		use_listing(listing);
}

static int list_apps(const char *path, int nr, int limit_ms)
{
	struct strata_control *control = strata_control_new();
	const struct strata_listing *listing;
	size_t i;

	strata_control_set_stratad(control, path);
	strata_control_set_timeout(control, limit_ms);
	while (nr-- > 0) {
		print_call(control,
			   strata_control_list_apps(control, STRATA_LIST_FIELDS, "plain,lev*/*"));
		listing = strata_control_listing(control);
		for (i = 0; listing && i < listing->nr_applications; i++)
			print_application(listing->applications[i]);
	}
	/* Another call frees the list. */
	strata_control_list(control, "", STRATA_LIST_EVENTS, NULL);
	if (strata_control_listing(control))
		printf("the list is still there\n");
	strata_control_free(control);
	return 0;
}

static int list_host(const char *path)
{
	struct strata_control *control = strata_control_new();
	const struct strata_listing *listing;
	size_t i;

	strata_control_set_stratad(control, path);
	print_call(control, strata_control_list(control, NULL, STRATA_LIST_EVENTS, NULL));
	listing = strata_control_listing(control);
	if (listing && listing->hypervisor)
		printf("xen %s channels %zu classes %zu events %zu, the first of class %s\n",
		       listing->hypervisor->version, listing->hypervisor->nr_channels,
		       listing->hypervisor->nr_classes, listing->hypervisor->nr_events,
		       listing->hypervisor->events[0]->xen_class);
	for (i = 0; listing && i < listing->nr_domains; i++)
		printf("domain %u %s rings %u why_not \"%s\" events %zu\n",
		       listing->domains[i]->domain, listing->domains[i]->name,
		       listing->domains[i]->rings, listing->domains[i]->why_not,
		       listing->domains[i]->nr_events);
	strata_control_free(control);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "apps"))
		return list_apps(argv[2], atoi(argv[3]), atoi(argv[4]));
	if (argc == 3 && !strcmp(argv[1], "host"))
		return list_host(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "status"))
		return ask_often(atoi(argv[2]), atoi(argv[3]));
	if (argc == 3 && !strcmp(argv[1], "threads"))
		return run_threads(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "arguments"))
		return pass_wrong_arguments();
	if (argc == 3 && !strcmp(argv[1], "start"))
		return start(argv[2]);
	fprintf(stderr, "client: see its first lines\n");
	return 2;
}
