/* SPDX-License-Identifier: MIT */
/*
 * control_client.h - controls sessions from a program: what `strata create`, `start`, `stop` and
 * the other verbs of sessions do.  Link with -lstrata-control; docs/control-library.md has
 * examples.
 *
 * Every verb is one request to stratad, the session daemon of the calling user, over a connection
 * of its own; except list, which needs no daemon.  Root's sessions record all layers, another
 * user's his own applications.
 *
 *   | verb of strata                | function                                             |
 *   |-------------------------------|------------------------------------------------------|
 *   | create                        | strata_control_session_new(), strata_control_create() |
 *   | destroy, start, stop          | strata_control_destroy(), _start(), _stop()          |
 *   | set-session                   | strata_control_set_session()                         |
 *   | status (the list of sessions) | strata_control_status(), _session()                  |
 *   | enable-channel                | strata_control_set_channel()                         |
 *   | disable-channel               | strata_control_disable_channel()                     |
 *   | enable-event, track           | strata_control_enable()                              |
 *   | disable-event, untrack        | strata_control_disable()                             |
 *   | snapshot                      | strata_control_snapshot()                            |
 *   | rotate, clear                 | strata_control_rotate(), _clear()                    |
 *   | enable-, disable-rotation     | strata_control_set_rotation()                        |
 *   | add-trigger, remove-trigger   | strata_control_add_trigger(), _remove_trigger()      |
 *   | list-triggers                 | strata_control_status()                              |
 *   | save                          | strata_control_get(), _session_text()                |
 *   | load                          | strata_control_session_read(), _create()             |
 *   | list                          | strata_control_list(), _list_apps(), _listing()      |
 *
 * Threads: a handle is used by one thread at a time.  Threads with a handle each need no lock: the
 * library has no other state.  After fork(), parent and child may both use their copies.
 * No function may be called in a signal handler.  None prints, exits, or changes signals.
 *
 * Every pointer that a function returns from a handle is valid until the next call with that
 * handle, unless the function says otherwise.
 */
#ifndef STRATA_CONTROL_CLIENT_H
#define STRATA_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library is compiled with hidden symbols, but for these. */
#pragma GCC visibility push(default)

/* The result of a call.  strata_control_message() has cause and next step of those but OK. */
enum strata_control_result {
	/* stratad does not run and could not be started, the connection broke, the time was over,
	 * or the reply is invalid.  Whether a request that was sent is done is then unknown. */
	STRATA_CONTROL_NO_REPLY = -1,
	STRATA_CONTROL_OK = 0,
	STRATA_CONTROL_FAILED = 1,  /* stratad refused, or could not do it */
	STRATA_CONTROL_WRONG = 2,   /* an argument is wrong; nothing was sent */
	STRATA_CONTROL_PARTIAL = 3, /* recorded, but something that the notes name was left out */
};

/* A handle. */
struct strata_control;

/* Makes a handle, without a connection.  NULL: out of memory. */
struct strata_control *strata_control_new(void);

/* Frees a handle and all that it returned.  NULL is allowed. */
void strata_control_free(struct strata_control *control);

/*
 * Limits how long a call waits for the reply of stratad; not for its start.
 * @ms: milliseconds; -1 (the default): without limit, because a stop writes what the rings hold
 */
void strata_control_set_timeout(struct strata_control *control, int ms);

/*
 * Chooses which stratad later calls ask, if the calling user is not root: root's, for events of Xen
 * and kernels, which members of the group tracing may do; or the user's own (the default).
 * Sessions of root's stratad have no output of the caller's choice, and are never seen by other
 * users.  No effect for root.
 */
void strata_control_set_system(struct strata_control *control, bool system);

/*
 * Names the program stratad, which is started when none runs, and by strata_control_list().
 * Without it: stratad in ../bin of the directory with the shared library, else in PATH.
 * @path: absolute; copied
 * Returns OK, or WRONG: out of memory.
 */
