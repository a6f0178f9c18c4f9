#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/job_options.h"
#include "cli/output.h"
#include "jobs/record/record.h"

namespace slackline {
namespace {

struct PreloadCommandOptions {
  std::string output = "slackline-trace";
  CallPathChoice call_paths{};
  std::string sample;
  std::string shell = "sh";
  bool yield = false;
  std::vector<std::string> command;
};

int run_preload(const PreloadCommandOptions& options) {
  PreloadOptions preload{
      .output = options.output, .call_paths = options.call_paths, .yield = options.yield};
  preload.call_paths.sample_hz = parse_sample_rate(options.sample, preload.call_paths.mode);
  if (!options.command.empty()) exec_preloaded(preload, options.command);
  write_stdout(preload_script(preload, options.shell == "csh" ? ShellKind::csh : ShellKind::posix));
  return 0;
}

}  // namespace

CommandAction setup_preload(OptionList& options) {
  auto wanted = std::make_shared<PreloadCommandOptions>();
  options.add("-o,--output DIR", wanted->output, "Folder for the recordings of the ranks");
  declare_yield(options, wanted->yield);
  declare_call_paths(options, wanted->call_paths, wanted->sample);
  options.add("--shell", wanted->shell, "Shell that is to read the printed commands",
              {.choices = {"sh", "csh"}});
  options.add("command", wanted->command,
              "After '--': program to execute; without it, shell commands are printed");
  return [wanted] { return run_preload(*wanted); };
}

}  // namespace slackline
