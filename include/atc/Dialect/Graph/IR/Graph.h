// The whole graph dialect: attributes, types, interfaces and all op families.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_GRAPH_H
#define ATC_DIALECT_GRAPH_IR_GRAPH_H

#include "atc/Dialect/Graph/IR/Attention.h"
#include "atc/Dialect/Graph/IR/ControlFlow.h"
#include "atc/Dialect/Graph/IR/Convolution.h"
#include "atc/Dialect/Graph/IR/Creation.h"
#include "atc/Dialect/Graph/IR/Elementwise.h"
#include "atc/Dialect/Graph/IR/GraphDialect.h"
#include "atc/Dialect/Graph/IR/Indexing.h"
#include "atc/Dialect/Graph/IR/Kernel.h"
#include "atc/Dialect/Graph/IR/MatMul.h"
#include "atc/Dialect/Graph/IR/Movement.h"
#include "atc/Dialect/Graph/IR/Normalization.h"
#include "atc/Dialect/Graph/IR/Pooling.h"
#include "atc/Dialect/Graph/IR/Quantization.h"
#include "atc/Dialect/Graph/IR/Reduction.h"
#include "atc/Dialect/Graph/IR/Shape.h"
#include "atc/Dialect/Graph/IR/State.h"
#include "atc/Dialect/Graph/IR/Weight.h"

#endif // ATC_DIALECT_GRAPH_IR_GRAPH_H
