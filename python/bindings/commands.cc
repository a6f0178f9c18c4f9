#include "bindings/commands.h"

#include <array>

#include "app/requests/advise.h"
#include "app/requests/convert.h"
#include "app/requests/critical_path.h"
#include "app/requests/diff.h"
#include "app/requests/efficiency.h"
#include "app/requests/gains.h"
#include "app/requests/hotspots.h"
#include "app/requests/info.h"
#include "app/requests/monitor.h"
#include "app/requests/place.h"
#include "app/requests/platform.h"
#include "app/requests/predict.h"
#include "app/requests/query.h"
#include "app/requests/report.h"
#include "app/requests/sensitivity.h"
#include "app/requests/simulate.h"
#include "app/requests/tolerance.h"
#include "app/requests/wait_states.h"
#include "app/requests/whatif.h"

namespace slackline::python {
namespace {

constexpr std::int64_t kMostShown = 1'000'000;  // as the command line has it

void fill(InfoRequest& request, Arguments& arguments) {
  arguments("trace", request.trace);
  python::fill(request.reading, arguments);
}

void fill(QueryRequest& request, Arguments& arguments) {
  arguments("trace", request.trace);
  python::fill(request.reading, arguments);
  arguments("sql", request.sql);
}

void fill(ConvertRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  arguments("out", request.out);
  arguments.one_of("to", request.to, writable_formats());
  arguments("force", request.force);
  arguments("predicted", request.predicted);
  arguments.one_of("arrows", request.arrows, {"path", "all", "none"});
}

void fill(PredictRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  python::fill(request.loggops, arguments);
  arguments("left", request.left);
  arguments("pairs", request.pairs);
  arguments("also", request.also);
  arguments("bootstrap", request.bootstrap);
  arguments("seed", request.seed);
}

void fill(SensitivityRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  python::fill(request.loggops, arguments);
  arguments("cache", request.cache.where);
  arguments("no_cache", request.cache.none);
  arguments.in_range("points", request.points, 2, 100'000);
  arguments("param", request.parameter);
  arguments("from_", request.from);
  arguments("to", request.to);
  arguments("pairs", request.pairs);
  arguments("compare", request.compare);
  arguments("scale", request.scales);
  arguments("at", request.at);
}

void fill(ToleranceRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  python::fill(request.loggops, arguments);
  arguments("cache", request.cache.where);
  arguments("no_cache", request.cache.none);
  arguments("param", request.parameter);
  arguments("degrade", request.degradations);
  arguments("region", request.region);
  arguments("also", request.also);
  arguments("bootstrap", request.bootstrap);
  arguments("seed", request.seed);
}

void fill(CriticalPathRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  python::fill(request.platform, arguments);
  arguments("on", request.on);
  arguments("algorithm", request.algorithm);
  arguments("delta", request.delta);
  arguments("threshold", request.threshold);
}

void fill(SimulateRequest& request, Arguments& arguments) {
  arguments("trace", request.trace);
  python::fill(request.machine, arguments);
  arguments("model", request.machine.model);
  arguments("collectives", request.machine.collectives);
  arguments.one_of("computation", request.computation, {"auto", "wall", "cpu"});
  arguments.in_range("links", request.links, 0, kMostShown);
  arguments.in_range("slowed", request.slowed, 0, kMostShown);
  arguments("actions", request.actions);
  arguments("timed", request.timed);
  arguments("sweep", request.sweep);
  arguments("tolerance", request.tolerance);
  arguments("degrade", request.degradations);
}

void fill(PlatformRequest& request, Arguments& arguments) {
  arguments.one_of("action", request.action, {"show"});
  arguments("file", request.file);
  arguments("route", request.route);
  arguments("rows", request.rows);
}

void fill(EfficiencyRequest& request, Arguments& arguments) {
  python::fill(request.run, arguments);
  if (!request.run.trace.empty()) request.traces.push_back(request.run.trace);
  arguments("traces", request.traces);
  arguments("collective_causality", request.causality);
  arguments("rendezvous_from", request.rendezvous);
  arguments("scaling", request.scaling);
  arguments("interval", request.interval);
}

void fill(WaitStatesRequest& request, Arguments& arguments) {
  python::fill(request.run, arguments);
  arguments("interval", request.interval);
}

void fill(HotspotsRequest& request, Arguments& arguments) {
  python::fill(request.run, arguments);
  arguments("by", request.by);
  arguments("interval", request.interval);
  arguments("rows", request.rows);
}

void fill(MonitorRequest& request, Arguments& arguments) {
  python::fill(request.run, arguments);
  arguments("rank", request.rank);
  arguments.in_range("windows", request.windows, 8, 4096);
  arguments("collective_causality", request.causality);
  arguments("rendezvous_from", request.rendezvous);
  arguments("interval", request.interval);
}

void fill(PlaceRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  arguments("openmpi", request.openmpi);
  arguments("mpich", request.mpich);
  arguments("slurm", request.slurm);
  arguments("restarts", request.restarts);
  arguments("evaluations", request.evaluations);
  arguments("seed", request.seed);
  bool no_scotch = false;
  arguments("no_scotch", no_scotch);
  request.scotch = !no_scotch;
}

void fill(WhatifRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  python::fill(request.platform, arguments);
  arguments("scenario", request.scenario);
  arguments("set", request.edits);
  arguments("save", request.save);
}

void fill(GainsRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  arguments("call_paths", request.call_paths);
}

void fill(AdviseRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  arguments.in_range("count", request.count, 1);
}

void fill(DiffRequest& request, Arguments& arguments) {
  python::fill(request.run, arguments);
  arguments("a", request.a);
  arguments("b", request.b);
  arguments("more_a", request.more_a);
  arguments("more_b", request.more_b);
  arguments("on_b", request.on_b);
  arguments.in_range("count", request.count, 1);
}

void fill(ReportRequest& request, Arguments& arguments) {
  python::fill(request.input, arguments);
  python::fill(request.input.network, arguments);
  python::fill(request.machine, arguments);
  arguments("other", request.other);
  arguments("degrade", request.degradations);
  arguments("compare", request.compare);
  arguments("links", request.links);
  arguments("interval", request.interval);
  arguments("section", request.sections);
}

template <class Request>
std::function<Report()> prepare(Arguments& arguments, bool pictures) {
  Request request;
  fill(request, arguments);
  if constexpr (requires { request.pictures; }) request.pictures = pictures;
  return [request] { return execute(request); };
}

template <class Request>
std::function<Report(const LoadedGraph&)> prepare_on_graph(Arguments& arguments) {
  Request request;
  fill(request, arguments);
  return [request](const LoadedGraph& loaded) { return execute(request, loaded); };
}

template <class Request>
constexpr ReportingCommand on_graph_too(std::string_view name) {
  return {name, prepare<Request>, prepare_on_graph<Request>};
}

constexpr std::array kCommands{
    ReportingCommand{"report", prepare<ReportRequest>},
    ReportingCommand{"info", prepare<InfoRequest>},
    ReportingCommand{"query", prepare<QueryRequest>},
    ReportingCommand{"convert", prepare<ConvertRequest>},
    ReportingCommand{"efficiency", prepare<EfficiencyRequest>},
    ReportingCommand{"waits", prepare<WaitStatesRequest>},
    on_graph_too<CriticalPathRequest>("path"),
    ReportingCommand{"hotspots", prepare<HotspotsRequest>},
    ReportingCommand{"phases", prepare<MonitorRequest>},
    on_graph_too<PredictRequest>("predict"),
    on_graph_too<SensitivityRequest>("sensitivity"),
    on_graph_too<ToleranceRequest>("tolerance"),
    ReportingCommand{"simulate", prepare<SimulateRequest>},
    ReportingCommand{"place", prepare<PlaceRequest>},
    ReportingCommand{"advise", prepare<AdviseRequest>},
    on_graph_too<GainsRequest>("gains"),
    ReportingCommand{"whatif", prepare<WhatifRequest>},
    ReportingCommand{"diff", prepare<DiffRequest>},
    ReportingCommand{"platform", prepare<PlatformRequest>},
};

}  // namespace

std::span<const ReportingCommand> reporting_commands() {
  return kCommands;
}

}  // namespace slackline::python
