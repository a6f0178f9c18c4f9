#include "jobs/record/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/printable.h"

namespace slackline {

namespace {

namespace fs = std::filesystem;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Slurm's, Flux' and LSF's launchers.
bool hands_on_environment(std::string_view word) {
  const std::string name = fs::path(word).filename().string();
  return name == "srun" || name == "flux" || name == "jsrun";
}

bool is_launcher(std::string_view word) {
  const std::string name = fs::path(word).filename().string();
  if (hands_on_environment(name)) return true;
  if (name == "orterun" || name == "prterun" || name == "prun") return true;
  return name.starts_with("mpirun") || name.starts_with("mpiexec");
}

/// The kind that a file name gives away; Debian's alternatives lead to such names.
LauncherKind kind_of_name(std::string_view name) {
  if (hands_on_environment(name)) return LauncherKind::own_environment;
  if (name == "prun") return LauncherKind::open_mpi;  // of PRRTE, with the options of Open MPI 5
  for (const std::string_view part : {"openmpi", "orterun", "prterun"}) {
    if (contains(name, part)) return LauncherKind::open_mpi;
  }
  for (const std::string_view part : {"hydra", "mpich"}) {
    if (contains(name, part)) return LauncherKind::mpich;
  }
  return LauncherKind::none;
}

/// The first lines of `program --version`.
std::string version_text(const std::string& program) {
  const std::string command = shell_word(program) + " --version 2>&1 </dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return {};
  std::array<char, 2048> text{};
  return {text.data(), std::fread(text.data(), 1, text.size(), pipe.get())};
}

LauncherKind kind_of_version(const std::string& program) {
  const std::string text = version_text(program);
  for (const std::string_view part : {"Open MPI", "OpenRTE", "PRRTE"}) {
    if (contains(text, part)) return LauncherKind::open_mpi;
  }
  for (const std::string_view part : {"HYDRA", "Hydra", "MPICH", "Intel(R) MPI"}) {
    if (contains(text, part)) return LauncherKind::mpich;
  }
  return LauncherKind::none;
}

LauncherKind kind_of_option(std::string_view mpi) {
  if (mpi == "openmpi") return LauncherKind::open_mpi;
  if (mpi == "mpich") return LauncherKind::mpich;
  throw usage_error(fmt::format("unknown MPI '{}'", mpi), "no such name",
                    "Choose openmpi or mpich.");
}

LauncherKind kind_of(const std::string& word, std::string_view mpi) {
  if (hands_on_environment(word)) return LauncherKind::own_environment;
  const std::string path = find_program(word);
  if (path.empty()) {
    throw Error(fmt::format("cannot run '{}'", word), "no such program",
                "Install Open MPI (openmpi-bin) or MPICH (mpich), or load its module.");
  }
  if (!mpi.empty()) return kind_of_option(mpi);
  if (const auto kind = kind_of_name(fs::path(word).filename().string());
      kind != LauncherKind::none) {
    return kind;
  }
  std::error_code ignored;
  if (const auto kind = kind_of_name(fs::canonical(path, ignored).filename().string());
      kind != LauncherKind::none) {
    return kind;
  }
  if (const auto kind = kind_of_version(path); kind != LauncherKind::none) return kind;
  throw Error(fmt::format("cannot determine the MPI library of '{}'", word),
              "neither its name nor its --version output shows it",
              "Add --mpi openmpi or --mpi mpich.");
}

/// Variables that are lists, to which others may add.
bool is_list(std::string_view variable) {
  return variable == "LD_PRELOAD" || variable == "ASAN_OPTIONS";
}

/// Where the command itself sets a list for the ranks (-x, -genv, env), with what the recorder
/// needs before what it sets.
std::vector<std::string> keep_lists(const std::vector<std::string>& command,
                                    const Launcher& launcher, const Environment& variables) {
  std::vector<std::string> kept = command;
  if (launcher.kind == LauncherKind::none) return kept;
  for (const auto& [name, ours] : variables) {
    if (!is_list(name)) continue;
    for (std::size_t i = launcher.position + 1; i < kept.size(); ++i) {
      const std::string word = kept[i];
      if (word.starts_with(name + "=")) {
        kept[i] = fmt::format("{}={}:{}", name, ours, word.substr(name.size() + 1));
      } else if (word == name && kept[i - 1] == "-x") {
        kept[i] = fmt::format("{}={}", name, ours);
      } else if (word == name && kept[i - 1].ends_with("env") && i + 1 < kept.size()) {
        kept[i + 1] = fmt::format("{}:{}", ours, kept[i + 1]);
      }
    }
  }
  return kept;
}

/// What srun is told to hand on: by its option, else by the variable that also sbatch sets.
std::string exported(const std::vector<std::string>& command, std::size_t launcher) {
  constexpr std::string_view kOption = "--export";
  for (std::size_t i = launcher + 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == kOption && i + 1 < command.size()) return command[i + 1];
    if (word.starts_with(kOption) && word[kOption.size()] == '=') {
      return word.substr(kOption.size() + 1);
    }
  }
  const char* const variable = std::getenv("SLURM_EXPORT_ENV");
  return variable == nullptr ? "ALL" : variable;
}

}  // namespace

