// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @alloc_c1_global() {
  // expected-error @+1 {{expects a space of the core, got gm}}
  %a = npu.alloc : memref<32xi8, #npu.space<gm>>
  return
}

// -----

func.func @alloc_c2_dynamic() {
  // expected-error @+1 {{expects a static, positive size}}
  %a = npu.alloc : memref<?xi8, #npu.space<ub>>
  return
}

// -----

func.func @alloc_c3_no_slot() {
  // expected-error @+1 {{expects at least one slot, got 0}}
  %a = npu.alloc slots 0 : memref<32xi8, #npu.space<ub>>
  return
}

// -----

func.func @address_c1_slot_of_global(%a: memref<?xi8, #npu.space<gm>>, %i: index) {
  // expected-error @+1 {{expects no slot of a buffer in gm}}
  %p = npu.address %a slot %i offset %i : memref<?xi8, #npu.space<gm>>
  return
}

// -----

func.func @unknown_space() {
  // expected-error @+1 {{unknown space 'l2'}}
  %a = npu.alloc : memref<32xi8, #npu.space<l2>>
  return
}

// -----

func.func @unknown_modifier(%i: index) {
  // expected-error @+1 {{invalid value for property type, expected DataType}}
  npu.mmad f64 zero dst %i, a %i, b %i, bias %i, m %i, n %i, k %i
  return
}

// -----

func.func @instruction_c1_modifiers_conflict(%i: index) {
  // expected-error @+1 {{the function takes f16 or f32}}
  npu.vunary exp s32 dst %i, src %i, lanes %i, repeats %i, dst_block %i,
      src_block %i, dst_repeat %i, src_repeat %i
  return
}

// -----

func.func @instruction_c2_field_limit(%i: index) {
  %c4096 = arith.constant 4096 : index
  // expected-error @+1 {{k = 4096 is above its maximum}}
  npu.mmad f16 zero dst %i, a %i, b %i, bias %i, m %i, n %i, k %c4096
  return
}

// -----

func.func @instruction_c2_alignment(%i: index) {
  %c256 = arith.constant 256 : index
  // expected-error @+1 {{a = 256 is misaligned}}
  npu.mmad f16 zero dst %i, a %c256, b %i, bias %i, m %i, n %i, k %i
  return
}
