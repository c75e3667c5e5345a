# run(<command...>) fails with the output of a command that fails and keeps it in
# `output`; expect(<regex>) looks for a text there. expect_only(<install prefix>
# <library> <symbol prefix>) fails if a shared library shows anything but its C
# interface.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expects '${text}' in\n${output}")
  endif()
endfunction()

function(expect_only prefix library symbol_prefix)
  file(GLOB_RECURSE file ${prefix}/*/lib${library}.so)
  run(nm --dynamic --defined-only ${file})
  string(REGEX MATCHALL "[^\n]+" symbols "${output}")
  if(NOT symbols)
    message(FATAL_ERROR "lib${library}.so shows nothing")
  endif()
  foreach(symbol ${symbols})
    if(NOT symbol MATCHES " (T|W|A|V) ${symbol_prefix}")
      message(FATAL_ERROR "lib${library}.so shows ${symbol}")
    endif()
  endforeach()
endfunction()
