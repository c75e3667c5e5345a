// The last resort: what cannot be returned as an error still gets a code.
// SPDX-License-Identifier: Apache-2.0
#include "FatalErrors.h"

#include "atc/Driver/Reproducer.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <new>
#include <string_view>
#include <unistd.h>

namespace atc::cli {

namespace {

constexpr int failureCode = 255;
constexpr size_t maxText = 256, maxPath = 4096;
/// What writing a reproducer may take.
constexpr unsigned maxSeconds = 10;
constexpr int fatalSignals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS};
char currentModel[maxText];
char currentPhase[maxText];
char reproducerPath[maxPath];

template <size_t N>
void copyText(char (&target)[N], const std::string &text) {
  size_t size = std::min(text.size(), N - 1);
  std::memcpy(target, text.data(), size);
  target[size] = '\0';
}

/// Only write(2): a signal may have come from anywhere.
void put(std::string_view text) {
  if (ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
      written < 0)
    return;
}

void putNamed(std::string_view before, std::string_view name) {
  if (name.empty())
    return;
  put(before);
  put("'");
  put(name);
  put("'");
}

/// Any further fault ends the program: all has been said but the reproducer.
void onSecondSignal(int) { _exit(failureCode); }

/// Printing IR takes memory and locks, whose state nobody knows. So this comes
/// last, and neither a second fault nor a lock that is never free matters.
void tryReproducer() {
  if (reproducerPath[0] == '\0' || !hasReproducer())
    return;
  struct sigaction action{};
  action.sa_handler = onSecondSignal;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigset_t signals;
  sigemptyset(&signals);
  auto catchSignal = [&](int signal) {
    sigaction(signal, &action, nullptr);
    sigaddset(&signals, signal);
  };
  std::for_each(std::begin(fatalSignals), std::end(fatalSignals), catchSignal);
  catchSignal(SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::set_new_handler([] { _exit(failureCode); });
  alarm(maxSeconds);
  if (!writeReproducer(reproducerPath).ok())
    return;
  put("        Reproducer: ");
  put(reproducerPath);
  put("\n");
}

[[noreturn]] void die(std::string_view code, std::string_view reason,
                      std::string_view solution, bool reproduces = false) {
  // Threads may fail together; the first one speaks and ends the others. A
  // fault on the way to here, on the same thread, is the end as well.
  static std::atomic<bool> isDying{false};
  thread_local bool isMine = false;
  if (isMine)
    _exit(failureCode);
  if (isDying.exchange(true))
    while (true)
      pause();
  isMine = true;
  put("ATC run failed, Please check the detail log, Try 'atc --help' for more "
      "information\n");
  put(code);
  put(": ");
  put(reason);
  putNamed(" in phase ", currentPhase);
  putNamed(" at kernel ", currentKernel());
  putNamed(" of model ", currentModel);
  put("\n        Solution: ");
  put(solution);
  put("\n");
  if (reproduces)
    tryReproducer();
  _exit(failureCode);
}

[[noreturn]] void dieInternally(std::string_view reason) {
  die("E19999", reason,
      "Please report the message with the model, or with the reproducer if "
      "one is named below.",
      /*reproduces=*/true);
}

constexpr const char *useLess =
    "Use smaller shapes, or a machine with more memory.";

void onFatalError(void *, const char *reason, bool) { dieInternally(reason); }

void onBadAlloc(void *, const char *, bool) {
  die("E20004", "out of memory", useLess);
}

void onNewFailure() { die("E20004", "out of memory", useLess); }

void onSignal(int signal) {
  switch (signal) {
  case SIGSEGV:
    dieInternally("the compiler crashed (segmentation fault)");
  case SIGABRT:
    dieInternally("the compiler crashed (abort)");
  case SIGFPE:
    dieInternally("the compiler crashed (arithmetic)");
  case SIGILL:
    dieInternally("the compiler crashed (illegal instruction)");
  case SIGBUS:
    // A mapped file that shrinks while it is read ends here.
    die("E13001", "a mapped file cannot be read any more",
        "Do not change model files while they are compiled.");
  default:
    dieInternally("the compiler crashed");
  }
}

} // namespace

void setCurrentModel(const std::string &path) { copyText(currentModel, path); }
void setCurrentPhase(const std::string &phase) {
  copyText(currentPhase, phase);
}
void setReproducerPath(const std::string &path) {
  // Half a path is another file.
  copyText(reproducerPath, path.size() < maxPath ? path : std::string());
}

void installFatalErrorHandlers() {
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onBadAlloc);
  std::set_new_handler(onNewFailure);
  // A stack of its own: an overflow of the stack is a crash as well. Threads of
  // a pool have none and use their own.
  // Large enough to print IR on; what is not used takes no memory.
  static char alternateStack[1 << 20];
  stack_t stack{};
  stack.ss_sp = alternateStack;
  stack.ss_size = sizeof(alternateStack);
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (int signal : fatalSignals)
    sigaction(signal, &action, nullptr);
}

} // namespace atc::cli
