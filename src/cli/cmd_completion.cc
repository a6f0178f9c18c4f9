#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/output.h"
#include "report/command_names.h"

// Completion scripts are written from the declared options themselves, so that they cannot fall
// behind: each command's option names, and the values of the options that take one of a set.

namespace slackline {
namespace {

struct CommandWords {
  std::string name;
  std::string summary;
  std::vector<DeclaredOption> options;
  std::vector<std::string> positional_values;
};

std::vector<CommandWords> all_words() {
  std::vector<CommandWords> all;
  for (const Command& command : commands()) {
    CommandWords words{std::string(command.name), std::string(command.summary), {}, {}};
    for (DeclaredOption& option : declared_options(command.name)) {
      if (option.names.empty()) {
        words.positional_values = std::move(option.values);
      } else {
        words.options.push_back(std::move(option));
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

/// The command's names as alternatives: "waits|wait-states".
std::string either_name(const CommandWords& command, std::string_view separator) {
  const std::string_view former = former_command_name(command.name);
  return former.empty() ? command.name : fmt::format("{}{}{}", command.name, separator, former);
}

std::string bash_case(const CommandWords& command) {
  std::string text = fmt::format("    {})\n", either_name(command, "|"));
  std::vector<std::string> names;
  std::string value_cases;
  for (const DeclaredOption& option : command.options) {
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
  local options="--help --version" words="" commands="{}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands help $options" -- "$current")
    return
  fi
  case "${{COMP_WORDS[1]}}" in
    help) words="$commands" ;;
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
  std::string text = fmt::format("    {})\n      _arguments -s", either_name(command, "|"));
  for (const DeclaredOption& option : command.options) {
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
{}      'help:explain a command'
    )
    _describe 'command' verbs
    return
  fi
  local verb="${{words[2]}}"
  (( CURRENT-- ))
  shift words
  case "$verb" in
    help) _values command {} ;;
{}  esac
}}
if [ "${{funcstack[1]}}" = _slackline ]; then _slackline "$@"; else compdef _slackline slackline; fi
)",
      names, command_names(all), cases);
}

std::string fish_options(const CommandWords& command) {
  std::string text;
  for (const DeclaredOption& option : command.options) {
    text += fmt::format("complete -c slackline -n '__fish_seen_subcommand_from {}'",
                        either_name(command, " "));
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
  text += fmt::format(
      "complete -c slackline -n __fish_use_subcommand -f -a help -d 'explain a command'\n"
      "complete -c slackline -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
      command_names(all));
  for (const CommandWords& command : all) {
    text += fmt::format("complete -c slackline -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command.name, escaped(command.summary));
    text += fish_options(command);
    if (command.positional_values.empty()) continue;
    text += fmt::format("complete -c slackline -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                        either_name(command, " "), joined(command.positional_values));
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

CommandAction setup_completion(OptionList& options) {
  auto shell = std::make_shared<std::string>();
  options.add("shell", *shell, "The shell to complete for",
              {.choices = {"bash", "zsh", "fish"}, .required = true});
  return [shell] { return completion(*shell); };
}

}  // namespace slackline
