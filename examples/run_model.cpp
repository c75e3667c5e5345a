// Runs an offline model on zeros and prints where its time goes:
// run_model_cpp MODEL.om
// SPDX-License-Identifier: Apache-2.0
#include <atc/Runtime/Runtime.hpp>

#include <cstring>
#include <iostream>

static void runOnZeros(const char *path) {
  auto model = atc::runtime::Model::load(path);
  std::cout << model.name() << " for " << model.target() << "\n";
  atc::runtime::Session session(model);

  std::vector<atc::runtime::Port> inputs = model.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    // Sizes that the model leaves open become the least that it takes.
    atc::runtime::Tensor tensor = session.inputBuffer(i, inputs[i].minimum);
    if (tensor.bytes() != 0)
      std::memset(tensor.data(), 0, tensor.bytes());
  }
  session.run(); // The first run plans the memory of this shape.
  session.setProfiling(true);
  session.run();
  std::cout << session.profileTable();

  std::vector<atc::runtime::Port> outputs = model.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::cout << outputs[i].name << ":";
    for (int64_t size : session.output(i).shape())
      std::cout << " " << size;
    std::cout << "\n";
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " MODEL.om\n";
    return 2;
  }
  try {
    runOnZeros(argv[1]);
    return 0;
  } catch (const std::exception &error) {
    std::cerr << error.what();
    return 1;
  }
}
