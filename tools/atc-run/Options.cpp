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
integers, booleans.

An image becomes y = (x * scale - mean) / std for each channel:
  --image NAME=FILE,size=HxW,fit=stretch|pad,channels=rgb|bgr|gray,
          layout=nchw|nhwc,mean=a/b/c,std=a/b/c,scale=s
All but the file may be left out; the size is then the model's. fit=pad keeps
the proportions and fills the right and lower rest with zero pixels.

Exit status: 0, or 255 after an error, whose code and text are on stderr.)";

static void addInputOptions(CLI::App &app, Options &options) {
  const char *group = "Inputs";
  app.add_option("--input", options.inputs,
                 "[NAME=]FILE: .npy, .pb (TensorProto) or raw bytes
                     ->option_text("[NAME=]FILE");
                 without a "
                           "name, inputs in the model's order")
      ->group(group)
      ->expected(1)
      ->take_all();
  app.add_option("--inputs", options.inputFolder,
                 "folder with 0.npy, 1.npy, ... in the model's order (or .pb, "
                 ".bin)")
      ->group(group)
      ->option_text("DIR");
  app.add_option("--image", options.images, "PNG or JPEG, see below")
      ->group(group)
      ->expected(1)
      ->take_all()
      ->option_text("[NAME=]FILE,...");
  app.add_option("--shape", options.shapes,
                 "sizes d1,d2,... of an input that the model leaves open")
      ->group(group)
      ->expected(1)
      ->take_all()
      ->option_text("NAME:SIZES");
  app.add_option("--fill", options.fill, "value of inputs without data")
      ->group(group)
      ->option_text("VALUE");
  app.add_option("--seed", options.seed, "of random inputs")
      ->group(group)
      ->option_text("N (0)");
}

static void addOutputOptions(CLI::App &app, Options &options) {
  const char *group = "Outputs";
  app.add_option("--output", options.outputFolder,
                 "folder for the outputs and outputs.json")
      ->group(group)
      ->option_text("DIR");
  app.add_option("--format", options.format, "of written tensors; default npy")
      ->group(group)
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, OutputFormat>{{"npy", OutputFormat::Npy},
                                              {"bin", OutputFormat::Bin},
                                              {"text", OutputFormat::Text}}))
      ->option_text("npy|bin|text");
  app.add_option("--dump", options.dumpFolder,
                 "folder for all intermediate tensors of the first timed run")
      ->group(group)
      ->option_text("DIR");
  app.add_option("--profile", options.profileFile,
                 "file for a Chrome trace of the timed runs
      ->option_text("FILE"); prints a table")
      ->group(group);
  app.add_flag("--json", options.json,
               "end stdout with one JSON object on a line")
      ->group(group);
  app.add_flag("--quiet", options.quiet, "no text on stdout but --json's")
      ->group(group);
}

static void addRunOptions(CLI::App &app, Options &options) {
  const char *group = "Execution";
  app.add_option("--loop", options.loop, "timed runs")
      ->group(group)
      ->check(CLI::Range(1u, 10'000'000u))
      ->option_text("N (1)");
  app.add_option("--warmup", options.warmup,
                 "runs before the timed ones (default: 1 if there are several)")
      ->group(group)
      ->check(CLI::Range(0u, 10'000'000u))
      ->option_text("N");
  app.add_option("--threads", options.threads,
                 "threads of each launch
      ->option_text("N (0)"); 0: all processors")
      ->group(group)
      ->check(CLI::Range(0u, 1024u))
      ->capture_default_str();
  app.add_option("--device", options.simulate,
                 "default cpu; sim simulates an NPU")
      ->group(group)
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, bool>{{"cpu", false}, {"sim", true}}))
      ->option_text("cpu|sim");
  app.add_flag("--strict", options.strict,
               "simulator: look for races and uninitialized reads too")
      ->group(group);
  app.add_flag("--verify", options.verify, "check the weights' digest")
      ->group(group);
  app.add_flag("--resident", options.resident,
               "copy the weights to memory instead of mapping them")
      ->group(group);
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
