// The library's callbacks: each hands its record on to the LocationReader.

#include "formats/otf2/location_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "formats/otf2/findings.h"
#include "formats/otf2/library.h"

namespace slackline::otf2 {
namespace {

struct Sink {
  const Job* job;
  LocationReader* reader;
  const std::unordered_map<std::uint32_t, Attribute>* attributes;
  Overrides overrides;

  std::int64_t ns(OTF2_TimeStamp time) const { return job->time_ns(time); }
};

Sink& sink(void* user) {
  return *static_cast<Sink*>(user);
}

std::vector<std::int64_t> parse_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc()) break;
    numbers.push_back(value);
    at = rest < end ? rest + 1 : end;
  }
  return numbers;
}

void take_attribute(const Sink& s, Overrides& o, Attribute which, OTF2_AttributeValue value) {
  o.set(which);
  switch (which) {
    case Attribute::flags:
      o.flags = value.uint8;
      return;
    case Attribute::bytes:
      o.bytes = value.uint64;
      return;
    case Attribute::peer:
      o.peer = value.int32;
      return;
    case Attribute::tag:
      o.tag = value.int32;
      return;
    case Attribute::comm:
      o.comm = value.uint32;
      return;
    case Attribute::request:
      o.request = value.uint32;
      return;
    case Attribute::order:
      o.order = value.uint64;
      return;
    case Attribute::position:
      o.position = value.uint64;
      return;
    case Attribute::arg_count:
      o.args.resize(std::min<std::size_t>(value.uint32, kNumberedArguments));
      return;
    case Attribute::args: {
      const auto text = s.job->definitions.strings.find(value.stringRef);
      if (text != s.job->definitions.strings.end()) o.args = parse_numbers(text->second);
      return;
    }
    default: {
      const auto i = static_cast<std::size_t>(which) - static_cast<std::size_t>(Attribute::arg0);
      if (i < o.args.size()) o.args[i] = value.int64;
      return;
    }
  }
}

// Only archives of our own have such attributes; null when this event has none.
const Overrides* overrides(Sink& s, OTF2_AttributeList* list) {
  if (s.attributes->empty() || list == nullptr) return nullptr;
  const std::uint32_t count = OTF2_AttributeList_GetNumberOfElements(list);
  if (count == 0) return nullptr;
  s.overrides = {};
  for (std::uint32_t i = 0; i < count; ++i) {
    OTF2_AttributeRef ref = 0;
    OTF2_Type type = OTF2_TYPE_NONE;
    OTF2_AttributeValue value{};
    if (OTF2_AttributeList_GetAttributeByIndex(list, i, &ref, &type, &value) != OTF2_SUCCESS) break;
    const auto which = s.attributes->find(ref);
    if (which != s.attributes->end()) take_attribute(s, s.overrides, which->second, value);
  }
  return &s.overrides;
}

using Location = OTF2_LocationRef;
using Time = OTF2_TimeStamp;
using Position = std::uint64_t;
using List = OTF2_AttributeList*;

OTF2_CallbackCode on_enter(Location, Time t, Position, void* u, List list, OTF2_RegionRef region) {
  Sink& s = sink(u);
  s.reader->enter(s.ns(t), region, overrides(s, list));
  return kGoOn;
}

OTF2_CallbackCode on_leave(Location, Time t, Position, void* u, List list, OTF2_RegionRef region) {
  Sink& s = sink(u);
  s.reader->leave(s.ns(t), region, overrides(s, list));
  return kGoOn;
}

OTF2_CallbackCode on_send(Location, Time t, Position, void* u, List, std::uint32_t to,
                          OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
  sink(u).reader->send(sink(u).ns(t), {to, comm, tag, bytes});
  return kGoOn;
}

OTF2_CallbackCode on_isend(Location, Time t, Position, void* u, List, std::uint32_t to,
                           OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                           std::uint64_t request) {
  sink(u).reader->isend(sink(u).ns(t), {to, comm, tag, bytes}, request);
  return kGoOn;
}

OTF2_CallbackCode on_isend_complete(Location, Time t, Position, void* u, List,
                                    std::uint64_t request) {
  sink(u).reader->isend_complete(sink(u).ns(t), request);
  return kGoOn;
}

OTF2_CallbackCode on_irecv_request(Location, Time t, Position, void* u, List,
                                   std::uint64_t request) {
  sink(u).reader->irecv_request(sink(u).ns(t), request);
  return kGoOn;
}

