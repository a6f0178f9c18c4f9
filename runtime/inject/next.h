#ifndef SLACKLINE_INJECT_NEXT_H
#define SLACKLINE_INJECT_NEXT_H

/* Libraries whose functions this one stands in front of, by the names that they may have. */
extern const char* const kMpi[];
extern const char* const kUct[];
extern const char* const kFabric[];

/* The library's own function of that name, behind the one here. Programs and MPI libraries open
 * libraries privately, which RTLD_NEXT alone does not search. Ends the program when there is none,
 * as it would without this library. */
void* next_in(const char* const* library, const char* name);

#endif
