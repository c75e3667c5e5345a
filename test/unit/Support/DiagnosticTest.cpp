// Codes, texts and the two ways to return an error.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/Diagnostic.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>

using namespace atc;

TEST(Diagnostic, CodesHaveFiveDigits) {
  EXPECT_EQ(formatErrorCode(ErrorCode::InvalidOptionValue), "E10001");
  EXPECT_EQ(formatErrorCode(ErrorCode(42)), "E00042");
}

TEST(Diagnostic, EveryCodeHasItsOwnNumberAndTexts) {
  std::set<uint32_t> numbers;
#define ATC_ERROR(NUMBER, NAME, TITLE, CAUSE, SOLUTION)                        \
  EXPECT_TRUE(numbers.insert(NUMBER).second) << NUMBER;                        \
  EXPECT_STREQ(errorInfo(ErrorCode::NAME).title, TITLE);                       \
  EXPECT_STRNE(CAUSE, "");                                                     \
  EXPECT_STRNE(SOLUTION, "");
#include "atc/Support/ErrorCodes.def"
}

TEST(Diagnostic, RenderTellsWhatWhereWhyAndWhatToDo) {
  Status status =
      Status::error(ErrorCode::FileNotFound, "is a directory", "models");
  EXPECT_EQ(status.getDiagnostic().render(),
            "E13000: models: is a directory\n"
            "        Possible Cause: The path does not exist or is not a "
            "regular file.\n"
            "        Solution: Check the path.\n");
}

TEST(Diagnostic, OwnSolutionReplacesTheGeneralOne) {
  Diagnostic diagnostic{ErrorCode::FileNotFound, "m", "", "Look elsewhere."};
  EXPECT_NE(diagnostic.render().find("Solution: Look elsewhere.\n"),
            std::string::npos);
}

TEST(Expected, HoldsMoveOnlyValues) {
  Expected<std::unique_ptr<int>> value(std::make_unique<int>(3));
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(**value, 3);
  EXPECT_TRUE(value.status().ok());
}

TEST(Expected, CarriesTheReason) {
  Expected<int> value = Status::error(ErrorCode::OutOfMemory, "too large");
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.getDiagnostic().message, "too large");
  EXPECT_EQ(value.status().getDiagnostic().code, ErrorCode::OutOfMemory);
}
