#pragma once

#include "base/findings.h"
#include "formats/findings.h"

namespace slackline::raw {

// What reading raw files can find. One place, because the kinds are told by several parts.

inline constexpr FindingKind kDamagedFile{
    "damaged_file", Severity::data_loss,
    "Files that are not recordings or have a damaged header; they were omitted."};
inline constexpr FindingKind kDuplicateFile{
    "duplicate_file", Severity::data_loss,
    "Files of a rank and thread that another file contains already; they were omitted."};
inline constexpr FindingKind kBadArguments{
    "damaged_arguments", Severity::data_loss,
    "Record arguments that refer to ranks or communicators that do not exist; they were omitted."};
inline constexpr FindingKind kLostCalls{
    "lost_calls", Severity::data_loss,
    "Calls not recorded because what was recorded could not be written."};
inline constexpr FindingKind kUnrecordedCalls{
    "unrecorded_calls", Severity::notice,
    "MPI functions that the program calls and that are not recorded: their time counts as "
    "computation or as blocked outside MPI, and requests that they start are unknown."};
inline constexpr FindingKind kUnseenLibraries{
    "calls_missed", Severity::data_loss,
    "Libraries whose MPI calls go to the MPI library directly, as of those opened with "
    "RTLD_DEEPBIND or linked with -Bsymbolic; their calls are missing in the trace."};
inline constexpr FindingKind kSeparateJobs{
    "separate_jobs", Severity::notice,
    "Ranks that are alone in their job although the launcher started several processes together: "
    "the program's MPI library is not the launcher's. Use the mpirun of the program's MPI "
    "library."};
inline constexpr FindingKind kAbandonedCalls{
    "abandoned_calls", Severity::notice,
    "Calls that the program left by longjmp or an exception, as an error handler may; they are "
    "missing in the trace."};
inline constexpr FindingKind kPaused{"recording_paused", Severity::notice,
                                     "The program switched recording off with MPI_Pcontrol; the "
                                     "calls made meanwhile are missing in the trace."};
inline constexpr FindingKind kOverlappingThreads{
    "overlapping_threads", Severity::notice,
    "Calls of different threads of a rank that overlap in time; they are kept in order of their "
    "begin."};
inline constexpr FindingKind kHiddenCalls{
    "hidden_calls", Severity::data_loss,
    "MPI functions defined by the program itself; the recorder saw their calls only if the program "
    "forwards them to the MPI library's function."};
inline constexpr FindingKind kNoLineNumbers{
    "no_line_numbers", Severity::info,
    "Programs or libraries that call MPI without debug information: their calls show functions "
    "without source lines. Compile with -g."};
inline constexpr FindingKind kNoFunctionNames{
    "no_function_names", Severity::info,
    "Stripped programs or libraries that call MPI: some of their calls show only an address in the "
    "file. Compile with -g, do not strip, or install their debug symbols."};
inline constexpr FindingKind kUnreadableModules{
    "unreadable_modules", Severity::notice,
    "Programs or libraries that call MPI could not be read when the trace was written, or have "
    "been "
    "rebuilt since the recording; their calls show only an address in the file."};
inline constexpr FindingKind kInterpretedCode{
    "interpreted_code", Severity::info,
    "Calls made by a Python interpreter whose frames could not be recorded (other versions than "
    "CPython 3.9 to 3.13, or a sandbox that hides what memory there is): call paths show the "
    "interpreter's own functions, not those of the script."};
inline constexpr FindingKind kCutCallPaths{
    "cut_call_paths", Severity::info,
    "Call paths that are not complete: deeper than the limit (--call-path-depth), where a frame "
    "[omitted frames] stands for those in the middle; or without their outer part, through code "
    "without unwind tables, or on a stack that is not the thread's own."};
inline constexpr FindingKind kNotSampled{
    "not_sampled", Severity::notice,
    "Ranks whose computation was not sampled, or not to the end; it is shown by the MPI calls "
    "around it only."};
inline constexpr FindingKind kSkippedSamples{
    "skipped_samples", Severity::info,
    "Samples that could not be taken because they could not be written or modules were being "
    "loaded."};
inline constexpr FindingKind kOversubscribed{
    "oversubscribed", Severity::notice,
    "Oversubscribed ranks (more ranks than processors); the time they wait for a processor varies "
    "from run to run; where it is known, it does not count as computation."};
inline constexpr FindingKind kOtherProcesses{
    "other_processes", Severity::notice,
    "Processes outside of the job used its processors; run time, waiting and time without a "
    "processor contain that, and vary from run to run."};
inline constexpr FindingKind kOversubscribedThreads{
    "oversubscribed_threads", Severity::notice,
    "More OpenMP threads than processors: a thread's work contains the time it waits for a "
    "processor, and others wait for it at barriers; OpenMP's figures vary from run to run."};
inline constexpr FindingKind kCpuTimeSampled{
    "cpu_time_sampled", Severity::info,
    "Ranks whose CPU time was read every 100 us only, because perf_event_open is not permitted; a "
    "stretch of computation may contain up to that much waiting for a processor."};
inline constexpr FindingKind kNoHardwareCounters{
    "no_hardware_counters", Severity::notice,
    "Ranks without some or all hardware counters, because the machine or its settings "
    "(kernel.perf_event_paranoid, /sys/devices/cpu/rdpmc) do not give them; the rest was "
    "recorded."};
inline constexpr FindingKind kNoCpuTime{
    "cpu_time_not_recorded", Severity::notice,
    "Ranks on shared processors whose CPU time is not known (several threads that call MPI, or an "
    "older recorder); the time they wait for a processor counts as computation."};
inline constexpr FindingKind kNestedRegions{
    "nested_parallel_regions", Severity::notice,
    "OpenMP regions inside of others with a team of several threads were not recorded; they count "
    "as work of the thread that executed them."};
inline constexpr FindingKind kForeignRegions{
    "regions_of_other_threads", Severity::notice,
    "OpenMP regions of threads other than the one that called MPI_Init were not recorded; the "
    "OpenMP efficiency does not cover them."};
inline constexpr FindingKind kLostRegions{
    "lost_parallel_regions", Severity::data_loss,
    "OpenMP regions of more than 1,024 threads, or for which the recorder had no memory, were not "
    "recorded; their time counts as serial."};
inline constexpr FindingKind kOpenMPNotObserved{
    "openmp_not_observed", Severity::notice,
    "Ranks that ran OpenMP threads of which nothing could be recorded, because another tool has "
    "the "
    "place of the OpenMP runtime's tool, or the runtime has none; parallel regions count as "
    "computation of the main thread, and there is no OpenMP efficiency."};
inline constexpr FindingKind kThreadsShareChannel{
    "threads_share_channel", Severity::notice,
    "Messages of one source, destination, tag and communicator that several threads of a rank "
    "posted at the same time, or of several partitioned requests; matched in the order in which "
    "the calls began, which MPI does not guarantee."};
inline constexpr FindingKind kOtherWorlds{
    "other_worlds", Severity::data_loss,
    "Communicators with processes of other worlds (MPI_Comm_spawn, MPI_Comm_connect), which are "
    "not in this trace; messages to and from them are omitted, and collectives cover the remaining "
    "processes."};
inline constexpr FindingKind kMixedJobs{"mixed_jobs", Severity::data_loss,
                                        "Files of another job than most; they were omitted."};

}  // namespace slackline::raw
