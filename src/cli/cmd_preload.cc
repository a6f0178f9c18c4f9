#include <memory>
#include <string>
#include <vector>

#include "cli/call_path_options.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "jobs/record/record.h"

namespace slackline {
namespace {

struct PreloadCommandOptions {
  std::string output = "slackline-trace";
  CallPathChoice call_paths{};
  std::string sample;
  bool yield = false;
  std::vector<std::string> command;
};

int run_preload(const PreloadCommandOptions& options) {
  PreloadOptions preload{
      .output = options.output, .call_paths = options.call_paths, .yield = options.yield};
  preload.call_paths.sample_hz = parse_sample_rate(options.sample, preload.call_paths.mode);
  if (!options.command.empty()) exec_preloaded(preload, options.command);
  write_stdout(preload_script(preload));
  return 0;
}

}  // namespace

Run setup_preload(CommandParser& parser) {
  auto options = std::make_shared<PreloadCommandOptions>();
  parser.add_option("-o,--output", options->output, "Folder for the recordings of the ranks")
      ->type_name("DIR")
      ->capture_default_str();
  parser.add_flag("--yield", options->yield,
                  "Let waiting MPICH ranks yield the CPU (for more ranks than cores)");
  add_call_paths(parser, options->call_paths, options->sample);
  parser.add_option("command", options->command,
                    "After '--': program to execute; without it, shell commands are printed");
  examples(parser,
           {"eval \"$(slackline preload -o run1)\"; srun ./app; slackline record --finish run1",
            "mpirun -n 4 slackline preload -o run1 -- ./app"});
  return [options] { return run_preload(*options); };
}

}  // namespace slackline
