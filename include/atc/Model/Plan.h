// The plan: what the runtime does to run a model, as plain structs.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_MODEL_PLAN_H
#define ATC_MODEL_PLAN_H

#include "atc/Support/CodeTarget.h"
#include "atc/Support/Diagnostic.h"
#include "atc/Support/ElementType.h"
#include "atc/Support/PhysicalLayout.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace atc {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// A 64-bit integer that is either known in the file or held by a scalar
/// register when the plan runs. Every size, stride, offset and tile count is
/// one, so a plan for dynamic shapes differs from a static one only in them.
class PlanInt {
public:
  /// Static values lie in [-2^62, 2^62): one bit of the stored word tells the
  /// two cases apart.
  static constexpr int64_t maxStatic = (int64_t(1) << 62) - 1;
  static constexpr int64_t minStatic = -(int64_t(1) << 62);

  PlanInt(int64_t value = 0) : number(value), inRegister(false) {}
  /// The value of scalar register `index` at the time of use.
  static PlanInt reg(uint32_t index) {
    PlanInt result;
    result.number = index;
    result.inRegister = true;
    return result;
  }

  bool isStatic() const { return !inRegister; }
  bool isRegister() const { return inRegister; }
  /// The static value; only if isStatic().
  int64_t value() const { return number; }
  /// The register's index; only if isRegister().
  uint32_t registerIndex() const { return static_cast<uint32_t>(number); }

  bool operator==(const PlanInt &other) const {
    return number == other.number && inRegister == other.inRegister;
  }
  bool operator!=(const PlanInt &other) const { return !(*this == other); }

private:
  int64_t number;
  bool inRegister;
};

/// "No such entry", for optional indices.
inline constexpr uint32_t noIndex = std::numeric_limits<uint32_t>::max();

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Where a buffer's bytes come from. The values are part of the format.
enum class BufferSpace : uint8_t {
  /// The session's arena: reused by lifetime, contents lost between runs.
  Arena = 0,
  /// Partition 1 of the file: read only.
  Weights = 1,
  /// State of the session that outlives a run.
  Variable = 2,
  /// The data of input port `port`: read only.
  Input = 3,
  /// The data of output port `port`.
  Output = 4,
};

/// When a buffer's size and place are known.
enum class Placement : uint8_t {
  /// `bytes` is static and, in Arena, Weights and Variable, `offset` is final.
  Fixed = 0,
  /// `bytes` is known after the prologue; the runtime places all such arena
  /// buffers with the arena planner when it first sees a shape, and remembers.
  Shape = 1,
  /// `bytes` is known only in the body: `Allocate` gives the buffer its
  /// memory and `Free` takes it back.
  Data = 2,
};

/// A range of bytes. Views look into it; several views may share one buffer.
struct PlanBuffer {
  BufferSpace space = BufferSpace::Arena;
  Placement placement = Placement::Fixed;
  /// Byte offset inside the space (Placement::Fixed; zero for ports).
  uint64_t offset = 0;
  PlanInt bytes;
  /// A power of two, at most 4096. Caller-owned input and output memory must
  /// have it too to be used without a copy.
  uint32_t alignment = 64;
  /// The port of an Input or Output buffer.
  uint32_t port = noIndex;
  /// First and last body instruction that touches the bytes (inclusive). A
  /// buffer that lives across a loop's iterations spans the whole loop. Only
  /// for Arena.
  uint32_t firstUse = 0;
  uint32_t lastUse = 0;
  /// Arena buffers of one group and Placement::Shape begin at one address
  /// (in-place results, casts of a view). A group's index is that of any
  /// number below the count of buffers; noIndex stands alone.
  uint32_t storageGroup = noIndex;
};

/// A tensor inside a buffer.
///
/// Without `layout`, element (i0, i1, ...) lies at
///   buffer + byteOffset + (i0 * stride0 + i1 * stride1 + ...) * element size
/// so `byteOffset` already leads behind a halo. Element types below eight bits
/// are packed in pairs, low half first, and their views are row-major.
///
/// With `layout`, the dims are the logical ones, strides are ignored and
/// `byteOffset` leads to the first physical element; sizes are static. Kernels
/// get this first physical element.
struct PlanView {
  struct Dim {
    PlanInt size;
    /// In elements; 0 repeats the same elements, negative values are legal.
    PlanInt stride;
  };

  uint32_t buffer = noIndex;
  PlanInt byteOffset;
  ElementType elementType = ElementType::F32;
  std::vector<Dim> dims;
  /// Index into Plan::layouts of a tiled layout, or noIndex.
  uint32_t layout = noIndex;
  /// The source model's tensor, for dumps; may be empty.
  std::string name;
};

/// State of a session.
struct PlanVariable {
  std::string name;
  /// The whole variable: a view of a Variable buffer.
  uint32_t view = noIndex;
  /// A Weights buffer of the same size with the initial bytes, or noIndex for
  /// zeros.
  uint32_t initial = noIndex;
};

