// The library reads the archive; what is ours begins at its records. The input is a list of records
// of two locations of one rank of three, four bytes each: kind, two numbers, and the time's
// advance.

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check_trace.h"
#include "formats/otf2/location_reader.h"
#include "fuzz.h"
#include "trace/trace_builder.h"

namespace {

using namespace slackline;
using namespace slackline::otf2;

constexpr std::uint32_t kRegions = kOperationCount + 6;

Job make_job(bool own) {
  Job job;
  job.own = own;
  job.ranks.resize(3);
  for (std::uint32_t i = 0; i < kRegions; ++i) {
    Definitions::Region region;
    region.order = i;
    region.name = "region " + std::to_string(i);
    if (i < kOperationCount) {
      region.kind = Definitions::RegionKind::mpi;
      region.operation = static_cast<Operation>(i);
    } else if (i == kOperationCount) {
      region.kind = Definitions::RegionKind::artificial;
    }
    job.definitions.regions[i] = region;
  }
  for (std::uint32_t c = 0; c < 4; ++c) job.comms[c] = {c};
  job.counters = {"instructions", "cycles"};
  job.metrics[0] = {0, Job::kNoCounter, 1};
  return job;
}

TraceBuilder make_empty(const Job& job) {
  TraceBuilder trace(3, true);
  trace.add_communicator({{2, 0}, {}, "pair"});
  trace.add_communicator({{0}, {1, 2}, "bridge"});
  for (std::uint32_t i = 0; i < kRegions; ++i) trace.region_id(job.definitions.regions.at(i).name);
  return trace;
}

void feed(LocationReader& reader, std::uint8_t kind, std::uint8_t a, std::uint8_t b,
          std::int64_t time) {
  const LocationReader::Peer peer{b % 4u, a % 6u, b, std::uint64_t{a} << (b % 64u)};
  const std::uint64_t request = a % 16u == 15 ? ~std::uint64_t{b} : a % 16u;
  const LocationReader::Collective what{static_cast<Operation>(b % kOperationCount), a % 6u,
                                        b < 128 ? b % 4u : 0xffffffffu - b % 4u, a, b};
  switch (kind % 18) {
    case 0:
    case 1:
      return reader.enter(time, (a + 256u * (b % 2u)) % (kRegions + 1));
    case 2:
    case 3:
      return reader.leave(time, (a + 256u * (b % 2u)) % (kRegions + 1));
    case 4:
      return reader.send(time, peer);
    case 5:
      return reader.isend(time, peer, request);
    case 6:
      return reader.recv(time, peer);
    case 7:
      return reader.irecv_request(time, request);
    case 8:
      return reader.irecv(time, peer, request);
    case 9:
      return reader.isend_complete(time, request);
    case 10:
      return reader.cancelled(time, request);
    case 11:
      return reader.collective_begin(time);
    case 12:
      return reader.collective_end(time, what);
    case 13:
      return reader.icollective_request(time, request);
    case 14:
      return reader.icollective_complete(time, what, request);
    case 15:
      return reader.comm_create(time, a % 6u);
    case 16:
      return reader.program_end(time);
    default:
      break;
  }
  const std::array<std::uint64_t, 3> totals{b, time > 0 ? static_cast<std::uint64_t>(time) : 0, a};
  switch (b % 4) {
    case 0:
      return reader.paused(time);
    case 1:
      return reader.buffer_flush(time, time + a);
    default:
      return reader.metric(time, b % 8 / 4, std::span(totals).first(a % 4));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kRecord = 4;
  if (size == 0) return 0;
  static const Job theirs = make_job(false);
  static const Job ours = make_job(true);
  const Job& job = data[0] % 2 == 1 ? ours : theirs;
  TraceBuilder trace = make_empty(job);
  const std::size_t records = (size - 1) / kRecord;
  std::vector<LocationCalls> locations;
  locations.reserve(2);
  OpenRequests requests;
  for (std::size_t half = 0; half < 2; ++half) {
    LocationReader reader(job, trace, 0, static_cast<std::uint16_t>(half), locations, requests);
    std::int64_t time = 0;
    for (std::size_t i = half * records / 2; i < (half + 1) * records / 2; ++i) {
      const std::uint8_t* r = data + 1 + i * kRecord;
      time += static_cast<std::int8_t>(r[3]);
      feed(reader, r[0], r[1], r[2], time);
    }
    reader.finish();
  }
  RankCallsRead rank = merge_locations(std::move(locations));
  trace.findings().merge(rank.findings);
  trace.calls(0) = std::move(rank.calls);
  fuzz::check_trace(std::move(trace));
  return 0;
}
