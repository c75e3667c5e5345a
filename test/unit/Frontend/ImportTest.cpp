// Import of whole models: extremes and damage.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Frontend/Onnx/Import.h"

#include "atc/Dialect/Graph/IR/Graph.h"
#include "onnx.pb.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace mlir::atc {
namespace {

using ::testing::HasSubstr;

::onnx::ModelProto makeModel() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  return model;
}

void addValue(::onnx::ValueInfoProto *info, const std::string &name,
              int64_t size) {
  info->set_name(name);
  auto *tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(::onnx::TensorProto::FLOAT);
  tensor->mutable_shape()->add_dim()->set_dim_value(size);
}

void addNode(::onnx::GraphProto &graph, const char *op,
             const std::string &output,
             std::initializer_list<std::string> inputs) {
  ::onnx::NodeProto *node = graph.add_node();
  node->set_op_type(op);
  node->add_output(output);
  for (const std::string &input : inputs)
    node->add_input(input);
}

class ImportTest : public ::testing::Test {
protected:
  FailureOr<OwningOpRef<ModuleOp>> import(const std::string &bytes) {
    diagnostics.clear();
    store = graph::WeightStore();
    return importOnnxBytes(context, ArrayRef(bytes.data(), bytes.size()), {},
                           store, diagnostics);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  graph::WeightStore store;
  std::vector<::atc::Diagnostic> diagnostics;
};

TEST_F(ImportTest, TakesAChainOf20000Nodes) {
  ::onnx::ModelProto model = makeModel();
  ::onnx::GraphProto &graph = *model.mutable_graph();
  addValue(graph.add_input(), "v0", 4);
  for (int i = 0; i < 20'000; ++i)
    addNode(graph, "Tanh", "v" + std::to_string(i + 1),
            {"v" + std::to_string(i)});
  addValue(graph.add_output(), "v20000", 4);
  auto module = import(model.SerializeAsString());
  ASSERT_TRUE(succeeded(module));
  auto main = (*module)->lookupSymbol<func::FuncOp>("main");
  EXPECT_EQ(llvm::range_size(main.getOps<graph::TanhOp>()), 20'000u);
}

TEST_F(ImportTest, TakesNamesOf10000Characters) {
  std::string name(10'000, 'n');
  ::onnx::ModelProto model = makeModel();
  ::onnx::GraphProto &graph = *model.mutable_graph();
  addValue(graph.add_input(), name, 4);
  addNode(graph, "Relu", name + "1", {name});
  addValue(graph.add_output(), name + "1", 4);
  EXPECT_TRUE(succeeded(import(model.SerializeAsString())));
  // A message about it stays readable.
  graph.mutable_node(0)->set_op_type("NoSuchOperator");
  ASSERT_TRUE(failed(import(model.SerializeAsString())));
  EXPECT_LT(diagnostics.front().message.size(), 500u);
}

TEST_F(ImportTest, RefusesDeepNesting) {
  ::onnx::ModelProto model = makeModel();
  ::onnx::GraphProto *graph = model.mutable_graph();
  for (int i = 0; i < 500; ++i)
    graph = graph->add_node()->add_attribute()->mutable_g();
  ASSERT_TRUE(failed(import(model.SerializeAsString())));
  EXPECT_EQ(diagnostics.front().code, ::atc::ErrorCode::MalformedModel);
}

TEST_F(ImportTest, RefusesAnEmptyFile) {
  ASSERT_TRUE(failed(import("")));
  EXPECT_EQ(diagnostics.front().code, ::atc::ErrorCode::MalformedModel);
}

/// A small network with most of what a file can hold.
std::string makeNetwork() {
  ::onnx::ModelProto model = makeModel();
  ::onnx::GraphProto &graph = *model.mutable_graph();
  addValue(graph.add_input(), "x", 300);
  auto *large = graph.add_initializer();
  large->set_name("large");
  large->set_data_type(::onnx::TensorProto::FLOAT);
  large->add_dims(300);
  for (int i = 0; i < 300; ++i)
    large->add_float_data(i);
  auto *shape = graph.add_initializer();
  shape->set_name("shape");
  shape->set_data_type(::onnx::TensorProto::INT64);
  shape->add_dims(4);
  for (int64_t size : {1, 3, 10, -1})
    shape->add_int64_data(size);
  addNode(graph, "Add", "sum", {"x", "large"});
  addNode(graph, "Reshape", "image", {"sum", "shape"});
  addNode(graph, "MaxPool", "pool", {"image"});
  auto *kernel = graph.mutable_node(2)->add_attribute();
  kernel->set_name("kernel_shape");
  kernel->set_type(::onnx::AttributeProto::INTS);
  kernel->add_ints(2);
  kernel->add_ints(2);
  addNode(graph, "Shape", "sizes", {"pool"});
  addNode(graph, "Softmax", "y", {"pool"});
  graph.add_output()->set_name("y");
  graph.add_output()->set_name("sizes");
  return model.SerializeAsString();
}

TEST_F(ImportTest, SurvivesDamage) {
  std::string network = makeNetwork();
  ASSERT_TRUE(succeeded(import(network)));
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = network;
    for (int flips = 1 + random() % 4; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= 1 << random() % 8;
    if (random() % 4 == 0)
      damaged.resize(random() % damaged.size());
    // Either outcome is right; a failure has a reason.
    if (failed(import(damaged)))
      EXPECT_FALSE(diagnostics.empty());
  }
}

TEST_F(ImportTest, SurvivesAnyTruncation) {
  std::string network = makeNetwork();
  for (size_t size = 0; size < network.size(); size += 7)
    if (failed(import(network.substr(0, size))))
      EXPECT_FALSE(diagnostics.empty());
}

/// Bytes of memory that no file backs.
uint64_t anonymousMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("RssAnon:", 0) == 0)
      return std::stoull(line.substr(8)) * 1024;
  return 0;
}

TEST_F(ImportTest, LeavesAGigabyteOfWeightsInTheFile) {
  constexpr uint64_t kBytes = uint64_t(1) << 30;
  ::onnx::ModelProto model = makeModel();
  ::onnx::GraphProto &graph = *model.mutable_graph();
  addValue(graph.add_input(), "x", kBytes / 4);
  addNode(graph, "Add", "y", {"x", "w"});
  addValue(graph.add_output(), "y", kBytes / 4);

  // The tensor's fields, then raw_data as a hole in the file. The first
  // element differs, so that the tensor is no splat.
  ::onnx::TensorProto tensor;
  tensor.set_name("w");
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_dims(kBytes / 4);
  auto varint = [](uint64_t value) {
    std::string text;
    for (; value >= 0x80; value >>= 7)
      text += static_cast<char>(value | 0x80);
    return text + static_cast<char>(value);
  };
  std::string rawHeader = "\x4a" + varint(kBytes);
  std::string tensorText = tensor.SerializeAsString() + rawHeader;
  std::string graphHeader =
      graph.SerializeAsString() + "\x2a" + varint(tensorText.size() + kBytes);
  model.clear_graph();
  std::string header = model.SerializeAsString() + "\x3a" +
                       varint(graphHeader.size() + tensorText.size() + kBytes) +
                       graphHeader + tensorText +
                       std::string("\0\0\x80\x3f", 4);

  auto path = std::filesystem::temp_directory_path() /
              ("atc-large-" + std::to_string(getpid()) + ".onnx");
  std::ofstream(path, std::ios::binary) << header;
  std::filesystem::resize_file(path, header.size() - 4 + kBytes);
  uint64_t before = anonymousMemory();
  auto module = importOnnxFile(context, path.string(), {}, store, diagnostics);
  uint64_t after = anonymousMemory();
  std::filesystem::remove(path);
  ASSERT_TRUE(succeeded(module)) << diagnostics.front().message;
  EXPECT_LT(after - std::min(after, before), uint64_t(150) << 20);
}

TEST_F(ImportTest, ReportsAMissingFile) {
  EXPECT_TRUE(failed(
      importOnnxFile(context, "/nonexistent.onnx", {}, store, diagnostics)));
  EXPECT_EQ(diagnostics.front().code, ::atc::ErrorCode::FileNotFound);
}

} // namespace
} // namespace mlir::atc