//===----------------------------------------------------------------------===//
// The model's interface
//===----------------------------------------------------------------------===//

/// What a value may be. Only View and Scalar are accepted by this version;
/// the other numbers are taken so that later files keep the format.
enum class ValueKind : uint8_t {
  View = 0,
  Scalar = 1,
  /// Rank, dims and type known at run time.
  Dynamic = 2,
  Sequence = 3,
  Optional = 4,
  String = 5,
};

/// An input or an output. Its data is row-major and dense: `view` is the whole
/// of a buffer in space Input (Output) with this port's index, dense, without
/// layout.
struct PlanPort {
  std::string name;
  ValueKind kind = ValueKind::View;
  uint32_t view = noIndex;
};

/// Binds a register to the size of an input's dim, before the prologue. A
/// register bound twice demands equal sizes.
struct PlanSymbol {
  uint32_t port = 0;
  uint32_t dim = 0;
  uint32_t registerIndex = 0;
  /// Inclusive; a size outside is refused when the input is set.
  int64_t min = 0;
  int64_t max = PlanInt::maxStatic;
  /// The source model's name of the dim, e.g. "batch"; may be empty.
  std::string name;
};

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// One ELF image (CPU) or one NPU instruction image in partition 3. A CPU file
/// may carry several for one plan, most demanding first; the runtime takes the
/// first that the processor can run.
struct PlanCodeImage {
  CpuLevel level = CpuLevel::None;
  uint32_t features = 0;
  /// Byte range inside partition 3; `offset` is a multiple of 4096.
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// A kernel, shared by all its uses.
struct PlanKernel {
  /// One grid of independent tiles.
  struct Launch {
    /// For each code image: CPU the virtual address of the function in the
    /// ELF image, NPU the byte offset of the code in the image.
    std::vector<uint64_t> entries;
  };

  /// Symbol name, unique in the plan.
  std::string name;
  /// The anchor's operator type, e.g. "Conv"; what the profile groups by.
  std::string opType;
  std::vector<Launch> launches;
  uint32_t bufferCount = 0;
  uint32_t scalarCount = 0;
};

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// How an operation uses a view.
enum class Access : uint8_t { Read = 1, Write = 2, ReadWrite = 3 };

struct PlanOperand {
  uint32_t view = noIndex;
  Access access = Access::Read;
};

/// Runs tiles [0, tileCount) of one launch of a kernel.
struct LaunchInstruction {
  uint32_t kernel = 0;
  uint32_t launch = 0;
  std::vector<PlanOperand> operands;
  std::vector<PlanInt> scalars;
  PlanInt tileCount = 1;
  /// Per thread.
  PlanInt scratchBytes = 0;
  /// Estimates for the profile and for keeping small launches on one thread;
  /// 0 where unknown. `flops` counts a multiply-add as two.
  PlanInt flops = 0;
  PlanInt bytes = 0;
};

/// Calls a host operator by its index in Plan::hostOps.
struct HostCallInstruction {
  uint32_t hostOp = 0;
  std::vector<PlanOperand> operands;
  std::vector<PlanInt> scalars;
  /// Registers that the operator sets, e.g. a count.
  std::vector<uint32_t> results;
  /// Constant attributes, in the operator's own encoding.
  std::string attributes;
};

/// Copies a view to another of the same dims and element type; the two may
/// have different strides and layouts and must not overlap.
struct CopyInstruction {
  uint32_t source = noIndex;
  uint32_t destination = noIndex;
};

/// Sets every element of a view to the same bytes: the low bytes of `pattern`
/// in the element's size.
struct FillInstruction {
  uint32_t view = noIndex;
  uint64_t pattern = 0;
};

/// Zeroes the halo around a strided view: all elements of the box that extends
/// dim d by low[d] and high[d], except the view itself.
struct ZeroHaloInstruction {
  uint32_t view = noIndex;
  std::vector<PlanInt> low;
  std::vector<PlanInt> high;
};

/// Operations on scalars. Division rounds as named and by zero is an error, as
/// is overflow. Conditions are 0 or 1; any other value counts as true.
enum class ScalarOp : uint8_t {
  Move = 0, // a
  Add = 1,
  Subtract = 2,
  Multiply = 3,
  FloorDivide = 4,
  CeilDivide = 5,
  /// Sign of the divisor, matching FloorDivide.
  Modulo = 6,
  Minimum = 7,
  Maximum = 8,
  Equal = 9,
  NotEqual = 10,
  Less = 11,
  LessEqual = 12,
  And = 13,
  Or = 14,
  Not = 15,    // !a
  Select = 16, // a ? b : c
};
inline constexpr uint8_t lastScalarOp = static_cast<uint8_t>(ScalarOp::Select);

/// result = op(a, b, c); unused operands are static zero.
struct ScalarInstruction {
  ScalarOp op = ScalarOp::Move;
  uint32_t result = 0;
  PlanInt a, b, c;
};

/// result = view[index...], for integer and boolean element types.
struct LoadScalarInstruction {
  uint32_t result = 0;
  uint32_t view = noIndex;
  std::vector<PlanInt> index;
};

/// view[index...] = value, for integer and boolean element types; a value that
/// the type cannot hold is an error.
struct StoreScalarInstruction {
  uint32_t view = noIndex;
  std::vector<PlanInt> index;
  PlanInt value;
};

/// Ends the run with `message` unless `condition` holds.
struct CheckInstruction {
  PlanInt condition;
  std::string message;
};

/// If ... [Else ...] EndIf.
struct IfInstruction {
  PlanInt condition;
};
struct ElseInstruction {};
struct EndIfInstruction {};

/// Loop, the computation of the condition, LoopTest, the body, EndLoop.
/// Registers carry values from one iteration to the next.
struct LoopInstruction {};
struct LoopTestInstruction {
  PlanInt condition;
};
struct EndLoopInstruction {};

/// Gives a Placement::Data buffer its memory. In a loop, a buffer that has
/// memory is given new memory and loses its contents.
struct AllocateInstruction {
  uint32_t buffer = noIndex;
};
/// Takes it back before the run ends.
struct FreeInstruction {
  uint32_t buffer = noIndex;
};

using PlanOperation =
    std::variant<LaunchInstruction, HostCallInstruction, CopyInstruction,
                 FillInstruction, ZeroHaloInstruction, ScalarInstruction,
                 LoadScalarInstruction, StoreScalarInstruction,
                 CheckInstruction, IfInstruction, ElseInstruction,
                 EndIfInstruction, LoopInstruction, LoopTestInstruction,
                 EndLoopInstruction, AllocateInstruction, FreeInstruction>;

struct PlanInstruction {
  PlanOperation operation;
  /// Names of the source nodes, separated by '+'; what profile and errors
  /// show. May be empty.
  std::string source;
};

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Everything of an offline model but its graph, weights and code.
///
/// A run sets the registers of `symbols` from the inputs' shapes, executes
/// `prologue` (Scalar and Check instructions only), places the buffers whose
/// size is now known, and executes `body`. The arena is zero when a session
/// starts and whenever its buffers are placed anew.
struct Plan {
  TargetKind targetKind = TargetKind::Cpu;
  /// The target's record, e.g. "CPU-x86-64-v3" or "TinyNpu".
  std::string targetName;
  /// Entries of the import table that the code uses (CPU).
  uint32_t importCount = 0;

