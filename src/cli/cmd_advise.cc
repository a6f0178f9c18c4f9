#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/requests/advise.h"
#include "base/error.h"
#include "calls/run_span.h"
#include "cli/job_options.h"
#include "cli/program_replays.h"
#include "cli/report_command.h"

namespace slackline {
namespace {

/// How the proposed changes are replayed under MPI.
struct VerificationOptions {
  bool verify = false;
  int repeat = 3;
  int retries = 2;
  ReplayJobOptions job{};
};

ReplayRequest replay_of(const std::string& trace, const AdviseRequest& request,
                        const std::vector<Edit>& edits) {
  ReplayRequest replay{.trace = trace,
                       .reading = request.input.reading,
                       .computation = request.input.model.computation};
  for (const Edit& edit : edits) replay.edits.push_back(to_string(edit));
  return replay;
}

std::vector<double> lengths_ns(const std::vector<RecordedReplay>& replays) {
  std::vector<double> lengths;
  for (const RecordedReplay& replay : replays) {
    lengths.push_back(static_cast<double>(run_span(replay.trace).analysed.length_ns()));
  }
  return lengths;
}

/// Without disturbed ones, unless fewer than two would be left, which show no range.
std::vector<double> compared_lengths_ns(std::vector<RecordedReplay>& replays) {
  std::vector<double> all = lengths_ns(replays);
  leave_out_disturbed(replays);
  return replays.size() < 2 ? all : lengths_ns(replays);
}

ReplayTimes replays(const std::string& trace, const AdviseRequest& request,
                    const VerificationOptions& options) {
  return [=](const std::vector<std::vector<Edit>>& edited) {
    std::vector<std::unique_ptr<ProgramReplays>> programs;
    for (const std::vector<Edit>& edits : edited) {
      programs.push_back(
          std::make_unique<ProgramReplays>(replay_of(trace, request, edits), options.job));
    }
    // By turns, so that what changes on the machine meanwhile is in all of them.
    for (int i = 0; i < options.repeat; ++i) {
      for (const auto& program : programs) program->run(options.retries);
    }
    std::vector<std::vector<double>> times;
    for (const auto& program : programs) times.push_back(compared_lengths_ns(program->recorded()));
    return times;
  };
}

void require_no_replays(const VerificationOptions& given) {
  const VerificationOptions none;
  for (const auto& [differs, option] : {std::pair{given.repeat != none.repeat, "--repeat"},
                                        std::pair{given.retries != none.retries, "--retries"},
                                        std::pair{given.job.mpi != none.job.mpi, "--mpi"},
                                        std::pair{given.job.yield != none.job.yield, "--yield"}}) {
    if (!differs) continue;
    throw usage_error(fmt::format("cannot use {}", option), "it is for replays", "Add --verify.");
  }
}

/// Replays take place on this machine.
void require_measured_run(const AdviseRequest& request) {
  if (!request.input.model.given() && !request.input.network.given() && !request.platform.given()) {
    return;
  }
  throw usage_error("cannot verify changes of a predicted run",
                    "options of the model, the network or a platform are given",
                    "Omit them, or --verify.");
}

}  // namespace

CommandAction setup_advise(OptionList& options) {
  auto command = std::make_shared<ReportCommand<AdviseRequest>>();
  auto verification = std::make_shared<VerificationOptions>();
  declare(options, command->request);
  options.add("--verify", verification->verify,
              "List changes that can be made to the trace, replay it and the first three of them "
              "under MPI, and show predicted beside replayed gains");
  options.add("--repeat N", verification->repeat, "With --verify: number of replays of each",
              {.positive = true});
  declare_retries(options, verification->retries);
  declare_mpi(options, verification->job.mpi);
  declare_yield(options, verification->job.yield);
  options.add("command", verification->job.command,
              "With --verify, after '--': the launcher with its options, without a program");
  declare(options, command->output);
  return [command, verification] {
    if (!verification->verify) require_no_replays(*verification);
    if (verification->verify) require_measured_run(command->request);
    if (verification->verify == verification->job.command.empty()) {
      throw usage_error("cannot verify the advice",
                        verification->verify ? "no launcher is given" : "--verify is not given",
                        "Example: slackline advise app.slk --verify -- mpirun -n 4.");
    }
    if (verification->verify) {
      command->request.replays = [command, verification](const std::string& trace) {
        return replays(trace, command->request, *verification);
      };
    }
    return report_on(*command);
  };
}

}  // namespace slackline
