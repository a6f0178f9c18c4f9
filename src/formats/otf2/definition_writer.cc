// Global definitions, in the conventions of Score-P that viewers rely on: a process "MPI Rank n"
// per rank below the node it ran on, "Master thread" and "Thread n", the paradigm MPI.

#include "formats/otf2/rank_writer.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace slackline::otf2 {
namespace {

OTF2_RegionRole role_of(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::send:
    case OperationClass::recv:
    case OperationClass::sendrecv:
    case OperationClass::isend:
    case OperationClass::irecv:
    case OperationClass::request_init:
    case OperationClass::start:
    case OperationClass::completion:
    case OperationClass::request_other:
    case OperationClass::probe:
      return OTF2_REGION_ROLE_POINT2POINT;
    case OperationClass::one_sided:
      return OTF2_REGION_ROLE_RMA;
    case OperationClass::io:
      return OTF2_REGION_ROLE_FILE_IO;
    case OperationClass::collective:
    case OperationClass::icollective:
      break;
    default:
      return OTF2_REGION_ROLE_FUNCTION;
  }
  switch (blocking_form(operation)) {
    case Operation::barrier:
      return OTF2_REGION_ROLE_BARRIER;
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case Operation::scan:
    case Operation::exscan:
      return OTF2_REGION_ROLE_COLL_OTHER;
    default:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
  }
}

OTF2_Type type_of(Attribute attribute) {
  switch (attribute) {
    case Attribute::flags:
      return OTF2_TYPE_UINT8;
    case Attribute::peer:
    case Attribute::tag:
      return OTF2_TYPE_INT32;
    case Attribute::comm:
    case Attribute::request:
    case Attribute::arg_count:
      return OTF2_TYPE_UINT32;
    case Attribute::args:
      return OTF2_TYPE_STRING;
    case Attribute::bytes:
    case Attribute::order:
    case Attribute::position:
      return OTF2_TYPE_UINT64;
    default:
      return OTF2_TYPE_INT64;
  }
}

class DefinitionWriter {
 public:
  DefinitionWriter(OTF2_Archive* archive, const Trace& trace, Names& names)
      : archive_(archive),
        w_(OTF2_Archive_GetGlobalDefWriter(archive)),
        trace_(trace),
        names_(names) {}

  void write(ArchiveTimes times, const std::vector<WrittenLocation>& locations) {
    OTF2_GlobalDefWriter_WriteClockProperties(
        w_, 1'000'000'000, times.first_ticks(),
        static_cast<std::uint64_t>(times.last_ns - times.first_ns), OTF2_UNDEFINED_TIMESTAMP);
    empty_ = text("");
    paradigms();
    attributes();
    system_tree(locations);
    regions();
    groups(locations);
    communicators();
    counters();
    properties(times);
    OTF2_Archive_CloseGlobalDefWriter(archive_, w_);
  }

 private:
  // A string that events did not ask for is defined when it is first needed.
  OTF2_StringRef text(const std::string& value) {
    const OTF2_StringRef ref = names_.text(value);
    for (; written_ < names_.texts().size(); ++written_) {
      OTF2_GlobalDefWriter_WriteString(w_, static_cast<std::uint32_t>(written_),
                                       names_.texts()[written_]->c_str());
    }
    return ref;
  }

  void paradigms() {
    OTF2_GlobalDefWriter_WriteParadigm(w_, OTF2_PARADIGM_MEASUREMENT_SYSTEM, text("MEASUREMENT"),
                                       OTF2_PARADIGM_CLASS_PROCESS);
    OTF2_GlobalDefWriter_WriteParadigm(w_, OTF2_PARADIGM_MPI, text("MPI"),
                                       OTF2_PARADIGM_CLASS_PROCESS);
    OTF2_AttributeValue name{};
    name.stringRef = text("Comm ${id}");
    OTF2_GlobalDefWriter_WriteParadigmProperty(
        w_, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, name);
  }

  void attributes() {
    for (std::uint32_t a = 0; a < kAttributeNames.size(); ++a) {
      OTF2_GlobalDefWriter_WriteAttribute(
          w_, a, text(fmt::format("{}{}", kAttributePrefix, kAttributeNames[a])),
          text("Of a call, where no record says it"), type_of(static_cast<Attribute>(a)));
    }
  }

  void system_tree(const std::vector<WrittenLocation>& locations) {
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w_, 0, text("machine"), text("machine"),
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w_, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    std::map<std::string, std::uint32_t> nodes;
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      const std::string& host = trace_.rank_info(r).host;
      const auto [node, added] = nodes.emplace(host, static_cast<std::uint32_t>(nodes.size()) + 1);
      if (added) {
        OTF2_GlobalDefWriter_WriteSystemTreeNode(w_, node->second, text(host), text("node"), 0);
        OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w_, node->second,
                                                       OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
      }
      OTF2_GlobalDefWriter_WriteLocationGroup(
          w_, static_cast<std::uint32_t>(r), text(fmt::format("MPI Rank {}", r)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second, OTF2_UNDEFINED_LOCATION_GROUP);
    }
    for (const WrittenLocation& location : locations) {
      const std::string name =
          location.thread == 0 ? "Master thread" : fmt::format("Thread {}", location.thread);
      OTF2_GlobalDefWriter_WriteLocation(w_, location.id(), text(name),
                                         OTF2_LOCATION_TYPE_CPU_THREAD, location.events,
                                         static_cast<std::uint32_t>(location.rank));
    }
  }