OTF2_CallbackCode on_recv(Location, Time t, Position, void* u, List, std::uint32_t from,
                          OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
  sink(u).reader->recv(sink(u).ns(t), {from, comm, tag, bytes});
  return kGoOn;
}

OTF2_CallbackCode on_irecv(Location, Time t, Position, void* u, List, std::uint32_t from,
                           OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                           std::uint64_t request) {
  sink(u).reader->irecv(sink(u).ns(t), {from, comm, tag, bytes}, request);
  return kGoOn;
}

OTF2_CallbackCode on_cancelled(Location, Time t, Position, void* u, List, std::uint64_t request) {
  sink(u).reader->cancelled(sink(u).ns(t), request);
  return kGoOn;
}

OTF2_CallbackCode on_collective_begin(Location, Time t, Position, void* u, List) {
  sink(u).reader->collective_begin(sink(u).ns(t));
  return kGoOn;
}

// OTF2_CollectiveOp's numbers, up to REDUCE_SCATTER_BLOCK; what follows makes or frees handles.
constexpr std::array kCollectives{Operation::barrier,
                                  Operation::bcast,
                                  Operation::gather,
                                  Operation::gatherv,
                                  Operation::scatter,
                                  Operation::scatterv,
                                  Operation::allgather,
                                  Operation::allgatherv,
                                  Operation::alltoall,
                                  Operation::alltoallv,
                                  Operation::alltoallw,
                                  Operation::allreduce,
                                  Operation::reduce,
                                  Operation::reduce_scatter,
                                  Operation::scan,
                                  Operation::exscan,
                                  Operation::reduce_scatter_block};

LocationReader::Collective collective(OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root,
                                      std::uint64_t sent, std::uint64_t received) {
  const Operation operation = op < kCollectives.size() ? kCollectives[op] : Operation::none;
  return {operation, comm, root, sent, received};
}

OTF2_CallbackCode on_collective_end(Location, Time t, Position, void* u, List, OTF2_CollectiveOp op,
                                    OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                    std::uint64_t received) {
  sink(u).reader->collective_end(sink(u).ns(t), collective(op, comm, root, sent, received));
  return kGoOn;
}

OTF2_CallbackCode on_icollective_request(Location, Time t, Position, void* u, List,
                                         std::uint64_t request) {
  sink(u).reader->icollective_request(sink(u).ns(t), request);
  return kGoOn;
}

OTF2_CallbackCode on_icollective_complete(Location, Time t, Position, void* u, List,
                                          OTF2_CollectiveOp op, OTF2_CommRef comm,
                                          std::uint32_t root, std::uint64_t sent,
                                          std::uint64_t received, std::uint64_t request) {
  sink(u).reader->icollective_complete(sink(u).ns(t), collective(op, comm, root, sent, received),
                                       request);
  return kGoOn;
}

OTF2_CallbackCode on_comm_create(Location, Time t, Position, void* u, List, OTF2_CommRef comm) {
  sink(u).reader->comm_create(sink(u).ns(t), comm);
  return kGoOn;
}

OTF2_CallbackCode on_program_begin(Location, Time t, Position, void* u, List, OTF2_StringRef,
                                   std::uint32_t, const OTF2_StringRef*) {
  sink(u).reader->program_begin(sink(u).ns(t));
  return kGoOn;
}

OTF2_CallbackCode on_program_end(Location, Time t, Position, void* u, List, std::int64_t) {
  sink(u).reader->program_end(sink(u).ns(t));
  return kGoOn;
}

OTF2_CallbackCode on_measurement(Location, Time t, Position, void* u, List,
                                 OTF2_MeasurementMode mode) {
  if (mode == OTF2_MEASUREMENT_OFF) sink(u).reader->paused(sink(u).ns(t));
  return kGoOn;
}

OTF2_CallbackCode on_buffer_flush(Location, Time t, Position, void* u, List list, Time until) {
  Sink& s = sink(u);
  s.reader->buffer_flush(s.ns(t), s.ns(until), overrides(s, list));
  return kGoOn;
}

OTF2_CallbackCode on_metric(Location, Time t, Position, void* u, List, OTF2_MetricRef metric,
                            std::uint8_t count, const OTF2_Type*, const OTF2_MetricValue* values) {
  std::array<std::uint64_t, 256> totals{};
  for (std::size_t i = 0; i < count; ++i) totals[i] = values[i].unsigned_int;
  sink(u).reader->metric(sink(u).ns(t), metric, std::span(totals).first(count));
  return kGoOn;
}

