# What is generated from the table of MPI's calls: slackline_generate_calls(NAME KIND...) makes the target NAME_generated and
# sets `generated`, the folder where KIND.inc is.
set(SLACKLINE_CALL_SCRIPTS calls.py generate.py online.py record.py replay.py)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(slackline_generate_calls name)
  set(calls ${CMAKE_SOURCE_DIR}/runtime/calls)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  list(TRANSFORM SLACKLINE_CALL_SCRIPTS PREPEND ${calls}/ OUTPUT_VARIABLE scripts)
  foreach(what ${ARGN})
    add_custom_command(OUTPUT ${generated}/${what}.inc
      COMMAND ${Python3_EXECUTABLE} -B ${calls}/generate.py ${calls}/mpi_calls.txt ${what} ${generated}/${what}.inc
      DEPENDS ${scripts} ${calls}/mpi_calls.txt VERBATIM)
    list(APPEND outputs ${generated}/${what}.inc)
  endforeach()
  add_custom_target(${name}_generated DEPENDS ${outputs})
  set(generated ${generated} PARENT_SCOPE)
endfunction()
