#include "jobs/record/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.h"

namespace slackline {

namespace {

constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

volatile sig_atomic_t child = 0;

/// A signal typed at the terminal goes to the whole foreground group, so the child has it already;
/// a second SIGINT would make mpirun give up without cleaning.
void pass_on(int signal, siginfo_t* info, void*) {
  if (child > 0 && info->si_code != SI_KERNEL) kill(static_cast<pid_t>(child), signal);
}

/// Passes signals on for its lifetime. They wait until it is said to whom: one that comes between
/// fork and that moment must neither end us without the child nor be lost.
class SignalRelay {
 public:
  SignalRelay() {
    sigset_t passed_on;
    sigemptyset(&passed_on);
    for (const int signal : kPassedOn) sigaddset(&passed_on, signal);
    sigprocmask(SIG_BLOCK, &passed_on, &mask_before_);
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
      sigaction(kPassedOn[i], &action, &before_[i]);
    }
  }
  ~SignalRelay() { stop(); }
  void start(pid_t to) {
    child = to;
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  /// As before it.
  void stop() {
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
      sigaction(kPassedOn[i], &before_[i], nullptr);
    }
    child = 0;
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

 private:
  std::array<struct sigaction, kPassedOn.size()> before_{};
  sigset_t mask_before_{};
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void cannot_run(const std::string& program, int error) {
  throw Error(fmt::format("cannot run '{}'", program), std::strerror(error),
              "Check the command after '--'.");
}

/// This process's environment with those variables, as "NAME=value".
std::vector<std::string> environment_with(const Environment& added) {
  std::vector<std::string> all;
  const auto is_added = [&added](std::string_view variable) {
    return std::ranges::any_of(added, [&](const auto& a) {
      return variable.starts_with(a.first) && variable.substr(a.first.size()).starts_with('=');
    });
  };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_added(*variable)) all.emplace_back(*variable);
  }
  for (const auto& [name, value] : added) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

/// What execvpe takes. All of it is made before a fork, after which nothing may be allocated where
/// the process has threads.
class Execution {
 public:
  Execution(const std::vector<std::string>& command, const Environment& environment)
      : words_(command),
        variables_(environment_with(environment)),
        arguments_(pointers(words_)),
        environment_(pointers(variables_)) {}
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Returns errno.
  int run() {
    execvpe(arguments_[0], arguments_.data(), environment_.data());
    return errno;
  }

 private:
  std::vector<std::string> words_;
  std::vector<std::string> variables_;
  std::vector<char*> arguments_;
  std::vector<char*> environment_;
};

/// The file to which a child's output goes, open for as long as this lives.
class ChildOutput {
 public:
  explicit ChildOutput(const std::filesystem::path& file) {
    if (file.empty()) return;
    fd_ = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd_ < 0) {
      throw Error(fmt::format("cannot write '{}'", file.string()), errno_text(),
                  "Choose another folder with -o.");
    }
  }
  ~ChildOutput() {
    if (fd_ >= 0) close(fd_);
  }
  ChildOutput(const ChildOutput&) = delete;
  ChildOutput& operator=(const ChildOutput&) = delete;

  /// In the child.
  void become_standard_output() const {
    if (fd_ >= 0) dup2(fd_, STDOUT_FILENO);
  }

 private:
  int fd_ = -1;
};

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

double children_cpu() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProcessEnd run_process(const std::vector<std::string>& command, const ChildContext& context) {
  expects(!command.empty(), "a command");
  Execution execution(command, context.environment);
  const ChildOutput output(context.standard_output);
  // The child tells through a pipe, which a successful exec closes, that it could not execute.
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) cannot_run(command[0], errno);
  const auto started = std::chrono::steady_clock::now();
  const double cpu_before = children_cpu();
  SignalRelay relay;
  const pid_t pid = fork();
  if (pid < 0) {
    const int why = errno;
    for (const int end : failure) close(end);
    cannot_run(command[0], why);
  }
  if (pid == 0) {
    relay.stop();
    output.become_standard_output();
    const int error = execution.run();
    [[maybe_unused]] const auto told = write(failure[1], &error, sizeof error);
    _exit(127);
  }
  relay.start(pid);
  close(failure[1]);
  int error = 0;
  const bool failed = read(failure[0], &error, sizeof error) == sizeof error;
  close(failure[0]);
  const int status = wait_for(pid);
  if (failed) cannot_run(command[0], error);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  return {status, took.count(), children_cpu() - cpu_before};
}

void heed_recorded_rank() {
  const char* const parent = std::getenv("SLACKLINE_ENDS_WITH");
  if (parent == nullptr) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (std::to_string(getppid()) != parent) raise(SIGTERM);  // it has died before that
  const char* const memory = std::getenv("SLACKLINE_MEMORY_LIMIT");
  const rlim_t bytes = memory == nullptr ? 0 : std::strtoull(memory, nullptr, 10);
  const rlimit limit{bytes, bytes};
  if (bytes > 0) setrlimit(RLIMIT_DATA, &limit);
  unsetenv("SLACKLINE_ENDS_WITH");
  unsetenv("SLACKLINE_MEMORY_LIMIT");
}

void become_process(const std::vector<std::string>& command, const Environment& environment) {
  expects(!command.empty(), "a command");
  cannot_run(command[0], Execution(command, environment).run());
}

}  // namespace slackline
