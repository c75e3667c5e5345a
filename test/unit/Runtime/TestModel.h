// Offline models for tests, with kernels compiled by the build.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_RUNTIME_TESTMODEL_H
#define ATC_TEST_UNIT_RUNTIME_TESTMODEL_H

#include "atc/Model/OfflineModelWriter.h"
#include "atc/Runtime/LoadedModel.h"

#include <string>
#include <vector>

namespace atc::test {

/// The bytes of a test image: "" for the good one, or the name of a bad one.
std::vector<uint8_t> readImage(const std::string &variant = "");

/// The address of a function in an image.
uint64_t symbolAddress(const std::vector<uint8_t> &image,
                       const std::string &name);

/// Builds plans step by step. Kernels are named as in TestKernels.c.
class ModelBuilder {
public:
  ModelBuilder();

  /// A scalar register for an input's dim.
  PlanInt symbol(uint32_t port, uint32_t dim, int64_t min = 0,
                 int64_t max = 1000);
  PlanInt newRegister() { return PlanInt::reg(plan.registerCount++); }

  /// Adds a buffer and a dense view of it. Sizes in registers need `bytes`.
  uint32_t input(const std::string &name, ElementType type,
                 const std::vector<PlanInt> &sizes, PlanInt bytes = -1);
  uint32_t output(const std::string &name, ElementType type,
                  const std::vector<PlanInt> &sizes, PlanInt bytes = -1,
                  Placement placement = Placement::Shape);
  uint32_t arena(ElementType type, const std::vector<PlanInt> &sizes,
                 PlanInt bytes = -1, Placement placement = Placement::Shape);
  uint32_t weights(const std::vector<float> &values);
  uint32_t variable(const std::string &name, ElementType type, int64_t size,
                    uint32_t initialView = noIndex);
  /// Another view of a view's buffer.
  uint32_t view(uint32_t of, uint64_t byteOffset,
                const std::vector<PlanView::Dim> &dims);

  void launch(const std::string &kernel, const std::vector<PlanOperand> &,
              const std::vector<PlanInt> &scalars, PlanInt tiles,
              const std::string &source = "node");
  void add(PlanOperation operation) { plan.body.push_back({operation, ""}); }

  /// The file.
  std::vector<uint8_t> build();
  std::shared_ptr<const LoadedModel> load();

  Plan plan;

private:
  uint32_t addBuffer(PlanBuffer buffer, ElementType type,
                     const std::vector<PlanInt> &sizes, PlanInt bytes,
                     const std::string &name);

  std::vector<uint8_t> image;
  std::vector<uint8_t> weightBytes;
};

inline PlanOperand reads(uint32_t view) { return {view, Access::Read}; }
inline PlanOperand writes(uint32_t view) { return {view, Access::Write}; }

} // namespace atc::test

#endif // ATC_TEST_UNIT_RUNTIME_TESTMODEL_H
