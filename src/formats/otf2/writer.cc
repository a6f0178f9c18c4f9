// From a Trace to an OTF2 archive. Events first, then the definitions, which know by then what
// occurs. Everything is named as Score-P names it, because that is what viewers look for.

#include "formats/otf2/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "formats/otf2/definition_writer.h"
#include "formats/otf2/library.h"
#include "formats/otf2/rank_writer.h"
#include "formats/writer_findings.h"

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

Error write_error(const fs::path& anchor) {
  return Error(fmt::format("cannot write '{}'", anchor.string()),
               otf2::QuietLibrary::take_message());
}

void check(OTF2_ErrorCode code, const fs::path& anchor) {
  if (code != OTF2_SUCCESS) throw write_error(anchor);
}

Archive open_for_writing(const fs::path& anchor) {
  const fs::path folder = anchor.has_parent_path() ? anchor.parent_path() : fs::path(".");
  Archive archive(OTF2_Archive_Open(
      folder.c_str(), anchor.stem().c_str(), OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
      OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
  if (!archive) throw write_error(anchor);
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive.get()), anchor);
  check(OTF2_Archive_SetFlushCallbacks(archive.get(), &kFlush, nullptr), anchor);
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

void write_empty_local_definitions(OTF2_Archive* archive,
                                   const std::vector<otf2::WrittenLocation>& locations,
                                   const fs::path& anchor) {
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
  const Archive archive = open_for_writing(anchor);
  const auto [first, last] = span_of(trace);
  const otf2::ArchiveTimes times{first, last};
  const otf2::CommRanks comms(trace);
  otf2::Names names(trace);
  Findings findings;
  findings.add(kFactsLost);
  std::vector<otf2::WrittenLocation> locations;

  check(OTF2_Archive_OpenEvtFiles(archive.get()), anchor);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    otf2::RankWriter writer(trace, rank, comms, times.zero_ticks(), names);
    for (const std::uint16_t thread : writer.threads()) {
      otf2::WrittenLocation location{rank, thread, 0};
      OTF2_EvtWriter* events = OTF2_Archive_GetEvtWriter(archive.get(), location.id());
      if (events == nullptr) throw write_error(anchor);
      location.events = writer.write(events, thread);
      check(OTF2_Archive_CloseEvtWriter(archive.get(), events), anchor);
      locations.push_back(location);
    }
    findings.merge(writer.findings());
  }
  check(OTF2_Archive_CloseEvtFiles(archive.get()), anchor);
  write_empty_local_definitions(archive.get(), locations, anchor);
  otf2::write_definitions(archive.get(), trace, times, names, locations);
  if (const std::string problem = otf2::QuietLibrary::take_message(); !problem.empty()) {
    throw Error(fmt::format("cannot write '{}'", anchor.string()), problem);
  }
  return findings;
}

}  // namespace slackline
