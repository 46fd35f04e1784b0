// SPDX-License-Identifier: GPL-2.0-only
/* hook.c - see hook.h. */
#include <linux/jiffies.h>

#include "hook.h"

static int set(struct strata_hook *hook)
{
	int err = hook->prepare ? hook->prepare(hook) : 0;

	if (err)
		return err;
	err = register_ftrace_function(&hook->ops);
	if (err && hook->clear)
		hook->clear(hook);
	return err;
}

static void unhook(struct strata_hook *hook)
{
	mutex_lock(&hook->lock);
	/* A recording may have begun since the work was queued. */
	if (hook->hooked && !hook->wanted) {
		unregister_ftrace_function(&hook->ops);
		if (hook->clear)
			hook->clear(hook);
		hook->hooked = false;
	}
	mutex_unlock(&hook->lock);
}

static void unhook_work(struct work_struct *work)
{
	unhook(container_of(to_delayed_work(work), struct strata_hook, unhook_later));
}

void strata_hook_init(struct strata_hook *hook)
{
	mutex_init(&hook->lock);
	INIT_DELAYED_WORK(&hook->unhook_later, unhook_work);
}

int strata_hook_want(struct strata_hook *hook)
{
	int err = 0;

	cancel_delayed_work(&hook->unhook_later);
	mutex_lock(&hook->lock);
	if (!hook->hooked) {
		err = set(hook);
		hook->hooked = !err;
	}
	hook->wanted = !err;
	mutex_unlock(&hook->lock);
	return err;
}

void strata_hook_release(struct strata_hook *hook)
{
	/* It is never held for long while the hook is wanted. */
	mutex_lock(&hook->lock);
	hook->wanted = false;
	mutex_unlock(&hook->lock);
	/* Not the queue that most of the kernel uses: its other work would wait. */
	queue_delayed_work(system_unbound_wq, &hook->unhook_later, msecs_to_jiffies(hook->keep_ms));
}

void strata_hook_close(struct strata_hook *hook)
{
	cancel_delayed_work_sync(&hook->unhook_later);
	unhook(hook);
}
