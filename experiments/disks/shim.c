/* A disk without permissions and locks, such as an SMB or exFAT share: chmod and flock fail as there. With LD_PRELOAD. */
#include <errno.h>
#include <sys/types.h>

int chmod(const char *path, mode_t mode) { (void)path; (void)mode; errno = EPERM; return -1; }
int fchmod(int file, mode_t mode) { (void)file; (void)mode; errno = EPERM; return -1; }
int fchmodat(int folder, const char *path, mode_t mode, int flags) { (void)folder; (void)path; (void)mode; (void)flags; errno = EPERM; return -1; }
int flock(int file, int operation) { (void)file; (void)operation; errno = ENOLCK; return -1; }
int fsync(int file) { (void)file; errno = EINVAL; return -1; }
int fdatasync(int file) { (void)file; errno = EINVAL; return -1; }
