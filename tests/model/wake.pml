/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wake.pml - how threads of a program have recorders woken: wake_ask() and wake_take() of libstrata's
 * wake.c, and connect_all() and await_recorders() of attach.c.  A thread for each of two channels
 * asks once; the waiting thread takes what was asked for, and sleeps until somebody calls.
 */
#include "properties.pmh"

#define CHANNELS 2

byte calls, answered, ended;
bool asked[CHANNELS], sent[CHANNELS];
bool sleeps;

inline note()
{
	asked[_pid] = true
}

inline call()
{
	calls++
}

active [CHANNELS] proctype thread()
{
#ifdef CALL_FIRST
	call();
	note();
#else
	note();
	call();
#endif
	ended++
}

inline take()
{
	d_step {
		sent[0] = sent[0] || asked[0];
		sent[1] = sent[1] || asked[1];
		asked[0] = false;
		asked[1] = false
	}
}

active proctype waiting_thread()
{
end_idle:
	do
	::
#ifdef TAKE_FIRST
		take();
		answered = calls;
#else
		answered = calls;
		take();
#endif
		sleeps = true;
end_asleep:
		atomic {
			calls != answered -> sleeps = false
		}
	od
}

active proctype nothing_waits()
{
end_idle:
	d_step {
		ended == CHANNELS && sleeps && calls == answered ->
		PROPERTY(asked_is_sent, sent[0] && sent[1])
	}
}
