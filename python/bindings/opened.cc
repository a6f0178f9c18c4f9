#include "bindings/opened.h"

#include <utility>

#include "app/load/input.h"
#include "trace/trace_builder.h"

namespace slackline::python {

const CallPaths& Opened::paths() const {
  const std::lock_guard lock(mutex_);
  if (!paths_) {
    paths_ = std::make_unique<const CallPaths>(CallPaths::of_regions_or_functions(trace()));
  }
  return *paths_;
}

const CallPaths& Opened::function_paths() const {
  const std::lock_guard lock(mutex_);
  if (!function_paths_) {
    function_paths_ = std::make_unique<const CallPaths>(CallPaths::of_functions(trace()));
  }
  return *function_paths_;
}

const CallMatching& Opened::matching() const {
  const std::lock_guard lock(mutex_);
  if (!matching_) {
    matching_ =
        opened().matching ? opened().matching : std::make_shared<const CallMatching>(trace());
  }
  return *matching_;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    names.emplace_back(i == 0 ? std::string_view("") : mpi_name(static_cast<Operation>(i)));
  }
  return names;
}

namespace {

LoadedRun load(const RunRequest& request) {
  if (!request.on.empty()) return load_run(request);
  OpenedTrace opened = open_input(request.trace, open_options(request.reading));
  const char* const on = opened.trace.timed() ? "measured" : "";
  return LoadedRun{std::move(opened), on};
}

}  // namespace

OpenedPtr open_run(const RunRequest& request) {
  LoadedRun run = load(request);
  TraceBuilder joined = std::move(run.opened.trace);
  joined.join_columns();
  run.opened.trace = std::move(joined).build();
  return std::make_shared<Opened>(std::move(run));
}

}  // namespace slackline::python