enum strata_control_result strata_control_set_stratad(struct strata_control *control,
						      const char *path);

/*
 * The text of the last call, of one line: what was done, or cause and next step.  "": none.  Never
 * NULL.  Names in it may be a guest's; control characters and invalid UTF-8 are replaced by '?'.
 */
const char *strata_control_message(const struct strata_control *control);

/* Notes of the last call: a line each, in order, as strata_control_message().  Of stop and destroy:
 * the consumer's report; of start: warnings; of a call that started stratad: what that said. */
size_t strata_control_nr_notes(const struct strata_control *control);

/* The note at @index.  NULL: there is none. */
const char *strata_control_note(const struct strata_control *control, size_t index);

/* The whole reply as JSON (docs/formats.md), not escaped for a terminal.  NULL: there was none. */
const char *strata_control_reply(struct strata_control *control);

/* Sessions as structures ---------------------------------------------------------------------- */

/*
 * Makes a session without rules, with one channel, STRATA_CHANNEL_DEFAULT, and its default rings.
 * Change its members before strata_control_create(); an output or rules that replace others must be
 * from malloc().
 * @name:   NULL: session-DATE-TIME
 * @output: directory for its recordings; a relative path counts from the current directory; NULL:
 *          ~/strata-traces/NAME-DATE-TIME
 * @session: OUT, for strata_control_session_free()
 * Returns OK or WRONG.
 */
enum strata_control_result strata_control_session_new(struct strata_control *control,
						      const char *name, const char *output,
						      struct strata_session **session);

/* Frees a session of this library.  NULL is allowed. */
void strata_control_session_free(struct strata_session *session);

/*
 * Adds a channel to a session in memory, with default rings, or finds it.
 * @name: of the channel: 1 to 40 letters, digits, '-', '_' and '.'
 * @channel: OUT, in the session
 * Returns OK or WRONG.
 */
enum strata_control_result strata_control_session_add_channel(struct strata_control *control,
							      struct strata_session *session,
							      const char *name,
							      struct strata_channel **channel);

/*
 * Adds rules to a session in memory.
 * @channel: of the session; NULL: the default one
 * @kind:   of all of them
 * @target: "" or NULL: none (STRATA_DOMAIN_XEN)
 * @list:   their texts, separated by commas; of a probe (STRATA_RULE_KPROBE...) one text
 * Returns OK or WRONG; then the session may have some of them.
 */
enum strata_control_result
strata_control_session_add(struct strata_control *control, struct strata_session *session,
			   struct strata_channel *channel, enum strata_domain domain,
			   enum strata_rule_kind kind, const char *target, const char *list);

/* The text of a session, as `strata save` writes it, without a newline at its end.  NULL: out of
 * memory. */
const char *strata_control_session_text(struct strata_control *control,
					const struct strata_session *session);

/*
 * Reads the text of a session, which may be hostile.
 * @length: bytes, at most STRATA_SESSION_TEXT_BYTES
 * @name:   replaces the session's name; NULL: it stays
 * @output: replaces its directory; likewise
 * @session: OUT, for strata_control_session_free()
 * Returns OK or WRONG.
 */
enum strata_control_result strata_control_session_read(struct strata_control *control,
						       const char *text, size_t length,
						       const char *name, const char *output,
						       struct strata_session **session);

/* Names as in texts: "xen", "kernel", "app"; "event", "kprobe"...  NULL: there is no such one. */
const char *strata_control_domain_name(enum strata_domain domain);
const char *strata_control_rule_name(enum strata_rule_kind kind);

/* Triggers as structures ---------------------------------------------------------------------- */

/*
 * Makes a trigger that takes a snapshot when it counts one event, or time, in an interval of 100
 * ms, and then pauses for 10 s.  Change its members, and add rules about what it counts, before
 * strata_control_add_trigger().
 * @name: 1 to 40 letters, digits, '-', '_' and '.'
 * @spec: what it counts, as of `strata top`: "count", "time:BEGIN..END"; behind it ":domain" or
 *        ":process"
 * @trigger: OUT, for strata_control_trigger_free()
 * Returns OK or WRONG.
 */
