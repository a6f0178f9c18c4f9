#include "formats/perfetto/track_events.h"

namespace slackline {

void TrackEvents::intern(ProtoMessage& data, std::uint32_t field, std::uint64_t iid,
                         std::string_view name) {
  ProtoMessage entry;
  entry.varint(interned::kIid, iid);
  entry.bytes(interned::kName, name);
  data.bytes(field, entry.view());
}

void TrackEvents::names(const ProtoMessage& data) {
  emit(packet::kInternedData, data, kIncrementalStateCleared);
}

void TrackEvents::describe(const ProtoMessage& track) {
  emit(packet::kTrackDescriptor, track, kNeedsIncrementalState);
}

void TrackEvents::describe_process(std::uint64_t uuid, std::uint64_t pid, std::string_view name) {
  ProtoMessage process;
  process.varint(track::kProcessPid, pid);
  process.bytes(track::kProcessName, name);
  ProtoMessage descriptor;
  descriptor.varint(track::kUuid, uuid);
  descriptor.bytes(track::kProcess, process.view());
  describe(descriptor);
}

void TrackEvents::describe_thread(std::uint64_t uuid, std::uint64_t pid, std::uint64_t tid,
                                  std::string_view name) {
  ProtoMessage thread;
  thread.varint(track::kThreadPid, pid);
  thread.varint(track::kThreadTid, tid);
  thread.bytes(track::kThreadName, name);
  ProtoMessage descriptor;
  descriptor.varint(track::kUuid, uuid);
  descriptor.bytes(track::kThread, thread.view());
  describe(descriptor);
}

void TrackEvents::describe_counter(std::uint64_t uuid, std::string_view name) {
  ProtoMessage descriptor;
  descriptor.varint(track::kUuid, uuid);
  descriptor.bytes(track::kName, name);
  descriptor.bytes(track::kCounter, {});
  describe(descriptor);
}

void TrackEvents::describe_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name) {
  ProtoMessage descriptor;
  descriptor.varint(track::kUuid, uuid);
  descriptor.bytes(track::kName, name);
  if (parent != 0) descriptor.varint(track::kParent, parent);
  describe(descriptor);
}

ProtoMessage& TrackEvents::event(std::int64_t ns, std::uint64_t type, std::uint64_t uuid) {
  packet_.varint(packet::kTimestamp, static_cast<std::uint64_t>(ns - zero_ns_));
  event_.clear();
  event_.varint(event::kType, type);
  event_.varint(event::kTrackUuid, uuid);
  return event_;
}

ProtoMessage& TrackEvents::begin(std::int64_t ns, std::uint64_t uuid, std::uint64_t name_iid,
                                 std::string_view category) {
  event(ns, event::kSliceBegin, uuid);
  event_.varint(event::kNameIid, name_iid);
  event_.bytes(event::kCategory, category);
  return event_;
}

ProtoMessage& TrackEvents::end(std::int64_t ns, std::uint64_t uuid) {
  return event(ns, event::kSliceEnd, uuid);
}

ProtoMessage& TrackEvents::count(std::int64_t ns, std::uint64_t uuid, double value) {
  event(ns, event::kCounterValue, uuid);
  event_.real(event::kDoubleCounter, value);
  return event_;
}

void TrackEvents::write() {
  emit(packet::kTrackEvent, event_, kNeedsIncrementalState);
}

void TrackEvents::emit(std::uint32_t field, const ProtoMessage& content, std::uint64_t flags) {
  packet_.bytes(field, content.view());
  packet_.varint(packet::kSequence, kSequenceId);
  packet_.varint(packet::kSequenceFlags, flags);
  append_bytes(file_.text(), packet::kInTrace, packet_.view());
  packet_.clear();
}

}  // namespace slackline
