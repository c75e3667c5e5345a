// The compiler's C interface: what it refuses before it compiles.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Driver/Compiler.hpp"

#include <gmock/gmock.h>

using testing::HasSubstr;

static constexpr atc_compile_status invalidArgument = 31002;

TEST(CompilerApi, NullPointersAreErrors) {
  EXPECT_EQ(atc_compile_file(nullptr, nullptr, "m.om"), invalidArgument);
  EXPECT_THAT(atc_compiler_last_error(), HasSubstr("E31002"));
  EXPECT_EQ(atc_compile_file("m.onnx", nullptr, nullptr), invalidArgument);
  atc_compiled *compiled = nullptr;
  EXPECT_EQ(atc_compile_memory(nullptr, 0, nullptr, &compiled),
            invalidArgument);
  EXPECT_EQ(compiled, nullptr);
  EXPECT_EQ(atc_compiled_data(nullptr), nullptr);
  EXPECT_EQ(atc_compiled_size(nullptr), 0u);
  atc_compiled_free(nullptr);
}

TEST(CompilerApi, OptionsMustBeInitialized) {
  atc_compile_options options = {};
  EXPECT_EQ(atc_compile_file("m.onnx", &options, "m.om"), invalidArgument);
  EXPECT_THAT(atc_compiler_last_error(), HasSubstr("atc_compile_options_init"));
}

TEST(CompilerApi, ArraysAndTheirEntriesAreChecked) {
  atc_compile_options options;
  atc_compile_options_init(&options);
  options.output_count = 1;
  EXPECT_EQ(atc_compile_file("m.onnx", &options, "m.om"), invalidArgument);
  const char *none = nullptr;
  options.outputs = &none;
  EXPECT_EQ(atc_compile_file("m.onnx", &options, "m.om"), invalidArgument);
}

TEST(CompilerApi, TargetsAreListedAndUnknownOnesRefused) {
  size_t count = 0;
  while (atc_compiler_target(count))
    ++count;
  EXPECT_GE(count, 2u);
  atc::compiler::Options options;
  options.target = "Toaster";
  try {
    atc::compiler::compile("", 0, options);
    FAIL();
  } catch (const atc::compiler::Error &error) {
    EXPECT_EQ(error.status(), 20002);
    EXPECT_THAT(error.what(), HasSubstr("Toaster"));
  }
}

TEST(CompilerApi, DamagedBytesAreRefused) {
  const char bytes[] = "not a model";
  EXPECT_THROW(atc::compiler::compile(bytes, sizeof(bytes)),
               atc::compiler::Error);
}
