#include "formats/otf2/location_reader.h"

namespace slackline::otf2 {

// Numbers of requests may be used again, and may be larger than a Trace's serials; then a request
// gets a serial from the other end of their range.
std::uint32_t OpenRequests::start(std::uint64_t id, Request request, bool keep_number) {
  const bool fits = id > 0 && id < 0x80000000u;
  request.serial =
      (fits && id > largest_) || keep_number ? static_cast<std::uint32_t>(id) : unnumbered();
  largest_ = fits && id > largest_ ? id : largest_;
  open_[id] = request;
  return request.serial;
}

std::optional<OpenRequests::Request> OpenRequests::finish(std::uint64_t id) {
  const Request* found = open_.find(id);
  if (found == nullptr) return std::nullopt;
  const Request request = *found;
  open_.erase(id);
  return request;
}

std::optional<OpenRequests::Message> OpenRequests::take_early(std::uint64_t id) {
  const Message* found = early_.find(id);
  if (found == nullptr) return std::nullopt;
  const Message message = *found;
  early_.erase(id);
  return message;
}

}  // namespace slackline::otf2
