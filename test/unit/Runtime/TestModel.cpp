// Offline models for tests, with kernels compiled by the build.
// SPDX-License-Identifier: Apache-2.0
#include "TestModel.h"

#include "atc/Runtime/CpuFeatures.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace atc::test {

std::vector<uint8_t> readImage(const std::string &variant) {
  std::string path = std::string(ATC_TEST_KERNELS) +
                     (variant.empty() ? "" : "-" + variant) + ".so";
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

uint64_t symbolAddress(const std::vector<uint8_t> &image,
                       const std::string &name) {
  auto *header = reinterpret_cast<const Elf64_Ehdr *>(image.data());
  auto *sections =
      reinterpret_cast<const Elf64_Shdr *>(image.data() + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM)
      continue;
    auto *symbols = reinterpret_cast<const Elf64_Sym *>(image.data() +
                                                        sections[i].sh_offset);
    const char *names = reinterpret_cast<const char *>(
        image.data() + sections[sections[i].sh_link].sh_offset);
    for (unsigned s = 0; s < sections[i].sh_size / sizeof(Elf64_Sym); ++s)
      if (name == names + symbols[s].st_name)
        return symbols[s].st_value;
  }
  ADD_FAILURE() << "no symbol " << name;
  return 0;
}

ModelBuilder::ModelBuilder() : image(readImage()) {
  plan.targetName = "CPU-" + cpuLevelName(hostCpuLevel());
  plan.codeImages = {{hostCpuLevel(), 0, 0, image.size()}};
}

PlanInt ModelBuilder::symbol(uint32_t port, uint32_t dim, int64_t min,
                             int64_t max) {
  PlanInt result = newRegister();
  plan.symbols.push_back({port, dim, result.registerIndex(), min, max, "n"});
  return result;
}

uint32_t ModelBuilder::addBuffer(PlanBuffer buffer, ElementType type,
                                 const std::vector<PlanInt> &sizes,
                                 PlanInt bytes, const std::string &name) {
  PlanView view;
  view.buffer = plan.buffers.size();
  view.elementType = type;
  view.name = name;
  view.dims.resize(sizes.size());
  PlanInt stride = 1;
  int64_t count = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    view.dims[dim] = {sizes[dim], stride};
    if (sizes[dim].isRegister()) {
      EXPECT_EQ(dim, 0u) << "only the first size may be a register";
      continue;
    }
    count *= sizes[dim].value();
    stride = count;
  }
  buffer.bytes = bytes == PlanInt(-1) ? *elementBytes(type, count) : bytes;
  plan.buffers.push_back(buffer);
  plan.views.push_back(view);
  return plan.views.size() - 1;
}

uint32_t ModelBuilder::input(const std::string &name, ElementType type,
                             const std::vector<PlanInt> &sizes, PlanInt bytes) {
  PlanBuffer buffer;
  buffer.space = BufferSpace::Input;
  buffer.placement = Placement::Shape;
  buffer.port = plan.inputs.size();
  uint32_t view = addBuffer(buffer, type, sizes, bytes, name);
  plan.inputs.push_back({name, ValueKind::View, view});
  return view;
}

uint32_t ModelBuilder::output(const std::string &name, ElementType type,
                              const std::vector<PlanInt> &sizes, PlanInt bytes,
                              Placement placement) {
  PlanBuffer buffer;
  buffer.space = BufferSpace::Output;
  buffer.placement = placement;
  buffer.port = plan.outputs.size();
  uint32_t view = addBuffer(buffer, type, sizes, bytes, name);
  plan.outputs.push_back({name, ValueKind::View, view});
  return view;
}

uint32_t ModelBuilder::arena(ElementType type,
                             const std::vector<PlanInt> &sizes, PlanInt bytes,
                             Placement placement) {
  PlanBuffer buffer;
  buffer.placement = placement;
  buffer.lastUse = 0;
  return addBuffer(buffer, type, sizes, bytes, "");
}

uint32_t ModelBuilder::weights(const std::vector<float> &values) {
  weightBytes.resize((weightBytes.size() + 63) / 64 * 64);
  PlanBuffer buffer;
  buffer.space = BufferSpace::Weights;
  buffer.offset = weightBytes.size();
  auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  weightBytes.insert(weightBytes.end(), bytes, bytes + 4 * values.size());
  return addBuffer(buffer, ElementType::F32, {int64_t(values.size())}, -1, "");
}

uint32_t ModelBuilder::variable(const std::string &name, ElementType type,
                                int64_t size, uint32_t initialView) {
  PlanBuffer buffer;
  buffer.space = BufferSpace::Variable;
  plan.variableBytes = (plan.variableBytes + 63) / 64 * 64;
  buffer.offset = plan.variableBytes;
  uint32_t view = addBuffer(buffer, type, {size}, -1, "");
  plan.variableBytes += plan.buffers.back().bytes.value();
  plan.variables.push_back(
      {name, view,
       initialView == noIndex ? noIndex : plan.views[initialView].buffer});
  return view;
}

uint32_t ModelBuilder::view(uint32_t of, uint64_t byteOffset,
                            const std::vector<PlanView::Dim> &dims) {
  PlanView view = plan.views[of];
  view.byteOffset = byteOffset;
  view.dims = dims;
  view.name.clear();
  plan.views.push_back(view);
  return plan.views.size() - 1;
}

void ModelBuilder::launch(const std::string &name,
                          const std::vector<PlanOperand> &operands,
                          const std::vector<PlanInt> &scalars, PlanInt tiles,
                          const std::string &source) {
  uint32_t index = 0;
  while (index < plan.kernels.size() && plan.kernels[index].name != name)
    ++index;
  if (index == plan.kernels.size()) {
    PlanKernel kernel;
    kernel.name = name;
    kernel.opType = "Test";
    kernel.launches = {{{symbolAddress(image, name)}}};
    kernel.bufferCount = operands.size();
    kernel.scalarCount = scalars.size();
    plan.kernels.push_back(kernel);
  }
  LaunchInstruction launch;
  launch.kernel = index;
  launch.operands = operands;
  launch.scalars = scalars;
  launch.tileCount = tiles;
  plan.body.push_back({launch, source});
}

std::vector<uint8_t> ModelBuilder::build() {
  for (PlanBuffer &buffer : plan.buffers)
    if (buffer.space == BufferSpace::Arena && buffer.lastUse == 0)
      buffer.lastUse = plan.body.size();
  Expected<std::vector<uint8_t>> bytes = serializePlan(plan);
  if (!bytes) {
    ADD_FAILURE() << bytes.getDiagnostic().message;
    return {};
  }
  MemorySink sink;
  Expected<OfflineModelWriter> writer =
      OfflineModelWriter::begin(sink, {"test", "test", false}, *bytes);
  EXPECT_TRUE(
      writer->appendWeights(weightBytes.data(), weightBytes.size()).ok());
  EXPECT_TRUE(writer->finish({image.data(), image.size()}, {}).ok());
  return sink.bytes;
}

std::shared_ptr<const LoadedModel> ModelBuilder::load() {
  std::vector<uint8_t> file = build();
  Expected<std::shared_ptr<const LoadedModel>> model =
      LoadedModel::fromMemory(file.data(), file.size());
  if (!model) {
    ADD_FAILURE() << model.getDiagnostic().message;
    return nullptr;
  }
  return *model;
}

} // namespace atc::test
