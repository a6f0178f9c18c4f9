#include "job_start.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace slackline::record {

namespace {

constexpr std::size_t kLongestName = 32;  // of what is added to the folder's path
constexpr int kMostJobs = 100000;

/// mkdir -p of all folders above `path`.
void make_folders_above(char* path) {
  for (char* at = path + 1; *at != '\0'; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    mkdir(path, 0755);
    *at = '/';
  }
}

/// Whether MPI_Comm_spawn has started this world.
bool is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

/// `name` of the folder that was made: with the first number of which there was none. Empty for the
/// first job's. Where none can be made it is that of the attempt, so that no other job's folder is
/// used and the caller finds out when it makes its file.
void claim(const char* directory, char* name) {
  char path[4096];
  const bool spawned = is_spawned();
  std::snprintf(path, sizeof path, "%s/raw", directory);
  make_folders_above(path);
  if (!spawned && (mkdir(path, 0755) == 0 || errno != EEXIST)) return;
  for (int number = spawned ? 1 : 2; number < kMostJobs; ++number) {
    std::snprintf(name, kLongestName, "%s%d", spawned ? "spawned-" : "job-", number);
    std::snprintf(path, sizeof path, "%s/%s", directory, name);
    if (mkdir(path, 0755) == 0) return;
    if (errno != EEXIST) return;
  }
}

}  // namespace

void choose_job_folder(char* directory, std::size_t capacity, int rank, MPI_Comm comm) {
  char name[kLongestName] = {};
  if (rank == 0) claim(directory, name);
  PMPI_Bcast(name, static_cast<int>(sizeof name), MPI_CHAR, 0, comm);
  const std::size_t length = std::strlen(directory);
  if (*name == '\0' || length + sizeof name >= capacity) return;
  std::snprintf(directory + length, capacity - length, "/%s", name);
}

void make_raw_folder(const char* directory) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/raw", directory);
  make_folders_above(path);
  mkdir(path, 0755);
}

void note_failure(const char* directory, int rank, int error) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/raw/rank-%d.error-%d", directory, rank, error);
  const int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

}  // namespace slackline::record
