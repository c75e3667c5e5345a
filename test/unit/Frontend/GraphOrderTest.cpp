// Order and errors of graphs.
// SPDX-License-Identifier: Apache-2.0
#include "GraphOrder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlir::atc::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

::onnx::NodeProto *addNode(::onnx::GraphProto &graph, const std::string &output,
                           std::initializer_list<std::string> inputs) {
  ::onnx::NodeProto *node = graph.add_node();
  node->set_op_type("Op");
  node->add_output(output);
  for (const std::string &input : inputs)
    node->add_input(input);
  return node;
}

TEST(GraphOrder, KeepsTheFilesOrderWhereItMay) {
  ::onnx::GraphProto graph;
  graph.add_input()->set_name("x");
  addNode(graph, "y", {"c", "a"});
  addNode(graph, "a", {"x"});
  addNode(graph, "unused", {"x"});
  addNode(graph, "b", {"x"});
  addNode(graph, "c", {"b"});
  auto order = GraphOrder::create(graph);
  ASSERT_TRUE(order);
  auto sorted = order->sort({"y"});
  ASSERT_TRUE(sorted);
  EXPECT_THAT(*sorted, ElementsAre(1, 3, 4, 0));
}

TEST(GraphOrder, SortsALongChainWithoutRecursion) {
  ::onnx::GraphProto graph;
  graph.add_input()->set_name("v20000");
  for (int i = 0; i < 20'000; ++i)
    addNode(graph, "v" + std::to_string(i), {"v" + std::to_string(i + 1)});
  auto order = GraphOrder::create(graph);
  ASSERT_TRUE(order);
  auto sorted = order->sort({"v0"});
  ASSERT_TRUE(sorted);
  EXPECT_EQ(sorted->front(), 19'999);
  EXPECT_EQ(sorted->size(), 20'000u);
}

TEST(GraphOrder, CountsWhatSubgraphsTakeFromOutside) {
  ::onnx::GraphProto graph;
  graph.add_input()->set_name("x");
  ::onnx::AttributeProto *body = addNode(graph, "y", {"x"})->add_attribute();
  addNode(*body->mutable_g(), "inner", {"outer"});
  addNode(*body->mutable_g(), "z", {"inner"});
  addNode(graph, "outer", {"x"});
  auto order = GraphOrder::create(graph);
  ASSERT_TRUE(order);
  auto sorted = order->sort({"y"});
  ASSERT_TRUE(sorted);
  EXPECT_THAT(*sorted, ElementsAre(1, 0));
}

TEST(GraphOrder, NamesFewNodesOfALongCycle) {
  ::onnx::GraphProto graph;
  for (int i = 0; i < 100; ++i)
    addNode(graph, "v" + std::to_string(i),
            {"v" + std::to_string((i + 99) % 100)});
  auto order = GraphOrder::create(graph);
  ASSERT_TRUE(order);
  auto sorted = order->sort({"v0"});
  ASSERT_FALSE(sorted);
  EXPECT_EQ(sorted.getDiagnostic().code, ::atc::ErrorCode::InvalidGraph);
  EXPECT_THAT(sorted.getDiagnostic().message,
              HasSubstr("'v0' (Op) -> 'v1' (Op)"));
  EXPECT_THAT(sorted.getDiagnostic().message, HasSubstr("and 92 more"));
}

} // namespace
} // namespace mlir::atc::onnx
