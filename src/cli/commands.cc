#include "cli/commands.h"

#include <algorithm>
#include <array>
#include <string>

#include "report/command_names.h"

namespace slackline {

Run setup_record(CommandParser& parser);
Run setup_preload(CommandParser& parser);
Run setup_calibrate(CommandParser& parser);
Run setup_inject(CommandParser& parser);
Run setup_validate(CommandParser& parser);
Run setup_replay(CommandParser& parser);
Run setup_info(CommandParser& parser);
Run setup_print(CommandParser& parser);
Run setup_query(CommandParser& parser);
Run setup_convert(CommandParser& parser);
Run setup_predict(CommandParser& parser);
Run setup_sensitivity(CommandParser& parser);
Run setup_tolerance(CommandParser& parser);
Run setup_path(CommandParser& parser);
Run setup_simulate(CommandParser& parser);
Run setup_platform(CommandParser& parser);
Run setup_efficiency(CommandParser& parser);
Run setup_waits(CommandParser& parser);
Run setup_hotspots(CommandParser& parser);
Run setup_phases(CommandParser& parser);
Run setup_place(CommandParser& parser);
Run setup_whatif(CommandParser& parser);
Run setup_gains(CommandParser& parser);
Run setup_advise(CommandParser& parser);
Run setup_diff(CommandParser& parser);
Run setup_report(CommandParser& parser);
Run setup_view(CommandParser& parser);
Run setup_demo(CommandParser& parser);
Run setup_completion(CommandParser& parser);

namespace {

constexpr std::array kCommands{
    Command{"Record", "record", "record a trace of an MPI job", setup_record,
            UnderLauncher::each_works},
    Command{"Record", "demo", "record and analyse a small example", setup_demo,
            UnderLauncher::each_works},
    Command{"Record", "preload",
            "record from a batch script: print or set the environment of the ranks", setup_preload,
            UnderLauncher::each_works},
    Command{"Look", "report", "summarise performance (text or HTML)", setup_report},
    Command{"Look", "view", "open the HTML report in a browser", setup_view},
    Command{"Look", "info", "show trace contents and completeness", setup_info},
    Command{"Look", "print", "print a trace as text, one line per operation", setup_print},
    Command{"Look", "query", "query the calls and messages of a trace by SQL", setup_query},
    Command{"Look", "convert", "convert a trace to another format", setup_convert},
    Command{"Explain", "efficiency", "POP efficiency factors and scalability", setup_efficiency,
            UnderLauncher::all_work},
    Command{"Explain", "waits", "wait states and their root causes", setup_waits},
    Command{"Explain", "path", "critical path: composition, near-critical paths, potential gains",
            setup_path},
    Command{"Explain", "hotspots", "functions and lines by their time on the critical path",
            setup_hotspots},
    Command{"Explain", "phases", "efficiency over time; phase detection", setup_phases},
    Command{"Predict", "predict", "predict run time, critical path and sensitivities on a network",
            setup_predict},
    Command{"Predict", "sensitivity", "run time as a function of latency, overhead or bandwidth",
            setup_sensitivity},
    Command{"Predict", "tolerance", "latency at which a run is 1, 2 or 5 % slower",
            setup_tolerance},
    Command{"Predict", "simulate", "simulate a run on a platform with network contention",
            setup_simulate},
    Command{"Predict", "place", "optimise the placement of ranks on nodes", setup_place},
    Command{"Improve", "advise",
            "changes that would shorten the run most, ranked by predicted gain", setup_advise},
    Command{"Improve", "gains",
            "exact gain in run time from faster functions, ranks and communication", setup_gains},
    Command{"Improve", "whatif",
            "predict the effect of a change: load balance, fewer messages, noise", setup_whatif},
    Command{"Improve", "replay", "re-enact a trace under MPI in real time, edited or as it was",
            setup_replay, UnderLauncher::each_works},
    Command{"Compare", "diff", "differences of two runs by metric, call path and rank", setup_diff},
    Command{"Machine", "calibrate", "measure latency, overhead and bandwidth of this machine",
            setup_calibrate, UnderLauncher::each_works},
    Command{"Machine", "inject", "run an MPI job with added network latency or limited bandwidth",
            setup_inject, UnderLauncher::each_works},
    Command{"Machine", "validate", "compare predictions with runs under injected latency",
            setup_validate, UnderLauncher::each_works},
    Command{"Machine", "platform", "show a simulation platform and its routes", setup_platform},
    Command{"Other", "completion", "print a shell completion script", setup_completion},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  const auto* const found =
      std::ranges::find(kCommands, present_command_name(name), &Command::name);
  return found == kCommands.end() ? nullptr : found;
}

void examples(CommandParser& parser, std::initializer_list<std::string_view> lines) {
  std::string text = "Examples:";
  for (const std::string_view line : lines) text.append("\n  ").append(line);
  parser.footer(text);
}

}  // namespace slackline
