// ATC's way of writing options.
// SPDX-License-Identifier: Apache-2.0
#include "CommandLine.h"
#include "OptionTable.h"

#include <gmock/gmock.h>

#include <set>

using namespace atc;
using namespace atc::cli;
using testing::ElementsAre;
using testing::HasSubstr;

static OptionValues parse(const std::vector<std::string> &arguments) {
  auto parsed = parseArguments(arguments);
  auto *values = std::get_if<OptionValues>(&parsed);
  EXPECT_NE(values, nullptr);
  return values ? *values : OptionValues();
}

static std::string parseError(const std::vector<std::string> &arguments) {
  auto parsed = parseArguments(arguments);
  auto *error = std::get_if<UsageError>(&parsed);
  EXPECT_NE(error, nullptr);
  return error ? error->message : std::string();
}

TEST(CommandLine, FourSpellingsOfOneOption) {
  EXPECT_EQ(parse({"--soc_version=CPU"}).get("soc_version"), "CPU");
  EXPECT_EQ(parse({"--soc_version", "CPU"}).get("soc_version"), "CPU");
  EXPECT_EQ(parse({"-soc_version=CPU"}).get("soc_version"), "CPU");
  EXPECT_EQ(parse({"--soc-version=CPU"}).get("soc_version"), "CPU");
}

TEST(CommandLine, ValueMayHoldEqualSignsAndDashes) {
  EXPECT_EQ(parse({"--model=a=b.onnx"}).get("model"), "a=b.onnx");
  EXPECT_EQ(parse({"--model", "-odd.onnx"}).get("model"), "-odd.onnx");
}

TEST(CommandLine, LastOneWins) {
  EXPECT_EQ(parse({"--mode=1", "--mode=6"}).get("mode"), "6");
}

TEST(CommandLine, DefaultComesFromTheTable) {
  EXPECT_EQ(parse({}).get("mode"), "0");
  EXPECT_FALSE(parse({}).has("mode"));
}

TEST(CommandLine, HelpHasAShortForm) {
  EXPECT_TRUE(parse({"-h"}).has("help"));
  EXPECT_TRUE(parse({"--help"}).has("help"));
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(parseError({"--no_such_option=1"}), HasSubstr("unknown option"));
  EXPECT_THAT(parseError({"--soc-verison=CPU"}),
              HasSubstr("did you mean 'soc_version'?"));
  EXPECT_THAT(parseError({"--no_such_option=1"}),
              testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(parseError({"model.onnx"}), HasSubstr("unexpected argument"));
  EXPECT_THAT(parseError({"-x"}), HasSubstr("unexpected argument"));
  EXPECT_THAT(parseError({"--model"}), HasSubstr("needs a value"));
}

TEST(CommandLine, FlagTakesItsValueOnlyByEqualSign) {
  OptionValues values = parse({"--dump_passes", "--mode=6"});
  EXPECT_TRUE(*parseFlag(values, "dump_passes"));
  EXPECT_EQ(values.get("mode"), "6");
  EXPECT_FALSE(*parseFlag(parse({"--dump_passes=No"}), "dump_passes"));
  EXPECT_FALSE(parseFlag(parse({"--dump_passes=maybe"}), "dump_passes").ok());
}

TEST(CommandLine, BatchLineKeepsQuotedParts) {
  EXPECT_THAT(*splitCommand("--model='a b.onnx'  --input_shape=\"x:1;y:2\""),
              ElementsAre("--model=a b.onnx", "--input_shape=x:1;y:2"));
  EXPECT_THAT(*splitCommand("  "), ElementsAre());
  EXPECT_THAT(*splitCommand("--out_nodes=''"), ElementsAre("--out_nodes="));
  EXPECT_FALSE(splitCommand("--model='open").ok());
}

TEST(OptionTable, NamesAreUniqueAndNormalized) {
  std::set<std::string> names;
  for (const OptionInfo &option : optionTable()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_EQ(std::string(option.name).find('-'), std::string::npos);
  }
}

TEST(OptionTable, HelpListsEveryOptionWithinTheLine) {
  std::string text = helpText();
  for (const OptionInfo &option : optionTable())
    EXPECT_THAT(text, HasSubstr(std::string("--") + option.name));
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}
