#include "timing/passes/group_kernel.h"

#include "timing/passes/group_lanes.inc"

slackline::passes::GroupPasses slackline::passes::portable_group_passes() {
  return {run_any_group_paths, run_group_lengths};
}
