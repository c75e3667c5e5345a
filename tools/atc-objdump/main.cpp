// atc-objdump: shows the kernels of an offline model or of an NPU image.
// SPDX-License-Identifier: Apache-2.0
#include "Listing.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

using namespace atc;
using namespace atc::objdump;

/// A code image of a model, or the reason why it cannot be shown.
static Expected<std::string> listImage(const OfflineModel &model, size_t index,
                                       const ListingOptions &options) {
  const Plan &plan = model.plan();
  const PlanCodeImage &place = plan.codeImages[index];
  ByteRange code = model.code();
  if (place.offset > code.size || place.bytes > code.size - place.offset)
    return Status::error(ErrorCode::DamagedOfflineModel,
                         "a code image ends outside of its partition");
  ByteRange bytes{code.data + place.offset, place.bytes};
  if (plan.targetKind == TargetKind::Cpu)
    return listCpuKernels(plan, index, bytes, options);
  Expected<isa::Image> image = isa::parseImage(bytes.data, bytes.size);
  if (!image)
    return image.status();
  return listNpuKernels(*image, &plan, options);
}

static Expected<std::string> listModel(const std::string &path,
                                       const ListingOptions &options) {
  Expected<OfflineModel> model = OfflineModel::open(path);
  if (!model)
    return model.status();
  std::string text =
      fmt::format("{}: code for {}\n", path, model->plan().targetName);
  for (size_t i = 0; i < model->plan().codeImages.size(); ++i) {
    Expected<std::string> listing = listImage(*model, i, options);
    if (!listing)
      return listing;
    text += *listing;
  }
  return text;
}

static Expected<std::string> list(const std::string &path,
                                  const ListingOptions &options) {
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  if (file->size() < 4 || std::memcmp(file->data(), "NPUI", 4) != 0)
    return listModel(path, options);
  Expected<isa::Image> image = isa::parseImage(file->data(), file->size());
  if (!image)
    return image.status();
  return listNpuKernels(*image, nullptr, options);
}

static int run(int argc, char **argv) {
  CLI::App app("Shows the kernels of an offline model (.om) or NPU image");
  std::string path;
  ListingOptions options;
  app.add_option("file", path, "An .om file or an NPU image")->required();
  app.add_option("--kernel", options.kernel, "Only the kernel of this name");
  app.add_flag("--summary", options.summary,
               "Names and sizes without instructions");
  CLI11_PARSE(app, argc, argv);

  Expected<std::string> text = list(path, options);
  if (!text) {
    std::fputs(text.getDiagnostic().render().c_str(), stderr);
    return 1;
  }
  std::fputs(text->c_str(), stdout);
  return 0;
}

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("E20004: out of memory\n", stderr);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "E19999: %s\n", error.what());
  }
  return 1;
}
