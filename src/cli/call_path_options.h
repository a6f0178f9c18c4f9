#pragma once

#include <string>

#include "cli/command_parser.h"
#include "jobs/record/record.h"

namespace slackline {

/// --call-paths, --call-path-depth, --counters and --sample, whose value goes through
/// parse_sample_rate().
inline void add_call_paths(CommandParser& parser, CallPathChoice& choice, std::string& sample) {
  parser
      .add_option("--call-paths", choice.mode,
                  "Call paths to record: none, site (calling function) or full")
      ->one_of({"none", "site", "full"})
      ->capture_default_str();
  parser.add_option("--call-path-depth", choice.depth, "Maximum depth of recorded call paths")
      ->type_name("N")
      ->in_range(1, 256)
      ->capture_default_str();
  parser
      .add_option("--sample", sample,
                  "Sampling frequency of computation per second of CPU time, or off (default: "
                  "200Hz, with full call paths)")
      ->type_name("[RATE]")
      ->optional_value("200Hz");
  parser
      .add_option("--counters", choice.counters, "Counters to record: none, software or hardware")
      ->one_of({"none", "software", "hardware"})
      ->capture_default_str();
}

}  // namespace slackline
