/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * register.pml - a program that registers events while the user enables and disables them: both end
 * in what the user asked for, and the program is told of each event, for which main() or dlopen()
 * waits.
 *
 * The program: say_hello(), connection_announce(), take_setup() and take_selection() of libstrata's
 * connection.c, in its serving thread and in one that loads a library.  The recorder: apps_hear()
 * of apps_talk.c with all that it calls, a turn of the loop at a time; apps_reselect() of apps.c
 * between two turns; and the thread of app_relay.c, which sends and receives.  Counts and rings are
 * left out, and so are programs that end.
 */
#include "properties.pmh"

#define EVENTS 2

mtype = { HELLO, READY, ATTACHED, SETUP, SELECT };
mtype = { TELLING, MAKING, ATTACHING, RECORDING };
mtype = { NOTHING, SEND, RECEIVE };

/* The program. */
byte registered = 1; /* its events, a bit each: the first one from the beginning */
byte on; /* those that it records */
byte nr_registered = 1, nr_told, nr_decided;
bool attached, loaded, sending;
bool serving = true; /* its thread has something to do */

chan to_recorder = [5] of { mtype, byte }; /* a READY with the number of events before it */
chan to_program = [2] of { mtype, byte, byte };

/* The user. */
byte selection = 1;
byte commands;

/* The recorder. */
mtype step = TELLING;
byte nr_events, nr_added, chosen;
bool greeted, busy, heard, select_due, has_news;
bool reminded = true; /* that it was accepted, too */
mtype task = NOTHING;
mtype out_type;
byte out_mask, out_count;
chan inbox = [5] of { mtype, byte };

#define EVENTS_OF(nr) ((1 << (nr)) - 1)

/* With `sending`: announces what is new.  Several messages, which nothing comes between. */
inline tell_events()
{
	atomic {
		nr_told = nr_registered;
		to_recorder!READY(nr_told)
	}
}

active proctype serving_thread()
{
	byte mask, count;

	atomic { !sending -> sending = true }
	to_recorder!HELLO(0);
	tell_events();
	sending = false;
	serving = false;
end_idle:
	do
	:: atomic { to_program?SETUP(mask, count) -> serving = true }
		attached = true;
		atomic { !sending -> sending = true }
		to_recorder!ATTACHED(0);
		sending = false;
		serving = false
	:: atomic { to_program?SELECT(mask, count) -> serving = true }
		d_step {
			PROPERTY(selected_is_attached, attached);
			on = mask;
			nr_decided = count;
			serving = false
		}
	od
}

active proctype loading_thread()
{
	d_step {
		registered = EVENTS_OF(EVENTS);
		nr_registered = EVENTS
	}
	atomic { !sending -> sending = true }
	if
#ifdef TOLD_BEFORE_HELLO
	:: nr_told < nr_registered -> tell_events()
#else
	/* Otherwise the serving thread announces all. */
	:: nr_told && nr_told < nr_registered -> tell_events()
	:: !nr_told
#endif
	:: nr_told == nr_registered
	fi;
	sending = false;
	loaded = true
}

active proctype relay()
{
	mtype type;
	byte count;

end_idle:
	do
	:: task == SEND ->
		to_program!out_type(out_mask, out_count);
		d_step {
			task = NOTHING;
			busy = false;
			reminded = true
		}
	:: task == RECEIVE ->
		do
		:: atomic { nempty(to_recorder) && nfull(inbox) -> to_recorder?type(count); inbox!type(count) }
		:: break
		od;
		skip;
		d_step {
			task = NOTHING;
			busy = false;
			reminded = true
		}
	od
}

inline send(type, mask, count)
{
	out_type = type;
	out_mask = mask;
	out_count = count;
	heard = false;
	busy = true;
	task = SEND
}

inline choose()
{
	chosen = chosen | (selection & EVENTS_OF(nr_events))
}

inline add_events()
{
	nr_added = nr_events;
	send(SELECT, chosen, nr_events)
}

inline on_ready()
{
	if
	:: step == RECORDING && nr_added == nr_events ->
		send(SELECT, chosen, nr_events)
	:: step == RECORDING && nr_added != nr_events ->
		choose();
		add_events()
	:: step == TELLING ->
		choose();
		step = MAKING;
		send(SETUP, 0, 0)
	:: else
	fi
}

inline hear_messages()
{
	do
	:: !busy && len(inbox) ->
		inbox?type(count);
		if
		:: type == HELLO ->
			greeted = true
		:: type == READY ->
			PROPERTY(hello_is_first, greeted);
			nr_events = (count > nr_events -> count : nr_events);
			on_ready()
		:: type == ATTACHED ->
			step = ATTACHING
		fi
	:: !busy && !len(inbox) && len(to_recorder) ->
		heard = false;
		busy = true;
		task = RECEIVE
	:: else -> break
	od
}

inline go_on()
{
	if
	:: select_due ->
		select_due = false;
#ifndef KEEPS_CHOICE
		chosen = 0;
#endif
		choose();
		if
		:: step == RECORDING -> add_events()
		:: else
		fi
	:: !select_due && step == ATTACHING ->
		step = RECORDING;
#ifndef NO_CHOICE_AT_ATTACH
		choose();
#endif
		add_events()
	:: else
	fi
}

/* apps_hear(): a turn. */
inline hear()
{
	if
	:: busy
	:: !busy && step == RECORDING && heard && !select_due && !len(inbox) && !has_news
	:: else ->
		has_news = false;
		hear_messages();
		if
		:: busy
		:: else -> go_on()
		fi;
		if
		:: busy
#ifndef DEAF
		:: !busy -> heard = true
#else
		:: !busy
#endif
		fi
	fi
}

active proctype loop()
{
	mtype type;
	byte count;

end_asleep:
	do
	:: d_step {
		reminded || (heard && nempty(to_recorder)) || (select_due && !busy) ->
		has_news = has_news || (heard && nempty(to_recorder));
		/* What is left to do in a step that is no answer's is done in the next turn. */
		reminded = false;
		hear();
		reminded = reminded || (!busy && step == ATTACHING)
	   }
	:: d_step {
		commands == 0 ->
		commands = 1;
		selection = EVENTS_OF(EVENTS);
#ifndef FORGETS_COMMANDS
		select_due = true
#endif
	   }
	:: d_step {
		commands == 1 ->
		commands = 2;
		selection = 2;
#ifndef FORGETS_COMMANDS
		select_due = true
#endif
	   }
	od
}

active proctype nothing_waits()
{
end_idle:
	d_step {
		loaded && !serving && commands == 2 && empty(to_program) && empty(inbox) &&
			!busy && !reminded && !select_due && (!heard || empty(to_recorder)) ->
		PROPERTY(each_event_is_decided, nr_decided == nr_registered);
		PROPERTY(recorded_is_asked, on == (selection & registered))
	}
}