enum strata_control_result strata_control_trigger_new(struct strata_control *control,
						      const char *name, const char *spec,
						      struct strata_trigger **trigger);

/* Frees a trigger of this library.  NULL is allowed. */
void strata_control_trigger_free(struct strata_trigger *trigger);

/*
 * Adds rules about where a trigger counts.  Without any it counts in the hypervisor.
 * @kind: STRATA_RULE_EVENT, STRATA_RULE_FILTER (kernels) or STRATA_RULE_XEN_DOMAIN
 * @target, @list: as of strata_control_session_add(); of times the list is "all", or "default" of
 *         kernels
 * Returns OK or WRONG; then the trigger may have some of them.
 */
enum strata_control_result strata_control_trigger_add(struct strata_control *control,
						      struct strata_trigger *trigger,
						      enum strata_domain domain,
						      enum strata_rule_kind kind,
						      const char *target, const char *list);

/* Checks a trigger as far as that is possible without stratad.  Returns OK or WRONG. */
enum strata_control_result strata_control_trigger_check(struct strata_control *control,
							const struct strata_trigger *trigger);

/* Verbs --------------------------------------------------------------------------------------- */
/*
 * Each returns one of the results above, and leaves message, notes and reply in the handle.
 * @name:    of the session; NULL: the current one, which the user's last create or set-session
 *           chose.  Programs should name theirs.
 * @channel: a name; NULL: STRATA_CHANNEL_DEFAULT
 */

/*
 * Creates a session, with its rules, and makes it the current one.  Starts stratad if it does not
 * run.
 * @session: an output of NULL has the default directory, whose parent is made if it is missing
 */
enum strata_control_result strata_control_create(struct strata_control *control,
						 const struct strata_session *session);

/* Stops a session that records, as strata_control_stop(), and removes it; its recordings stay. */
enum strata_control_result strata_control_destroy(struct strata_control *control, const char *name);

/* Starts to record.  It records when this returns. */
enum strata_control_result strata_control_start(struct strata_control *control, const char *name);

/* Stops recording.  The recording is complete when this returns; the notes report its figures. */
enum strata_control_result strata_control_stop(struct strata_control *control, const char *name);

/* Makes a session the current one.  @name: not NULL */
enum strata_control_result strata_control_set_session(struct strata_control *control,
						      const char *name);

/*
 * Adds rules to a channel (`strata enable-event`, `track`), all or none; rules about events also
 * while it records.
 * @rules: copied
 */
enum strata_control_result strata_control_enable(struct strata_control *control, const char *name,
						 const char *channel, enum strata_domain domain,
						 const struct strata_rule *rules, size_t nr);

/* Removes rules of exactly these kinds, targets and texts (`strata disable-event`, `untrack`),
 * likewise. */
enum strata_control_result strata_control_disable(struct strata_control *control, const char *name,
						  const char *channel, enum strata_domain domain,
						  const struct strata_rule *rules, size_t nr);

/* The same with rules from a list, as of strata_control_session_add(). */
enum strata_control_result strata_control_enable_list(struct strata_control *control,
						      const char *name, const char *channel,
						      enum strata_domain domain,
						      enum strata_rule_kind kind,
						      const char *target, const char *list);
enum strata_control_result strata_control_disable_list(struct strata_control *control,
						       const char *name, const char *channel,
						       enum strata_domain domain,
						       enum strata_rule_kind kind,
						       const char *target, const char *list);

/*
 * Makes a channel, unless it exists, enables it, and sets its attributes in a domain, while the
 * session does not record (`strata enable-channel`).
 * @attributes: their rules are not used
 * @members: names of the attributes to set, as in docs/formats.md, separated by commas, like
 *           "subbuf_bytes,nr_subbufs"; NULL: all
 */
