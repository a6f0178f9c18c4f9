#include "ucx.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucp/api/ucp_version.h>

/* Open MPI opens UCX privately, so RTLD_NEXT alone does not find it. */
void* next_in_ucx(const char* name) {
  void* library = dlopen("libuct.so.0", RTLD_LAZY | RTLD_NOLOAD);
  void* found = library == NULL ? dlsym(RTLD_NEXT, name) : dlsym(library, name);
  if (library != NULL) dlclose(library);
  if (found != NULL) return found;
  fprintf(stderr, "slackline: UCX has no %s\n", name);
  abort();
}

int has_known_layout(void) {
  typedef void (*version_function)(unsigned*, unsigned*, unsigned*);
  void* library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return 0;
  const version_function version = (version_function)(uintptr_t)dlsym(library, "ucp_get_version");
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  if (version != NULL) version(&major, &minor, &release);
  dlclose(library);
  return major == UCP_API_MAJOR && minor == UCP_API_MINOR;
}
