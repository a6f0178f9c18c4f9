// The file: a header of fixed size, the key, what it is about, and the three arrays as they lie in
// memory, each begun at a multiple of 64 bytes, so that a mapped file is ready for passes. Passes
// read nodes and edges front to back, so that a file larger than memory streams through it.
//
// Bytes are those of the machine (little-endian); the version changes with any change of layout or
// of what the reduction means.

#include "timing/reduction/reduction_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/file.h"

namespace slackline {
namespace {

constexpr std::array<char, 8> kMagic{'S', 'L', 'K', 'C', 'A', 'C', 'H', 'E'};
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kAlignment = 64;
/// Far more than reports say of an input.
constexpr std::uint64_t kMostAboutBytes = 1 << 20;

/// All numbers that say where things are; 128 bytes.
struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t slots;
  std::uint64_t key_bytes;
  std::uint64_t about_bytes;
  std::uint64_t nodes;
  std::uint64_t edges;
  std::uint64_t wide;
  passes::Counts longest;
  std::uint64_t hash;  ///< of everything behind the header, seeded with that of the rest of it
  std::uint64_t reserved[5];
};
static_assert(sizeof(Header) == 128);

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Where the parts of a file begin.
struct Layout {
  std::size_t about;
  std::size_t nodes;
  std::size_t edges;
  std::size_t wide;
  std::size_t end;

  explicit Layout(const Header& h) {
    about = sizeof(Header) + h.key_bytes;
    nodes = aligned(about + h.about_bytes);
    edges = aligned(nodes + h.nodes * sizeof(passes::Node));
    wide = aligned(edges + h.edges * sizeof(passes::LogGPSEdge));
    end = wide + h.wide * sizeof(passes::Counts);
  }
};

/// Numbers that no file of this size can mean would overflow the layout.
bool plausible(const Header& h, std::size_t bytes) {
  return h.key_bytes <= bytes && h.about_bytes <= kMostAboutBytes && h.nodes <= bytes &&
         h.edges <= bytes && h.wide <= bytes && h.nodes > 0 && h.slots > 0 &&
         Layout(h).end == bytes;
}

std::uint64_t header_hash(Header h) {
  h.hash = 0;
  return XXH3_64bits(&h, sizeof h);
}

template <class T>
std::span<const T> array_at(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + at), count};
}

/// A file for reading, only if it is a regular one of this user's that nobody else can write: a
/// hash shows damage and no forgery. -1 otherwise.
int open_own_file(const std::filesystem::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
      (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
    return fd;
  }
  if (fd >= 0) close(fd);
  return -1;
}

Header header_of(std::string_view key, const ReducedLogGPS& reduced, std::string_view about) {
  const LogGPSForm& longest = reduced.longest;
  return {.magic = kMagic,
          .version = kVersion,
          .slots = reduced.slots,
          .key_bytes = key.size(),
          .about_bytes = about.size(),
          .nodes = reduced.nodes.size(),
          .edges = reduced.edges.size(),
          .wide = reduced.wide.size(),
          .longest = {longest.nanoseconds, longest.bytes, longest.latencies, longest.overheads},
          .hash = 0,
          .reserved = {}};
}

/// Hands the parts of a file behind its header, with what lies between them, to `sink`.
template <class Sink>
void for_parts(const Header& header, std::string_view key, const ReducedLogGPS& reduced,
               std::string_view about, Sink sink) {
  static constexpr std::array<std::byte, kAlignment> kZeros{};
  const Layout layout(header);
  std::size_t at = sizeof(Header);
  const auto put = [&](std::size_t where, std::span<const std::byte> bytes) {
    sink(std::span(kZeros).first(where - at));
    sink(bytes);
    at = where + bytes.size();
  };
  put(at, std::as_bytes(std::span(key)));
  put(at, std::as_bytes(std::span(about)));
  put(layout.nodes, std::as_bytes(reduced.nodes));
  put(layout.edges, std::as_bytes(reduced.edges));
  put(layout.wide, std::as_bytes(reduced.wide));
}

}  // namespace

CacheAnswer parse_reduction_cache(std::span<const std::byte> bytes, std::string_view key,
                                  std::shared_ptr<const void> storage) {
  Header header{};
  if (bytes.size() < sizeof header) return {CacheState::damaged, {}};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return {CacheState::damaged, {}};
  if (header.version != kVersion) return {CacheState::other_version, {}};
  if (!plausible(header, bytes.size())) return {CacheState::damaged, {}};
  const std::span<const std::byte> rest = bytes.subspan(sizeof header);
  // The key first: whoever asks for something else need not read all of it.
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  if (text.substr(0, header.key_bytes) != key) return {CacheState::for_other_key, {}};
  if (XXH3_64bits_withSeed(rest.data(), rest.size(), header_hash(header)) != header.hash) {
    return {CacheState::damaged, {}};
  }
  const Layout layout(header);
  const passes::Counts& longest = header.longest;
  ReducedLogGPS reduced{
      .nodes = array_at<passes::Node>(bytes, layout.nodes, header.nodes),
      .edges = array_at<passes::LogGPSEdge>(bytes, layout.edges, header.edges),
      .wide = array_at<passes::Counts>(bytes, layout.wide, header.wide),
      .slots = header.slots,
      .longest = {longest.nanoseconds, longest.bytes, longest.latencies, longest.overheads},
      .storage = std::move(storage)};
  if (!is_sound(reduced)) return {CacheState::damaged, {}};
  const std::string_view about = text.substr(header.key_bytes, header.about_bytes);
  return {CacheState::usable, CachedReduction{std::move(reduced), std::string(about)}};
}

CacheAnswer read_reduction_cache(const std::filesystem::path& path, std::string_view key) {
  const int fd = open_own_file(path);
  if (fd < 0) return {};
  CacheAnswer answer;
  try {
    // By its descriptor, so that what is read is the file that was looked at.
    auto file = std::make_shared<const MappedFile>(fmt::format("/proc/self/fd/{}", fd));
    answer = parse_reduction_cache(file->bytes(), key, file);
  } catch (const Error&) {
  }
  close(fd);
  return answer;
}

std::uint64_t reduction_cache_bytes(std::string_view key, const ReducedLogGPS& reduced,
                                    std::string_view about) {
  return Layout(header_of(key, reduced, about)).end;
}

bool write_reduction_cache(const std::filesystem::path& path, std::string_view key,
                           const ReducedLogGPS& reduced, std::string_view about) {
  if (about.size() > kMostAboutBytes) return false;
  Header header = header_of(key, reduced, about);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  XXH3_64bits_reset_withSeed(state.get(), header_hash(header));
  for_parts(header, key, reduced, about, [&](std::span<const std::byte> part) {
    XXH3_64bits_update(state.get(), part.data(), part.size());
  });
  header.hash = XXH3_64bits_digest(state.get());
  ::unlink(path.c_str());  // what was read from there and is of no use
  try {
    OutputFile file(path);
    file.write(std::as_bytes(std::span(&header, 1)));
    for_parts(header, key, reduced, about,
              [&](std::span<const std::byte> part) { file.write(part); });
    file.commit();
  } catch (const Error&) {
    return false;
  }
  return chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0;
}

}  // namespace slackline
