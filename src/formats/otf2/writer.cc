// From a Trace to an OTF2 archive. Events first, then the definitions, which know by then what
// occurs. Everything is named as Score-P names it, because that is what viewers look for.

#include "formats/otf2/otf2.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "formats/findings.h"
#include "formats/otf2/library.h"
#include "formats/otf2/rank_writer.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

struct ArchiveClose {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
using Archive = std::unique_ptr<OTF2_Archive, ArchiveClose>;

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
constexpr OTF2_FlushCallbacks kFlush{flush_always, nullptr};

/// The archive is written beside its place, so that only its name is the user's.
Error write_error(const fs::path& anchor, std::string message) {
  if (message.ends_with('!')) message.pop_back();
  return Error(fmt::format("cannot write '{}'", anchor.filename().string()), message,
               "Free some space or choose another location.");
}

Error write_error(const fs::path& anchor) {
  return write_error(anchor, otf2::QuietLibrary::take_message());
}

void check(OTF2_ErrorCode code, const fs::path& anchor) {
  if (code != OTF2_SUCCESS) throw write_error(anchor);
}

// The library looks for each new location among all that an OTF2_Archive has, so a number of them
// has one of its own, as the processes of a job have that write one archive together: the first
// writes what is not of one location, and the others hear from it what it broadcasts.
constexpr std::size_t kLocationsOfPart = 1024;

struct Process {
  bool first = true;
  std::vector<std::vector<char>>* broadcasts;  // of the first one, which is ahead of the others
  std::size_t heard = 0;
};

std::size_t size_of(OTF2_Type type) {
  switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
      return 1;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
      return 2;
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_DOUBLE:
      return 8;
    default:
      return 4;
  }
}

OTF2_CallbackCode broadcast(void* user, OTF2_CollectiveContext*, void* data, std::uint32_t elements,
                            OTF2_Type type, std::uint32_t) {
  auto* const process = static_cast<Process*>(user);
  auto* const bytes = static_cast<char*>(data);
  const std::size_t size = elements * size_of(type);
  if (process->first) {
    process->broadcasts->emplace_back(bytes, bytes + size);
    return OTF2_CALLBACK_SUCCESS;
  }
  if (process->heard == process->broadcasts->size()) return OTF2_CALLBACK_ERROR;
  const std::vector<char>& value = (*process->broadcasts)[process->heard++];
  if (value.size() != size) return OTF2_CALLBACK_ERROR;
  std::ranges::copy(value, bytes);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode number_of_processes(void*, OTF2_CollectiveContext*, std::uint32_t* size) {
  *size = 2;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode number_of_process(void* user, OTF2_CollectiveContext*, std::uint32_t* number) {
  *number = static_cast<Process*>(user)->first ? 0 : 1;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode barrier(void*, OTF2_CollectiveContext*) {
  return OTF2_CALLBACK_SUCCESS;
}

// The library wants all of them; writing uses those above.
template <class... Arguments>
OTF2_CallbackCode unused(Arguments...) {
  return OTF2_CALLBACK_ERROR;
}

constexpr OTF2_CollectiveCallbacks kCollectives{.otf2_release = nullptr,
                                                .otf2_get_size = number_of_processes,
                                                .otf2_get_rank = number_of_process,
                                                .otf2_create_local_comm = unused,
                                                .otf2_free_local_comm = unused,
                                                .otf2_barrier = barrier,
                                                .otf2_bcast = broadcast,
                                                .otf2_gather = unused,
                                                .otf2_gatherv = unused,
                                                .otf2_scatter = unused,
                                                .otf2_scatterv = unused};

Archive open_for_writing(const fs::path& anchor, Process& process) {
  const fs::path folder = anchor.has_parent_path() ? anchor.parent_path() : fs::path(".");
  // Memory of that size is cleared for each location. A group of all ranks has to fit.
  const std::uint64_t definitions =
      process.first ? OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT : OTF2_CHUNK_SIZE_MIN;
  Archive archive(OTF2_Archive_Open(folder.c_str(), anchor.stem().c_str(), OTF2_FILEMODE_WRITE,
                                    OTF2_CHUNK_SIZE_MIN, definitions, OTF2_SUBSTRATE_POSIX,
                                    OTF2_COMPRESSION_NONE));
  if (!archive) throw write_error(anchor);
  auto* const job =
      reinterpret_cast<OTF2_CollectiveContext*>(&process);  // which is not looked into
  check(OTF2_Archive_SetCollectiveCallbacks(archive.get(), &kCollectives, &process, job, job),
        anchor);
  check(OTF2_Archive_SetFlushCallbacks(archive.get(), &kFlush, nullptr), anchor);
  check(OTF2_Archive_OpenEvtFiles(archive.get()), anchor);
  return archive;
}

// Earliest and latest time of anything that is written.
std::pair<std::int64_t, std::int64_t> span_of(const Trace& trace) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool any = false;
  const auto take = [&](std::int64_t time) {
    first = any ? std::min(first, time) : time;
    last = any ? std::max(last, time) : time;
    any = true;
  };
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    if (!trace.rank_info(r).present && calls.empty()) continue;
    take(calls.start_ns());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      take(calls.begin_ns(i));
      take(calls.end_ns(i));
    }
    for (const RegionEvent& event : calls.regions()) take(event.time_ns);
    for (const Pause& pause : calls.pauses()) take(pause.end_ns);
    take(calls.stop_ns());
  }
  return {first, last};
}

