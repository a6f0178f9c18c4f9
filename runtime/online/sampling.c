/* Sampling, or shadow execution: blocks that the program has marked (slackline.h) are executed
 * until their mean time is known, and then skipped at the price of that mean (Clauss et al. 2011).
 * A block that was seen to call MPI is not skipped: others may wait for it. */
#include <string.h>

#include "online.h"

enum { kBlocks = SLK_ONLINE_BLOCKS };

/* Executions under way, by their block's place in the table of this rank or of all. */
typedef struct {
  int open;
  uint64_t calls;
  uint64_t computed_ns;
} Execution;
static Execution executions[2][kBlocks];

/* Its place; -1: it has none yet and none is left. Of a long name the end counts, as folders are
 * the same where files and lines differ. */
static int place_of_block(int of_all_ranks, const char* name, int may_add) {
  struct slk_online_sampled* blocks = sampled_blocks(of_all_ranks);
  const size_t length = strlen(name);
  if (length == 0) name = "(unnamed)";
  if (length >= SLK_ONLINE_NAME) name += length - (SLK_ONLINE_NAME - 1);
  for (int i = 0; i < kBlocks; ++i) {
    if (blocks[i].name[0] == '\0') {
      if (!may_add) return -1;
      strcpy(blocks[i].name, name);
      return i;
    }
    if (strcmp(blocks[i].name, name) == 0) return i;
  }
  return -1;
}

struct slk_online_sampled* sampled_block(int of_all_ranks, const char* name) {
  const int place = place_of_block(of_all_ranks, name, 1);
  return place < 0 ? NULL : &sampled_blocks(of_all_ranks)[place];
}

void add_run(struct slk_online_sampled* block, double ns) {
  const double from_mean = ns - block->mean_ns;
  block->mean_ns += from_mean / (double)++block->runs;
  block->squares += from_mean * (ns - block->mean_ns);
}

/* The standard error of the mean is below its bound; squared, both. */
static int is_precise(const struct slk_online_sampled* block, double precision) {
  if (block->runs < 2 || !(precision > 0)) return 0;
  const double runs = (double)block->runs;
  const double bound = precision * block->mean_ns;
  return block->squares / (runs - 1) / runs <= bound * bound;
}

/* Whether to execute the block. */
static int begin_block(int of_all_ranks, const char* name, int n, double precision,
                       uint64_t* charged_ns, uint64_t computed_ns) {
  const int place = place_of_block(of_all_ranks, name, 1);
  if (place < 0) {
    count_unsampled();
    return 1;
  }
  struct slk_online_sampled* block = &sampled_blocks(of_all_ranks)[place];
  const int known = block->runs >= (uint64_t)n || is_precise(block, precision);
  if (known && block->runs > 0 && !block->calls_mpi) {
    *charged_ns = (uint64_t)block->mean_ns;
    block->charged_ns += (double)*charged_ns;
    ++block->skipped;
    return 0;
  }
  executions[of_all_ranks][place] =
      (Execution){.open = 1, .calls = calls_made(), .computed_ns = computed_ns};
  return 1;
}

static void end_block(const char* name, uint64_t computed_ns) {
  for (int of_all_ranks = 0; of_all_ranks < 2; ++of_all_ranks) {
    const int place = place_of_block(of_all_ranks, name, 0);
    if (place < 0 || !executions[of_all_ranks][place].open) continue;
    Execution* execution = &executions[of_all_ranks][place];
    struct slk_online_sampled* block = &sampled_blocks(of_all_ranks)[place];
    execution->open = 0;
    if (execution->calls != calls_made()) {
      block->calls_mpi = 1;
      continue;
    }
    add_run(block, (double)(computed_ns - execution->computed_ns));
  }
}

int sample_begin(int of_all_ranks, const char* name, int n, double precision) {
  const uint64_t computed_ns = stop_clock();
  uint64_t charged_ns = 0;
  const int run = begin_block(of_all_ranks, name, n, precision, &charged_ns, computed_ns);
  start_clock(charged_ns);
  return run;
}

void sample_end(const char* name) {
  end_block(name, stop_clock());
  start_clock(0);
}