enum strata_control_result
strata_control_set_channel(struct strata_control *control, const char *name, const char *channel,
			   enum strata_domain domain,
			   const struct strata_domain_channel *attributes, const char *members);

/* The same by text: a JSON object of the attributes to set, like {"subbuf_bytes": 65536}. */
enum strata_control_result strata_control_set_channel_text(struct strata_control *control,
							   const char *name, const char *channel,
							   enum strata_domain domain,
							   const char *object);

/* Keeps a channel from being recorded, from the next start on, while the session does not record
 * (`strata disable-channel`).  Its rules stay; strata_control_set_channel() enables it again. */
enum strata_control_result strata_control_disable_channel(struct strata_control *control,
							  const char *name, const char *channel);

/*
 * Writes what a flight recorder has in memory; recording goes on.
 * @output: directory of the snapshot; NULL: snapshot-DATE-TIME in the session's.  Several channels
 *          have directories of their names in it.
 */
enum strata_control_result strata_control_snapshot(struct strata_control *control, const char *name,
						   const char *output);

/* Ends the recording of a session, and continues in a new one beside it; the message names both.
 * The ended recording is complete when this returns. */
enum strata_control_result strata_control_rotate(struct strata_control *control, const char *name);

/* Removes the events that a session has recorded since its start, and continues. */
enum strata_control_result strata_control_clear(struct strata_control *control, const char *name);

/*
 * Sets when a session rotates its recording; also while it records.
 * @bytes: size of a recording; 0: no limit
 * @ms:    duration of a recording in milliseconds; 0: no limit
 * @keep:  number of recordings since the start that stay, the present one included; 0: all
 */
enum strata_control_result strata_control_set_rotation(struct strata_control *control,
						       const char *name, uint64_t bytes,
						       uint32_t ms, uint32_t keep);

/*
 * Adds a trigger to a session.  It counts from the session's start to its stop; at once, if the
 * session records: this returns when it counts.  Actions are in the log that a stop shows.
 * @trigger: copied
 */
enum strata_control_result strata_control_add_trigger(struct strata_control *control,
						      const char *name,
						      const struct strata_trigger *trigger);

/* The same by text: a JSON object (docs/formats.md), like {"name": "slow", "spec":
 * "time:vm_exit..vm_entry", "above_ns": 10000000}. */
enum strata_control_result strata_control_add_trigger_text(struct strata_control *control,
							   const char *name, const char *object);

/* Removes a trigger.  It has stopped counting when this returns.  @trigger: its name */
enum strata_control_result strata_control_remove_trigger(struct strata_control *control,
							 const char *name, const char *trigger);

/* Status -------------------------------------------------------------------------------------- */

/* Of a channel; and of a session: that of the last one here that one of its channels has, but
 * records if any does. */
enum strata_session_state {
	STRATA_SESSION_STOPPED,
	STRATA_SESSION_RECORDS,
	STRATA_SESSION_ENDED,  /* its consumer ended by itself */
	STRATA_SESSION_KILLED, /* its consumer was killed: `strata recover` restores the recording
				*/
};

/* A source of a session that records.  Names are the source's own: escape them to show them. */
struct strata_session_source {
	const char *name;
	const char *layer; /* "xen", "kernel", "app" */
	uint64_t events;
	uint64_t lost;
	bool ended;
};

/* What a rule waits for. */
struct strata_session_wait {
	const char *target;
	const char *why;
};

/* A channel, as stratad describes it.  Strings are never NULL. */
struct strata_channel_status {
	const char *name;
	enum strata_session_state state;
	int exit_status;       /* STRATA_SESSION_ENDED: its consumer's */
	const char *recording; /* directory of the last start; "": none */
	int process;           /* its consumer while it records, else 0 */

