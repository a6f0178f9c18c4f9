#include "bindings/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/requests/advise.h"
#include "app/requests/history.h"
#include "app/requests/model_requests.h"
#include "app/requests/platform.h"
#include "app/requests/query.h"
#include "app/requests/report.h"
#include "app/requests/run_requests.h"
#include "app/requests/simulate.h"
#include "app/requests/trace_requests.h"
#include "base/error.h"
#include "base/input_file.h"
#include "report/command_names.h"

namespace slackline::python {
namespace {

template <class Request>
Request filled(Arguments& arguments) {
  Request request;
  OptionList options;
  declare(options, request);
  arguments.fill(options);
  return request;
}

template <class Request>
std::function<Report()> prepare(Arguments& arguments, bool pictures) {
  auto request = filled<Request>(arguments);
  if constexpr (requires { request.pictures; }) request.pictures = pictures;
  return [request] {
    const ReadFiles inputs;
    return execute(request);
  };
}

template <class Request>
std::function<Report(const LoadedGraph&)> prepare_on_graph(Arguments& arguments) {
  return [request = filled<Request>(arguments)](const LoadedGraph& loaded) {
    return execute(request, loaded);
  };
}

template <class Request>
void look_at_options(const std::function<void(const OptionList&)>& look) {
  Request request;
  OptionList options;
  declare(options, request);
  look(options);
}

template <class Request>
constexpr ReportingCommand command(std::string_view name) {
  return {name, prepare<Request>, look_at_options<Request>};
}

template <class Request>
constexpr ReportingCommand on_graph_too(std::string_view name) {
  return {name, prepare<Request>, look_at_options<Request>, prepare_on_graph<Request>};
}

constexpr std::array kCommands{
    command<ReportRequest>("report"),
    command<InfoRequest>("info"),
    command<QueryRequest>("query"),
    command<ConvertRequest>("convert"),
    command<EfficiencyRequest>("efficiency"),
    command<WaitStatesRequest>("waits"),
    on_graph_too<CriticalPathRequest>("path"),
    command<HotspotsRequest>("hotspots"),
    command<MonitorRequest>("phases"),
    on_graph_too<PredictRequest>("predict"),
    on_graph_too<SensitivityRequest>("sensitivity"),
    on_graph_too<ToleranceRequest>("tolerance"),
    command<SimulateRequest>("simulate"),
    command<PlaceRequest>("place"),
    command<AdviseRequest>("advise"),
    on_graph_too<GainsRequest>("gains"),
    command<WhatifRequest>("whatif"),
    command<DiffRequest>("diff"),
    command<CheckRequest>("check"),
    command<HistoryRequest>("history"),
    command<PlatformRequest>("platform"),
};

}  // namespace

std::span<const ReportingCommand> reporting_commands() {
  return kCommands;
}

const ReportingCommand& command_named(std::string_view name) {
  const auto* const found =
      std::ranges::find(kCommands, present_command_name(name), &ReportingCommand::name);
  if (found != kCommands.end()) return *found;
  throw usage_error(fmt::format("cannot run '{}'", name), "no such command answers with a report",
                    "slackline.commands() lists those that do.");
}

}  // namespace slackline::python
