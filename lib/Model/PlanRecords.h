// The fields of each record of the plan format, for writer and reader alike.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_MODEL_PLANRECORDS_H
#define ATC_LIB_MODEL_PLANRECORDS_H

#include "atc/Model/Plan.h"
#include "atc/Model/PlanFormat.h"

namespace atc {

// An archive is a PlanWriter or a PlanReader. It offers
//   u8, u32, u64, i64(field)      an integer of the record
//   enumeration(field, last)      a byte, at most `last`
//   zero(n)                       n bytes of padding
//   planInt(field)                a tagged 64-bit word in the record
//   string(field), blob(field)    offset and length in the table of strings
//   beginWords(), endWords()      around the record's range of words:
//     word(field)                   one word
//     planIntWord(field)            one tagged word
//     planInts(vector, n), operands(vector, n), numbers(vector, n)
//     remaining()                   reader: words left; writer: ignored
// A function below names the fields in file order, once for both directions.

template <typename Archive>
void describe(Archive &archive, PhysicalLayout &layout) {
  uint32_t rank = layout.permutation.size();
  archive.u32(rank);
  uint32_t tileCount = layout.tiles.size();
  archive.u32(tileCount);
  uint32_t haloCount = layout.halos.size();
  archive.u32(haloCount);
  archive.zero(4);
  archive.beginWords();
  archive.numbers(layout.permutation, rank);
  archive.forEachWordGroup(layout.tiles, tileCount, 2, [&](auto &tile) {
    archive.word(tile.dim);
    archive.word(tile.size);
  });
  archive.forEachWordGroup(layout.halos, haloCount, 3, [&](auto &halo) {
    archive.word(halo.dim);
    archive.word(halo.low);
    archive.word(halo.high);
  });
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, PlanBuffer &buffer) {
  archive.enumeration(buffer.space, BufferSpace::Output);
  archive.enumeration(buffer.placement, Placement::Data);
  archive.zero(2);
  archive.u32(buffer.alignment);
  archive.u64(buffer.offset);
  archive.planInt(buffer.bytes);
  archive.u32(buffer.port);
  archive.u32(buffer.firstUse);
  archive.u32(buffer.lastUse);
  archive.u32(buffer.storageGroup);
}

template <typename Archive>
void describe(Archive &archive, PlanView &view) {
  archive.u32(view.buffer);
  archive.elementType(view.elementType);
  archive.zero(3);
  archive.planInt(view.byteOffset);
  uint32_t rank = view.dims.size();
  archive.beginWords();
  archive.forEachWordGroup(view.dims, archive.remaining(rank * 2) / 2, 2,
                           [&](auto &dim) {
                             archive.planIntWord(dim.size);
                             archive.planIntWord(dim.stride);
                           });
  archive.endWords();
  archive.u32(view.layout);
  archive.zero(4);
  archive.string(view.name);
}

template <typename Archive>
void describe(Archive &archive, PlanVariable &variable) {
  archive.string(variable.name);
  archive.u32(variable.view);
  archive.u32(variable.initial);
}

template <typename Archive>
void describe(Archive &archive, PlanPort &port) {
  archive.string(port.name);
  archive.enumeration(port.kind, ValueKind::String);
  archive.zero(3);
  archive.u32(port.view);
}

template <typename Archive>
void describe(Archive &archive, PlanSymbol &symbol) {
  archive.u32(symbol.port);
  archive.u32(symbol.dim);
  archive.u32(symbol.registerIndex);
  archive.zero(4);
  archive.i64(symbol.min);
  archive.i64(symbol.max);
  archive.string(symbol.name);
}

template <typename Archive>
void describe(Archive &archive, PlanCodeImage &image) {
  archive.cpuLevel(image.level);
  archive.zero(3);
  archive.u32(image.features);
  archive.u64(image.offset);
  archive.u64(image.bytes);
}

template <typename Archive>
void describe(Archive &archive, PlanKernel &kernel) {
  archive.string(kernel.name);
  archive.string(kernel.opType);
  archive.u32(kernel.bufferCount);
  archive.u32(kernel.scalarCount);
  uint32_t launchCount = kernel.launches.size();
  archive.u32(launchCount);
  archive.zero(4);
  // One row of entries per launch, one column per code image.
  archive.beginWords();
  uint32_t entries =
      kernel.launches.empty() ? 0 : kernel.launches[0].entries.size();
  uint32_t words = archive.remaining(launchCount * entries);
  uint32_t columns = launchCount ? words / launchCount : 0;
  archive.forEachWordGroup(
      kernel.launches, launchCount, columns,
      [&](auto &launch) { archive.numbers(launch.entries, columns); });
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, std::string &name) {
  archive.string(name);
}

// Instructions. Behind the opcode, every one fills the same 31 bytes: a byte
// of its own, two zero bytes, three u32 fields, its range of words. The source
// text follows.

template <typename Archive>
void describe(Archive &archive, LaunchInstruction &op) {
  archive.zero(3);
  archive.u32(op.kernel);
  archive.u32(op.launch);
  uint32_t operandCount = op.operands.size();
  archive.u32(operandCount);
  archive.beginWords();
  archive.planIntWord(op.tileCount);
  archive.planIntWord(op.scratchBytes);
  archive.planIntWord(op.flops);
  archive.planIntWord(op.bytes);
  archive.operands(op.operands, operandCount);
  archive.planInts(op.scalars, archive.remaining(op.scalars.size()));
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, HostCallInstruction &op) {
  archive.zero(3);
  archive.u32(op.hostOp);
  archive.blob(op.attributes);
  archive.beginWords();
  uint32_t operandCount = op.operands.size();
  archive.word(operandCount);
  uint32_t resultCount = op.results.size();
  archive.word(resultCount);
  archive.operands(op.operands, operandCount);
  archive.numbers(op.results, resultCount);
  archive.planInts(op.scalars, archive.remaining(op.scalars.size()));
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, CopyInstruction &op) {
  archive.zero(3);
  archive.u32(op.source);
  archive.u32(op.destination);
  archive.zero(4);
  archive.noWords();
}

template <typename Archive>
void describe(Archive &archive, FillInstruction &op) {
  archive.zero(3);
  archive.u32(op.view);
  archive.zero(8);
  archive.beginWords();
  archive.word(op.pattern);
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, ZeroHaloInstruction &op) {
  archive.zero(3);
  archive.u32(op.view);
  uint32_t rank = op.low.size();
  archive.u32(rank);
  archive.zero(4);
  archive.beginWords();
  archive.planInts(op.low, rank);
  archive.planInts(op.high, archive.remaining(op.high.size()));
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, ScalarInstruction &op) {
  archive.enumeration(op.op, ScalarOp::Select);
  archive.zero(2);
  archive.u32(op.result);
  archive.zero(8);
  archive.beginWords();
  archive.planIntWord(op.a);
  archive.planIntWord(op.b);
  archive.planIntWord(op.c);
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, LoadScalarInstruction &op) {
  archive.zero(3);
  archive.u32(op.result);
  archive.u32(op.view);
  archive.zero(4);
  archive.beginWords();
  archive.planInts(op.index, archive.remaining(op.index.size()));
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, StoreScalarInstruction &op) {
  archive.zero(3);
  archive.u32(op.view);
  archive.zero(8);
  archive.beginWords();
  archive.planIntWord(op.value);
  archive.planInts(op.index, archive.remaining(op.index.size()));
  archive.endWords();
}

template <typename Archive>
void describe(Archive &archive, CheckInstruction &op) {
  archive.zero(3);
  archive.zero(4);
  archive.string(op.message);
  archive.beginWords();
  archive.planIntWord(op.condition);
  archive.endWords();
}

/// If and LoopTest: a condition and nothing else.
template <typename Archive>
void describeCondition(Archive &archive, PlanInt &condition) {
  archive.zero(15);
  archive.beginWords();
  archive.planIntWord(condition);
  archive.endWords();
}
template <typename Archive>
void describe(Archive &archive, IfInstruction &op) {
  describeCondition(archive, op.condition);
}
template <typename Archive>
void describe(Archive &archive, LoopTestInstruction &op) {
  describeCondition(archive, op.condition);
}

/// Else, EndIf, Loop, EndLoop: no fields.
template <typename Archive>
void describeMark(Archive &archive) {
  archive.zero(15);
  archive.noWords();
}
template <typename Archive>
void describe(Archive &archive, ElseInstruction &) {
  describeMark(archive);
}
template <typename Archive>
void describe(Archive &archive, EndIfInstruction &) {
  describeMark(archive);
}
template <typename Archive>
void describe(Archive &archive, LoopInstruction &) {
  describeMark(archive);
}
template <typename Archive>
void describe(Archive &archive, EndLoopInstruction &) {
  describeMark(archive);
}

/// Allocate and Free.
template <typename Archive>
void describeBuffer(Archive &archive, uint32_t &buffer) {
  archive.zero(3);
  archive.u32(buffer);
  archive.zero(8);
  archive.noWords();
}
template <typename Archive>
void describe(Archive &archive, AllocateInstruction &op) {
  describeBuffer(archive, op.buffer);
}
template <typename Archive>
void describe(Archive &archive, FreeInstruction &op) {
  describeBuffer(archive, op.buffer);
}

template <typename Archive>
void describe(Archive &archive, PlanInstruction &instruction) {
  archive.opcode(instruction.operation);
  archive.visitOperation(instruction.operation, [&](auto &operation) {
    describe(archive, operation);
  });
  archive.string(instruction.source);
}

/// All tables behind strings and words, in file order.
template <typename Plan, typename Visitor>
void forEachTable(Plan &plan, Visitor &&visit) {
  using planformat::Table;
  visit(Table::Layouts, plan.layouts);
  visit(Table::Buffers, plan.buffers);
  visit(Table::Views, plan.views);
  visit(Table::Variables, plan.variables);
  visit(Table::Inputs, plan.inputs);
  visit(Table::Outputs, plan.outputs);
  visit(Table::Symbols, plan.symbols);
  visit(Table::CodeImages, plan.codeImages);
  visit(Table::Kernels, plan.kernels);
  visit(Table::HostOps, plan.hostOps);
  visit(Table::Prologue, plan.prologue);
  visit(Table::Body, plan.body);
}

} // namespace atc

#endif // ATC_LIB_MODEL_PLANRECORDS_H
