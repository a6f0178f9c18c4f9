#ifndef SLACKLINE_INJECT_UCX_H
#define SLACKLINE_INJECT_UCX_H

/* UCX's own function of that name in libuct, behind the one of this library. Ends the program when
 * there is none, as it would without this library. */
void* next_in_ucx(const char* name);

/* Whether the UCX of this process has the structures that this library was compiled with. */
int has_known_layout(void);

#endif
