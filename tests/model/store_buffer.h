/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_buffer.h - the stores of one CPU on their way to a memory that is weaker
 * than x86's: they land in any order, but those to one word land as they were
 * made, and a release lands after all that came before it (later ones may
 * overtake it).  Spin alone knows sequential consistency only.
 *
 * That covers x86's order, Arm's, and what a compiler may do to plain stores.
 * The other CPU's loads happen in the order in which the model has them: where
 * no acquire keeps them, a twin has them the other way round.
 */
#define PENDING_MAX 4

byte memory[WORDS];

byte pending_word[PENDING_MAX];
byte pending_value[PENDING_MAX];
bool pending_release[PENDING_MAX];
byte nr_pending;

inline store(word, value, release)
{
	d_step {
		nr_pending < PENDING_MAX ->
		pending_word[nr_pending] = word;
		pending_value[nr_pending] = value;
		pending_release[nr_pending] = release;
		nr_pending++
	}
}

/* What a locked operation does before it: all stores have landed. */
#define FULL_BARRIER (nr_pending == 0)

#define BEHIND_ITS_OWN(i, j) ((j) < (i) && pending_word[j] == pending_word[i])
#define MAY_LAND(i)                                                                     \
	(nr_pending > (i) && ((i) == 0 || !pending_release[i]) && !BEHIND_ITS_OWN(i, 0) && \
	 !BEHIND_ITS_OWN(i, 1) && !BEHIND_ITS_OWN(i, 2))

inline land(i)
{
	memory[pending_word[i]] = pending_value[i];
	nr_pending--;
	place = i;
	do
	:: place < nr_pending ->
		pending_word[place] = pending_word[place + 1];
		pending_value[place] = pending_value[place + 1];
		pending_release[place] = pending_release[place + 1];
		place++
	:: else -> break
	od;
	pending_word[nr_pending] = 0;
	pending_value[nr_pending] = 0;
	pending_release[nr_pending] = false;
	place = 0
}

active proctype stores_land()
{
	byte place;

end_idle:
	do
	:: d_step { MAY_LAND(0) -> land(0) }
	:: d_step { MAY_LAND(1) -> land(1) }
	:: d_step { MAY_LAND(2) -> land(2) }
	:: d_step { MAY_LAND(3) -> land(3) }
	od
}
