// SPDX-License-Identifier: GPL-2.0-or-later
/* member_dir.c - see member_dir.h. */
#include "stratad/sessions/member_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <strata/control.h>

#include "control/session_model.h"
#include "files/safe_dir.h"
#include "stratad/sessions/member_share.h"
#include "stratad/sessions/session_owner.h"

/* Others may go through it by name, and neither list, watch nor lock it. */
#define PASSAGE_MODE 0711

static bool is_special(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static void owner_name(char text[16], const char *name)
{
	snprintf(text, 16, "%u", session_owner(name));
}

static void own_name(char text[STRATA_SESSION_NAME_BYTES], const char *name)
{
	snprintf(text, STRATA_SESSION_NAME_BYTES, "%.*s",
		 (int)(strchr(name, SESSION_OWNER_MARK) - name), name);
}

void member_dir_path(char path[PATH_MAX], const char *name)
{
	char owner[16], own[STRATA_SESSION_NAME_BYTES];

	owner_name(owner, name);
	own_name(own, name);
	snprintf(path, PATH_MAX, MEMBER_DIR "/%s/%s", owner, own);
}

/* Whatever the umask is.  0 or -1. */
static int open_passage(const struct strata_dir *dir, struct strata_error *error)
{
	return fchmod(dir->fd, PASSAGE_MODE)
		       ? strata_fail(error, "%s: %s", dir->path, strerror(errno))
		       : 0;
}

/* Opens the directory of a member, and that of a session in it; makes them.  0 or -1. */
static int open_dirs(const char *name, struct strata_dir *member, struct strata_dir *session,
		     struct strata_error *error)
{
	char owner[16], own[STRATA_SESSION_NAME_BYTES];
	struct strata_dir all;
	int result = -1;

	owner_name(owner, name);
	own_name(own, name);
	if (strata_dir_make(&all, MEMBER_DIR, PASSAGE_MODE, NULL, error))
		return -1;
	if (!open_passage(&all, error) &&
	    !strata_dir_sub(member, &all, owner, PASSAGE_MODE, error)) {
		if (!open_passage(member, error) &&
		    !strata_dir_sub(session, member, own, PASSAGE_MODE, error)) {
			result = open_passage(session, error);
			if (result)
				strata_dir_close(session);
		}
		if (result)
			strata_dir_close(member);
	}
	strata_dir_close(&all);
	return result;
}

/* Counts the names in a directory.  They may be a member's: nothing looks into them. */
static size_t count_names(const struct strata_dir *dir)
{
	DIR *entries = strata_dir_entries(dir);
	const struct dirent *entry;
	size_t nr = 0;

	/* One that cannot be read counts as full. */
	if (!entries)
		return MEMBER_RECORDINGS_MAX;
	while ((entry = readdir(entries)))
		nr += !is_special(entry->d_name);
	closedir(entries);
	return nr;
}

/* Counts the recordings of all sessions of a member. */
static size_t count_recordings(const struct strata_dir *member)
{
	DIR *entries = strata_dir_entries(member);
	const struct dirent *entry;
	struct strata_dir session;
	size_t nr = 0;

	if (!entries)
		return MEMBER_RECORDINGS_MAX;
	while ((entry = readdir(entries))) {
		if (is_special(entry->d_name) || !strata_dir_find(&session, member, entry->d_name))
			continue;
		nr += count_names(&session);
		strata_dir_close(&session);
	}
	closedir(entries);
	return nr;
}

int member_dir_prepare(const char *name, unsigned int nr_new, struct strata_error *error)
{
	struct strata_dir member, session;
	size_t nr;

	if (open_dirs(name, &member, &session, error))
		return -1;
	nr = count_recordings(&member);
	strata_dir_close(&session);
	strata_dir_close(&member);
	if (nr + nr_new <= MEMBER_RECORDINGS_MAX)
		return 0;
	return strata_fail(
		error,
		"user %u has %zu recordings below " MEMBER_DIR ", and this session may add "
		"%u: a member of the group tracing may have %u; as root, remove some below " MEMBER_DIR
		"/%u",
		session_owner(name), nr, nr_new, MEMBER_RECORDINGS_MAX, session_owner(name));
}

/* Gives what is in a directory of root's to a user, and then the directory: until then nobody else
 * can enter it.  0 or -1 with errno. */
static int give(const struct strata_dir *dir, uid_t owner)
{
	DIR *entries = strata_dir_entries(dir);
	const struct dirent *entry;
	struct strata_dir sub;
	int result = 0;

	if (!entries)
		return -1;
	while (!result && (entry = readdir(entries))) {
		if (is_special(entry->d_name))
			continue;
		if (strata_dir_find(&sub, dir, entry->d_name)) {
			result = give(&sub, owner);
			strata_dir_close(&sub);
		} else {
			result = fchownat(dir->fd, entry->d_name, owner, (gid_t)-1,
					  AT_SYMLINK_NOFOLLOW);
		}
	}
	closedir(entries);
	return result ? result : fchown(dir->fd, owner, (gid_t)-1);
}

/* Opens a recording that is still root's.  One that a member owns is not entered: he may have
 * locked it, or mounted a file system on it that does not answer.  False: it is not root's. */
static bool open_roots(struct strata_dir *recording, const struct strata_dir *dir, const char *name)
{
	const struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_XDEV,
	};
	struct stat status;
	int fd;

	fd = (int)syscall(SYS_openat2, dir->fd, name, &how, sizeof(how));
	if (fd < 0)
		return false;
	snprintf(recording->path, sizeof(recording->path), "%s", dir->path);
	recording->fd = fstat(fd, &status) || status.st_uid
				? -1
				: openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(fd);
	return recording->fd >= 0;
}

int member_dir_hand_over(const char *name, const char *only, struct strata_error *error)
{
	struct strata_dir member, session, recording = { .fd = -1 };
	const struct dirent *entry;
	char path[PATH_MAX];
	struct stat status;
	int result = 0;
	DIR *entries;

	/* Of a session that never recorded there is no directory; none is made. */
	member_dir_path(path, name);
	if (lstat(path, &status) && errno == ENOENT)
		return 0;
	if (open_dirs(name, &member, &session, error))
		return -1;
	entries = strata_dir_entries(&session);
	while (entries && !result && (entry = readdir(entries))) {
		if (is_special(entry->d_name) || (only && strcmp(entry->d_name, only)) ||
		    !open_roots(&recording, &session, entry->d_name))
			continue;
		result = give(&recording, session_owner(name));
		strata_dir_close(&recording);
	}
	if (!entries || result)
		result = strata_fail(error, "%s: its recordings could not be given to user %u: %s",
				     session.path, session_owner(name), strerror(errno));
	if (entries)
		closedir(entries);
	strata_dir_close(&session);
	strata_dir_close(&member);
	return result;
}
