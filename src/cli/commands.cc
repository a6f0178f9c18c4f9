#include "cli/commands.h"

#include <array>
#include <string>

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
Run setup_critical_path(CommandParser& parser);
Run setup_simulate(CommandParser& parser);
Run setup_platform(CommandParser& parser);
Run setup_efficiency(CommandParser& parser);
Run setup_wait_states(CommandParser& parser);
Run setup_hotspots(CommandParser& parser);
Run setup_monitor(CommandParser& parser);
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
    Command{"record", "record a trace of an MPI job", setup_record, UnderLauncher::each_works},
    Command{"preload", "record from a batch script: print or set the environment of the ranks",
            setup_preload, UnderLauncher::each_works},
    Command{"calibrate", "measure latency, overhead and bandwidth of this machine", setup_calibrate,
            UnderLauncher::each_works},
    Command{"inject", "run an MPI job with added network latency or limited bandwidth",
            setup_inject, UnderLauncher::each_works},
    Command{"validate", "compare predictions with runs under injected latency", setup_validate,
            UnderLauncher::each_works},
    Command{"replay", "re-enact a trace under MPI in real time, edited or as it was", setup_replay,
            UnderLauncher::each_works},
    Command{"info", "show trace contents and completeness", setup_info},
    Command{"print", "print a trace as text, one line per operation", setup_print},
    Command{"query", "query the calls and messages of a trace by SQL", setup_query},
    Command{"convert", "convert a trace to another format", setup_convert},
    Command{"predict", "predict run time, critical path and sensitivities on a network",
            setup_predict},
    Command{"sensitivity", "run time as a function of latency, overhead or bandwidth",
            setup_sensitivity},
    Command{"tolerance", "latency at which a run is 1, 2 or 5 % slower", setup_tolerance},
    Command{"critical-path", "critical path: composition, near-critical paths, potential gains",
            setup_critical_path},
    Command{"simulate", "simulate a run on a platform with network contention", setup_simulate},
    Command{"platform", "show a simulation platform and its routes", setup_platform},
    Command{"efficiency", "POP efficiency factors and scalability", setup_efficiency,
            UnderLauncher::all_work},
    Command{"wait-states", "wait states and their root causes", setup_wait_states},
    Command{"hotspots", "functions and lines by their time on the critical path", setup_hotspots},
    Command{"monitor", "efficiency over time; phase detection", setup_monitor},
    Command{"place", "optimise the placement of ranks on nodes", setup_place},
    Command{"whatif", "predict the effect of a change: load balance, fewer messages, noise",
            setup_whatif},
    Command{"gains", "exact gain in run time from faster functions, ranks and communication",
            setup_gains},
    Command{"advise", "changes that would shorten the run most, ranked by predicted gain",
            setup_advise},
    Command{"diff", "differences of two runs by metric, call path and rank", setup_diff},
    Command{"report", "summarise performance (text or HTML)", setup_report},
    Command{"view", "open the HTML report in a browser", setup_view},
    Command{"demo", "record and analyse a small example", setup_demo, UnderLauncher::each_works},
    Command{"completion", "print a shell completion script", setup_completion},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

void examples(CommandParser& parser, std::initializer_list<std::string_view> lines) {
  std::string text = "Examples:";
  for (const std::string_view line : lines) text.append("\n  ").append(line);
  parser.footer(text);
}

}  // namespace slackline
