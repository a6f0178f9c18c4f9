#include "formats/raw/shared_channels.h"

#include <fmt/format.h>

#include "formats/raw/findings.h"
#include "trace/start_groups.h"

namespace slackline::raw {

void SharedChannels::take(const Call& call) {
  switch (operation_class(call.operation)) {
    case OperationClass::send:
    case OperationClass::isend:
      return post({true, call.peer, call.tag, call.comm}, call);
    case OperationClass::recv:
    case OperationClass::irecv:
      return post({false, call.peer, call.tag, call.comm}, call);
    case OperationClass::start:
      return start(call);
    default:
      break;
  }
  if (call.operation == Operation::psend_init || call.operation == Operation::precv_init) {
    const bool sends = call.operation == Operation::psend_init;
    make_partitioned({sends, call.peer, call.tag, call.comm}, call);
  } else if (call.operation == Operation::request_free) {
    free_request(call.request);
  }
}

void SharedChannels::post(const Channel& channel, const Call& call) {
  if (!several_threads_ || std::get<1>(channel) < 0) return;
  Use& use = uses_[channel];
  if (use.thread != call.thread && call.begin_ns < use.end_ns) note(channel, call);
  if (call.end_ns <= use.end_ns) return;
  use.end_ns = call.end_ns;
  use.thread = call.thread;
}

void SharedChannels::start(const Call& call) {
  const StartGroups groups(call.args);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const StartedRequest request = groups[i];
    const Channel channel{!request.receives(), request.peer, request.tag, request.comm};
    const auto use = uses_.find(channel);
    if (use != uses_.end() && use->second.partitioned > 0) {
      partitioned_[request.serial] = channel;
    }
    post(channel, call);
  }
}

void SharedChannels::make_partitioned(const Channel& channel, const Call& call) {
  if (call.peer < 0) return;
  partitioned_[call.request] = channel;
  if (++uses_[channel].partitioned > 1) note(channel, call);
}

void SharedChannels::free_request(std::uint32_t serial) {
  const auto freed = partitioned_.find(serial);
  if (freed == partitioned_.end()) return;
  Use& use = uses_[freed->second];
  if (use.partitioned > 0) --use.partitioned;
  partitioned_.erase(freed);
}

void SharedChannels::note(const Channel& channel, const Call& call) {
  findings_.add(kThreadsShareChannel,
                fmt::format("rank {}: {} with rank {}, tag {}", rank_, mpi_name(call.operation),
                            std::get<1>(channel), std::get<2>(channel)));
}

}  // namespace slackline::raw
