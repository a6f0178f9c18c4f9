#pragma once

#include <cstddef>
#include <cstdint>

namespace slackline {

// A file that becomes shorter while it is mapped gives SIGBUS where its lost part is read.

/// From now on, the process then ends with status 1, after it has said so on standard error and
/// removed what remove_temporaries_on_interrupt() (base/interrupt.h) would.
void end_on_lost_input();

/// From now on, what is lost reads as zeros, in a process that is not Slackline's alone; a
/// computation then ends with refuse_lost_input(). Other files than MappedFile's have what happened
/// before.
void survive_lost_input();

/// How often that has happened, in all threads.
std::uint64_t lost_inputs();
/// Throws Error, with the path of the last one, if it has happened since lost_inputs() was
/// `before`.
void refuse_lost_input(std::uint64_t before);

/// For MappedFile: where one begins, and that it ends. A fixed number is known at a time, and more
/// are not survived. Threads may call them.
void add_mapped_input(const void* begin, std::size_t size) noexcept;
void remove_mapped_input(const void* begin) noexcept;

}  // namespace slackline