  /// Scalar registers are numbered [0, registerCount).
  uint32_t registerCount = 0;
  /// Bytes of the fixed part of the arena, and of all variables.
  uint64_t arenaBytes = 0;
  uint64_t variableBytes = 0;
  /// The most bytes that live at one time: what no arena could undercut. Zero
  /// where sizes are dynamic.
  uint64_t arenaLowerBound = 0;

  /// Tiled layouts that views name.
  std::vector<PhysicalLayout> layouts;
  std::vector<PlanBuffer> buffers;
  std::vector<PlanView> views;
  std::vector<PlanVariable> variables;
  std::vector<PlanPort> inputs;
  std::vector<PlanPort> outputs;
  std::vector<PlanSymbol> symbols;
  std::vector<PlanCodeImage> codeImages;
  std::vector<PlanKernel> kernels;
  /// Names of host operators, resolved when the file is loaded.
  std::vector<std::string> hostOps;
  std::vector<PlanInstruction> prologue;
  std::vector<PlanInstruction> body;
};

/// What the plan says about the file's other partitions.
struct PlanSizes {
  uint64_t weightsBytes = 0;
  uint64_t codeBytes = 0;
};

/// The plan as partition 2, with zeros where the container's writer puts the
/// digests. Fails with Internal if the plan breaks one of its own rules
/// (checkPlan).
Expected<std::vector<uint8_t>> serializePlan(const Plan &plan);

/// Reads partition 2 and checks all of it: record bounds and types here, the
/// rest by checkPlan. The digests are the container's affair. Fails with
/// DamagedOfflineModel, or with NewerOfflineModel for a later version.
Expected<Plan> parsePlan(const uint8_t *data, uint64_t size,
                         const std::optional<PlanSizes> &sizes = std::nullopt);

/// Checks what a plan must obey: indices, element types and ranks, static
/// bounds of views inside their buffers, definition of registers before use on
/// every path, nesting of control flow, read-only spaces, operand counts.
/// Linear in the plan's size. With `sizes`, weights and code ranges are
/// checked against the partitions too.
Status checkPlan(const Plan &plan,
                 const std::optional<PlanSizes> &sizes = std::nullopt);

} // namespace atc

#endif // ATC_MODEL_PLAN_H
