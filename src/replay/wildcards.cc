#include "replay/wildcards.h"

#include "calls/call_actions.h"

namespace slackline {

FreeWildcards::FreeWildcards(const RankCalls& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call call = calls.action(i);
    switch (operation_class(call.operation)) {
      case OperationClass::recv:
      case OperationClass::irecv:
        if (call.peer >= 0) add(call.comm, call.tag, call.flags);
        break;
      case OperationClass::sendrecv:
        if (call.args.size() >= 2) {
          const Call receive = receive_half(call);
          add(call.comm, receive.tag, receive.flags);
        }
        break;
      case OperationClass::probe:
        // What it found has to be there until it is received.
        add(call.comm, call.tag, 0);
        break;
      default:  // persistent requests keep the wildcards that they were made with
        for_each_receive(call, [this](const PostedMessage& m) { add(m.comm, m.tag, 0); });
    }
  }
}

void FreeWildcards::add(std::uint32_t comm, std::int32_t tag, std::uint8_t flags) {
  Posted& posted = posted_[comm];
  const bool any_source = (flags & SLK_FLAG_ANY_SOURCE) != 0;
  const bool any_tag = (flags & SLK_FLAG_ANY_TAG) != 0;
  if (any_source && any_tag) {
    posted.any = true;
  } else if (any_source) {
    posted.any_source_tags.insert(tag);
  } else if (any_tag) {
    posted.any_tag_named = true;
  } else {
    posted.named_tags.insert(tag);
  }
}

bool FreeWildcards::is_free(std::uint32_t comm, std::int32_t tag, std::uint8_t flags) const {
  if ((flags & SLK_FLAG_ANY_SOURCE) == 0) return false;
  const auto found = posted_.find(comm);
  if (found == posted_.end()) return false;
  const Posted& posted = found->second;
  if (posted.any_tag_named) return false;
  if ((flags & SLK_FLAG_ANY_TAG) != 0) {
    return posted.named_tags.empty() && posted.any_source_tags.empty();
  }
  return !posted.any && !posted.named_tags.contains(tag);
}

}  // namespace slackline
