#include "cli/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace slackline {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::vector<std::string> words_of(const std::string& command, const std::string& file) {
  std::vector<std::string> words;
  bool named = false;
  std::istringstream in(command);
  for (std::string word; in >> word;) {
    if (const std::size_t at = word.find("%s"); at != std::string::npos) {
      word.replace(at, 2, file);
      named = true;
    }
    words.push_back(std::move(word));
  }
  if (!words.empty() && !named) words.push_back(file);
  return words;
}

/// In a session of its own and silent: it outlives this process and must not write between its
/// lines.
bool start(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0;
}

}  // namespace

BrowserEnvironment browser_environment() {
  return {variable("BROWSER"),
          !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty()};
}

std::vector<std::vector<std::string>> browser_commands(const BrowserEnvironment& environment,
                                                       const std::string& page) {
  std::vector<std::vector<std::string>> commands;
  std::istringstream in(environment.browser);
  for (std::string command; std::getline(in, command, ':');) {
    if (auto words = words_of(command, page); !words.empty()) {
      commands.push_back(std::move(words));
    }
  }
  if (environment.has_display) commands.push_back({"xdg-open", page});
  return commands;
}

std::optional<std::string> open_in_browser(const std::string& page) {
  for (const auto& command : browser_commands(browser_environment(), page)) {
    if (start(command)) return command.front();
  }
  return std::nullopt;
}

}  // namespace slackline
