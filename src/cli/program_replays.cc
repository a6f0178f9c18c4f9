#include "cli/program_replays.h"

#include <filesystem>

#include "jobs/record/undisturbed_run.h"

namespace slackline {

ProgramReplays::ProgramReplays(const ReplayRequest& request, const ReplayJobOptions& options)
    : job_(options), prepared_(prepare_replay(request, job_.folder().program())) {
  job_.expect_ranks(prepared_.ranks());
}

void ProgramReplays::run(int retries) {
  run_undisturbed(retries, [&] {
    const std::filesystem::path recorded = job_.run();
    recorded_.push_back(recorded_replay(prepared_, recorded, job_.folder().report()));
    return recorded_.back().disturbance;
  });
}

}  // namespace slackline
