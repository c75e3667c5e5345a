# Installs everything into a fresh tree and goes from a model to an answer with
# the installed programs alone, and with an example program.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

execute_process(
  COMMAND ${PROTOC} --encode=onnx.ModelProto
          -I ${SOURCE_DIR}/third_party/onnx onnx.proto
  INPUT_FILE ${CMAKE_CURRENT_LIST_DIR}/model.txtpb
  OUTPUT_FILE ${WORK_DIR}/model.onnx COMMAND_ERROR_IS_FATAL ANY)
run(${prefix}/bin/atc --framework=5 --model=${WORK_DIR}/model.onnx
    --output=${WORK_DIR}/model --soc_version=CPU)
expect("^ATC start working now")
expect("ATC run success")
run(${prefix}/bin/atc --mode=6 --om=${WORK_DIR}/model.om)
expect("soc_version")
run(${prefix}/bin/atc-objdump ${WORK_DIR}/model.om)
run(${prefix}/bin/atc-run ${WORK_DIR}/model.om --fill 0)

run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build
    --target run_model compile_model compile_and_run)
run(${WORK_DIR}/build/run_model ${WORK_DIR}/model.om)
expect("y float32 .2, 2. = 7")

# The compiler as a library: to a file, and in memory.
run(${WORK_DIR}/build/compile_model ${WORK_DIR}/model.onnx ${WORK_DIR}/library.om)
run(${WORK_DIR}/build/run_model ${WORK_DIR}/library.om)
expect("y float32 .2, 2. = 7")
run(${WORK_DIR}/build/compile_and_run ${WORK_DIR}/model.onnx)
expect("example for CPU-.*: 16 bytes")
execute_process(COMMAND ${WORK_DIR}/build/compile_model ${WORK_DIR}/none.onnx
                        ${WORK_DIR}/none.om
                RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 1 OR EXISTS ${WORK_DIR}/none.om)
  message(FATAL_ERROR "a missing model ends with ${result}")
endif()
expect("E13000")

expect_only(${prefix} atc_compiler atc_compile)
