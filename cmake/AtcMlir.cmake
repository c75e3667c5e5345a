# Libraries of the compiler half: MLIR and LLVM as shared libraries, one
# precompiled header for all translation units, no exceptions.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(Protobuf REQUIRED)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(ATC_MLIR_FLAGS ${ATC_WARNINGS} -fno-exceptions -Werror=deprecated-declarations)

# atc_mlir_flags(<target>): the one flag set; the shared precompiled header is
# only valid under identical flags.
function(atc_mlir_flags target)
  target_include_directories(${target} SYSTEM PRIVATE
                             ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  # Tools too: the precompiled header is position-independent code, and CMake
  # would compile an executable with -fPIE.
  target_compile_options(${target} PRIVATE ${ATC_MLIR_FLAGS} -fPIC)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Without the timestamp, ccache recognizes a rebuilt header.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# The header's owner. Every library below reuses it: a unit costs about one
# second with it and sixteen without.
add_library(AtcMlirPch OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pch.cpp)
atc_mlir_flags(AtcMlirPch)
target_precompile_headers(AtcMlirPch PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pch.h)

# Generated headers of the dialects; every compiler library waits for them.
add_custom_target(atc-headers)

# atc_add_mlir_library(<name> SOURCES ... [LINK_LIBS ...] [NO_PCH])
#   LINK_LIBS names project libraries only: MLIR itself always comes as the
#   shared library, because a static libMLIR*.a beside it would register every
#   type identifier twice.
function(atc_add_mlir_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "SOURCES;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  atc_mlir_flags(${name})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM AtcMlirPch)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  add_dependencies(${name} atc-headers)
endfunction()

# atc_add_mlir_tool(<name> SOURCES ... [LINK_LIBS ...])
function(atc_add_mlir_tool name)
  cmake_parse_arguments(ARG "NO_PCH" "" "SOURCES;LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  atc_mlir_flags(${name})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM AtcMlirPch)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  add_dependencies(${name} atc-headers)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# atc_tablegen(<td> <out> <flags...>): generates one file and appends it to
# ATC_GENERATED, which atc_tablegen_target turns into a target.
macro(atc_tablegen td out)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${out} ${ARGN})
endmacro()
function(atc_tablegen_target name)
  add_public_tablegen_target(${name})
  add_dependencies(atc-headers ${name})
endfunction()
