// The last resort: what cannot be returned as an error still gets a code.
// SPDX-License-Identifier: Apache-2.0
#include "FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstring>
#include <new>
#include <unistd.h>

namespace atc::cli {

namespace {

constexpr int failureCode = 255;
constexpr size_t maxText = 256;
char currentModel[maxText];
char currentPhase[maxText];

void copyText(char (&target)[maxText], const std::string &text) {
  size_t size = std::min(text.size(), maxText - 1);
  std::memcpy(target, text.data(), size);
  target[size] = '\0';
}

/// Only write(2): a signal may have come from anywhere.
void put(const char *text) {
  if (ssize_t written = write(STDOUT_FILENO, text, std::strlen(text));
      written < 0)
    return;
}

[[noreturn]] void die(const char *code, const char *reason,
                      const char *solution) {
  put("ATC run failed, Please check the detail log, Try 'atc --help' for more "
      "information\n");
  put(code);
  put(": ");
  put(reason);
  if (currentPhase[0] != '\0') {
    put(" in phase '");
    put(currentPhase);
    put("'");
  }
  if (currentModel[0] != '\0') {
    put(" of model '");
    put(currentModel);
    put("'");
  }
  put("\n        Solution: ");
  put(solution);
  put("\n");
  _exit(failureCode);
}

constexpr const char *reportIt = "Please report the message with the model.";
constexpr const char *useLess =
    "Use smaller shapes, or a machine with more memory.";

void onFatalError(void *, const char *reason, bool) {
  die("E19999", reason, reportIt);
}

void onBadAlloc(void *, const char *, bool) {
  die("E20004", "out of memory", useLess);
}

void onNewFailure() { die("E20004", "out of memory", useLess); }

void onSignal(int signal) {
  switch (signal) {
  case SIGSEGV:
    die("E19999", "the compiler crashed (segmentation fault)", reportIt);
  case SIGABRT:
    die("E19999", "the compiler crashed (abort)", reportIt);
  case SIGFPE:
    die("E19999", "the compiler crashed (arithmetic)", reportIt);
  case SIGILL:
    die("E19999", "the compiler crashed (illegal instruction)", reportIt);
  case SIGBUS:
    // A mapped file that shrinks while it is read ends here.
    die("E13001", "a mapped file cannot be read any more",
        "Do not change "
        "model files while they are compiled.");
  default:
    die("E19999", "the compiler crashed", reportIt);
  }
}

} // namespace

void setCurrentModel(const std::string &path) { copyText(currentModel, path); }
void setCurrentPhase(const std::string &phase) {
  copyText(currentPhase, phase);
}

void installFatalErrorHandlers() {
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onBadAlloc);
  std::set_new_handler(onNewFailure);
  // A stack of its own: an overflow of the stack is a crash as well. Threads of
  // a pool have none and use their own.
  static char alternateStack[1 << 16];
  stack_t stack{};
  stack.ss_sp = alternateStack;
  stack.ss_size = sizeof(alternateStack);
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS})
    sigaction(signal, &action, nullptr);
}

} // namespace atc::cli
