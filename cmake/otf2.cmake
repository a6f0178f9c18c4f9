# OTF2 as the target OTF2::otf2. Where otf2-config is in the PATH it says where the library is; else the
# system's folders are searched.
find_program(OTF2_CONFIG otf2-config)
if(OTF2_CONFIG)
  execute_process(COMMAND ${OTF2_CONFIG} --cppflags OUTPUT_VARIABLE otf2_cppflags OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${OTF2_CONFIG} --ldflags OUTPUT_VARIABLE otf2_ldflags OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX MATCHALL "-I[^ ]+" otf2_include_hints "${otf2_cppflags}")
  string(REGEX MATCHALL "-L[^ ]+" otf2_library_hints "${otf2_ldflags}")
  list(TRANSFORM otf2_include_hints REPLACE "^-I" "")
  list(TRANSFORM otf2_library_hints REPLACE "^-L" "")
endif()
find_path(OTF2_INCLUDE_DIR otf2/otf2.h HINTS ${otf2_include_hints})
find_library(OTF2_LIBRARY otf2 HINTS ${otf2_library_hints})
if(NOT OTF2_INCLUDE_DIR OR NOT OTF2_LIBRARY)
  message(FATAL_ERROR "slackline: no OTF2 here; install libotf2-trace-dev (or run ./dev setup)")
endif()
add_library(OTF2::otf2 UNKNOWN IMPORTED)
set_target_properties(OTF2::otf2 PROPERTIES
  IMPORTED_LOCATION ${OTF2_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${OTF2_INCLUDE_DIR})
