// Compiles a model and runs it in the same process, without a file between:
// compile_and_run MODEL.onnx
// SPDX-License-Identifier: Apache-2.0
#include <atc/Driver/Compiler.hpp>
#include <atc/Runtime/Runtime.hpp>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

static std::vector<char> readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(std::string(path) + " cannot be read\n");
  return {std::istreambuf_iterator<char>(file), {}};
}

static void compileAndRun(const char *path) {
  std::vector<char> source = readFile(path);
  atc::compiler::Options options;
  options.modelName = "example";
  std::vector<uint8_t> compiled =
      atc::compiler::compile(source.data(), source.size(), options);

  auto model =
      atc::runtime::Model::fromMemory(compiled.data(), compiled.size());
  atc::runtime::Session session(model);
  std::vector<atc::runtime::Port> inputs = model.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    atc::runtime::Tensor tensor = session.inputBuffer(i, inputs[i].minimum);
    if (tensor.bytes() != 0)
      std::memset(tensor.data(), 0, tensor.bytes());
  }
  session.run();
  std::cout << model.name() << " for " << model.target() << ": "
            << session.output(0).bytes() << " bytes\n";
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " MODEL.onnx\n";
    return 2;
  }
  try {
    compileAndRun(argv[1]);
    return 0;
  } catch (const std::exception &error) {
    std::cerr << error.what();
    return 1;
  }
}
