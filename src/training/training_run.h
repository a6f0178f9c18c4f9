#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"

namespace slackline {

// What the profiler of a training framework recorded of each rank. A location is a thread of the
// CPU or a stream of the GPU (doc/decisions/0020-training-traces.md). All times are nanoseconds of
// the rank's clock, which its threads and streams share.

/// No launch, no collective, no name.
inline constexpr std::uint32_t kNotRecorded = std::numeric_limits<std::uint32_t>::max();

/// Part of the names of annotations in which a data loader is waited for.
inline constexpr std::string_view kDataLoader = "DataLoader";

/// A time interval, the end excluded.
struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t duration_ns() const { return end_ns - begin_ns; }
  bool operator==(const TimeSpan&) const = default;
};

enum class GpuWork : std::uint8_t {
  computation,    ///< any other kernel
  communication,  ///< a kernel that moves data between GPUs (communication_names.h)
  copy,           ///< memory copied or set
};

/// Something that ran on a stream.
struct GpuActivity {
  TimeSpan time{};
  GpuWork work = GpuWork::computation;
  std::uint32_t location = 0;
  std::uint32_t name = kNotRecorded;  ///< in ProfiledRank::names
  std::uint32_t launch =
      kNotRecorded;  ///< in ProfiledRank::runtime_calls; kNotRecorded: not recorded
  std::uint32_t collective =
      kNotRecorded;  ///< in ProfiledRank::collectives; kNotRecorded: not described
};

/// What newer profiles say of a collective's kernel.
struct CollectiveDetail {
  std::string operation{};  ///< "allreduce"
  std::string group{};      ///< name of the process group
  std::string data_type{};
  std::uint64_t in_elements = 0;
  std::uint64_t out_elements = 0;
  std::int32_t group_size = 0;        ///< 0: not said
  std::vector<std::int32_t> ranks{};  ///< of the group; empty: not said
  std::int32_t source = -1;           ///< rank that a receive is from; -1: not said
  std::int32_t target = -1;           ///< rank that a send is to; -1: not said
};

/// A call of the CUDA or HIP runtime or driver.
struct RuntimeCall {
  TimeSpan time{};
  std::uint32_t location = 0;
  std::uint32_t name = kNotRecorded;
  bool synchronises = false;  ///< returns when the GPU has finished something
};

enum class CpuRangeKind : std::uint8_t { operation, annotation, module };

/// An operator, an annotation or a frame of an `nn.Module`, on a thread.
struct CpuRange {
  TimeSpan time{};
  CpuRangeKind kind = CpuRangeKind::operation;
  std::uint32_t location = 0;
  std::uint32_t name = kNotRecorded;
};

/// One iteration as the profiler's schedule annotates it.
struct ProfiledStep {
  std::int64_t number = 0;
  TimeSpan time{};  ///< on the CPU
};

/// A thread or a stream.
struct TrainingLocation {
  bool stream = false;
  std::int64_t id = 0;      ///< of the thread or the stream, as the profile has it
  std::int64_t device = 0;  ///< GPU of a stream; each has streams of its own

  auto operator<=>(const TrainingLocation&) const = default;
};

struct ProfiledRank {
  std::int32_t rank = 0;
  std::vector<std::string> names{};
  std::vector<TrainingLocation> locations{};
  std::vector<GpuActivity> gpu{};            ///< by begin
  std::vector<RuntimeCall> runtime_calls{};  ///< by begin
  std::vector<CpuRange> cpu{};               ///< by begin, the longer first
  std::vector<ProfiledStep> steps{};         ///< by begin
  std::vector<CollectiveDetail> collectives{};

  std::int64_t device_of(const GpuActivity& activity) const {
    return locations[activity.location].device;
  }
  std::string_view name(std::uint32_t id) const {
    return id == kNotRecorded ? std::string_view() : std::string_view(names[id]);
  }
};

/// The GPUs of a rank that ran kernels, ascending: none where the profile is of the CPU only, or of
/// a device whose work is not recorded. Copies alone make no GPU of the run. O(n log n).
std::vector<std::int64_t> devices_of(const ProfiledRank& rank);

/// The times of one GPU's activities of a kind. O(n).
std::vector<TimeSpan> times_of(const ProfiledRank& rank, GpuWork work, std::int64_t device);

/// "thread 12", "stream 7", or "GPU 1, stream 7" where the rank has streams of several GPUs.
std::string location_name(const ProfiledRank& rank, std::uint32_t location);

/// From the first begin to the last end of anything that was recorded of the rank; 0 to 0 of
/// nothing. O(n).
TimeSpan whole_profile(const ProfiledRank& rank);

struct TrainingRun {
  std::vector<ProfiledRank> ranks{};  ///< ascending; not all need be there
  std::int32_t world_size = 0;
  Findings findings{};
};

/// Whether any rank has a GPU that ran kernels.
bool has_gpu(const TrainingRun& run);

/// Ascending intervals that neither overlap nor touch; none is empty.
using TimeSpans = std::vector<TimeSpan>;

/// The time that any of `all`, in any order, covers. O(n log n).
TimeSpans united(std::vector<TimeSpan> all);
/// What of `a` is not in `b`. O(a + b).
TimeSpans without(const TimeSpans& a, const TimeSpans& b);
/// What is in both. O(a + b).
TimeSpans common(const TimeSpans& a, const TimeSpans& b);
/// What of `all` is in `window`. O(log n + those in the window).
TimeSpans clipped(const TimeSpans& all, const TimeSpan& window);

std::int64_t total_ns(const TimeSpans& all);

}  // namespace slackline
