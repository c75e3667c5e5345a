# Installs the runtime into a fresh tree, builds the examples with find_package
# and with pkg-config, and runs them.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component runtime --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WRITER} ${WORK_DIR}/model.om)

run(${WORK_DIR}/build/run_model ${WORK_DIR}/model.om)
expect("y float32 .2, 3. = 5")
foreach(program run_model_cpp run_model_static)
  run(${WORK_DIR}/build/${program} ${WORK_DIR}/model.om)
  expect("add_scalar")
  expect("y: 2 3")
endforeach()

# A model that is not there is an error with a text, not a crash.
execute_process(COMMAND ${WORK_DIR}/build/run_model ${WORK_DIR}/none.om
                RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 1)
  message(FATAL_ERROR "a missing model ends with ${result}")
endif()
expect("E13000")

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE description ${prefix}/*/openatc-runtime.pc)
  run(${PKG_CONFIG} --cflags --libs ${description})
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(${C_COMPILER} ${SOURCE_DIR}/examples/run_model.c ${flags}
      -o ${WORK_DIR}/run_model_pc)
  file(GLOB_RECURSE library ${prefix}/*/libatc_runtime.so)
  get_filename_component(folder ${library} DIRECTORY)
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder}
      ${WORK_DIR}/run_model_pc ${WORK_DIR}/model.om)
  expect("y float32")
endif()

expect_only(${prefix} atc_runtime atc_)
