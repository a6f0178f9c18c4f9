#include "distributed/date_exchange.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/native/bytes.h"

namespace slackline {
namespace {

using native::ByteReader;
using native::ByteWriter;

enum State : std::uint8_t { kFinished = 1, kNews = 2 };

/// What another process knows of the own ranks' calls.
struct Told {
  std::vector<std::size_t> calls;     // by own rank: how many of its partner calls
  std::vector<std::int64_t> last_ns;  // the last of them; dates are sent as differences
};

class DateExchange {
 public:
  DateExchange(ForwardPass& pass, const TracePart& part, ProcessGroup& group)
      : pass_(pass),
        part_(part),
        group_(group),
        told_(part.ranks_of.size(), {std::vector<std::size_t>(part.own_count()),
                                     std::vector<std::int64_t>(part.own_count())}),
        last_ns_(part.extents.size()) {}

  bool run() {
    for (;;) {
      pass_.advance();
      const std::vector<Bytes> heard = group_.exchange(news());
      bool finished = true;
      bool any_news = false;
      for (std::size_t p = 0; p < heard.size(); ++p) {
        const auto state = static_cast<std::uint8_t>(heard[p].front());
        finished = finished && (state & kFinished) != 0;
        any_news = any_news || (state & kNews) != 0;
      }
      if (finished) return true;
      if (!any_news) return false;
      for (std::size_t p = 0; p < heard.size(); ++p) {
        if (static_cast<int>(p) != group_.rank()) hear(heard[p]);
      }
    }
  }

 private:
  /// A State, then for each rank with news its number plus 1, how many, and the dates.
  std::vector<Bytes> news() {
    std::vector<Bytes> to_each(told_.size());
    std::uint8_t state = pass_.finished() ? kFinished : 0;
    for (std::size_t p = 0; p < to_each.size(); ++p) {
      out_.clear();
      out_.u8(0);
      for (std::size_t r = 0; r < part_.own_count(); ++r) tell(p, r);
      if (out_.size() > 1) state |= kNews;
      to_each[p].assign(out_.bytes().begin(), out_.bytes().end());
    }
    for (Bytes& bytes : to_each) bytes.front() = std::byte{state};
    return to_each;
  }

  void tell(std::size_t process, std::size_t r) {
    const std::vector<CallIndex>& partners = part_.partners_at[process][r];
    std::size_t& told = told_[process].calls[r];
    if (told == partners.size()) return;
    const std::int32_t rank = part_.own.first + static_cast<std::int32_t>(r);
    const auto begins_ns = pass_.begins_ns(rank);
    std::size_t end = told;
    while (end < partners.size() && partners[end] < begins_ns.size()) ++end;
    if (end == told) return;
    out_.varint(static_cast<std::uint64_t>(rank) + 1);
    out_.varint(end - told);
    std::int64_t& last = told_[process].last_ns[r];
    for (; told < end; ++told) {
      const std::int64_t date = begins_ns[partners[told]];
      out_.svarint(native::wrapping_sub(date, std::exchange(last, date)));
    }
  }

  void hear(const Bytes& bytes) {
    ByteReader in(bytes);
    in.u8();
    while (!in.at_end()) {
      const auto rank = static_cast<std::int32_t>(in.varint()) - 1;
      std::int64_t& last = last_ns_[static_cast<std::size_t>(rank)];
      begins_.clear();
      for (std::uint64_t left = in.varint(); left > 0; --left) {
        last = native::wrapping_add(last, in.svarint());
        begins_.push_back(last);
      }
      pass_.hear_of_others(rank, begins_);
    }
  }

  ForwardPass& pass_;
  const TracePart& part_;
  ProcessGroup& group_;
  std::vector<Told> told_;             // by process
  std::vector<std::int64_t> last_ns_;  // by rank of others: the last date heard
  ByteWriter out_;
  std::vector<std::int64_t> begins_;
};

}  // namespace

bool run_forward(ForwardPass& pass, const TracePart& part, ProcessGroup& group) {
  return DateExchange(pass, part, group).run();
}

}  // namespace slackline
