/* Calls a function with more arguments than registers take, twice by its name and once by dlsym().
 * With -DLIBRARY: the library that has it. As MPI's MPI_Sendrecv, which it is named after, so that
 * the library that is preloaded has an entry point of that name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int MPI_Sendrecv(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
                 uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l);

#ifdef LIBRARY

int MPI_Sendrecv(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
                 uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l) {
  const uint64_t got[] = {a, b, c, d, e, f, g, h, i, j, k, l};
  int right = 0;
  for (uint64_t n = 0; n < 12; ++n) right += got[n] == (n + 1) * 0x0101010101010101u;
  return right;
}

#else

#define ARGUMENT(n) ((n)*0x0101010101010101u)
#define CALL(function)                                                                   \
  function(ARGUMENT(1), ARGUMENT(2), ARGUMENT(3), ARGUMENT(4), ARGUMENT(5), ARGUMENT(6), \
           ARGUMENT(7), ARGUMENT(8), ARGUMENT(9), ARGUMENT(10), ARGUMENT(11), ARGUMENT(12))

static const char* file_of(void* function) {
  Dl_info info;
  return dladdr(function, &info) == 0 ? "?" : info.dli_fname;
}

int main(void) {
  int (*found)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
               uint64_t, uint64_t, uint64_t, uint64_t) = NULL;
  *(void**)&found = dlsym(RTLD_DEFAULT, "MPI_Sendrecv");
  const int first = CALL(MPI_Sendrecv);
  const int second = CALL(MPI_Sendrecv);
  printf("%d %d %d %s\n", first, second, CALL(found), file_of(*(void**)&found));
  return 0;
}

#endif
