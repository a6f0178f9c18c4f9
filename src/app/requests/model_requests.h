#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/options/model_options.h"
#include "app/options/run_request.h"
#include "parallel/process_group.h"

namespace slackline {

class OptionList;
struct LoadedGraph;
struct Report;

/// The run time under a network, and what it depends on.
struct PredictRequest {
  ModelRequest input{.reading = {bytes_per_call::kPredict}};
  LogGOPSOptions loggops{};
  bool left = false;                ///< left derivatives where several paths are equally long
  bool pairs = false;               ///< sensitivity by pairs of ranks, too
  std::vector<std::string> also{};  ///< other runs of the program, for intervals
  std::size_t bootstrap = 0;        ///< replicates with resampled computation
  std::uint64_t seed = 1;           ///< of the resampling
  std::string linear_program{};     ///< file to write it to; empty: none
};
void declare(OptionList& options, PredictRequest& request);

/// Several processes share the work where the answer is the same to the bit; only the first one
/// gets the report. Throws Error.
Report execute(const PredictRequest& request, ProcessGroup& group = this_process());
/// The same of a graph that is there; what the request says of trace and model is not used.
Report execute(const PredictRequest& request, const LoadedGraph& loaded);

/// The run time as a function of one parameter of the model.
struct SensitivityRequest {
  ModelRequest input{.reading = {bytes_per_call::kSensitivity}};
  LogGOPSOptions loggops{};
  CacheOptions cache{};
  std::size_t points = 11;      ///< latencies to simulate under LogGOPS
  std::string parameter = "L";  ///< L, o, G, of some messages as L:inter-group or L[3][7]; or S
  std::string from = "0";       ///< begin of the interval, in the parameter's unit
  std::string to{};             ///< its end; empty: ten times the model's own value
  bool pairs = false;           ///< sensitivity by pairs of ranks, too
  std::vector<std::string> compare{};  ///< rules of collective algorithms, a curve each
  std::vector<std::string> scales{};   ///< with `compare`: traces on other numbers of ranks
  /// The program recorded under other latencies, each as "app.slk:dL=10us"; without ":dL=" under
  /// the same.
  std::vector<std::string> also{};
  std::vector<std::string> at{};  ///< with parameter S: the thresholds
  std::size_t samples = 0;        ///< runs with resampled computation, for a distribution of T
  std::uint64_t seed = 1;         ///< of the resampling
  std::vector<std::string> degradations{};  ///< of the distribution, as "1%"; empty: 1 %, 2 %, 5 %
  /// The first SIGINT during the search for critical values ends that, and what it has found is
  /// reported. For callers that own the process.
  bool keep_on_interrupt = false;
};
void declare(OptionList& options, SensitivityRequest& request);

/// Several processes share the work where the answer is the same to the bit; only the first one
/// gets the report. Throws Error.
Report execute(const SensitivityRequest& request, ProcessGroup& group = this_process());
/// The same of a graph that is there; what the request says of trace and model is not used.
Report execute(const SensitivityRequest& request, const LoadedGraph& loaded);

/// How far a parameter of the model may grow before the run is that much slower.
struct ToleranceRequest {
  ModelRequest input{.reading = {bytes_per_call::kTolerance}};
  LogGOPSOptions loggops{};  ///< refused when it asks for LogGOPS
  CacheOptions cache{};
  std::string parameter = "L";  ///< L, o or G, of some messages as L:inter-group or L[3][7]
  std::vector<std::string> degradations{};  ///< as "1%"; empty: 1 %, 2 %, 5 %
  std::vector<std::string> region{};        ///< two parameters that vary together
  std::vector<std::string> also{};          ///< other runs of the program, for an interval
  std::size_t bootstrap = 0;                ///< replicates with resampled computation
  std::uint64_t seed = 1;                   ///< of the resampling
};
void declare(OptionList& options, ToleranceRequest& request);

/// Several processes share the work where the answer is the same to the bit; only the first one
/// gets the report. Throws Error.
Report execute(const ToleranceRequest& request, ProcessGroup& group = this_process());
/// The same of a graph that is there; what the request says of trace and model is not used.
Report execute(const ToleranceRequest& request, const LoadedGraph& loaded);

/// A search for a faster placement of ranks on nodes. `input.network` says how nodes are connected
/// or how many ranks share one.
struct PlaceRequest {
  ModelRequest input{.reading = {bytes_per_call::kPlace}};
  std::uint32_t restarts = 8;         ///< from the best placement after random swaps
  std::uint32_t evaluations = 2'000;  ///< placements whose makespan is computed, at most
  std::uint64_t seed = 1;             ///< of the random swaps
  bool no_scotch = false;             ///< do not begin from Scotch's mappings
  // Files to write the placement to; empty: none.
  std::string openmpi{};  ///< for mpirun --rankfile
  std::string mpich{};    ///< for MPICH's mpiexec -f
  std::string slurm{};    ///< for SLURM_HOSTFILE
};
void declare(OptionList& options, PlaceRequest& request);

/// Writes the files that are named. Throws Error.
Report execute(const PlaceRequest& request);

/// What the run would gain if regions or ranks computed less.
struct GainsRequest {
  ModelRequest input{.reading = {bytes_per_call::kGains}};
  bool call_paths = false;  ///< of every call path, too
};
void declare(OptionList& options, GainsRequest& request);

/// Throws Error.
Report execute(const GainsRequest& request);
/// The same of a graph that is there; what the request says of trace and model is not used.
Report execute(const GainsRequest& request, const LoadedGraph& loaded);

/// A program before and after some edits, both under the model or on a platform.
struct WhatifRequest {
  ModelRequest input{.reading = {bytes_per_call::kWhatif}};
  std::string scenario{};            ///< a scenario file; empty: only `edits`
  std::vector<std::string> edits{};  ///< "balance region=solve", after those of the file
  PlatformOptions platform{};        ///< to simulate both on; not given: the LogGPS model
  LogGOPSOptions loggops{};          ///< to simulate both under as well
  std::string save{};                ///< a file for the edited program; empty: none
};
void declare(OptionList& options, WhatifRequest& request);

/// Throws Error.
Report execute(const WhatifRequest& request);

/// Names of all actions and what they do, for help.
std::vector<std::pair<std::string, std::string>> edit_summaries();

}  // namespace slackline