  void region(std::uint32_t ref, const std::string& name, OTF2_RegionRole role,
              OTF2_Paradigm paradigm, OTF2_StringRef file) {
    const OTF2_StringRef name_ref = text(name);
    OTF2_GlobalDefWriter_WriteRegion(w_, ref, name_ref, name_ref, empty_, role, paradigm,
                                     OTF2_REGION_FLAG_NONE, file, 0, 0);
  }

  void regions() {
    for (std::uint32_t op = 0; op < kOperationCount; ++op) {
      const auto operation = static_cast<Operation>(op);
      if (!names_.occurs(operation)) continue;
      const std::string name =
          operation == Operation::none ? "MPI call" : std::string(mpi_name(operation));
      region(names_.region(operation), name, role_of(operation), OTF2_PARADIGM_MPI, text("MPI"));
    }
    for (std::uint32_t i = 0; i < trace_.regions().size(); ++i) {
      region(names_.user_region(i), trace_.regions()[i], OTF2_REGION_ROLE_FUNCTION,
             OTF2_PARADIGM_USER, OTF2_UNDEFINED_STRING);
    }
    const std::string& line = trace_.info().program;
    region(names_.program(), line.empty() ? "program" : line.substr(0, line.find(' ')),
           OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_UNDEFINED_STRING);
  }

  void group(std::uint32_t ref, OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    OTF2_GlobalDefWriter_WriteGroup(w_, ref, empty_, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                    static_cast<std::uint32_t>(members.size()), members.data());
  }

  static std::vector<std::uint64_t> wide(const std::vector<std::int32_t>& members) {
    return {members.begin(), members.end()};
  }

  void groups(const std::vector<WrittenLocation>& locations) {
    std::vector<std::uint64_t> masters;
    for (const WrittenLocation& location : locations) {
      if (location.thread == 0) masters.push_back(location.id());
    }
    group(kLocationsGroup, OTF2_GROUP_TYPE_COMM_LOCATIONS, masters);
    group(kWorldGroup, OTF2_GROUP_TYPE_COMM_GROUP, wide(trace_.communicators()[0].members));
    group(kSelfGroup, OTF2_GROUP_TYPE_COMM_SELF, {});
    std::uint32_t next = kSelfGroup + 1;
    for (std::size_t c = 2; c < trace_.communicators().size(); ++c) {
      const Communicator& comm = trace_.communicators()[c];
      groups_.push_back(next);
      group(next++, OTF2_GROUP_TYPE_COMM_GROUP, wide(comm.members));
      if (comm.is_inter()) group(next++, OTF2_GROUP_TYPE_COMM_GROUP, wide(comm.remote));
    }
  }

  void communicators() {
    OTF2_GlobalDefWriter_WriteComm(w_, kCommWorld, text("MPI_COMM_WORLD"), kWorldGroup,
                                   OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(w_, kCommSelf, text("MPI_COMM_SELF"), kSelfGroup,
                                   OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    for (std::uint32_t c = 2; c < trace_.communicators().size(); ++c) {
      const Communicator& comm = trace_.communicators()[c];
      if (comm.is_inter()) {
        OTF2_GlobalDefWriter_WriteInterComm(w_, c, text(comm.name), groups_[c - 2],
                                            groups_[c - 2] + 1, kCommWorld, OTF2_COMM_FLAG_NONE);
      } else {
        OTF2_GlobalDefWriter_WriteComm(w_, c, text(comm.name), groups_[c - 2], OTF2_UNDEFINED_COMM,
                                       OTF2_COMM_FLAG_NONE);
      }
    }
  }

  void counters() {
    const auto count = static_cast<std::uint8_t>(written_counters(trace_));
    if (count == 0) return;
    std::vector<OTF2_MetricMemberRef> members;
    for (std::uint32_t c = 0; c < count; ++c) {
      OTF2_GlobalDefWriter_WriteMetricMember(w_, c, text(trace_.counters()[c]),
                                             text("Gained outside of MPI calls"),
                                             OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ACCUMULATED_START,
                                             OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, text("#"));
      members.push_back(c);
    }
    OTF2_GlobalDefWriter_WriteMetricClass(w_, kCounters, count, members.data(),
                                          OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
  }

  void property(std::string_view name, const std::string& value) {
    if (value.empty()) return;
    OTF2_Archive_SetProperty(archive_, std::string(name).c_str(), value.c_str(), true);
  }

  void properties(ArchiveTimes times) {
    const TraceInfo& info = trace_.info();
    OTF2_Archive_SetCreator(archive_, "slackline");
    property(kVersionProperty, "1");
    property(kTimedProperty, trace_.timed() ? "true" : "false");
    property(kZeroProperty, fmt::format("{}", times.zero_ticks()));
    property(kProgramProperty, info.program);
    property(kRecorderProperty, info.recorder);
    property(kMpiProperty, info.mpi_library);
    property(kMpiVersionProperty, info.mpi_version);
    property(kStartedProperty, info.started);
    if (info.flops_per_second > 0) {
      property(kFlopsProperty, fmt::format("{}", info.flops_per_second));
    }
  }

  OTF2_Archive* archive_;
  OTF2_GlobalDefWriter* w_;
  const Trace& trace_;
  Names& names_;
  std::size_t written_ = 0;
  OTF2_StringRef empty_ = 0;
  std::vector<std::uint32_t> groups_;  // of communicator c: at c - 2
};

}  // namespace

void write_definitions(OTF2_Archive* archive, const Trace& trace, ArchiveTimes times, Names& names,
                       const std::vector<WrittenLocation>& locations) {
  DefinitionWriter(archive, trace, names).write(times, locations);
}

}  // namespace slackline::otf2
