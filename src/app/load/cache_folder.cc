#include "app/load/cache_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

namespace slackline {
namespace {

namespace fs = std::filesystem;

fs::path absolute_path_of(const char* variable) {
  const char* const value = std::getenv(variable);
  const fs::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : fs::path();
}

bool make_private_folder(const fs::path& folder) {
  std::error_code failed;
  if (fs::is_directory(folder, failed)) return true;
  // As the XDG base directory specification has it, also for the folder above.
  mkdir(folder.parent_path().c_str(), S_IRWXU);
  return mkdir(folder.c_str(), S_IRWXU) == 0;
}

struct CacheFile {
  fs::file_time_type written;
  std::uint64_t bytes;
  fs::path path;
};

/// With what is left of caches that were not finished, whose names begin alike.
std::vector<CacheFile> caches_in(const fs::path& folder) {
  std::vector<CacheFile> found;
  std::error_code failed;
  for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
    std::error_code gone;
    if (i->path().filename().string().find(".slkcache") == std::string::npos) continue;
    if (!i->is_regular_file(gone) || i->is_symlink(gone)) continue;
    const std::uint64_t bytes = i->file_size(gone);
    const fs::file_time_type written = i->last_write_time(gone);
    if (!gone) found.push_back({written, bytes, i->path()});
  }
  return found;
}

}  // namespace

fs::path user_cache_folder() {
  if (const fs::path caches = absolute_path_of("XDG_CACHE_HOME"); !caches.empty()) {
    return caches / "slackline";
  }
  const fs::path home = absolute_path_of("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "slackline";
}

bool make_cache_room(const fs::path& folder, std::uint64_t bytes, std::uint64_t most_bytes) {
  if (bytes > most_bytes || !make_private_folder(folder)) return false;
  std::vector<CacheFile> caches = caches_in(folder);
  std::ranges::sort(caches, {}, &CacheFile::written);
  std::uint64_t total = bytes;
  for (const CacheFile& cache : caches) total += cache.bytes;
  for (const CacheFile& cache : caches) {
    if (total <= most_bytes) break;
    std::error_code failed;
    if (fs::remove(cache.path, failed)) total -= cache.bytes;
  }
  return total <= most_bytes;
}

}  // namespace slackline