	/* Figures of a channel that records; zero if @has_figures is false. */
	bool has_figures;
	const char *no_figures; /* records without figures: why its consumer does not answer */
	uint32_t recorder;      /* its number among the recorders of this machine */
	uint64_t seconds;       /* since its start */
	uint64_t events;
	uint64_t bytes;
	uint64_t lost; /* events that were discarded because a ring was full */
	uint64_t snapshots;
	uint64_t rotations; /* since the start */
	bool disk_was_full;
	size_t nr_sources;
	const struct strata_session_source *const *sources;
	size_t nr_waiting;
	const struct strata_session_wait *const *waiting;
	uint64_t not_shown; /* further sources and waits, for which the answer had no room */
};

/* A trigger, as stratad describes it.  Strings are never NULL. */
struct strata_trigger_status {
	const char *name;
	enum strata_session_state state; /* STRATA_SESSION_RECORDS: it counts */
	int exit_status;                 /* STRATA_SESSION_ENDED: 0: it had its actions */
	int process;                     /* that counts, or 0 */
	const char *last; /* its last message: of an action, or why it ended; "": none.  Names in
			     it are escaped. */
};

/* A session, as stratad describes it.  Strings are never NULL.  Members are added at the end only.
 */
struct strata_session_status {
	const struct strata_session *model;
	enum strata_session_state state;
	bool current;
	const char *recording; /* directory of the last start, of all channels; "": none */
	size_t nr_channels;    /* those of the model */
	const struct strata_channel_status *const *channels;

	/* Sums over the channels, and the longest time; zero if @has_figures is false. */
	bool has_figures;
	uint64_t seconds;
	uint64_t events;
	uint64_t bytes;
	uint64_t lost;
	uint64_t snapshots;

	size_t nr_triggers; /* those of the model */
	const struct strata_trigger_status *const *triggers;
};

/*
 * Asks what sessions there are.
 * @name: NULL: all of the user's, not only the current one
 * FAILED without stratad and without sessions of an earlier one, and if @name does not exist.
 */
enum strata_control_result strata_control_status(struct strata_control *control, const char *name);

/* Sessions that the last strata_control_status() returned. */
size_t strata_control_nr_sessions(const struct strata_control *control);

/* The session at @index.  NULL: there is none. */
const struct strata_session_status *strata_control_session(const struct strata_control *control,
							   size_t index);

/*
 * Copies the model of a session, to save or change it, or to create another one like it.  After
 * strata_control_set_system() it is without the owner's number, the output directory and the
 * rotation, which root's stratad chooses for each session of a member.
 * @session: OUT, for strata_control_session_free()
 */
enum strata_control_result strata_control_get(struct strata_control *control, const char *name,
					      struct strata_session **session);

/* What can be recorded ------------------------------------------------------------------------ */

/* A field of an event.  Strings here and below are never NULL; members are added at the end only.
 * Names are those of guests and programs: escape them to show them. */
struct strata_listed_field {
	const char *name;
	/* "s", "u", "x" or "f" (signed, unsigned, shown in base 16, floating-point) and bits, like
	 * "u32"; "text" (bytes of a fixed number), "string" */
	const char *type;
	uint32_t count; /* elements of an array, bytes of a text; 0: a sequence; else 1 */
};

struct strata_listed_event {
	const char *name;
	const char *group;     /* of a kernel's and an application's; else "" */
	const char *xen_class; /* of the hypervisor's; else "" */
	const char *loglevel;  /* as in docs/formats.md; "": without one */
	const char *format;    /* of a printf-like message; else "" */
	size_t nr_fields;      /* 0 unless STRATA_LIST_FIELDS */
	const struct strata_listed_field *const *fields;
};

/* A class of the hypervisor's events, which a rule may name, too. */
struct strata_listed_class {
	const char *name;
	const char *what; /* a line about it */
};

/* A channel of the hypervisor or of a kernel, which a recorder uses. */
struct strata_listed_channel {
	uint32_t channel;
	const char *state; /* "recording", "counting", "rings made, not recording" */
	const char *owner;
	uint64_t refused; /* Xen's events that exceeded the budgets of their domains */
};

