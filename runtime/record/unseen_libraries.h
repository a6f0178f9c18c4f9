#ifndef SLACKLINE_RUNTIME_RECORD_UNSEEN_LIBRARIES_H
#define SLACKLINE_RUNTIME_RECORD_UNSEEN_LIBRARIES_H

#include <cstddef>

namespace slackline::record {

/// Libraries whose references to functions of MPI lead to MPI's own library, past the recorder: the
/// loader has looked there first, as with RTLD_DEEPBIND and -Bsymbolic. Calls found(file name) for
/// those that are loaded now, with the loader's lock held, which comes before every other lock: a
/// constructor that dlopen() runs may call MPI. `dynamic`: only that library, by its dynamic
/// section; null: all. References that are bound at their first call are told after that.
/// `preloaded`: an address in the library that has the entry points.
void find_unseen_libraries(const void* preloaded, const void* dynamic, void (*found)(const char*));

/// Adds `name` to a list of names, unless it is there or there is no room.
void add_name(const char* name, char* names, std::size_t room);

}  // namespace slackline::record

#endif
