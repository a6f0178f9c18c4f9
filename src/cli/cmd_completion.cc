#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/output.h"

// Completion scripts are written from the declared options themselves, so that they cannot fall
// behind: each command's option names, and the values of the options that take one of a set.

namespace slackline {
namespace {

struct OptionWords {
  std::vector<std::string> names;   // "-S", "--eager-threshold"
  std::vector<std::string> values;  // of an option that takes one of a set, else empty
  std::string description;
};

struct CommandWords {
  std::string name;
  std::string summary;
  std::vector<OptionWords> options;
  std::vector<std::string> positional_values;
};

/// CLI::IsMember puts "{a,b,c}" into the type name.
std::vector<std::string> set_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  std::vector<std::string> values;
  if (open == std::string::npos || close == std::string::npos) return values;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) values.push_back(word);
  return values;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words{{}, set_values(option), option.get_description()};
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  return words;
}

std::vector<CommandWords> all_words() {
  const CommandLine line = make_command_line();
  std::vector<CommandWords> all;
  for (const Command& command : commands()) {
    CLI::App* sub = line.app->get_subcommand(std::string(command.name));
    CommandWords words{std::string(command.name), std::string(command.summary), {}, {}};
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_positional()) {
        words.positional_values = set_values(*option);
      } else {
        words.options.push_back(words_of(*option));
      }
    }
    all.push_back(std::move(words));
  }
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string command_names(const std::vector<CommandWords>& all) {
  std::vector<std::string> names;
  for (const CommandWords& command : all) names.push_back(command.name);
  return joined(names);
}

std::string bash_case(const CommandWords& command) {
  std::string text = fmt::format("    {})\n", command.name);
  std::vector<std::string> names;
  std::string value_cases;
  for (const OptionWords& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (option.values.empty()) continue;
    value_cases += fmt::format("        {}) words=\"{}\" ;;\n", fmt::join(option.names, "|"),
                               joined(option.values));
  }
  text += fmt::format("      options=\"{}\"\n", joined(names));
  if (!command.positional_values.empty()) {
    text += fmt::format("      words=\"{}\"\n", joined(command.positional_values));
  }
  if (!value_cases.empty()) {
    text += "      case \"$previous\" in\n" + value_cases + "      esac\n";
  }
  return text + "      ;;\n";
}

std::string bash_script(const std::vector<CommandWords>& all) {
  std::string cases;
  for (const CommandWords& command : all) cases += bash_case(command);
  return fmt::format(
      R"(# bash completion of slackline. Use it with: source <(slackline completion bash)
_slackline() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local options="--help --version" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "{} $options" -- "$current")
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  elif [[ "$current" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _slackline slackline
)",
      command_names(all), cases);
}

/// Inside single quotes of zsh and fish, and inside the brackets of zsh's _arguments.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':') {
      out += fmt::format("\\{}", c);
    } else if (c != '\n') {
      out += c;
    }
  }
  return out;
}

std::string zsh_case(const CommandWords& command) {
  std::string text = fmt::format("    {})\n      _arguments -s", command.name);
  for (const OptionWords& option : command.options) {
    for (const std::string& name : option.names) {
      text += fmt::format(
          " \\\n        '{}[{}]{}'", name, escaped(option.description),
          option.values.empty() ? "" : fmt::format(":value:({})", joined(option.values)));
    }
  }
  const std::string rest = command.positional_values.empty()
                               ? "_files"
                               : fmt::format("({})", joined(command.positional_values));
  return text + fmt::format(" \\\n        '*:file:{}'\n      ;;\n", rest);
}

std::string zsh_script(const std::vector<CommandWords>& all) {
  std::string names;
  std::string cases;
  for (const CommandWords& command : all) {
    names += fmt::format("      '{}:{}'\n", command.name, escaped(command.summary));
    cases += zsh_case(command);
  }
  return fmt::format(
      R"(#compdef slackline
# zsh completion of slackline. Use it with: slackline completion zsh > "${{fpath[1]}}/_slackline"
_slackline() {{
  if (( CURRENT == 2 )); then
    local -a verbs=(
{}    )
    _describe 'command' verbs
    return
  fi
  local verb="${{words[2]}}"
  (( CURRENT-- ))
  shift words
  case "$verb" in
{}  esac
}}
if [ "${{funcstack[1]}}" = _slackline ]; then _slackline "$@"; else compdef _slackline slackline; fi
)",
      names, cases);
}

std::string fish_options(const CommandWords& command) {
  std::string text;
  for (const OptionWords& option : command.options) {
    text += fmt::format("complete -c slackline -n '__fish_seen_subcommand_from {}'", command.name);
    for (const std::string& name : option.names) {
      const bool is_long = name.starts_with("--");
      text += fmt::format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
    }
    if (!option.values.empty()) text += fmt::format(" -x -a '{}'", joined(option.values));
    text += fmt::format(" -d '{}'\n", escaped(option.description));
  }
  return text;
}

std::string fish_script(const std::vector<CommandWords>& all) {
  std::string text =
      "# fish completion of slackline. Use it with: slackline completion fish | source\n";
  for (const CommandWords& command : all) {
    text += fmt::format("complete -c slackline -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command.name, escaped(command.summary));
    text += fish_options(command);
    if (command.positional_values.empty()) continue;
    text += fmt::format("complete -c slackline -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                        command.name, joined(command.positional_values));
  }
  return text;
}

int completion(const std::string& shell) {
  const std::vector<CommandWords> all = all_words();
  write_stdout(shell == "bash"  ? bash_script(all)
               : shell == "zsh" ? zsh_script(all)
                                : fish_script(all));
  return 0;
}

}  // namespace

Run setup_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "The shell to complete for")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  examples(app, {"source <(slackline completion bash)",
                 "slackline completion zsh > \"${fpath[1]}/_slackline\"",
                 "slackline completion fish | source"});
  return [shell] { return completion(*shell); };
}

}  // namespace slackline
