/* Makes every write to the disk wait for so many milliseconds as the file that SLOW_DISK names says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_as_told(void) {
  const char *name = getenv("SLOW_DISK");
  FILE *file = name ? fopen(name, "r") : NULL;
  int ms = 0;
  if (!file) return;
  if (fscanf(file, "%d", &ms) == 1 && ms > 0) usleep(ms * 1000);
  fclose(file);
}

int fsync(int fd) {
  wait_as_told();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  wait_as_told();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
