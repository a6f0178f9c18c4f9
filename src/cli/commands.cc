#include "cli/commands.h"

#include <array>
#include <string>

namespace slackline {

Run setup_record(CommandParser& parser);
Run setup_preload(CommandParser& parser);
Run setup_info(CommandParser& parser);
Run setup_print(CommandParser& parser);
Run setup_convert(CommandParser& parser);
Run setup_predict(CommandParser& parser);
Run setup_sensitivity(CommandParser& parser);
Run setup_tolerance(CommandParser& parser);
Run setup_critical_path(CommandParser& parser);
Run setup_simulate(CommandParser& parser);
Run setup_platform(CommandParser& parser);
Run setup_efficiency(CommandParser& parser);
Run setup_wait_states(CommandParser& parser);
Run setup_monitor(CommandParser& parser);
Run setup_place(CommandParser& parser);
Run setup_whatif(CommandParser& parser);
Run setup_gains(CommandParser& parser);
Run setup_report(CommandParser& parser);
Run setup_view(CommandParser& parser);
Run setup_demo(CommandParser& parser);
Run setup_completion(CommandParser& parser);

namespace {

constexpr std::array kCommands{
    Command{"record", "run an MPI job and record what its ranks do", setup_record},
    Command{"preload", "record from a batch script: print or set the environment of the ranks",
            setup_preload},
    Command{"info", "say what a trace holds and whether it is complete", setup_info},
    Command{"print", "write a trace as text, one line for each operation", setup_print},
    Command{"convert", "write a trace in another format, for other tools", setup_convert},
    Command{"predict", "predict the run time under a network, and what it depends on",
            setup_predict},
    Command{"sensitivity", "give the run time as a function of latency, overhead or bandwidth",
            setup_sensitivity},
    Command{"tolerance", "say how much latency a run takes before it is 1, 2 or 5 % slower",
            setup_tolerance},
    Command{"critical-path", "show what the longest chain of a run is made of",
            setup_critical_path},
    Command{"simulate", "replay a run on a machine with contention: topologies, links, placement",
            setup_simulate},
    Command{"platform", "describe the machine that a simulation runs on", setup_platform},
    Command{"efficiency", "say how efficient a run is, by POP's factors, and how it scales",
            setup_efficiency},
    Command{"wait-states", "say where ranks wait for others, how long, and what causes it",
            setup_wait_states},
    Command{"monitor", "follow a run's efficiency over time and find where it changes",
            setup_monitor},
    Command{"place", "find a faster placement of ranks on nodes", setup_place},
    Command{"whatif", "predict the effect of a change: balanced work, fewer messages, noise",
            setup_whatif},
    Command{"gains", "rank functions and ranks by what the run would gain if they took less time",
            setup_gains},
    Command{"report", "say where the time goes and what holds the run back, as text or a page",
            setup_report},
    Command{"view", "write the report's page and open it in a browser", setup_view},
    Command{"demo", "record a small example and show what slackline says of it", setup_demo},
    Command{"completion", "print the completion script of a shell", setup_completion},
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
