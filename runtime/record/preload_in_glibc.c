/* What LD_PRELOAD names. Under the GNU C library's loader the library with the entry points comes
 * with it, and stands before it in the order of symbols: the linker makes this one an auxiliary
 * filter of that (DT_AUXILIARY). Other loaders, such as musl's, know no filters: programs of theirs
 * get this library, in which there is nothing, and run as if they were not recorded. */
typedef int slk_nothing;
