# The install tree: of the runtime, headers, the shared library, the archives for
# those who link statically, a CMake package and a pkg-config file. Install it
# alone with `cmake --install BUILD --component runtime`.
include(CMakePackageConfigHelpers)

install(FILES
  ${PROJECT_SOURCE_DIR}/include/atc/Runtime/atc_runtime.h
  ${PROJECT_SOURCE_DIR}/include/atc/Runtime/Runtime.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/atc/Runtime COMPONENT runtime)

target_include_directories(atc_runtime INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(AtcRuntime INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(atc_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(AtcRuntime PROPERTIES EXPORT_NAME runtime_static)

install(TARGETS atc_runtime AtcRuntime AtcModel AtcSimulator AtcIsa AtcSupport
  EXPORT OpenATCTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
          NAMELINK_COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/OpenATC)
install(EXPORT OpenATCTargets NAMESPACE OpenATC:: DESTINATION ${package_folder}
        COMPONENT runtime)
if(ATC_BUILD_COMPILER)
  # The compiler's library, whole installs only.
  install(FILES
    ${PROJECT_SOURCE_DIR}/include/atc/Driver/atc_compiler.h
    ${PROJECT_SOURCE_DIR}/include/atc/Driver/Compiler.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/atc/Driver COMPONENT compiler)
  target_include_directories(atc_compiler INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(atc_compiler PROPERTIES EXPORT_NAME compiler)
  install(TARGETS atc_compiler EXPORT OpenATCCompilerTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler
            NAMELINK_COMPONENT compiler)
  install(EXPORT OpenATCCompilerTargets NAMESPACE OpenATC::
          DESTINATION ${package_folder} COMPONENT compiler)
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/OpenATCConfig.cmake.in
  ${PROJECT_BINARY_DIR}/OpenATCConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/OpenATCConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/OpenATCConfig.cmake
  ${PROJECT_BINARY_DIR}/OpenATCConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT runtime)

file(RELATIVE_PATH ATC_PREFIX_FROM_PKGCONFIG
     /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/openatc-runtime.pc.in
               ${PROJECT_BINARY_DIR}/openatc-runtime.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/openatc-runtime.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
