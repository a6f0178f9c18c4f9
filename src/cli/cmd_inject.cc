#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/job_options.h"
#include "cli/output.h"
#include "jobs/inject/inject.h"
#include "jobs/record/launcher.h"
#include "jobs/record/undisturbed_run.h"

namespace slackline {
namespace {

struct InjectCommandOptions {
  std::string latency;
  std::string bandwidth;
  std::string jitter;
  std::string between = "all";
  std::string eager_limit = "64KiB";
  std::string transports = "posix,self";
  std::string mpi;
  bool quiet = false;
  std::vector<std::string> command;
};

std::int64_t time_ns(const std::string& text, std::string_view what) {
  return text.empty() ? 0 : (parse_time_fs(text, what) + kFemtosPerNano / 2) / kFemtosPerNano;
}

Injection injection_of(const InjectCommandOptions& options) {
  if (options.latency.empty() && options.bandwidth.empty() && options.jitter.empty()) {
    throw usage_error("nothing to inject", "neither --latency, --bandwidth nor --jitter is given",
                      "Example: slackline inject --latency 10us -- mpirun -n 2 ./app");
  }
  Injection injection;
  injection.latency_ns = time_ns(options.latency, "--latency");
  injection.jitter_ns = time_ns(options.jitter, "--jitter");
  if (!options.bandwidth.empty()) {
    injection.gap_fs_per_byte = parse_gap_per_byte_fs(options.bandwidth, "--bandwidth");
  }
  injection.eager_limit = parse_bytes(options.eager_limit, "--eager-limit");
  injection.transports = options.transports;
  if (options.between == "intra") injection.pairs = InjectedPairs::within_hosts;
  if (options.between == "inter") injection.pairs = InjectedPairs::between_hosts;
  return injection;
}

std::string message(const Injection& injection, const InjectedCommand& command,
                    const InjectionCounts& counts) {
  std::string text = fmt::format("slackline: injected {} into {} between {}\n",
                                 describe_injection(injection), count_of(counts.sent, "message"),
                                 count_of(static_cast<std::uint64_t>(counts.ranks), "rank"));
  for (const TransportCounts& t : counts.transports) {
    text += fmt::format("slackline: through {} ({}): {} eager with {}, {} of rendezvous with {}\n",
                        t.name, t.device, count_of(t.eager, "message"),
                        format_bytes(static_cast<double>(t.eager_bytes)), t.rendezvous,
                        format_bytes(static_cast<double>(t.rendezvous_bytes)));
  }
  if (command.launcher().kind == LauncherKind::open_mpi && command.switched()) {
    text += "slackline: Open MPI was switched to its UCX point-to-point layer (pml ucx)\n";
  }
  if (counts.foreign > 0) {
    text += fmt::format(
        "slackline: {} from other hosts were delayed from their receipt, not from their sending\n",
        count_of(counts.foreign, "message"));
  }
  if (counts.not_one_sided > 0) {
    text +=
        "slackline: one-sided communication, if there is any, was not delayed: Open MPI does it "
        "without messages with MPI_THREAD_MULTIPLE, and since version 5\n";
  }
  return text;
}

int run_inject(const InjectCommandOptions& options) {
  if (options.command.empty()) {
    throw usage_error("cannot inject", "no command given",
                      "Example: slackline inject --latency 10us -- mpirun -n 2 ./app");
  }
  const Injection injection = injection_of(options);
  const InjectedCommand command(options.command, options.mpi, injection);
  const OtherProcesses others;
  const int status = run_process(command.plan().command, {command.plan().environment}).exit_status;
  const double used_by_others = others.share();
  const InjectionCounts counts = command.counts();
  if (Disturbance{.other_processes = used_by_others}.disturbed()) {
    write_stderr(fmt::format(
        "slackline: warning: other processes used {} of this host's processors: the run "
        "time is not attributable to what was injected\n",
        format_percent(used_by_others, 0)));
  }
  if (const std::string why = why_not_injected(counts); !why.empty()) {
    write_stderr(fmt::format("slackline: warning: nothing was injected: {}\n", why));
  } else if (!options.quiet) {
    write_stderr(message(injection, command, counts));
  }
  return status;
}

}  // namespace

CommandAction setup_inject(OptionList& options) {
  auto wanted = std::make_shared<InjectCommandOptions>();
  options.add("--latency TIME", wanted->latency, "Time added to every message, such as 10us");
  options.add("--bandwidth RATE", wanted->bandwidth,
              "Pace the messages between two ranks to this, such as 1GB/s");
  options.add("--jitter TIME", wanted->jitter, "Maximum uniformly distributed jitter per message");
  options.add("--between", wanted->between, "Ranks within a host, on different hosts, or all",
              {.choices = {"all", "intra", "inter"}});
  declare_eager_limit(options, wanted->eager_limit);
  options.add("--transports LIST", wanted->transports, "UCX's transports (UCX_TLS)");
  declare_mpi(options, wanted->mpi);
  options.add("-q,--quiet", wanted->quiet, "Suppress messages, except warnings and errors");
  options.add("command", wanted->command, "After '--': command that starts the job");
  return [wanted] { return run_inject(*wanted); };
}

}  // namespace slackline
