// The command line of atc-run, by CLI11.
// SPDX-License-Identifier: Apache-2.0
#include "Options.h"

#include <CLI/CLI.hpp>

#ifndef ATC_VERSION
#error "the build defines ATC_VERSION"
#endif

namespace atc::run {

static constexpr const char *footer = R"(
Inputs that no option names get seeded random data: numbers from -1 to 1, small
integers, booleans. Sizes that the model leaves open come from files or --shape;
those of one name need be given once.

An image becomes y = (x * scale - mean) / std for each channel:
  --image NAME=FILE,size=HxW,fit=stretch|pad,channels=rgb|bgr|gray,
          layout=nchw|nhwc,mean=a/b/c,std=a/b/c,scale=s
All but the file may be left out; the size is then the model's. fit=pad keeps
the proportions and fills the right and lower rest with zero pixels.

Exit status: 0, or 255 after an error, whose code and text are on stderr.)";

/// Maps a word to its meaning. CLI11's own transformer also takes the numbers
/// behind the words, and lists them to the user.
template <typename T>
class OneOf : public CLI::Validator {
public:
  explicit OneOf(const std::map<std::string, T> &meanings)
      : CLI::Validator("") {
    func_ = [meanings](std::string &word) -> std::string {
      if (auto it = meanings.find(word); it != meanings.end()) {
        word = std::to_string(static_cast<int>(it->second));
        return {};
      }
      std::string words;
      for (const auto &[known, meaning] : meanings)
        words += (words.empty() ? "" : ", ") + known;
      return "'" + word + "' is none of " + words;
    };
  }
};

/// Adds an option whose value the help calls `value`.
template <typename T>
static CLI::Option *add(CLI::App &app, const char *group, const char *name,
                        T &variable, const char *value, const char *text) {
  return app.add_option(name, variable, text)->group(group)->option_text(value);
}

static void addInputOptions(CLI::App &app, Options &options) {
  auto addInput = [&](const char *name, auto &variable, const char *value,
                      const char *text) {
    return add(app, "Inputs", name, variable, value, text);
  };
  addInput("--input", options.inputs, "[NAME=]FILE",
           ".npy, .pb (TensorProto) or raw bytes; without a name, inputs in "
           "the model's order")
      ->expected(1)
      ->take_all();
  addInput("--inputs", options.inputFolder, "DIR",
           "0.npy, 1.npy, ... in the model's order (or .pb, .bin)");
  addInput("--image", options.images, "[NAME=]FILE,...",
           "PNG or JPEG, see below")
      ->expected(1)
      ->take_all();
  addInput("--shape", options.shapes, "NAME:SIZES",
           "sizes d1,d2,... of an input that the model leaves open")
      ->expected(1)
      ->take_all();
  addInput("--fill", options.fill, "VALUE", "for inputs without data");
  addInput("--seed", options.seed, "N", "of random inputs; default 0");
}

static void addOutputOptions(CLI::App &app, Options &options) {
  auto addOutput = [&](const char *name, auto &variable, const char *value,
                       const char *text) {
    return add(app, "Outputs", name, variable, value, text);
  };
  addOutput("--output", options.outputFolder, "DIR",
            "folder for the outputs and outputs.json");
  addOutput("--format", options.format, "npy|bin|text",
            "of written tensors; default npy")
      ->transform(OneOf<OutputFormat>({{"npy", OutputFormat::Npy},
                                       {"bin", OutputFormat::Bin},
                                       {"text", OutputFormat::Text}}));
  addOutput("--dump", options.dumpFolder, "DIR",
            "folder for all intermediate tensors of the first timed run");
  addOutput("--profile", options.profileFile, "FILE",
            "Chrome trace of the timed runs; prints a table too");
  app.add_flag("--json", options.json,
               "end stdout with one JSON object on a line")
      ->group("Outputs");
  app.add_flag("--quiet", options.quiet, "no text on stdout but --json's")
      ->group("Outputs");
}

static void addRunOptions(CLI::App &app, Options &options) {
  const char *group = "Execution";
  static constexpr unsigned maxRuns = 10'000'000;
  add(app, group, "--loop", options.loop, "N", "timed runs; default 1")
      ->check(CLI::Range(1u, maxRuns));
  add(app, group, "--warmup", options.warmup, "N",
      "runs before the timed ones; default 1 if there are several")
      ->check(CLI::Range(0u, maxRuns));
  add(app, group, "--threads", options.threads, "N",
      "threads of each launch; default 0: all processors")
      ->check(CLI::Range(0u, 1024u));
  add(app, group, "--device", options.simulate, "cpu|sim",
      "default cpu; sim simulates an NPU")
      ->transform(OneOf<bool>({{"cpu", false}, {"sim", true}}));
  auto addFlag = [&](const char *name, bool &variable, const char *text) {
    app.add_flag(name, variable, text)->group(group);
  };
  addFlag("--strict", options.strict,
          "simulator: look for races and uninitialized reads too");
  addFlag("--verify", options.verify, "check the weights' digest");
  addFlag("--resident", options.resident,
          "copy the weights to memory instead of mapping them");
}

Expected<Options> parseOptions(int argc, char **argv, std::string &help) {
  Options options;
  CLI::App app("Runs an offline model.", "atc-run");
  app.add_option("MODEL", options.model, "the .om file")
      ->required()
      ->option_text(" ");
  addInputOptions(app, options);
  addOutputOptions(app, options);
  addRunOptions(app, options);
  app.set_version_flag("--version", "atc-run " ATC_VERSION);
  app.footer(footer);
  app.get_formatter()->column_width(28);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    help = app.help();
  } catch (const CLI::CallForVersion &version) {
    help = std::string(version.what()) + "\n";
  } catch (const CLI::RequiredError &error) {
    return Status::error(ErrorCode::MissingOption, error.what(), {},
                         "See atc-run --help.");
  } catch (const CLI::ParseError &error) {
    return Status::error(ErrorCode::InvalidOptionValue, error.what(), {},
                         "See atc-run --help.");
  }
  return options;
}

} // namespace atc::run
