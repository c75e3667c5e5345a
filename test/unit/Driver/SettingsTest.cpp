// Option values, checked and converted.
// SPDX-License-Identifier: Apache-2.0
#include "Settings.h"

#include <gmock/gmock.h>

using namespace atc;
using namespace atc::cli;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const std::vector<std::string> complete = {
    "--framework=5", "--model=m.onnx", "--output=out/m", "--soc_version=CPU"};

Expected<Settings> make(std::vector<std::string> more,
                        std::vector<std::string> base = complete) {
  base.insert(base.end(), more.begin(), more.end());
  auto parsed = parseArguments(base);
  return makeSettings(std::get<OptionValues>(parsed));
}

ErrorCode codeOf(const Expected<Settings> &settings) {
  EXPECT_FALSE(settings.ok());
  return settings.ok() ? ErrorCode::Internal : settings.getDiagnostic().code;
}

} // namespace

TEST(Settings, SuffixIsAddedOnce) {
  EXPECT_EQ(make({})->outputPath, "out/m.om");
  EXPECT_EQ(make({"--output=out/m.om"})->outputPath, "out/m.om");
  EXPECT_EQ(make({"--output=m.v1"})->outputPath, "m.v1.om");
  EXPECT_EQ(make({})->compile.modelName, "m");
}

TEST(Settings, OutputMustNameAFile) {
  EXPECT_EQ(codeOf(make({"--output=folder/"})), ErrorCode::MissingFileName);
  EXPECT_EQ(codeOf(make({"--output=" + std::string(5000, 'x')})),
            ErrorCode::PathTooLong);
}

TEST(Settings, RequiredOptions) {
  EXPECT_EQ(codeOf(make({}, {"--model=m.onnx"})), ErrorCode::MissingFramework);
  EXPECT_EQ(codeOf(make({}, {"--framework=5", "--output=m"})),
            ErrorCode::MissingOption);
  EXPECT_EQ(codeOf(make({}, {"--mode=6"})), ErrorCode::MissingOption);
  EXPECT_EQ(codeOf(make({}, {"--mode=1", "--om=m.om"})),
            ErrorCode::MissingOption);
}

TEST(Settings, PrecisionHasTwoNames) {
  EXPECT_EQ(make({})->compile.precision, Precision::Default);
  EXPECT_EQ(make({"--precision_mode=force_fp16"})->compile.precision,
            Precision::ForceFloat16);
  EXPECT_EQ(make({"--precision_mode_v2=origin"})->compile.precision,
            Precision::Origin);
  EXPECT_EQ(codeOf(make(
                {"--precision_mode=force_fp16", "--precision_mode_v2=origin"})),
            ErrorCode::ConflictingOptions);
}

TEST(Settings, ValuesThatDoNotWorkYetEndWithE10001) {
  for (const char *option :
       {"--precision_mode=allow_mix_precision",
        "--precision_mode_v2=mixed_hif8", "--mode=3", "--mode=9",
        "--framework=3", "--log=loud", "--dynamic_batch_size=1,2",
        "--insert_op_conf=aipp.cfg", "--input_format=NHWC", "--output_type=FP7",
        "--stop_after=nowhere", "--threads=-1"})
    EXPECT_EQ(codeOf(make({option})), ErrorCode::InvalidOptionValue) << option;
}

TEST(Settings, ValuesThatDescribeWhatHappensAnywayPass) {
  EXPECT_TRUE(make({"--input_format=NCHW",
                    "--op_select_implmode="
                    "high_performance",
                    "--optypelist_for_implmode=Gelu",
                    "--buffer_optimize="
                    "l2_optimize"})
                  .ok());
}

TEST(Settings, OptionsWithoutEffectWarn) {
  EXPECT_THAT(make({"--weight=w.caffemodel"})->warnings,
              ElementsAre(HasSubstr("--weight has no effect")));
  EXPECT_THAT(make({})->warnings, IsEmpty());
}

TEST(InputShapes, NameEndsAtTheLastColon) {
  auto shapes = *parseInputShapes("input:0:1,3,224,224;mask:-1,8;scalar:");
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].name, "input:0");
  EXPECT_THAT(shapes[0].sizes, ElementsAre(1, 3, 224, 224));
  EXPECT_THAT(shapes[1].sizes, ElementsAre(-1, 8));
  EXPECT_THAT(shapes[2].sizes, IsEmpty());
}

TEST(InputShapes, RefusesOtherText) {
  for (const char *text : {"x", ":1", "x:1,a", "x:-2", "x:1~8", "x:1;x:2",
                           "x:1,,2", "x:1,", "x:99999999999999999999"}) {
    auto shapes = parseInputShapes(text);
    ASSERT_FALSE(shapes.ok()) << text;
    EXPECT_EQ(shapes.getDiagnostic().code, ErrorCode::InvalidInputShape);
  }
}

TEST(OutputTypes, OneForAllOrOnePerOutput) {
  EXPECT_TRUE(parseOutputTypes("")->empty());
  auto all = *parseOutputTypes("FP16");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].output, "");
  EXPECT_EQ(all[0].type, ElementType::F16);
  auto each = *parseOutputTypes("node:0:UINT8;other:1:FP32");
  ASSERT_EQ(each.size(), 2u);
  EXPECT_EQ(each[0].output, "node:0");
  EXPECT_EQ(each[1].output, "other:1");
  EXPECT_FALSE(parseOutputTypes("FP16;node:0:FP32").ok());
  EXPECT_FALSE(parseOutputTypes("FP16;FP16").ok());
  EXPECT_FALSE(parseOutputTypes("node:0:FP16;node:0:FP32").ok());
  EXPECT_FALSE(parseOutputTypes("node:0:FLOAT").ok());
  EXPECT_FALSE(parseOutputTypes(":FP16").ok());
}
