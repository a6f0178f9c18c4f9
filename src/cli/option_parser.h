#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace slackline {

class OptionList;

/// Declares the options on `command`, in groups as --help-all has them. Parsing sets their
/// variables. Leaves out what only Python takes.
void add_options(CLI::App& command, const OptionList& options);

}  // namespace slackline
