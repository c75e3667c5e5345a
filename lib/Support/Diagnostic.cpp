// The table of error codes and the text of a diagnostic.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/Diagnostic.h"

#include <algorithm>
#include <iterator>

namespace atc {

static const ErrorInfo errorTable[] = {
#define ATC_ERROR(NUMBER, NAME, TITLE, CAUSE, SOLUTION)                        \
  {ErrorCode::NAME, TITLE, CAUSE, SOLUTION},
#include "atc/Support/ErrorCodes.def"
};

const ErrorInfo &errorInfo(ErrorCode code) {
  const ErrorInfo *found =
      std::find_if(std::begin(errorTable), std::end(errorTable),
                   [code](const ErrorInfo &info) { return info.code == code; });
  assert(found != std::end(errorTable) && "every enumerator has an entry");
  return *found;
}

std::string formatErrorCode(ErrorCode code) {
  std::string digits = std::to_string(static_cast<uint32_t>(code));
  return "E" + std::string(5 - std::min<size_t>(5, digits.size()), '0') +
         digits;
}

std::string Diagnostic::render() const {
  const ErrorInfo &info = errorInfo(code);
  std::string text = formatErrorCode(code) + ": ";
  if (!where.empty())
    text += where + ": ";
  text += message + "\n";
  text += std::string("        Possible Cause: ") + info.cause + "\n";
  text += "        Solution: " +
          (solution.empty() ? std::string(info.solution) : solution) + "\n";
  return text;
}

} // namespace atc
