#pragma once

#include <functional>
#include <span>
#include <string_view>
#include "cli/command_parser.h"

namespace slackline {

// How to add a command, "frobnicate":
//
// 1. src/cli/cmd_frobnicate.cc (the folder's CMakeLists.txt takes every cmd_*.cc):
//
//      struct FrobnicateOptions {
//        std::string trace;
//        ModelOptions model;
//        OutputOptions output;
//      };
//
//      int frobnicate(const FrobnicateOptions& options) {
//        const LogGps model = ...;                          // Options -> what the library takes
//        const FrobnicateResult result = frobnicate(...);   // the library function, without I/O
//        write_report(describe(result), options.output);    // Report -> writer
//        return 0;
//      }
//
//      Run setup_frobnicate(CommandParser& parser) {
//        auto options = std::make_shared<FrobnicateOptions>();
//        parser.add_option("trace", options->trace, "a trace: ...")->required();
//        add_model_options(parser, options->model);
//        add_output_options(parser, options->output, OutputShortName::capital);
//        examples(parser, {"slackline frobnicate app.slk -L 3us"});
//        return [options] { return frobnicate(*options); };
//      }
//
// 2. Two lines in commands.cc: the declaration and the entry of the array.
// 3. doc/man/frobnicate.md, a page that names every option (a test compares it with --help), and
//    `./dev approve`, which adds the golden of its --help.

/// What a command does once its arguments are parsed. Returns the exit status; throws Error.
using Run = std::function<int()>;

struct Command {
  std::string_view name;     ///< the verb as it is typed
  std::string_view summary;  ///< one line, without a full stop
  /// Declares the options on `app`, binds them to an Options struct that the returned closure owns.
  /// Only declares: opens no file, prints nothing.
  Run (*setup)(CommandParser& parser);
};

/// All commands, in the order of --help.
std::span<const Command> commands();

/// Adds "Examples:" to the command's --help, one line each.
void examples(CommandParser& parser, std::initializer_list<std::string_view> lines);

}  // namespace slackline
