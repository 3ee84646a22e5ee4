/* Counts what makes files durable below one folder, and kills the process at the n-th call.

   Preload it. killer_arm(folder, n, torn): before the n-th call from now the process dies; if torn
   is not 0, only writes count, and half of the last one is done. Nothing is really synchronised, which makes a thousand
   rounds quick: what a killed process has written is in the kernel, and stays. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static long calls, fatal;
static int torn, armed;

void killer_arm(const char *below, long n, int half)
{
    snprintf(folder, sizeof folder, "%s", below);
    calls = 0;
    fatal = n;
    torn = half;
    armed = 1;
}

static int due(const char *path)
{
    if (!armed || strncmp(path, folder, strlen(folder)) != 0)
        return 0;
    return ++calls == fatal;
}

static int due_file(int fd, int writes)
{
    char link[64], path[4096];
    if (!armed || (torn && !writes))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return due(path);
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t size)
{
    NEXT(write);
    if (due_file(fd, 1)) {
        if (torn)
            next(fd, bytes, size / 2);
        die();
    }
    return next(fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    NEXT(pwrite);
    if (due_file(fd, 1)) {
        if (torn)
            next(fd, bytes, size / 2, at);
        die();
    }
    return next(fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
    NEXT(pwrite64);
    if (due_file(fd, 1)) {
        if (torn)
            next(fd, bytes, size / 2, at);
        die();
    }
    return next(fd, bytes, size, at);
}

int fsync(int fd)
{
    if (due_file(fd, 0))
        die();
    return 0;
}

int fdatasync(int fd)
{
    if (due_file(fd, 0))
        die();
    return 0;
}

int ftruncate(int fd, off_t size)
{
    NEXT(ftruncate);
    if (due_file(fd, 0))
        die();
    return next(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    NEXT(ftruncate64);
    if (due_file(fd, 0))
        die();
    return next(fd, size);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    if (!torn && due(from))
        die();
    return next(from, to);
}

int unlink(const char *path)
{
    NEXT(unlink);
    if (!torn && due(path))
        die();
    return next(path);
}
