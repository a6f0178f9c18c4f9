# libdw of elfutils: functions and source lines of recorded addresses, and the call paths of other processes.
find_path(LIBDW_INCLUDE_DIRECTORY elfutils/libdwfl.h)
find_library(LIBDW_LIBRARY dw)
find_library(LIBELF_LIBRARY elf)
set(SLACKLINE_HAS_LIBDW 0)
if(LIBDW_LIBRARY AND LIBELF_LIBRARY AND LIBDW_INCLUDE_DIRECTORY)
  set(SLACKLINE_HAS_LIBDW 1)
else()
  message(STATUS "slackline: no libdw here; recordings will name no functions (install libdw-dev or run ./dev setup)")
endif()

# The library is compiled with SLACKLINE_LIBDW, which says whether there is libdw.
function(slackline_link_libdw library)
  target_compile_definitions(${library} PRIVATE SLACKLINE_LIBDW=${SLACKLINE_HAS_LIBDW})
  if(SLACKLINE_HAS_LIBDW)
    target_include_directories(${library} SYSTEM PRIVATE ${LIBDW_INCLUDE_DIRECTORY})
    target_link_libraries(${library} PRIVATE ${LIBDW_LIBRARY} ${LIBELF_LIBRARY})
  endif()
endfunction()
