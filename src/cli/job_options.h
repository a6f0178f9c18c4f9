#pragma once

#include <string>

#include "app/options/option_list.h"
#include "jobs/record/record.h"

// Declarations of the options that commands share which start jobs.

namespace slackline {

/// --call-paths, --call-path-depth, --counters, --size-limit and --sample, whose value goes through
/// parse_sample_rate().
void declare_call_paths(OptionList& options, CallPathChoice& choice, std::string& sample);

/// --mpi.
void declare_mpi(OptionList& options, std::string& mpi,
                 const std::string& help = "MPI library of the launcher, if not detected");

/// --yield, of recorded jobs.
void declare_yield(OptionList& options, bool& yield);

/// --retries, of measurements that other processes disturb.
void declare_retries(OptionList& options, int& retries);

/// --eager-limit, of jobs with injected latency.
void declare_eager_limit(OptionList& options, std::string& limit);

}  // namespace slackline
