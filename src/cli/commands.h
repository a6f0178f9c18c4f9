#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace slackline {

class OptionList;

// How to add a command, "frobnicate":
//
// 1. src/app/requests/frobnicate.{h,cc}, which Python and others call, too:
//
//      struct FrobnicateRequest {
//        ModelRequest input{};
//        std::size_t count = 10;
//      };
//
//      void declare(OptionList& options, FrobnicateRequest& request) {
//        declare(options, request.input);
//        options.add("--count N", request.count, "Largest number of ...", {.positive = true});
//      }
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
//    The options are Python's keyword arguments, too.
//
// 2. An entry of the array in commands.cc, with setup_report_command<FrobnicateRequest>. A command
//    that does more than report on its request has src/cli/cmd_frobnicate.cc with
//    setup_frobnicate() (the folder's CMakeLists.txt takes every cmd_*.cc).
// 3. Python: a line in python/bindings/commands.cc.
// 4. doc/man/frobnicate.md, a page that names every option (a test compares it with --help), and
//    `./dev approve`, which adds the golden of its --help.

/// What a command does once its arguments are parsed. Returns the exit status; throws Error.
using CommandAction = std::function<int()>;

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
  /// Declares the options, which set a request that the returned closure owns. Only declares: opens
  /// no file, prints nothing.
  CommandAction (*setup)(OptionList& options);
  std::string_view examples;  ///< one a line, at the end of --help
  UnderLauncher under_launcher = UnderLauncher::first_works;
  std::string (*details)() = nullptr;  ///< text of --help-all alone, before the examples
  std::string_view shared_option{};    ///< with which UnderLauncher::all_work holds
};

/// All commands, in the order of --help.
std::span<const Command> commands();

/// The command of this name, present or former (report/command_names.h), or null.
const Command* find_command(std::string_view name);

}  // namespace slackline