std::string withheld_environment(const std::vector<std::string>& command, const Launcher& launcher,
                                 const Environment& variables) {
  const bool is_srun = launcher.kind == LauncherKind::own_environment &&
                       fs::path(command[launcher.position]).filename() == "srun";
  if (!is_srun || variables.empty()) return {};
  const std::string handed_on = exported(command, launcher.position);
  if (contains(handed_on, "ALL") || contains(handed_on, variables.front().first)) return {};
  std::string names;
  for (const auto& [name, value] : variables) names += "," + name;
  return fmt::format(
      "srun hands on '{}' and not what the recorder needs; use --export=ALL, or --export={}{}",
      handed_on, handed_on == "NONE" || handed_on == "NIL" ? "" : handed_on + ",", names.substr(1));
}

Environment merged(Environment given, const Environment& first) {
  for (const auto& [name, value] : first) {
    const auto known = std::ranges::find(given, name, &Environment::value_type::first);
    if (known == given.end()) {
      given.emplace_back(name, value);
    } else {
      known->second = is_list(name) ? value + ":" + known->second : value;
    }
  }
  return given;
}

std::string find_program(std::string_view program) {
  if (contains(program, "/")) {
    return access(std::string(program).c_str(), X_OK) == 0 ? std::string(program) : std::string();
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, colon)) / program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

Launcher find_launcher(const std::vector<std::string>& command, std::string_view mpi) {
  if (!mpi.empty()) kind_of_option(mpi);
  const auto found = std::ranges::find_if(command, is_launcher);
  if (found == command.end()) return {};
  return {kind_of(*found, mpi), static_cast<std::size_t>(found - command.begin())};
}

LaunchPlan plan_launch(const std::vector<std::string>& given, const Launcher& launcher,
                       const Environment& variables) {
  const std::vector<std::string> command = keep_lists(given, launcher, variables);
  if (launcher.kind == LauncherKind::none || launcher.kind == LauncherKind::own_environment) {
    // Also the launcher sees it, which does no harm: the preloaded library does nothing in
    // programs that make no MPI calls.
    return {command, variables};
  }
  std::vector<std::string> options;
  for (const auto& [name, value] : variables) {
    if (launcher.kind == LauncherKind::open_mpi) {
      options.insert(options.end(), {"-x", fmt::format("{}={}", name, value)});
    } else {
      options.insert(options.end(), {"-genv", name, value});
    }
  }
  LaunchPlan plan{{}, {}};
  for (std::size_t i = 0; i < command.size(); ++i) {
    plan.command.push_back(command[i]);
    // Open MPI's -x speaks of one part of `a : b : c` only.
    const bool part =
        launcher.kind == LauncherKind::open_mpi && i > launcher.position && command[i] == ":";
    if (i == launcher.position || part) {
      plan.command.insert(plan.command.end(), options.begin(), options.end());
    }
  }
  return plan;
}

}  // namespace slackline
