// Errors as values: a code, what is wrong, where, and what to do.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_DIAGNOSTIC_H
#define ATC_SUPPORT_DIAGNOSTIC_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace atc {

/// Every error a user can meet, by its number (`E` and five digits). The
/// numbers, titles and advice stand in ErrorCodes.def; a code that ATC has
/// keeps ATC's number where the meaning is the same.
enum class ErrorCode : uint32_t {
#define ATC_ERROR(NUMBER, NAME, TITLE, CAUSE, SOLUTION) NAME = NUMBER,
#include "atc/Support/ErrorCodes.def"
};

/// The fixed texts of a code.
struct ErrorInfo {
  ErrorCode code;
  const char *title;
  const char *cause;
  const char *solution;
};

/// Looks a code up in ErrorCodes.def; every enumerator has an entry.
const ErrorInfo &errorInfo(ErrorCode code);

/// "E10001" for ErrorCode(10001).
std::string formatErrorCode(ErrorCode code);

/// One problem, told to a user.
struct Diagnostic {
  ErrorCode code;
  /// What is wrong, with the actual values. Lower case, no full stop.
  std::string message;
  /// Where: a file, or a node with its op type, opset, attribute and shape.
  /// May be empty.
  std::string where;
  /// What to do, if this case knows better than the code's general advice.
  std::string solution;

  /// The text a tool prints: one headed line, then cause and solution, each on
  /// an indented line of its own.
  std::string render() const;
};

/// Success, or the reason why not.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Diagnostic diagnostic) : diagnostic(std::move(diagnostic)) {}

  static Status success() { return Status(); }
  static Status error(ErrorCode code, std::string message,
                      std::string where = {}, std::string solution = {}) {
    return Status(Diagnostic{code, std::move(message), std::move(where),
                             std::move(solution)});
  }

  bool ok() const { return !diagnostic.has_value(); }
  explicit operator bool() const { return ok(); }

  /// The reason; only after a failure.
  const Diagnostic &getDiagnostic() const {
    assert(!ok());
    return *diagnostic;
  }

private:
  std::optional<Diagnostic> diagnostic;
};

/// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : storage(std::move(value)) {}
  Expected(Diagnostic diagnostic) : storage(std::move(diagnostic)) {}
  Expected(const Status &failure) : storage(failure.getDiagnostic()) {}

  bool ok() const { return std::holds_alternative<T>(storage); }
  explicit operator bool() const { return ok(); }

  T &operator*() { return std::get<T>(storage); }
  const T &operator*() const { return std::get<T>(storage); }
  T *operator->() { return &std::get<T>(storage); }
  const T *operator->() const { return &std::get<T>(storage); }

  /// The reason; only after a failure.
  const Diagnostic &getDiagnostic() const {
    return std::get<Diagnostic>(storage);
  }
  Status status() const { return ok() ? Status() : Status(getDiagnostic()); }

private:
  std::variant<T, Diagnostic> storage;
};

} // namespace atc

#endif // ATC_SUPPORT_DIAGNOSTIC_H
