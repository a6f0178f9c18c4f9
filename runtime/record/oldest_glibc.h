/* Comes before every file of what is preloaded: asks for the oldest versions of functions that the
 * GNU C library has moved from its other libraries since 2.28, or has given another form. So what
 * is built on a new system can be loaded in a container with an older one. C and C++. */
#ifndef SLACKLINE_RUNTIME_RECORD_OLDEST_GLIBC_H
#define SLACKLINE_RUNTIME_RECORD_OLDEST_GLIBC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <features.h>

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#if defined(__x86_64__)
#define SLK_GLIBC_FIRST "GLIBC_2.2.5"
#define SLK_GLIBC_LATER "GLIBC_2.3.3"
#else
#define SLK_GLIBC_FIRST "GLIBC_2.17"
#define SLK_GLIBC_LATER "GLIBC_2.17"
#endif
#define SLK_OF_VERSION(name, version) __asm__(".symver " #name "," #name "@" version)

SLK_OF_VERSION(dlopen, SLK_GLIBC_FIRST);
#ifndef SLK_DEFINES_DLSYM
SLK_OF_VERSION(dlsym, SLK_GLIBC_FIRST);
#endif
SLK_OF_VERSION(dlvsym, SLK_GLIBC_FIRST);
SLK_OF_VERSION(dlerror, SLK_GLIBC_FIRST);
SLK_OF_VERSION(dladdr, SLK_GLIBC_FIRST);
SLK_OF_VERSION(dladdr1, SLK_GLIBC_LATER);
SLK_OF_VERSION(dlinfo, SLK_GLIBC_LATER);
SLK_OF_VERSION(pthread_key_create, SLK_GLIBC_FIRST);
SLK_OF_VERSION(pthread_setspecific, SLK_GLIBC_FIRST);
SLK_OF_VERSION(pthread_attr_getstack, SLK_GLIBC_FIRST);
SLK_OF_VERSION(pthread_getattr_np, SLK_GLIBC_FIRST);
SLK_OF_VERSION(timer_create, SLK_GLIBC_LATER);
SLK_OF_VERSION(timer_settime, SLK_GLIBC_LATER);
SLK_OF_VERSION(timer_delete, SLK_GLIBC_LATER);

#undef SLK_OF_VERSION
#endif

#endif
