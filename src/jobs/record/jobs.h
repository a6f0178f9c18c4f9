#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slackline {

/// One command may start several jobs, which record side by side: the first one into DIR/raw, the
/// others into DIR/job-2/raw and so on, and worlds that MPI_Comm_spawn has started into
/// DIR/spawned-1/raw (runtime/record/job_start.h).
///
/// The folders below and including `directory` whose raw/ holds a recording, in order of their
/// start.
std::vector<std::filesystem::path> recorded_jobs(const std::filesystem::path& directory);

/// Notes that the job whose recording is in `directory` has ended now, for calls that have never
/// returned. Nothing where there are several.
void note_job_end(const std::filesystem::path& directory);

struct RecordingFailures {
  /// "ranks 0, 1 could not write the recording: No space left on device". Empty: none is known.
  std::string reasons{};
  bool unwritten = false;  ///< ranks could not write
  /// Why the recorder's variables have not reached the ranks; empty: nothing withholds them.
  std::string withheld{};
};
/// Why processes could not record, as the recorder has noted below `directory`.
RecordingFailures recording_failures(const std::filesystem::path& directory);

/// Removes the recorder's own files below `directory`, and all folders that are empty then.
void remove_raw_files(const std::filesystem::path& directory);

/// The command line of a job's program, as one of its ranks has noted it; empty unknown.
std::string recorded_program(const std::filesystem::path& folder);

/// The program's name out of a command line, as part of a file name: "simpleFoam".
std::string program_name(std::string_view command_line);

/// What a job's trace is named by.
struct JobName {
  std::string program;
  bool spawned = false;
};

/// Whether MPI_Comm_spawn has started the job that recorded into `folder`.
bool is_spawned(const std::filesystem::path& folder);

/// Where the traces of jobs go, in the order of the jobs. One that was not spawned by another: to
/// `trace`; several: for DIR/trace.slk to DIR/1-blockMesh.slk and so on, for another FILE.slk to
/// FILE-1-blockMesh.slk. Spawned ones: to DIR/spawned-1.slk or FILE-spawned-1.slk.
std::vector<std::filesystem::path> job_traces(const std::filesystem::path& trace,
                                              const std::vector<JobName>& jobs);

/// Traces that an earlier recording to `trace` has left, under its own or a job's name.
std::vector<std::filesystem::path> existing_traces(const std::filesystem::path& trace);

}  // namespace slackline
