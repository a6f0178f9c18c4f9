#include "cli/commands.h"

#include <array>
#include <string>

namespace slackline {

Run setup_completion(CLI::App& app);

namespace {

constexpr std::array kCommands{
    Command{"completion", "print the completion script of a shell", setup_completion},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

void examples(CLI::App& app, std::initializer_list<std::string_view> lines) {
  std::string text = "Examples:";
  for (const std::string_view line : lines) text.append("\n  ").append(line);
  app.footer(text);
}

}  // namespace slackline
