#include "cli/job_options.h"

namespace slackline {

void declare_call_paths(OptionList& options, CallPathChoice& choice, std::string& sample) {
  options.add("--call-paths", choice.mode,
              "Call paths to record: none, site (calling function) or full",
              {.choices = {"none", "site", "full"}});
  options.add("--call-path-depth N", choice.depth, "Maximum depth of recorded call paths",
              {.range = OptionRange{1, 256}});
  options.add("--sample [RATE]", sample,
              "Sampling frequency of computation per second of CPU time, or off (default: 200Hz, "
              "with full call paths)",
              {.value_if_alone = "200Hz"});
  options.add("--counters", choice.counters, "Counters to record: none, software or hardware",
              {.choices = {"none", "software", "hardware"}});
  options.add("--size-limit SIZE", choice.size_limit,
              "Size at which the recording of a thread ends; later calls are counted (default: "
              "none)");
}

void declare_mpi(OptionList& options, std::string& mpi, const std::string& help) {
  options.add("--mpi", mpi, help, {.choices = {"openmpi", "mpich"}});
}

void declare_yield(OptionList& options, bool& yield) {
  options.add("--yield", yield,
              "Let waiting MPICH ranks yield the CPU (for more ranks than cores)");
}

void declare_retries(OptionList& options, int& retries) {
  options.add("--retries N", retries,
              "Maximum repeats of a run that other processes disturb; first wait until they end",
              {.range = OptionRange{0, 100}});
}

void declare_eager_limit(OptionList& options, std::string& limit) {
  options.add("--eager-limit SIZE", limit, "Largest message without a rendezvous");
}

}  // namespace slackline