struct EventCallbacksDelete {
  void operator()(OTF2_EvtReaderCallbacks* callbacks) const {
    OTF2_EvtReaderCallbacks_Delete(callbacks);
  }
};
using Callbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, EventCallbacksDelete>;

Callbacks make_callbacks() {
  Callbacks callbacks(OTF2_EvtReaderCallbacks_New());
  OTF2_EvtReaderCallbacks* c = callbacks.get();
  OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_complete);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_request);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, on_cancelled);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, on_collective_begin);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_collective_end);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, on_icollective_request);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, on_icollective_complete);
  OTF2_EvtReaderCallbacks_SetCommCreateCallback(c, on_comm_create);
  OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, on_program_begin);
  OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, on_program_end);
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_measurement);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(c, on_buffer_flush);
  OTF2_EvtReaderCallbacks_SetMetricCallback(c, on_metric);
  return callbacks;
}

std::unordered_map<std::uint32_t, Attribute> own_attributes(const Job& job) {
  std::unordered_map<std::uint32_t, Attribute> found;
  if (!job.own) return found;
  for (const auto& [ref, name] : job.definitions.attributes) {
    if (!name.starts_with(kAttributePrefix)) continue;
    const auto* at =
        std::ranges::find(kAttributeNames, std::string_view(name).substr(kAttributePrefix.size()));
    if (at != kAttributeNames.end()) {
      found[ref] = static_cast<Attribute>(at - kAttributeNames.begin());
    }
  }
  return found;
}

// Mapping tables and clock offsets of a location; the library applies them to its events.
void read_local_definitions(OTF2_Reader* reader, std::uint64_t location) {
  OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader, location);
  if (definitions == nullptr) return;
  std::uint64_t read = 0;
  OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseDefReader(reader, definitions);
}

// False when there is nothing to be read, or the events break in the middle.
enum class Outcome { whole, missing, damaged };

Outcome read_location(OTF2_Reader* reader, std::uint64_t location, Sink& s) {
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location);
  if (events == nullptr) return Outcome::missing;
  const Callbacks callbacks = make_callbacks();
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks.get(), &s);
  std::uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
  OTF2_Reader_CloseEvtReader(reader, events);
  return code == OTF2_SUCCESS ? Outcome::whole : Outcome::damaged;
}

// Nothing is kept of a thread without calls of MPI.
void count_if_left_out(const Job& job, std::int32_t rank, std::uint64_t id, LocationCalls& read) {
  if (!read.calls.empty() || !read.first_ns) return;
  const auto at = job.location_index.find(id);
  if (at == job.location_index.end()) return;
  const Definitions::Location& location = job.definitions.locations[at->second];
  read.findings.add(kEmptyLocations, fmt::format("rank {}: '{}' with {} events", rank,
                                                 location.name, location.events));
}

}  // namespace

std::vector<LocationCalls> read_rank_events(const std::filesystem::path& anchor, const Job& job,
                                            const Trace& trace, std::int32_t rank) {
  const auto& ids = job.ranks[static_cast<std::size_t>(rank)].locations;
  const Reader reader = open_archive(anchor);
  for (const std::uint64_t id : ids) OTF2_Reader_SelectLocation(reader.get(), id);
  if (OTF2_Reader_OpenDefFiles(reader.get()) == OTF2_SUCCESS) {
    for (const std::uint64_t id : ids) read_local_definitions(reader.get(), id);
    OTF2_Reader_CloseDefFiles(reader.get());
  }
  OTF2_Reader_OpenEvtFiles(reader.get());
  const auto attributes = own_attributes(job);
  std::vector<LocationCalls> locations;
  locations.reserve(ids.size());
  OpenRequests requests;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto thread = static_cast<std::uint16_t>(job.own ? ids[i] >> 32 : i);
    LocationReader location(job, trace, rank, thread, locations, requests);
    Sink s{&job, &location, &attributes, {}};
    const Outcome outcome = read_location(reader.get(), ids[i], s);
    location.finish();
    if (i > 0) count_if_left_out(job, rank, ids[i], locations.back());
    if (outcome == Outcome::whole) continue;
    locations.back().findings.add(outcome == Outcome::missing ? kMissingEvents : kTruncatedFile,
                                  fmt::format("rank {}, location {}", rank, ids[i]));
  }
  OTF2_Reader_CloseEvtFiles(reader.get());
  return locations;
}

}  // namespace slackline::otf2
