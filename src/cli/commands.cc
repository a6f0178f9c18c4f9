#include "cli/commands.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/requests/advise.h"
#include "app/requests/history.h"
#include "app/requests/model_requests.h"
#include "app/requests/platform.h"
#include "app/requests/query.h"
#include "app/requests/run_requests.h"
#include "app/requests/trace_requests.h"
#include "base/output_target.h"
#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/report_command.h"
#include "report/command_names.h"

namespace slackline {

CommandAction setup_record(OptionList& options);
CommandAction setup_preload(OptionList& options);
CommandAction setup_calibrate(OptionList& options);
CommandAction setup_inject(OptionList& options);
CommandAction setup_validate(OptionList& options);
CommandAction setup_advise(OptionList& options);
CommandAction setup_replay(OptionList& options);
CommandAction setup_print(OptionList& options);
CommandAction setup_check(OptionList& options);
CommandAction setup_convert(OptionList& options);
CommandAction setup_simulate(OptionList& options);
CommandAction setup_report(OptionList& options);
CommandAction setup_top(OptionList& options);
CommandAction setup_view(OptionList& options);
CommandAction setup_demo(OptionList& options);
CommandAction setup_completion(OptionList& options);

namespace {

/// The actions that whatif --set takes, one below the other.
std::string actions_help() {
  std::vector<std::pair<std::string, std::string>> rows = edit_summaries();
  rows.emplace_back("all actions",
                    "region= (or function=), call-path=, ranks=, host=, after= and before= select "
                    "what is edited");
  return "Actions of --set:\n" + help_rows(rows);
}

constexpr std::array kCommands{
    Command{"Record", "record", "record a trace of an MPI job", setup_record,
            "slackline record -- mpirun -n 4 ./app input.txt\n"
            "slackline record -o run1 -- mpiexec -n 64 ./app\n"
            "slackline record --sample=1000Hz -- mpirun -n 4 ./app\n"
            "slackline record --mpi mpich --yield -- mpirun -n 8 ./app\n"
            "slackline record --analyse -o app.json -- mpirun -n 4 ./app\n"
            "slackline record --finish slackline-trace",
            UnderLauncher::each_works, nullptr, "--finish"},
    Command{"Record", "demo", "record and analyse a small example", setup_demo,
            "slackline demo\n"
            "slackline demo -n 8 -o /tmp/demo",
            UnderLauncher::each_works},
    Command{"Record", "preload",
            "record from a batch script: print or set the environment of the ranks", setup_preload,
            "eval \"$(slackline preload -o run1)\"; srun ./app; slackline record --finish run1\n"
            "mpirun -n 4 slackline preload -o run1 -- ./app\n"
            "slackline preload --shell csh -o run1",
            UnderLauncher::each_works},
    Command{"Look", "top", "watch a job while it is recorded: efficiencies, late rank, function",
            setup_top,
            "slackline top slackline-trace\n"
            "slackline top slackline-trace --window 5min\n"
            "slackline top slackline-trace --format json >> job.jsonl\n"
            "slackline top slackline-trace --once --window all"},
    Command{"Look", "report", "summarise performance (text or HTML)", setup_report,
            "slackline report slackline-trace\n"
            "slackline report slackline-trace -o report.html\n"
            "slackline report before.slk after.slk\n"
            "slackline report slackline-trace --all\n"
            "slackline report slackline-trace --section waits,path\n"
            "slackline report app.slk --network shared-memory --format json\n"
            "slackline report app.slk --platform fat-tree.toml -o report.html",
            UnderLauncher::all_work},
    Command{"Look", "view", "open the HTML report in a browser", setup_view,
            "slackline view slackline-trace\n"
            "slackline view before.slk after.slk\n"
            "BROWSER=firefox slackline view app.slk -o page.html"},
    Command{"Look", "info", "show trace contents and completeness",
            setup_report_command<InfoRequest>,
            "slackline info\n"
            "slackline info app.slk --format json"},
    Command{"Look", "print", "print a trace as text, one line per operation", setup_print,
            "slackline print app.slk\n"
            "slackline print app.slk --rank 3 -o rank3.txt\n"
            "slackline print app.slk | grep -c isend"},
    Command{"Look", "query", "query the calls and messages of a trace by SQL",
            setup_report_command<QueryRequest>,
            "slackline query app.slk 'SELECT operation, count(*) FROM calls GROUP BY operation'\n"
            "slackline query app.slk 'SELECT * FROM calls WHERE rank = 0 LIMIT 10' --format csv\n"
            "slackline query app.slk 'SELECT source, sum(bytes) FROM messages GROUP BY source'"},
    Command{"Look", "convert", "convert a trace to another format", setup_convert,
            "slackline convert slackline-trace app.slk\n"
            "slackline convert app.slk app.txt\n"
            "slackline convert app.slk traces.otf2\n"
            "slackline convert --predicted -L 10us app.slk slower.prv\n"
            "slackline convert app.slk app.cubex"},
    Command{"Explain", "efficiency", "POP efficiency factors and scalability",
            setup_report_command<EfficiencyRequest>,
            "slackline efficiency app.slk\n"
            "slackline efficiency app-1.slk app-2.slk app-4.slk --format json\n"
            "slackline efficiency app.slk --on predicted --network infiniband-fdr",
            UnderLauncher::all_work},
    Command{"Explain", "waits", "wait states and their root causes",
            setup_report_command<WaitStatesRequest>,
            "slackline waits app.slk\n"
            "slackline waits app.slk --format json\n"
            "slackline waits app.slk --on predicted -L 10us",
            UnderLauncher::all_work},
    Command{"Explain", "path", "critical path: composition, near-critical paths, potential gains",
            setup_report_command<CriticalPathRequest>,
            "slackline path slackline-trace\n"
            "slackline path app.slk --on predicted\n"
            "slackline path app.slk -L 10us --format csv -o path.csv",
            UnderLauncher::all_work},
    Command{"Explain", "hotspots", "functions and lines by their time on the critical path",
            setup_report_command<HotspotsRequest>,
            "slackline hotspots slackline-trace\n"
            "slackline hotspots slackline-trace --by line\n"
            "slackline hotspots slackline-trace --by call-path --format json"},
    Command{"Explain", "phases", "efficiency over time; phase detection",
            setup_report_command<MonitorRequest>,
            "slackline phases app.slk\n"
            "slackline phases app.slk -o phases.html\n"
            "slackline phases app.slk --on simulated --platform cluster.xml",
            UnderLauncher::all_work},
    Command{"Predict", "predict", "predict run time, critical path and sensitivities on a network",
            setup_report_command<PredictRequest>,
            "slackline predict slackline-trace\n"
            "slackline predict app.slk -L 3us --overhead 500ns -G 0.018ns/B -S 256KiB\n"
            "slackline predict app.slk --topology fat-tree:k=16,tiers=3 --pairs\n"
            "slackline predict app.slk --collectives allreduce=ring --format json\n"
            "slackline predict run1.slk --also run2.slk --also run3.slk --bootstrap 200\n"
            "slackline predict app.goal --model loggops -g 100ns -S 4096",
            UnderLauncher::all_work},
    Command{"Predict", "sensitivity", "run time as a function of latency, overhead or bandwidth",
            setup_report_command<SensitivityRequest>,
            "slackline sensitivity slackline-trace --from 3us --to 13us\n"
            "slackline sensitivity app.slk --param G --to 1ns/B --format csv\n"
            "slackline sensitivity app.slk --compare allreduce=recursive_doubling --compare "
            "allreduce=ring",
            UnderLauncher::all_work},
    Command{"Predict", "tolerance", "latency at which a run is 1, 2 or 5 % slower",
            setup_report_command<ToleranceRequest>,
            "slackline tolerance slackline-trace\n"
            "slackline tolerance app.slk --degrade 1%,2%,5% -L 3us --overhead 500ns -G 0.018ns/B\n"
            "slackline tolerance app.slk --param G --format json\n"
            "slackline tolerance app.slk --topology dragonfly.toml --param L:inter-group\n"
            "slackline tolerance app.slk --region L,G --degrade 1%\n"
            "slackline tolerance run1.slk --also run2.slk --also run3.slk --bootstrap 200",
            UnderLauncher::all_work},
    Command{"Predict", "simulate", "simulate a run on a platform with network contention",
            setup_simulate,
            "slackline simulate app.slk --platform cluster.xml\n"
            "slackline simulate trace.ti --platform p.xml --hostfile hosts --options smpi.txt\n"
            "slackline simulate app.slk --platform p.toml --map block --collectives ompi\n"
            "slackline simulate app.slk --platform p.xml --sweep bandwidth=0.5,1,2,latency=1,10\n"
            "slackline simulate app.slk --platform p.xml --tolerance bandwidth@backbone\n"
            "slackline simulate --platform cluster.xml -n 16 --trace run.slk -- ./app"},
    Command{"Predict", "place", "optimise the placement of ranks on nodes",
            setup_report_command<PlaceRequest>,
            "slackline place app.slk --topology fat-tree:k=16,tiers=3 --openmpi ranks.txt\n"
            "slackline place app.slk --ranks-per-node 4 --hosts nodes.txt --slurm hosts.txt\n"
            "slackline place app.slk --topology cluster.toml --placement hosts.txt"},
    Command{"Improve", "advise", "changes that would shorten the run most, ranked by their gain",
            setup_advise,
            "slackline advise app.slk\n"
            "slackline advise app.slk --count 3 --format json\n"
            "slackline advise app.slk --network shared-memory\n"
            "slackline advise app.slk --verify -- mpirun -n 4"},
    Command{"Improve", "gains", "gain in run time from faster functions, ranks and operations",
            setup_report_command<GainsRequest>,
            "slackline gains app.slk\n"
            "slackline gains app.slk --call-paths --format json\n"
            "slackline gains app.slk -L 10us --format csv"},
    Command{"Improve", "whatif", "run time after a change: load balance, fewer messages, noise",
            setup_report_command<WhatifRequest>,
            "slackline whatif app.slk --set 'balance'\n"
            "slackline whatif app.slk --set 'scale factor=0.5 ranks=0-1'\n"
            "slackline whatif app.slk --set 'remove-messages max-bytes=2KiB' --format json\n"
            "slackline whatif app.slk --set 'remove operation=allreduce' --network ideal\n"
            "slackline whatif app.slk scenario.toml --platform cluster.xml\n"
            "slackline whatif app.slk scenario.toml --save edited.slk",
            UnderLauncher::first_works, actions_help},
    Command{"Improve", "replay", "re-enact a trace under MPI in real time, edited or as it was",
            setup_replay,
            "slackline replay app.slk -- mpirun -n 4\n"
            "slackline replay app.slk --set 'balance' -o balanced.slk -- mpirun -n 4\n"
            "slackline replay app.slk --export app.skeleton\n"
            "slackline replay app.slk --print-command -- mpirun -n 4\n"
            "slackline replay app.slk --repeat 3 --format json -- mpirun -n 4",
            UnderLauncher::each_works},
    Command{"Compare", "diff", "differences of two runs by metric, call path and rank",
            setup_report_command<DiffRequest>,
            "slackline diff before.slk after.slk\n"
            "slackline diff app.slk app.slk --on-b predicted --format json\n"
            "slackline diff before.slk after.slk --more-a before-2.slk --more-b after-2.slk"},
    Command{"Compare", "check", "whether a new version is slower than is allowed (exit status 3)",
            setup_check,
            "slackline check base/ new/\n"
            "slackline check base.json new-1.json new-2.json --more-base base-2.json "
            "--max-slowdown 5%\n"
            "slackline check base/ new/ --min-parallel-efficiency .8 -o check.xml"},
    Command{"Compare", "history", "efficiencies by commit, and the commits that changed them",
            setup_report_command<HistoryRequest>,
            "slackline history summaries -o history.html\n"
            "slackline history summaries --commits commits.txt --badge efficiency.svg\n"
            "slackline history summaries --since 2026-11-20 --worst 20 -o week.html\n"
            "slackline history summaries --runs jobs.sqlite"},
    Command{"Machine", "calibrate", "measure latency, overhead and bandwidth of this machine",
            setup_calibrate,
            "slackline calibrate --seconds 5 -- mpirun -n 2\n"
            "slackline calibrate -o shm.toml --seconds 5 --report shm.html -- mpirun -n 2\n"
            "slackline calibrate --samples machine.samples --format json",
            UnderLauncher::each_works},
    Command{"Machine", "inject", "run an MPI job with added network latency or limited bandwidth",
            setup_inject,
            "slackline inject --latency 10us -- mpirun -n 2 ./app\n"
            "slackline inject --latency 5us --bandwidth 1GB/s -- mpirun -n 4 ./app\n"
            "slackline inject --latency 10us -- slackline record -- mpirun -n 2 ./app",
            UnderLauncher::each_works},
    Command{"Machine", "validate", "compare predictions with runs under injected latency",
            setup_validate,
            "slackline validate --latencies 0,20us --repeat 2 --seconds 1 -- mpirun -n 2 ./app\n"
            "slackline validate --report v.html --latencies 50us --repeat 2 --seconds 1 -- mpirun "
            "-n 2 ./app",
            UnderLauncher::each_works},
    Command{"Machine", "platform", "show a simulation platform and its routes",
            setup_report_command<PlatformRequest>,
            "slackline platform show cluster.xml\n"
            "slackline platform show fat-tree.toml --route node-0 node-17"},
    Command{"Other", "completion", "print a shell completion script", setup_completion,
            "source <(slackline completion bash)\n"
            "slackline completion zsh > \"${fpath[1]}/_slackline\"\n"
            "slackline completion fish | source"},
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

CommandAction setup_check(OptionList& options) {
  auto command = std::make_shared<ReportCommand<CheckRequest>>();
  command->output.has_checks = true;
  declare(options, command->request);
  declare(options, command->output);
  return [command] { return report_on(*command); };
}

CommandAction setup_convert(OptionList& options) {
  auto command = std::make_shared<ReportCommand<ConvertRequest>>();
  declare(options, command->request);
  options.add("--format", command->output.format, "Format of the summary",
              {.choices = {"text", "json"}});
  options.add("-q,--quiet", command->output.quiet, "Suppress messages");
  return [command] {
    const Report report = execute(command->request);
    OutputOptions summary = command->output;
    if (is_standard_output(command->request.out)) {
      summary.file = "/dev/stderr";
      summary.quiet = true;  // nothing else may follow the trace
    }
    if (!command->output.quiet) write_report(report, summary);
    return 0;
  };
}

namespace {

struct PrintCommand {
  PrintRequest request{};
  OutputOptions output{};
};

int print_trace(const PrintCommand& command) {
  const OpenedTrace opened = load(command.request);
  OutputSink sink(command.output);
  print(opened, command.request, [&](std::string_view text) { sink.write(text); });
  sink.finish();
  return 0;
}

}  // namespace

CommandAction setup_print(OptionList& options) {
  auto command = std::make_shared<PrintCommand>();
  declare(options, command->request);
  options.add("-o,--output FILE", command->output.file, "Output file (default: standard output)");
  return [command] { return print_trace(*command); };
}

}  // namespace slackline
