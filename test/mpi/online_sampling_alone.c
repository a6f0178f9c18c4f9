/* Without <mpi.h> a block is executed once, and `continue` ends it as it does with it. */
#include <slackline.h>
#include <stdio.h>

int main(void) {
  int executed = 0, after = 0;
  for (int i = 0; i < 3; ++i) {
    SLACKLINE_SAMPLE_LOCAL(1, 0) {
      ++executed;
      if (i >= 0) continue;
      ++executed;
    }
    SLACKLINE_SAMPLE_GLOBAL(1, 0)++ executed;
    ++after;
  }
  printf("%d %d\n", executed, after);
  return 0;
}
