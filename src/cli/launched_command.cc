// One command line, one answer, however many processes an MPI launcher has started with it.
//
// The processes first compare what they were started with: unequal arguments or versions could make
// them wait for each other for ever. Then all of them work, or the first one alone. In the end they
// agree on one exit status and one message (parallel/process_group.h), so that whatever goes wrong,
// in whichever of them, ends all.

#include "cli/launched_command.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "app/version.h"
#include "base/error.h"
#include "cli/command_line.h"
#include "cli/output.h"
#include "jobs/record/libraries.h"
#include "parallel/launched_process.h"
#include "parallel/process_group.h"
#include "report/unicode.h"

namespace slackline {
namespace {

SingleProcess alone;
ProcessGroup* processes = &alone;

/// One line, and those of a list, whatever of a file's bytes is in it.
void complain(const Outcome& outcome) {
  if (outcome.message.empty()) return;
  std::string text = "slackline: ";
  std::string_view rest = outcome.message;
  for (std::size_t end = rest.find(kListItem); end != rest.npos; end = rest.find(kListItem)) {
    text.append(printable(rest.substr(0, end))).append(kListItem);
    rest.remove_prefix(end + kListItem.size());
  }
  write_stderr(text + printable(rest) + "\n");
}

Outcome failed(int exit_status, std::string message) {
  return {Outcome::Kind::failed, exit_status, std::move(message)};
}

Outcome outcome_of(const std::function<int()>& work) {
  try {
    return {Outcome::Kind::finished, work()};
  } catch (const PeerFailed&) {
    return {Outcome::Kind::peer_failed, 1};
  } catch (const BrokenPipe&) {
    return failed(0, {});
  } catch (const Error& error) {
    return failed(error.exit_status(), error.what());
  } catch (const std::bad_alloc&) {
    return failed(
        1, "cannot continue: out of memory. Use a machine with more memory, or a smaller trace.");
  } catch (const std::filesystem::filesystem_error& error) {
    return failed(1, fmt::format("cannot use '{}': {}. Check the path and permissions.",
                                 error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {
    return failed(1, std::string("cannot continue: ") + error.what() +
                         ". This is a defect of Slackline: please report it.");
  }
}

/// Whether there is such an option of the command, before what it may start.
template <class Which>
bool has_option(const std::vector<std::string>& arguments, const Which& is_that) {
  return std::any_of(arguments.begin(), std::ranges::find(arguments, "--"), is_that);
}

/// "--name" or "--name=value".
bool is_option(const std::string& argument, std::string_view name) {
  return argument.starts_with(name) &&
         (argument.size() == name.size() || argument[name.size()] == '=');
}

/// What the command does when several processes are started with it; of no command as the first.
UnderLauncher under_launcher(const std::vector<std::string>& arguments) {
  const auto word =
      std::ranges::find_if(arguments, [](const std::string& a) { return !a.starts_with('-'); });
  const Command* const command = word == arguments.end() ? nullptr : find_command(*word);
  if (command == nullptr) return UnderLauncher::first_works;
  const bool shared =
      !command->shared_option.empty() && has_option(arguments, [&](const std::string& argument) {
        return is_option(argument, command->shared_option);
      });
  return shared ? UnderLauncher::all_work : command->under_launcher;
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  constexpr std::array kAsks{"-h", "--help", "--help-all", "-V", "--version"};
  if (!arguments.empty() && arguments.front() == "help") return true;
  return has_option(arguments, [&](const std::string& argument) {
    return std::ranges::find(kAsks, argument) != kAsks.end();
  });
}

/// Throws Error in all processes if they were not started with the same.
void compare_processes(ProcessGroup& group, const std::vector<std::string>& arguments) {
  std::string mine(version());
  for (const std::string& argument : arguments) mine += '\0' + argument;
  const std::vector<Bytes> all = group.exchange_with_all(bytes_of(mine));
  const auto other =
      std::ranges::find_if(all, [&](const Bytes& bytes) { return bytes != all.front(); });
  if (other == all.end()) return;
  throw usage_error("cannot work as several processes",
                    fmt::format("process {} has another version or other arguments than process 0",
                                other - all.begin()),
                    "Start all processes with the same command line.");
}

/// What a process has used.
struct Costs {
  double processor_s;
  std::uint64_t most_memory_kib;
  ProcessTraffic traffic;
};

Costs own_costs(const ProcessGroup& group) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime),
          static_cast<std::uint64_t>(used.ru_maxrss), group.traffic()};
}

/// With SLACKLINE_PARALLEL=costs the first process says what each has used.
void say_costs(ProcessGroup& group) {
  const char* const asked = std::getenv("SLACKLINE_PARALLEL");
  const bool wanted = asked != nullptr && std::string_view(asked) == "costs";
  if (!true_in_all(group, wanted)) return;
  const std::vector<Costs> all = gather_all(group, std::vector<Costs>{own_costs(group)});
  if (!group.is_first()) return;
  for (std::size_t p = 0; p < all.size(); ++p) {
    write_stderr(fmt::format(
        "slackline: process {}: {:.3f} s of CPU time, {} MiB of memory, {} exchanges, {} bytes "
        "sent\n",
        p, all[p].processor_s, all[p].most_memory_kib / 1024, all[p].traffic.exchanges,
        all[p].traffic.bytes_sent));
  }
}

void say_unshared(const ProcessGroup& group) {
  if (!group.is_first() || group.unshared().empty()) return;
  write_stderr(fmt::format("slackline: note: process 0 did the work of all {} processes: {}\n",
                           group.size(), printable(group.unshared())));
}

/// The exit status.
int run_together(ProcessGroup& group, const std::vector<std::string>& arguments,
                 UnderLauncher how) {
  if (how == UnderLauncher::all_work) processes = &group;
  const Outcome mine = outcome_of([&] {
    compare_processes(group, arguments);
    if (how == UnderLauncher::first_works) group.set_unshared("this command does not share it");
    const bool works = how == UnderLauncher::all_work || group.is_first();
    return works ? run_command_line(arguments) : 0;
  });
  processes = &alone;
  const Outcome all = agree_on_outcome(group, mine);
  if (group.is_first()) complain(all);
  if (all.exit_status == 0) say_unshared(group);
  say_costs(group);
  // Launchers end all processes when one has failed, so none leaves before that has been said.
  group.broadcast({});
  return all.exit_status;
}

/// The same in one process, or of one that cannot join the others.
int run_alone(const std::function<int()>& work, bool speaks) {
  const Outcome outcome = outcome_of(work);
  if (speaks) complain(outcome);
  return outcome.exit_status;
}

}  // namespace

int run_launched_command(const std::vector<std::string>& arguments) {
  const LaunchedProcess me = launched_process();
  const UnderLauncher how = under_launcher(arguments);
  if (me.size == 1 || how == UnderLauncher::each_works) {
    return run_alone([&] { return run_command_line(arguments); }, true);
  }
  const bool is_first = me.rank == 0;
  if (asks_for_help(arguments)) {
    return run_alone([&] { return is_first ? run_command_line(arguments) : 0; }, is_first);
  }
  std::unique_ptr<ProcessGroup> group;
  const auto join = [&] {
    group = me.relay >= 0 ? relayed_processes(me)
                          : join_processes(me, find_runtime_libraries().preload.parent_path());
    return 0;
  };
  const int status = run_alone(join, is_first);
  return group == nullptr ? status : run_together(*group, arguments, how);
}

ProcessGroup& command_processes() {
  return *processes;
}

}  // namespace slackline
