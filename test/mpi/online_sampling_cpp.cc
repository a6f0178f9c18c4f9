// The header in C++, without warnings that programs may ask for.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wold-style-cast"
#pragma GCC diagnostic error "-Wzero-as-null-pointer-constant"
#include <mpi.h>
#include <slackline.h>

void use() {
  SLACKLINE_SAMPLE_LOCAL(1, 0.) {
    slackline_region_begin("use");
    slackline_shared_free(slackline_shared_malloc(1));
    slackline_region_end("use");
  }
  SLACKLINE_SAMPLE_GLOBAL(1, 0.) use();
}
#pragma GCC diagnostic pop

#include "online_sampling.c"