// The events of these locations, which are all of one OTF2_Archive, are written.
void close_part(OTF2_Archive* archive, std::span<const otf2::WrittenLocation> locations,
                const fs::path& anchor) {
  check(OTF2_Archive_CloseEvtFiles(archive), anchor);
  check(OTF2_Archive_OpenDefFiles(archive), anchor);
  for (const otf2::WrittenLocation& location : locations) {
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location.id());
    if (writer == nullptr) throw write_error(anchor);
    check(OTF2_Archive_CloseDefWriter(archive, writer), anchor);
  }
  check(OTF2_Archive_CloseDefFiles(archive), anchor);
}

}  // namespace

Findings write_otf2(const Trace& trace, const fs::path& anchor) {
  const otf2::QuietLibrary quiet;
  const auto [first, last] = span_of(trace);
  const otf2::ArchiveTimes times{first, last};
  const otf2::CommRanks comms(trace);
  otf2::Names names(trace);
  Findings findings;
  findings.add(kFactsLost);
  std::vector<otf2::WrittenLocation> locations;

  std::vector<std::vector<char>> broadcasts;
  Process first_process{true, &broadcasts};
  Archive archive = open_for_writing(anchor, first_process);
  close_part(archive.get(), {}, anchor);
  Process other_process{false, &broadcasts};
  Archive part;
  std::size_t closed = 0;
  const auto close = [&] {
    if (part) close_part(part.get(), std::span(locations).subspan(closed), anchor);
    part.reset();
    closed = locations.size();
    other_process.heard = 0;
  };

  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    otf2::RankWriter writer(trace, rank, comms, times.zero_ticks(), names);
    for (const std::uint16_t thread : writer.threads()) {
      if (locations.size() - closed == kLocationsOfPart) close();
      if (!part) part = open_for_writing(anchor, other_process);
      otf2::WrittenLocation location{rank, thread, 0};
      OTF2_EvtWriter* events = OTF2_Archive_GetEvtWriter(part.get(), location.id());
      if (events == nullptr) throw write_error(anchor);
      location.events = writer.write(events, thread);
      check(OTF2_Archive_CloseEvtWriter(part.get(), events), anchor);
      locations.push_back(location);
    }
    findings.merge(writer.findings());
  }
  close();
  otf2::write_definitions(archive.get(), trace, times, names, locations);
  archive.reset();  // which writes what is left
  if (const std::string problem = otf2::QuietLibrary::take_message(); !problem.empty()) {
    throw write_error(anchor, problem);
  }
  return findings;
}

}  // namespace slackline
