#pragma once

namespace slackline {

/// Asks for large pages (2 MB) for the first 32 MB of the heap: to be called once, before threads
/// are started and much is allocated. A short command that comes to a few MB would spend a fifth of
/// its time on page faults. No more than that: in larger commands it gains little, and the kernel
/// can take long to find large pages. Does nothing where there are none. From then on blocks of up
/// to 32 MB come from the heap, as glibc has it by itself once some have been freed.
void use_large_pages();

}  // namespace slackline
