#pragma once

#include <filesystem>

namespace slackline::raw {

/// Whether `module` stands for the page of code that Linux maps into each process (vdso(7)).
bool is_vdso(const std::filesystem::path& module);

/// A descriptor of a file with a copy of that page of this process, to be closed by the caller; -1
/// where there is none. There is no other file of it.
int open_vdso();

}  // namespace slackline::raw
