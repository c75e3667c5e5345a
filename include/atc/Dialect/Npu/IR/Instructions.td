// One op for each instruction of lib/Isa that is not scalar arithmetic.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_NPU_IR_INSTRUCTIONS_TD
#define ATC_DIALECT_NPU_IR_INSTRUCTIONS_TD

include "atc/Dialect/Npu/IR/NpuBase.td"

def Npu_ReadSpecialOp : Op<Npu_Dialect, "read_special", [Pure]> {
  let summary = "which block of a launch this is";
  let description = [{
    `block_index`, `block_count` or `sub_block_index`.

    Example: `%b = npu.read_special block_index`
  }];
  let arguments = (ins Npu_Modifier<"SpecialRegister">:$source);
  let results = (outs Index:$value);
  let assemblyFormat = "$source attr-dict";
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

def Npu_SetFlagOp : Npu_Instruction<"set_flag", "SetFlag",
    [Mod<"from", "Pipe">, Mod<"to", "Pipe">], ["id"]> {
  let summary = "tell a pipe that another one has come this far";
  let description = [{
    Example: `npu.set_flag mte2 v id %slot`
  }];
}

def Npu_WaitFlagOp : Npu_Instruction<"wait_flag", "WaitFlag",
    [Mod<"from", "Pipe">, Mod<"to", "Pipe">], ["id"]> {
  let summary = "hold a pipe until a flag is set, and clear it";
  let description = [{
    Example: `npu.wait_flag mte2 v id %slot`
  }];
}

def Npu_BarrierOp : Npu_Instruction<"barrier", "Barrier",
    [Mod<"pipe", "Pipe">], []> {
  let summary = "hold a pipe, or all, until what it began has ended";
  let description = [{
    Example: `npu.barrier v`
  }];
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

class Npu_Copy<string mnemonic, string opcode>
    : Npu_Instruction<mnemonic, opcode, [],
          ["dst", "src", "rows", "row_bytes", "dst_stride", "src_stride"]> {
  let description = [{
    `rows` rows of `row_bytes` bytes; strides lead from row to row. A row in a
    memory of the core begins at a multiple of 32 bytes and is filled with zeros
    up to the next one.
  }];
}

def Npu_CopyGmToL1Op : Npu_Copy<"copy_gm_to_l1", "CopyGmToL1"> {
  let summary = "rows from global memory to L1";
}
def Npu_CopyGmToUbOp : Npu_Copy<"copy_gm_to_ub", "CopyGmToUb"> {
  let summary = "rows from global memory to UB";
}
def Npu_CopyUbToGmOp : Npu_Copy<"copy_ub_to_gm", "CopyUbToGm"> {
  let summary = "rows from UB to global memory";
}
def Npu_CopyUbToL1Op : Npu_Copy<"copy_ub_to_l1", "CopyUbToL1"> {
  let summary = "rows from UB to L1";
}

def Npu_Nd2NzOp : Npu_Instruction<"nd2nz", "Nd2Nz",
    [Mod<"width", "ElementWidth">, Mod<"transposed", "Toggle">],
    ["dst", "src", "matrices", "rows", "columns", "src_matrix_stride",
     "src_row_stride", "dst_matrix_stride", "dst_column_stride"]> {
  let summary = "matrices from global memory to columns of fractals in L1";
  let description = [{
    Element (r, c) of a matrix goes to
    `dst + (c / C0) * dst_column_stride + r * 32 + (c % C0) * size` with C0 = 32
    / size; the rest of a block of 32 bytes becomes zero. `transposed` matrices
    are stored column by column.
  }];
}

class Npu_Load2d<string mnemonic, string opcode>
    : Npu_Instruction<mnemonic, opcode, [Mod<"transposed", "Toggle">],
          ["dst", "src", "fractals", "dst_stride", "src_stride"]> {
  let description = [{
    Strides count fractals of 512 bytes. With `transposed`, each fractal of
    two-byte elements is transposed on the way.
  }];
}
def Npu_Load2dL0AOp : Npu_Load2d<"load2d_l0a", "Load2dL0A"> {
  let summary = "fractals from L1 to L0A";
}
def Npu_Load2dL0BOp : Npu_Load2d<"load2d_l0b", "Load2dL0B"> {
  let summary = "fractals from L1 to L0B";
}

def Npu_Load3dL0AOp : Npu_Instruction<"load3d_l0a", "Load3dL0A", [],
    ["dst", "src", "image_height", "image_width", "channel_blocks", "pad_left",
     "pad_right", "pad_top", "pad_bottom", "stride_width", "stride_height",
     "filter_width", "filter_height", "dilation_width", "dilation_height",
     "m_start", "k_start_bytes", "m_extent", "k_extent_bytes"]> {
  let summary = "a window of the img2col matrix of an image in L1, to L0A";
}

def Npu_LoadBiasOp : Npu_Instruction<"load_bias", "LoadBias",
    [Mod<"type", "DataType">], ["dst", "src", "count"]> {
  let summary = "elements of L1 to the bias table";
}

//===----------------------------------------------------------------------===//
// Cube
//===----------------------------------------------------------------------===//

def Npu_MmadOp : Npu_Instruction<"mmad", "Mmad",
    [Mod<"type", "DataType">, Mod<"init", "MmadInit">],
    ["dst", "a", "b", "bias", "m", "n", "k"]> {
  let summary = "matrix product, on top of sums, a bias or nothing";
}

class Npu_Fixpipe<string mnemonic, string opcode>
    : Npu_Instruction<mnemonic, opcode,
          [Mod<"src_type", "DataType">, Mod<"dst_type", "DataType">,
           Mod<"activation", "Activation">, Mod<"layout", "FixpipeLayout">],
          ["dst", "src", "m", "n", "dst_stride", "src_stride"]>;
def Npu_FixpipeToGmOp : Npu_Fixpipe<"fixpipe_to_gm", "FixpipeToGm"> {
  let summary = "sums of L0C, converted, to global memory";
}
def Npu_FixpipeToL1Op : Npu_Fixpipe<"fixpipe_to_l1", "FixpipeToL1"> {
  let summary = "sums of L0C, converted, to L1";
}
def Npu_FixpipeToUbOp : Npu_Fixpipe<"fixpipe_to_ub", "FixpipeToUb"> {
  let summary = "sums of L0C, converted, to UB";
}

//===----------------------------------------------------------------------===//
// Vector
//===----------------------------------------------------------------------===//

// Strides count blocks of 32 bytes: from block to block inside a repeat, and
// from repeat to repeat.

def Npu_VectorUnaryOp : Npu_Instruction<"vunary", "VectorUnary",
    [Mod<"function", "UnaryFunction">, Mod<"type", "DataType">],
    ["dst", "src", "lanes", "repeats", "dst_block", "src_block", "dst_repeat",
     "src_repeat"]> {
  let summary = "a function of each lane";
}

def Npu_VectorBinaryOp : Npu_Instruction<"vbinary", "VectorBinary",
    [Mod<"function", "BinaryFunction">, Mod<"type", "DataType">],
    ["dst", "src0", "src1", "lanes", "repeats", "dst_block", "src0_block",
     "src1_block", "dst_repeat", "src0_repeat", "src1_repeat"]> {
  let summary = "a function of two lanes";
}

def Npu_VectorScalarOp : Npu_Instruction<"vscalar", "VectorScalar",
    [Mod<"function", "ScalarFunction">, Mod<"type", "DataType">],
    ["dst", "src", "scalar", "lanes", "repeats", "dst_block", "src_block",
     "dst_repeat", "src_repeat"]> {
  let summary = "a function of each lane and a scalar, given by its bits";
}

def Npu_VectorCastOp : Npu_Instruction<"vcast", "VectorCast",
    [Mod<"src_type", "DataType">, Mod<"dst_type", "DataType">,
     Mod<"rounding", "Rounding">],
    ["dst", "src", "lanes", "repeats", "dst_block", "src_block", "dst_repeat",
     "src_repeat"]> {
  let summary = "each lane in another type";
}

def Npu_VectorDuplicateOp : Npu_Instruction<"vdup", "VectorDuplicate",
    [Mod<"type", "DataType">],
    ["dst", "scalar", "lanes", "repeats", "dst_block", "dst_repeat"]> {
  let summary = "one scalar, given by its bits, in all lanes";
}

#endif // ATC_DIALECT_NPU_IR_INSTRUCTIONS_TD
