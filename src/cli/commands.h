#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/command_parser.h"

namespace slackline {

// How to add a command, "frobnicate":
//
// 1. src/app/requests/frobnicate.{h,cc}, which Python and others call, too:
//
//      struct FrobnicateRequest {
//        ModelRequest input{};
//      };
//
//      Report execute(const FrobnicateRequest& request) {
//        const LoadedGraph loaded = load_graph(request.input);
//        const FrobnicateResult result = frobnicate(loaded.graph, loaded.model);
//        return FrobnicateReports::untyped(frobnicate_report(result, loaded));
//      }
//
//    frobnicate_report() returns with_context(describe(result), "frobnicate", loaded), whose type
//    is what frobnicate_schema() (app/requests/schemas.h) says of the command's JSON.
//
// 2. src/cli/cmd_frobnicate.cc (the folder's CMakeLists.txt takes every cmd_*.cc):
//
//      Run setup_frobnicate(CommandParser& parser) {
//        auto command = std::make_shared<ReportCommand<FrobnicateRequest>>();
//        add_model_request(parser, command->request.input, command->output);
//        examples(parser, {"slackline frobnicate app.slk -L 3us"});
//        return report_on<FrobnicateRequest>(command);
//      }
//
// 3. Two lines in commands.cc: the declaration and the entry of the array.
// 4. doc/man/frobnicate.md, a page that names every option (a test compares it with --help), and
//    `./dev approve`, which adds the golden of its --help.

/// What a command does once its arguments are parsed. Returns the exit status; throws Error.
using Run = std::function<int()>;

/// What the processes do that an MPI launcher has started with one command.
enum class UnderLauncher : unsigned char {
  first_works,  ///< the others wait for it
  all_work,     ///< they share the work (command_processes())
  each_works,   ///< each by itself: the command starts or prepares programs
};

struct Command {
  std::string_view group;    ///< what it is for, as --help has it
  std::string_view name;     ///< the verb as it is typed
  std::string_view summary;  ///< one line, without a full stop
  /// Declares the options on `parser`, binds them to a request that the returned closure owns.
  /// Only declares: opens no file, prints nothing.
  Run (*setup)(CommandParser& parser);
  UnderLauncher under_launcher = UnderLauncher::first_works;
};

/// All commands, in the order of --help.
std::span<const Command> commands();

/// The command of this name, present or former (report/command_names.h), or null.
const Command* find_command(std::string_view name);

/// Adds "Examples:" to the command's --help, one line each.
void examples(CommandParser& parser, std::initializer_list<std::string_view> lines);

}  // namespace slackline
