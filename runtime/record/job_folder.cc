#include "job_folder.h"

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

/// Number of the first folder that was not there; 1 where none can be made, which the caller finds
/// out when it makes its file.
int claim(const char* directory) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/raw", directory);
  make_folders_above(path);
  if (mkdir(path, 0755) == 0 || errno != EEXIST) return 1;
  for (int job = 2; job < kMostJobs; ++job) {
    std::snprintf(path, sizeof path, "%s/job-%d", directory, job);
    if (mkdir(path, 0755) == 0) return job;
    if (errno != EEXIST) return 1;
  }
  return 1;
}

}  // namespace

void choose_job_folder(char* directory, std::size_t capacity, int rank, MPI_Comm comm) {
  int job = rank == 0 ? claim(directory) : 0;
  PMPI_Bcast(&job, 1, MPI_INT, 0, comm);
  const std::size_t length = std::strlen(directory);
  if (job < 2 || length + kLongestName > capacity) return;
  std::snprintf(directory + length, capacity - length, "/job-%d", job);
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
