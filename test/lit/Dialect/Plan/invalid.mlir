// What the plan dialect refuses.
// RUN: atc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expects 2 strides, got 1}}
func.func private @strides(!plan.view<2x3xf32, [3]>)

// -----

// expected-error@+1 {{expects a layout of rank 2, got rank 3}}
func.func private @layout(!plan.view<2x3xf32, #graph.layout<perm = [0, 1, 2]>>)

// -----

// expected-error@+1 {{expects static sizes in a view with a layout}}
func.func private @dynamic_layout(!plan.view<?x3xf32, #graph.layout<perm = [0, 1], tile = [[1, 4]]>>)

// -----

// expected-error@+1 {{expects elements of whole bytes in a view with strides or a layout, got 'i4'}}
func.func private @packed(!plan.view<2x3xi4, [4, 1]>)

// -----

plan.program @port {
  // expected-error@+1 {{expects a dense row-major type}}
  %x = plan.input 0 "x" : !plan.view<2x3xf32, [4, 1]>
}

// -----

plan.program @gap {
  %x = plan.input 0 "x" : !plan.view<2xf32>
  // expected-error@+1 {{expects ports numbered without gaps; 1 comes here, got 2}}
  %y = plan.input 2 "y" : !plan.view<2xf32>
}

// -----

plan.program @sizes {
  // expected-error@+1 {{expects 1 sizes for '!plan.view<?xf32>', got 0}}
  %y = plan.output 0 "y" : !plan.view<?xf32>
}

// -----

plan.program @negative {
  // expected-error@+1 {{expects a size that is not negative, got -1}}
  %a = plan.arena fixed -1
}

// -----

plan.program @early_offset {
  %c = arith.constant 64 : index
  // expected-error@+1 {{expects an offset only for placement fixed}}
  %a = plan.arena shape %c at 0
}

// -----

plan.program @outside {
  %a = plan.arena fixed 64
  // expected-error@+1 {{expects to lie inside its buffer of 64 bytes, got bytes [4, 68)}}
  %v = plan.view %a[4] : !plan.buffer<arena> -> !plan.view<16xf32>
}

// -----

// A negative stride reaches below element zero.
plan.program @backwards {
  %a = plan.arena fixed 64
  // expected-error@+1 {{expects to lie inside its buffer of 64 bytes, got bytes [-12, 4)}}
  %v = plan.view %a[0] : !plan.buffer<arena> -> !plan.view<4xf32, [-1]>
}

// -----

plan.program @read_only {
  %x = plan.input 0 "x" : !plan.view<2xf32>
  %v = plan.view %x[0] : !plan.buffer<input> -> !plan.view<2xf32>
  // expected-error@+1 {{expects to write no buffer in input}}
  plan.fill %v with 0 : !plan.view<2xf32>
}

// -----

plan.program @no_kernel {
  %a = plan.arena fixed 64
  %v = plan.view %a[0] : !plan.buffer<arena> -> !plan.view<16xf32>
  // expected-error@+1 {{expects a kernel module, got @missing}}
  plan.launch @missing[0] (write %v : !plan.view<16xf32>) tiles 1 scratch 0
}

// -----

plan.program @copy_shapes {
  %a = plan.arena fixed 64
  %v = plan.view %a[0] : !plan.buffer<arena> -> !plan.view<4xf32>
  %w = plan.view %a[16] : !plan.buffer<arena> -> !plan.view<5xf32>
  // expected-error@+1 {{expects equal dims and element types}}
  plan.copy %v to %w : !plan.view<4xf32>, !plan.view<5xf32>
}

// -----

plan.program @tiled_halo {
  %a = plan.arena fixed 64
  %v = plan.view %a[0] : !plan.buffer<arena> -> !plan.view<4x4xf32, #graph.layout<perm = [0, 1], tile = [[1, 4]]>>
  // expected-error@+1 {{expects a strided view}}
  plan.zero_halo %v low [0, 0] high [0, 0] : !plan.view<4x4xf32, #graph.layout<perm = [0, 1], tile = [[1, 4]]>>
}

// -----

plan.program @halo_rank {
  %a = plan.arena fixed 64
  %v = plan.view %a[0] : !plan.buffer<arena> -> !plan.view<2x2xf32>
  // expected-error@+1 {{expects 2 low and high widths}}
  plan.zero_halo %v low [0] high [0] : !plan.view<2x2xf32>
}

// -----

plan.program @float_scalar {
  %a = plan.arena fixed 64
  %v = plan.view %a[0] : !plan.buffer<arena> -> !plan.view<f32>
  // expected-error@+1 {{expects integer or boolean elements}}
  %s = plan.load_scalar %v[] : !plan.view<f32>
}

// -----

plan.program @static_dim {
  %x = plan.input 0 "x" : !plan.view<2xf32>
  // expected-error@+1 {{expects a dynamic dim of '!plan.view<2xf32>', got axis 0}}
  %n = plan.dim %x[0] "n" from 1 to 2 : !plan.buffer<input>
}

// -----

plan.program @free_fixed {
  %a = plan.arena fixed 64
  // expected-error@+1 {{expects an arena buffer of placement data}}
  plan.free %a : !plan.buffer<arena>
}

// -----

plan.program @foreign {
  %c = arith.constant true
  // expected-error@+1 {{expects to carry scalars in a plan.program, got 'f32'}}
  %r = scf.if %c -> (f32) {
    %f = arith.constant 0.0 : f32
    scf.yield %f : f32
  } else {
    %f = arith.constant 1.0 : f32
    scf.yield %f : f32
  }
}
