#include "formats/paraver/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "formats/paraver/event_values.h"
#include "formats/paraver/mpi_values.h"
#include "formats/paraver/names.h"

namespace slackline::paraver {
namespace {

struct State {
  int number;
  std::string_view name;
  std::string_view color;
};

constexpr std::array kStates{
    State{0, "Idle", "{117,195,255}"},
    State{1, "Running", "{0,0,255}"},
    State{2, "Not created", "{255,255,255}"},
    State{3, "Waiting a message", "{255,0,0}"},
    State{4, "Blocking Send", "{255,0,174}"},
    State{5, "Synchronization", "{179,0,0}"},
    State{6, "Test/Probe", "{0,255,0}"},
    State{7, "Scheduling and Fork/Join", "{255,255,0}"},
    State{8, "Wait/WaitAll", "{235,0,0}"},
    State{9, "Blocked", "{0,162,0}"},
    State{10, "Immediate Send", "{255,0,255}"},
    State{11, "Immediate Receive", "{100,100,177}"},
    State{12, "I/O", "{172,174,41}"},
    State{13, "Group Communication", "{255,144,26}"},
    State{14, "Tracing Disabled", "{2,255,177}"},
    State{15, "Others", "{192,224,0}"},
    State{16, "Send Receive", "{66,66,66}"},
    State{25, "One-sided op", "{116,116,116}"},
};

struct EventType {
  std::int64_t type;
  std::string_view label;
};

constexpr std::array kMpiTypes{
    EventType{kPointToPoint, "MPI Point-to-point"},
    EventType{kCollective, "MPI Collective Comm"},
    EventType{kOther, "MPI Other"},
    EventType{kOneSided, "MPI One-sided"},
    EventType{kIo, "MPI I/O"},
};

using Out = std::back_insert_iterator<std::string>;

std::set<Operation> operations_of(const Trace& trace) {
  std::set<Operation> used;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) used.insert(calls.operation(i));
  }
  return used;
}

void mpi_types(const Trace& trace, Out out) {
  const std::set<Operation> used = operations_of(trace);
  for (const EventType& type : kMpiTypes) {
    std::map<std::int64_t, Operation> values;
    for (const Operation operation : used) {
      const EventValue value = event_value(operation);
      if (value.type == type.type) values.emplace(value.value, operation);
    }
    if (values.empty()) continue;
    fmt::format_to(out, "EVENT_TYPE\n9    {}    {}\nVALUES\n", type.type, type.label);
    for (const auto& [value, operation] : values) {
      fmt::format_to(out, "{}   {}\n", value, mpi_name(operation));
    }
    fmt::format_to(out, "0   Outside MPI\n\n\n");
  }
}

// The .pcf and .row are lines; a name may not break them.
std::string one_line(std::string name) {
  for (char& c : name) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return name;
}

// One window over the timeline of threads: what the modules compute from states and events.
std::string window_cfg(std::string_view name, std::string_view thread_function,
                       std::string_view types, std::string_view compose) {
  constexpr std::string_view kRule =
      "################################################################################\n";
  return fmt::format(
      "#ParaverCFG\nConfigFile.Version: 3.4\nConfigFile.NumWindows: 1\n\n\n"
      "{0}< NEW DISPLAYING WINDOW {1} >\n{0}"
      "window_name {1}\nwindow_type single\nwindow_id 1\n"
      "window_position_x 100\nwindow_position_y 100\nwindow_width 900\nwindow_height 300\n"
      "window_comm_lines_enabled true\nwindow_flags_enabled false\nwindow_noncolor_mode true\n"
      "window_logical_filtered true\nwindow_physical_filtered false\n"
      "window_comm_fromto true\nwindow_comm_tagsize true\nwindow_comm_typeval true\n"
      "window_units Nanoseconds\nwindow_maximum_y 200.000000000000\n"
      "window_minimum_y 0.000000000000\nwindow_compute_y_max true\nwindow_level thread\n"
      "window_scale_relative 1.000000000000\nwindow_end_time_relative 1.000000000000\n"
      "window_object appl {{ 1, {{ All }} }}\nwindow_begin_time_relative 0.000000000000\n"
      "window_open true\nwindow_drawmode draw_maximum\nwindow_drawmode_rows draw_maximum\n"
      "window_pixel_size 1\nwindow_labels_to_draw 1\n"
      "window_selected_functions {{ 14, {{ {{cpu, Active Thd}}, {{appl, Adding}}, {{task, "
      "Adding}}, "
      "{{thread, {2}}}, {{node, Adding}}, {{system, Adding}}, {{workload, Adding}}, {{from_obj, "
      "All}}, "
      "{{to_obj, All}}, {{tag_msg, All}}, {{size_msg, All}}, {{bw_msg, All}}, {{evt_type, {3}}}, "
      "{{evt_value, All}} }} }}\n"
      "window_compose_functions {{ 9, {{ {{compose_cpu, As Is}}, {{compose_appl, As Is}}, "
      "{{compose_task, As Is}}, {{compose_thread, {4}}}, {{compose_node, As Is}}, "
      "{{compose_system, As Is}}, {{compose_workload, As Is}}, {{topcompose1, As Is}}, "
      "{{topcompose2, As Is}} }} }}\n",
      kRule, name, thread_function, types.empty() ? "All" : "=", compose);
}

}  // namespace

