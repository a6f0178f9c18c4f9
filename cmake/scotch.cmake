# Scotch, the graph partitioner (rank placement), as Debian's libscotch-dev installs it: without a
# configuration file of its own. Gives the target scotch.
find_path(SCOTCH_INCLUDE scotch.h PATH_SUFFIXES scotch REQUIRED)
find_library(SCOTCH_LIBRARY scotch REQUIRED)
find_library(SCOTCH_ERROR_LIBRARY scotcherr REQUIRED)
add_library(scotch INTERFACE)
target_include_directories(scotch SYSTEM INTERFACE ${SCOTCH_INCLUDE})
target_link_libraries(scotch INTERFACE ${SCOTCH_LIBRARY} ${SCOTCH_ERROR_LIBRARY})