struct strata_listed_hypervisor {
	const char *version;
	uint32_t abi; /* version of Strata's interface in it */
	uint32_t cpus;
	uint32_t tsc_khz;
	size_t nr_channels;
	const struct strata_listed_channel *const *channels;
	size_t nr_classes; /* these and events: 0 for STRATA_LIST_SOURCES */
	const struct strata_listed_class *const *classes;
	size_t nr_events;
	const struct strata_listed_event *const *events;
};

struct strata_listed_domain {
	uint32_t domain;
	const char *name;
	const char *why_not; /* why its kernel cannot be recorded; "": it can */
	/* Of one that can be recorded; else 0 and "". */
	uint32_t version; /* of the interface of its module */
	const char *state;
	uint32_t rings;
	uint64_t ring_bytes; /* of each ring */
	uint32_t all_events; /* its number of events, listed or not */
	size_t nr_channels;
	const struct strata_listed_channel *const *channels;
	size_t nr_events; /* 0 for STRATA_LIST_SOURCES */
	const struct strata_listed_event *const *events;
};

/* What is known of an application. */
enum strata_listed_answer {
	STRATA_LISTED_ANSWERED,  /* all below */
	STRATA_LISTED_SILENT,    /* it did not send its events in time: its user and name */
	STRATA_LISTED_NOT_ASKED, /* as many recorders run as there can be: its name */
	STRATA_LISTED_UNSEEN,    /* its process cannot be looked at: its pid */
};

struct strata_listed_application {
	int pid;
	enum strata_listed_answer answer;
	const char *name; /* of its process */
	uint32_t uid;
	uint32_t all_events; /* its number of events, listed or not */
	size_t nr_events;    /* 0 for STRATA_LIST_SOURCES */
	const struct strata_listed_event *const *events;
};

struct strata_listing {
	const struct strata_listed_hypervisor *hypervisor; /* NULL: not asked, or it records nothing
							    */
	size_t nr_domains;
	const struct strata_listed_domain *const *domains;
	size_t nr_applications;
	const struct strata_listed_application *const *applications;
};

enum strata_list_detail {
	STRATA_LIST_SOURCES, /* hypervisor, domains, applications */
	STRATA_LIST_EVENTS,  /* and their events */
	STRATA_LIST_FIELDS,  /* and the fields of these */
};

/*
 * Lists the hypervisor and the domains, and what can be recorded of them (`strata list`).
 *
 * A stratad that runs is not asked, and none is left running: the program stratad, as a child of
 * the calling program, lists and ends.  So the list has what the calling user may record himself.
 * The call waits for the child's end.  After strata_control_set_system() root's stratad has such a
 * child list what members of the group tracing may record.
 *
 * @target:   "xen": only the hypervisor; name or number of a domain, with wildcards: only these;
 *            NULL: all
 * @patterns: of names of events, with wildcards, separated by commas; a kernel's also as
 *            GROUP/NAME; NULL: all events
 * FAILED if not all could be listed, as where the hypervisor records nothing: message and notes say
 * why, and strata_control_listing() has the rest.  NO_REPLY: stratad could not be run, ended
 * without a valid reply, or was ended because the time was over.
 */
enum strata_control_result strata_control_list(struct strata_control *control, const char *target,
					       enum strata_list_detail detail,
					       const char *patterns);

/*
 * Lists the running applications of the calling user, root: of all users (`strata list --apps`),
 * likewise.  Notes say which programs are left out, and why.  It takes 3 s if some do not answer.
 */
enum strata_control_result strata_control_list_apps(struct strata_control *control,
						    enum strata_list_detail detail,
						    const char *patterns);

/* What the last call listed.  NULL: the last call was neither of these two, or had no valid
 * reply. */
const struct strata_listing *strata_control_listing(const struct strata_control *control);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* STRATA_CONTROL_CLIENT_H */
