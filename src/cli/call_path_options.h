#pragma once

#include <string>

#include "cli/command_parser.h"
#include "cli/record/record.h"

namespace slackline {

/// --call-paths, --call-path-depth, --counters and --sample, whose value goes through
/// parse_sample_rate().
inline void add_call_paths(CommandParser& parser, CallPathChoice& choice, std::string& sample) {
  parser
      .add_option("--call-paths", choice.mode,
                  "Of where the program calls MPI record nothing, the function only, or all")
      ->one_of({"none", "site", "full"})
      ->capture_default_str();
  parser.add_option("--call-path-depth", choice.depth, "At most so many functions of a call path")
      ->type_name("N")
      ->in_range(1, 256)
      ->capture_default_str();
  parser
      .add_option("--sample", sample,
                  "Sample where the ranks compute, so often per second of CPU time, or not at all "
                  "(off); default: 200Hz, with call paths")
      ->type_name("[RATE]")
      ->optional_value("200Hz");
  parser
      .add_option("--counters", choice.counters,
                  "Of computation count nothing, what the system counts, or the processor's events "
                  "too")
      ->one_of({"none", "software", "hardware"})
      ->capture_default_str();
}

}  // namespace slackline
