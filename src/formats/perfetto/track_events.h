#pragma once

#include <cstdint>
#include <string_view>

#include "base/file.h"
#include "formats/perfetto/protobuf.h"

namespace slackline {

// Field numbers of perfetto/trace/trace_packet.proto and track_event/*.proto.

namespace packet {
inline constexpr std::uint32_t kInTrace = 1;
inline constexpr std::uint32_t kTimestamp = 8;
inline constexpr std::uint32_t kSequence = 10;
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kInternedData = 12;
inline constexpr std::uint32_t kSequenceFlags = 13;
inline constexpr std::uint32_t kTrackDescriptor = 60;
}  // namespace packet

namespace track {
inline constexpr std::uint32_t kUuid = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kProcess = 3;
inline constexpr std::uint32_t kThread = 4;
inline constexpr std::uint32_t kParent = 5;
inline constexpr std::uint32_t kCounter = 8;
inline constexpr std::uint32_t kProcessPid = 1;
inline constexpr std::uint32_t kProcessName = 6;
inline constexpr std::uint32_t kThreadPid = 1;
inline constexpr std::uint32_t kThreadTid = 2;
inline constexpr std::uint32_t kThreadName = 5;
}  // namespace track

namespace event {
inline constexpr std::uint32_t kAnnotation = 4;
inline constexpr std::uint32_t kType = 9;
inline constexpr std::uint32_t kNameIid = 10;
inline constexpr std::uint32_t kTrackUuid = 11;
inline constexpr std::uint32_t kCategory = 22;
inline constexpr std::uint32_t kDoubleCounter = 44;
inline constexpr std::uint32_t kFlow = 47;
inline constexpr std::uint32_t kTerminatingFlow = 48;
inline constexpr std::uint64_t kSliceBegin = 1;
inline constexpr std::uint64_t kSliceEnd = 2;
inline constexpr std::uint64_t kCounterValue = 4;
}  // namespace event

namespace interned {
inline constexpr std::uint32_t kEventNames = 2;
inline constexpr std::uint32_t kAnnotationNames = 3;
inline constexpr std::uint32_t kIid = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kAnnotationNameIid = 1;
inline constexpr std::uint32_t kAnnotationInt = 4;
}  // namespace interned

inline constexpr std::uint64_t kSequenceId = 1;
inline constexpr std::uint64_t kIncrementalStateCleared = 1;
inline constexpr std::uint64_t kNeedsIncrementalState = 2;

/// Appends packets to a piece of a file: descriptions of tracks, and what happens on them. Numbers
/// of tracks (uuid) and of interned names (iid) are the caller's, from 1 on.
class TrackEvents {
 public:
  /// `zero_ns` becomes 0: Perfetto's times are unsigned.
  TrackEvents(FilePiece& file, std::int64_t zero_ns) : file_(file), zero_ns_(zero_ns) {}

  /// Adds a name to `data`, which is to be given to names().
  static void intern(ProtoMessage& data, std::uint32_t field, std::uint64_t iid,
                     std::string_view name);
  /// The first packet of a file.
  void names(const ProtoMessage& data);

  void describe_process(std::uint64_t uuid, std::uint64_t pid, std::string_view name);
  /// Numbers of threads differ from one another, and the first one's is its process's.
  void describe_thread(std::uint64_t uuid, std::uint64_t pid, std::uint64_t tid,
                       std::string_view name);
  void describe_counter(std::uint64_t uuid, std::string_view name);
  /// Below the track `parent`; 0: below none.
  void describe_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name);

  /// Begins an event, to which fields may be added until write().
  ProtoMessage& begin(std::int64_t ns, std::uint64_t uuid, std::uint64_t name_iid,
                      std::string_view category);
  ProtoMessage& end(std::int64_t ns, std::uint64_t uuid);
  ProtoMessage& count(std::int64_t ns, std::uint64_t uuid, double value);
  /// Writes the event that begin(), end() or count() has made.
  void write();
  void flush() { file_.flush(); }

 private:
  ProtoMessage& event(std::int64_t ns, std::uint64_t type, std::uint64_t uuid);
  void describe(const ProtoMessage& track);
  void emit(std::uint32_t field, const ProtoMessage& content, std::uint64_t flags);

  FilePiece& file_;
  std::int64_t zero_ns_;
  ProtoMessage packet_, event_;
};

}  // namespace slackline