Nodes nodes_of(const Trace& trace) {
  Nodes nodes;
  std::map<std::string, std::size_t> index;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const auto [at, is_new] = index.emplace(trace.rank_info(rank).host, nodes.names.size());
    if (is_new) {
      nodes.names.push_back(at->first);
      nodes.processors.push_back(0);
    }
    ++nodes.processors[at->second];
    nodes.of_rank.push_back(at->second);
  }
  return nodes;
}

std::string pcf_text(const Trace& trace) {
  std::string text =
      "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
      "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
      "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"
      "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\nSTATES\n";
  const Out out(text);
  for (const State& s : kStates) fmt::format_to(out, "{}    {}\n", s.number, s.name);
  fmt::format_to(out, "\n\nSTATES_COLOR\n");
  for (const State& s : kStates) fmt::format_to(out, "{}    {}\n", s.number, s.color);
  fmt::format_to(out, "\n\n");
  mpi_types(trace, out);
  fmt::format_to(out,
                 "EVENT_TYPE\n1    {}    Send Size in MPI Global OP\n"
                 "1    {}    Recv Size in MPI Global OP\n1    {}    Root in MPI Global OP\n"
                 "1    {}    Communicator in MPI Global OP\n\n\n",
                 kSendSize, kReceiveSize, kRootFlag, kCommunicator);
  fmt::format_to(out,
                 "EVENT_TYPE\n1    {}    Element size in MPI Global OP\n"
                 "1    {}    Contribution by rank in MPI Global OP\n"
                 "1    {}    Bytes in MPI Global OP\n\n\n",
                 kElementSize, kContribution, kBytes);
  if (!trace.info().mpi_library.empty()) {
    fmt::format_to(out, "EVENT_TYPE\n9    {}    MPI library\nVALUES\n1   {}\n\n\n", kMpiLibrary,
                   one_line(trace.info().mpi_library));
  }
  fmt::format_to(out, "EVENT_TYPE\n6    {}    Application\nVALUES\n0      End\n1      Begin\n\n\n",
                 kApplication);
  if (!trace.counters().empty()) {
    fmt::format_to(out, "EVENT_TYPE\n");
    for (std::size_t c = 0; c < trace.counters().size(); ++c) {
      const std::string& name = trace.counters()[c];
      fmt::format_to(out, "7    {}    {}\n", counter_type(name, c), one_line(name));
    }
    fmt::format_to(out, "\n\n");
  }
  if (!trace.regions().empty()) {
    fmt::format_to(out, "EVENT_TYPE\n0    {}    User function\nVALUES\n0   End\n", kUserFunction);
    for (std::size_t i = 0; i < trace.regions().size(); ++i) {
      fmt::format_to(out, "{}   {}\n", i + 1, one_line(trace.regions()[i]));
    }
    fmt::format_to(out, "\n\n");
  }
  return text;
}

std::string row_text(const Trace& trace, const Nodes& nodes,
                     std::span<const std::uint32_t> threads) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "LEVEL CPU SIZE {}\n", trace.ranks());
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    fmt::format_to(out, "{}.{}\n", rank + 1, one_line(trace.rank_info(rank).host));
  }
  fmt::format_to(out, "\nLEVEL NODE SIZE {}\n", nodes.names.size());
  for (const std::string& name : nodes.names) fmt::format_to(out, "{}\n", one_line(name));
  std::uint64_t all = 0;
  for (const std::uint32_t count : threads) all += count;
  fmt::format_to(out, "\nLEVEL THREAD SIZE {}\n", all);
  for (std::size_t rank = 0; rank < threads.size(); ++rank) {
    for (std::uint32_t thread = 1; thread <= threads[rank]; ++thread) {
      fmt::format_to(out, "THREAD 1.{}.{}\n", rank + 1, thread);
    }
  }
  return text;
}

std::string mpi_calls_cfg() {
  std::string cfg = window_cfg("MPI call", "Last Evt Val", "=", "Stacked Val");
  cfg +=
      "window_filter_module evt_type 5 50000001 50000002 50000003 50000004 50000005\n"
      "window_filter_module evt_type_label 5 \"MPI Point-to-point\" \"MPI Collective Comm\" "
      "\"MPI Other\" \"MPI One-sided\" \"MPI I/O\"\n";
  return cfg;
}

std::string user_functions_cfg() {
  return window_cfg("User functions", "Last Evt Val", "=", "Stacked Val") +
         fmt::format(
             "window_filter_module evt_type 1 {0}\n"
             "window_filter_module evt_type_label 1 \"User function\"\n",
             kUserFunction);
}

std::string useful_duration_cfg() {
  std::string cfg = window_cfg("Useful duration", "Useful", "", "As Is");
  const std::string_view function = "{thread, Useful}";
  cfg.replace(cfg.find(function), function.size(), "{thread, State Record Dur.}");
  cfg += "window_semantic_module thread State Record Dur. { 1, { 1 1.000000000000 } }\n";
  return cfg;
}

}  // namespace slackline::paraver
