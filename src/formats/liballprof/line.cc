#include "formats/liballprof/line.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "trace/trace.h"

namespace slackline::liballprof {
namespace {

using enum Operation;

// What the fields of a call are, in order: n count, t datatype (number, size, extent), p peer, g
// tag, r root, c communicator, q request, N number of requests, v array (address, then its items),
// _ something of no interest.
struct Signature {
  Operation operation;
  std::string_view fields;
};

constexpr std::array kSignatures{
    Signature{send, "_ntpgc"},
    Signature{bsend, "_ntpgc"},
    Signature{ssend, "_ntpgc"},
    Signature{rsend, "_ntpgc"},
    Signature{recv, "_ntpgc_"},
    Signature{sendrecv, "_ntpg_ntpgc_"},
    Signature{sendrecv_replace, "_ntpgpgc_"},
    Signature{isend, "_ntpgcq"},
    Signature{ibsend, "_ntpgcq"},
    Signature{issend, "_ntpgcq"},
    Signature{irsend, "_ntpgcq"},
    Signature{irecv, "_ntpgcq"},
    Signature{wait, "q_"},
    Signature{waitall, "Nq_"},
    Signature{waitany, "Nq__"},
    Signature{waitsome, "Nq___"},
    Signature{test, "q__"},
    Signature{testall, "Nq__"},
    Signature{testany, "Nq___"},
    Signature{testsome, "Nq___"},
    Signature{probe, "pgc_"},
    Signature{iprobe, "pgc__"},
    Signature{barrier, "c"},
    Signature{bcast, "_ntrc"},
    Signature{reduce, "__nt_rc"},
    Signature{allreduce, "__nt_c"},
    Signature{scan, "__nt_c"},
    Signature{exscan, "__nt_c"},
    Signature{gather, "_nt_ntrc"},
    Signature{scatter, "_nt_ntrc"},
    Signature{gatherv, "_nt_vvtrc"},
    Signature{scatterv, "_vvt_ntrc"},
    Signature{allgather, "_nt_ntc"},
    Signature{allgatherv, "_nt_vvtc"},
    Signature{alltoall, "_nt_ntc"},
    Signature{alltoallv, "_vvt_vvtc"},
    Signature{reduce_scatter, "__vt_c"},
    Signature{comm_dup, "c_"},
    Signature{comm_split, "c___"},
    Signature{comm_create, "c__"},
    Signature{cart_create, "c_____"},
    Signature{comm_free, "_"},
    Signature{init, "__"},
    Signature{init_thread, "____"},
    Signature{finalize, ""},
};

// Cuts what stands before the next `separator` off `rest`.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t at = std::min(rest.find(separator), rest.size());
  const std::string_view piece = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return piece;
}

template <class Number>
bool number(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

// Microseconds with or without decimals.
std::optional<std::int64_t> time_ns(std::string_view text) {
  std::string_view rest = text;
  std::int64_t whole = 0;
  if (!number(cut(rest, '.'), whole) || whole < 0 || whole > kTimeLimit_ns / 1000) {
    return std::nullopt;
  }
  std::int64_t decimals = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const char digit = i < rest.size() ? rest[i] : '0';
    if (digit < '0' || digit > '9') return std::nullopt;
    decimals = decimals * 10 + (digit - '0');
  }
  return whole * 1000 + decimals;
}

bool communicator(std::string_view text, CommHandle& comm) {
  return number(cut(text, ','), comm.handle) && number(cut(text, ','), comm.rank) &&
         number(text, comm.size) && comm.size > 0 && comm.rank >= 0 && comm.rank < comm.size;
}

bool array(std::string_view items, std::vector<std::int64_t>& values) {
  values.clear();
  while (!items.empty()) {
    std::int64_t value = 0;
    if (!number(cut(items, ','), value)) return false;
    values.push_back(value);
  }
  return true;
}

class FieldReader {
 public:
  FieldReader(std::string_view rest, Line& line) : rest_(rest), line_(line) { line.counts.clear(); }

  bool field(char kind) {
    const std::string_view text = cut(rest_, ':');
    switch (kind) {
      case 'n':
        return number(text, line_.count[take(counts_)]);
      case 't': {
        std::string_view parts = text;
        cut(parts, ',');
        return number(cut(parts, ','), line_.type_bytes[take(types_)]);
      }
      case 'p':
        return number(text, line_.peer[take(peers_)]);
      case 'g':
        return number(text, line_.tag[take(tags_)]);
      case 'r':
        return number(text, line_.root);
      case 'c':
        return communicator(text, line_.comm);
      case 'q':
        return number(text, line_.request);
      case 'N':
        return number(text, line_.requests) && line_.requests >= 0;
      case 'v':
        line_.counts.emplace_back();
        return array(cut(rest_, ':'), line_.counts.back());
      default:
        return true;
    }
  }
  std::string_view rest() const { return rest_; }

 private:
  static std::size_t take(std::size_t& next) { return std::min<std::size_t>(next++, 1); }

  std::string_view rest_;
  Line& line_;
  std::size_t counts_ = 0;
  std::size_t types_ = 0;
  std::size_t peers_ = 0;
  std::size_t tags_ = 0;
};

bool parse_times(std::string_view begin, std::string_view end, Line& line) {
  line.no_begin = begin == "-";
  line.no_end = end == "-";
  const std::optional<std::int64_t> first = time_ns(line.no_begin ? end : begin);
  const std::optional<std::int64_t> last = time_ns(line.no_end ? begin : end);
  if (!first || !last || *last < *first) return false;
  line.begin_ns = *first;
  line.end_ns = *last;
  return true;
}

}  // namespace

LineKind parse_line(std::string_view text, Line& line) {
  constexpr std::string_view kPrefix = "MPI_";
  if (text.ends_with('\r')) text.remove_suffix(1);
  std::string_view rest = text;
  const std::string_view name = cut(rest, ':');
  const std::size_t last = rest.rfind(':');
  if (!name.starts_with(kPrefix) || last == std::string_view::npos) return LineKind::bad;
  const auto signature = std::ranges::find_if(
      kSignatures, [&](const Signature& s) { return mpi_name(s.operation) == name; });
  const std::string_view end = rest.substr(last + 1);
  rest = rest.substr(0, last);
  const std::string_view begin = cut(rest, ':');
  if (!parse_times(begin, end, line)) return LineKind::bad;
  if (signature == kSignatures.end()) return LineKind::unknown_call;
  line.operation = signature->operation;
  line.requests = 1;
  line.count = line.type_bytes = line.peer = line.tag = {};
  FieldReader fields(rest, line);
  for (const char kind : signature->fields) {
    if (!fields.field(kind)) return LineKind::bad;
  }
  return fields.rest().empty() ? LineKind::call : LineKind::bad;
}

}  // namespace slackline::liballprof
