#include "parallel/shared_findings.h"

#include <span>
#include <string>
#include <tuple>

#include "base/packed.h"

namespace slackline {
namespace {

auto parts_of(Findings::Entry& entry) {
  return std::tie(entry.name, entry.severity, entry.sentence, entry.count, entry.examples);
}

}  // namespace

Findings findings_of_all(ProcessGroup& group, const Findings& mine) {
  Bytes bytes;
  for (Findings::Entry entry : mine.entries()) {
    std::apply([&](auto&... part) { (pack(bytes, part), ...); }, parts_of(entry));
  }
  Findings all;
  for (const Bytes& of : group.exchange_with_all(bytes)) {
    std::span<const std::byte> rest(of);
    while (!rest.empty()) {
      Findings::Entry entry{};
      std::apply([&](auto&... part) { (unpack(rest, part), ...); }, parts_of(entry));
      const FindingKind kind{entry.name, entry.severity, entry.sentence};
      all.add(kind, {}, entry.count);
      for (const std::string& example : entry.examples) all.add(kind, example, 0);
    }
  }
  return all;
}

}  // namespace slackline
