// The C interface and its C++ wrapper.
// SPDX-License-Identifier: Apache-2.0
#include "TestModel.h"

#include "atc/Runtime/Runtime.hpp"

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace atc::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// y = x + 1; x is [n, 2].
static std::vector<uint8_t> exampleFile() {
  ModelBuilder builder;
  atc::PlanInt n = builder.symbol(0, 0, 1, 9);
  atc::PlanInt bytes = builder.newRegister(), count = builder.newRegister();
  builder.plan.prologue = {
      {atc::ScalarInstruction{atc::ScalarOp::Multiply, bytes.registerIndex(), n,
                              8, 0},
       ""},
      {atc::ScalarInstruction{atc::ScalarOp::Multiply, count.registerIndex(), n,
                              2, 0},
       ""}};
  uint32_t x = builder.input("x", atc::ElementType::F32, {n, 2}, bytes);
  uint32_t y = builder.output("y", atc::ElementType::F32, {n, 2}, bytes);
  builder.launch("add_scalar", {reads(x), writes(y)}, {1}, count);
  return builder.build();
}

TEST(CApi, NullPointersAreErrors) {
  atc_model *model = nullptr;
  atc_session *session = nullptr;
  EXPECT_EQ(atc_model_load(nullptr, nullptr, &model),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_model_load("x", nullptr, nullptr), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_model_load_memory(nullptr, 8, nullptr, &model),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_session_create(nullptr, nullptr, &session),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_session_run(nullptr), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_session_set_input(nullptr, 0, nullptr, 0, nullptr, 0),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_session_output(nullptr, 0, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_model_input(nullptr, 0, nullptr), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_session_memory(nullptr, nullptr), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_session_set_dump(nullptr, nullptr, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(atc_model_input_count(nullptr), 0u);
  EXPECT_STREQ(atc_model_name(nullptr), "");
  atc_model_free(nullptr);
  atc_session_free(nullptr);
  EXPECT_THAT(atc_last_error(), StartsWith("E31002: "));
}

TEST(CApi, ErrorsAreTexts) {
  atc_model *model = nullptr;
  EXPECT_EQ(atc_model_load("/no/such/file", nullptr, &model), 13000);
  EXPECT_EQ(model, nullptr);
  EXPECT_THAT(atc_last_error(), StartsWith("E13000: /no/such/file: "));
  EXPECT_THAT(atc_last_error(), HasSubstr("Solution: "));
  std::vector<uint8_t> file = exampleFile();
  file[200] ^= 1;
  EXPECT_EQ(atc_model_load_memory(file.data(), file.size(), nullptr, &model),
            ATC_ERROR_DAMAGED_MODEL);
}

TEST(CApi, OptionsMustBeInitialized) {
  atc_load_options options = {};
  atc_model *model = nullptr;
  std::vector<uint8_t> file = exampleFile();
  EXPECT_EQ(atc_model_load_memory(file.data(), file.size(), &options, &model),
            ATC_ERROR_INVALID_ARGUMENT);
  atc_load_options_init(&options);
  EXPECT_EQ(atc_model_load_memory(file.data(), file.size(), &options, &model),
            ATC_OK);
  atc_model_free(model);
}

TEST(CApi, ElementTypeNames) {
  EXPECT_STREQ(atc_element_type_name(ATC_FLOAT32), "float32");
  EXPECT_STREQ(atc_element_type_name(ATC_FLOAT4E2M1), "float4e2m1");
  EXPECT_EQ(atc_element_type_name(ATC_TYPE_COUNT), nullptr);
}

TEST(CApi, SessionsSurviveTheirModel) {
  std::vector<uint8_t> file = exampleFile();
  atc_model *model = nullptr;
  ASSERT_EQ(atc_model_load_memory(file.data(), file.size(), nullptr, &model),
            ATC_OK);
  atc_session *session = nullptr;
  ASSERT_EQ(atc_session_create(model, nullptr, &session), ATC_OK);
  atc_model_free(model);
  float x[4] = {1, 2, 3, 4};
  int64_t dims[2] = {2, 2};
  EXPECT_EQ(atc_session_set_input(session, 0, x, sizeof(x), dims, 2), ATC_OK);
  EXPECT_EQ(atc_session_run(session), ATC_OK);
  atc_tensor y;
  EXPECT_EQ(atc_session_output(session, 0, &y), ATC_OK);
  EXPECT_EQ(y.rank, 2u);
  EXPECT_EQ(y.bytes, 16u);
  EXPECT_EQ(static_cast<float *>(y.data)[3], 5);
  EXPECT_EQ(atc_session_output(session, 1, &y), ATC_ERROR_INVALID_ARGUMENT);
  atc_session_free(session);
}

/// A run that finds bad data ends with the same error for every number of
/// threads, and the session can go on with better data.
TEST(CApi, IndexOutOfRange) {
  ModelBuilder builder;
  uint32_t x = builder.input("x", atc::ElementType::F32, {4});
  uint32_t index = builder.input("index", atc::ElementType::I64, {8});
  uint32_t y = builder.output("y", atc::ElementType::F32, {8});
  builder.launch("pick", {reads(x), reads(index), writes(y)}, {4}, 8,
                 "embedding");
  std::vector<uint8_t> file = builder.build();
  atc_model *model = nullptr;
  ASSERT_EQ(atc_model_load_memory(file.data(), file.size(), nullptr, &model),
            ATC_OK);
  float values[4] = {10, 11, 12, 13};
  int64_t good[8] = {0, 1, 2, 3, 3, 2, 1, 0},
          bad[8] = {0, 4, 0, 0, 0, 0, 0, -9};
  for (uint32_t threads : {1, 2}) {
    atc_session_options options;
    atc_session_options_init(&options);
    options.threads = threads;
    atc_session *session = nullptr;
    ASSERT_EQ(atc_session_create(model, &options, &session), ATC_OK);
    atc_session_set_input(session, 0, values, sizeof(values), nullptr, 0);
    atc_session_set_input(session, 1, bad, sizeof(bad), nullptr, 0);
    EXPECT_EQ(atc_session_run(session), ATC_ERROR_EXECUTION_FAILED);
    EXPECT_THAT(atc_last_error(), StartsWith("E31003: node 'embedding'"));
    EXPECT_THAT(atc_last_error(), HasSubstr("from -n to n - 1"));
    atc_session_set_input(session, 1, good, sizeof(good), nullptr, 0);
    EXPECT_EQ(atc_session_run(session), ATC_OK) << atc_last_error();
    atc_tensor tensor;
    ASSERT_EQ(atc_session_output(session, 0, &tensor), ATC_OK);
    EXPECT_EQ(static_cast<const float *>(tensor.data)[3], 13);
    atc_session_free(session);
  }
  atc_model_free(model);
}

TEST(CppWrapper, DescribesTheModel) {
  std::vector<uint8_t> file = exampleFile();
  auto model = atc::runtime::Model::fromMemory(file.data(), file.size(), true);
  EXPECT_EQ(model.name(), "test");
  EXPECT_THAT(model.target(), StartsWith("CPU-"));
  EXPECT_FALSE(model.isNpu());
  std::vector<atc::runtime::Port> inputs = model.inputs();
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].name, "x");
  EXPECT_EQ(inputs[0].type, ATC_FLOAT32);
  EXPECT_THAT(inputs[0].shape, ElementsAre(-1, 2));
  EXPECT_THAT(inputs[0].minimum, ElementsAre(1, 2));
  EXPECT_THAT(inputs[0].maximum, ElementsAre(9, 2));
  EXPECT_EQ(model.outputIndex("y"), 0u);
  try {
    model.inputIndex("nope");
    FAIL();
  } catch (const atc::runtime::Error &error) {
    EXPECT_EQ(error.status(), ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("there is no 'nope' among x"));
  }
}

TEST(CppWrapper, RunsProfilesAndDumps) {
  std::vector<uint8_t> file = exampleFile();
  auto model = atc::runtime::Model::fromMemory(file.data(), file.size());
  atc::runtime::Session session(model, 1);
  std::vector<std::string> dumped;
  session.setDump([&](const std::string &name, const std::string &source,
                      const atc::runtime::Tensor &tensor) {
    dumped.push_back(name + "/" + source + "/" +
                     std::to_string(tensor.bytes()));
  });
  session.setProfiling(true);
  session.setInput(0, std::vector<float>{1, 2}, {1, 2});
  session.run();
  atc::runtime::Tensor y = session.output(0);
  EXPECT_THAT(std::vector<float>(y.begin<float>(), y.end<float>()),
              ElementsAre(2, 3));
  EXPECT_THAT(y.shape(), ElementsAre(1, 2));
  EXPECT_THROW(y.begin<double>(), std::invalid_argument);
  EXPECT_THAT(dumped, ElementsAre("y/node/8"));
  ASSERT_EQ(session.profile().size(), 1u);
  EXPECT_STREQ(session.profile()[0].name, "add_scalar");
  EXPECT_THAT(session.profileTable(), HasSubstr("add_scalar"));
  std::string path = testing::TempDir() + "trace-" + std::to_string(::getpid());
  session.writeTrace(path);
  EXPECT_TRUE(std::ifstream(path).good());
  std::remove(path.c_str());
  EXPECT_GT(session.memory().ports, 0u);
}
