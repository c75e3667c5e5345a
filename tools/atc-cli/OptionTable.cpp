// Every option of atc: spelling, group, values, and how far it works.
// SPDX-License-Identifier: Apache-2.0
#include "OptionTable.h"

#include <fmt/format.h>

#include <algorithm>

namespace atc::cli {

namespace {

using Group = OptionGroup;
using Support = OptionSupport;

std::vector<OptionInfo> makeTable() {
  std::vector<OptionInfo> table;
  auto full = [&](Group group, const char *name, const char *placeholder,
                  const char *defaultValue, const char *help) {
    table.push_back(
        {name, group, Support::Full, placeholder, defaultValue, help, ""});
  };
  auto neutral = [&](Group group, const char *name, const char *placeholder,
                     const char *accepted, const char *help) {
    table.push_back(
        {name, group, Support::Neutral, placeholder, "", help, accepted});
  };
  auto ignored = [&](Group group, const char *name, const char *placeholder,
                     const char *help) {
    table.push_back({name, group, Support::Ignored, placeholder, "", help, ""});
  };

  // General.
  full(Group::General, "help", "", "", "Print this text. Also -h.");
  full(Group::General, "mode", "N", "0",
       "0: compile a model to an offline model. 1: print an offline model or "
       "an ONNX model as JSON. 6: print what an offline model holds.");
  full(Group::General, "log", "LEVEL", "null",
       "Messages on standard error: debug, info, warning, error or null. info "
       "adds the time of each phase, debug what each optimization did.");

  // Input.
  full(Group::Input, "model", "FILE", "", "The model to compile or to print.");
  full(Group::Input, "framework", "N", "",
       "Where the model comes from. 5: ONNX.");
  full(Group::Input, "input_shape", "SHAPES", "",
       "Sizes of inputs, name:d1,d2,...;name:d1,... A name is what stands "
       "before the last colon. Quote the value: ';' ends a shell command.");
  full(Group::Input, "om", "FILE", "", "The offline model of modes 1 and 6.");
  neutral(Group::Input, "input_format", "FORMAT", "NCHW|NCDHW|ND",
          "ONNX says how its inputs lie; other formats are not converted.");
  neutral(Group::Input, "dynamic_batch_size", "LIST", "",
          "Several batch sizes in one file.");
  neutral(Group::Input, "dynamic_image_size", "LIST", "",
          "Several image sizes in one file.");
  neutral(Group::Input, "dynamic_dims", "LIST", "",
          "Several sets of dims in one file.");
  neutral(Group::Input, "input_shape_range", "SHAPES", "", "Ranges of sizes.");
  neutral(Group::Input, "input_hint_shape", "SHAPES", "",
          "Likely sizes of dynamic inputs.");
  neutral(Group::Input, "singleop", "FILE", "",
          "Compiles operators that a JSON file describes.");
  ignored(Group::Input, "weight", "FILE",
          "The weights of a Caffe model; an ONNX model holds its own.");

  // Output.
  full(Group::Output, "output", "FILE", "",
       "The offline model to write. The suffix .om is added where it is "
       "missing.");
  full(Group::Output, "output_type", "TYPES", "",
       "Element type of all outputs (FP32, FP16, INT8, UINT8, INT16, UINT16, "
       "INT32, UINT32, INT64, UINT64, DOUBLE), or of single ones: "
       "name:index:TYPE;name:index:TYPE.");
  full(Group::Output, "json", "FILE", "", "The JSON file that mode 1 writes.");
  full(Group::Output, "dump_mode", "N", "0",
       "Mode 1 on an ONNX model. 1: with inferred shapes.");
  neutral(Group::Output, "check_report", "FILE", "",
          "A report of unsupported operators.");
  neutral(Group::Output, "host_env_os", "NAME", "linux",
          "Operating system of the machine that runs the model.");
  neutral(Group::Output, "host_env_cpu", "NAME", "x86_64",
          "Processor of the machine that runs the model.");

  // Target.
  full(Group::Target, "soc_version", "NAME", "",
       "The device to compile for. CPU means this machine; CPU-x86-64-v3 and "
       "others name a level.");
  neutral(Group::Target, "core_type", "TYPE", "AiCore",
          "Which cores run the model.");
  neutral(Group::Target, "aicore_num", "N", "", "How many cores run it.");
  neutral(Group::Target, "virtual_type", "N", "0",
          "1: the device is shared by virtual machines.");

  // Feature.
  full(Group::Feature, "out_nodes", "NAMES", "",
       "Where the graph ends: output names, or node:index, separated by ';'. "
       "An index is what follows the last colon.");
  neutral(Group::Feature, "insert_op_conf", "FILE", "",
          "Image preprocessing at the inputs (AIPP).");
  neutral(Group::Feature, "input_fp16_nodes", "NAMES", "",
          "Inputs that become FP16.");
  neutral(Group::Feature, "is_input_adjust_hw_layout", "LIST", "false",
          "Inputs in NC1HWC0.");
  neutral(Group::Feature, "is_output_adjust_hw_layout", "LIST", "false",
          "Outputs in NC1HWC0.");
  neutral(Group::Feature, "external_weight", "N", "0",
          "1: weights in files of their own.");
  neutral(Group::Feature, "compression_optimize_conf", "FILE", "",
          "Quantization while compiling.");
  neutral(Group::Feature, "enable_compress_weight", "BOOL", "false",
          "Compressed weights.");
  neutral(Group::Feature, "compress_weight_conf", "FILE", "",
          "Which weights to compress.");
  neutral(Group::Feature, "sparsity", "N", "0",
          "1: weights of structured sparsity.");
  neutral(Group::Feature, "op_name_map", "FILE", "",
          "Names of custom operators.");
  neutral(Group::Feature, "enable_scope_fusion_passes", "NAMES", "",
          "Fusion of TensorFlow scopes.");
  neutral(Group::Feature, "cluster_config", "FILE", "",
          "Compiles for several devices.");

  // Model tuning.
  full(Group::ModelTuning, "precision_mode", "MODE", "",
       "must_keep_origin_dtype: element types as in the model. force_fp16: "
       "FP32 becomes FP16. Without it: force_fp16 on an NPU, "
       "must_keep_origin_dtype on a CPU.");
  full(Group::ModelTuning, "precision_mode_v2", "MODE", "",
       "The same as precision_mode with the names origin and fp16.");
  neutral(Group::ModelTuning, "modify_mixlist", "FILE", "",
          "Which operators a mixed mode may narrow.");
  neutral(Group::ModelTuning, "keep_dtype", "FILE", "",
          "Operators that keep their element type.");
  neutral(Group::ModelTuning, "customize_dtypes", "FILE", "",
          "Element types of single operators.");
  neutral(Group::ModelTuning, "fusion_switch_file", "FILE", "",
          "Fusion rules to switch off.");
  neutral(Group::ModelTuning, "optimization_switch", "LIST", "",
          "Passes to switch off.");
  neutral(Group::ModelTuning, "disable_reuse_memory", "N", "0",
          "1: tensors share no memory.");
  neutral(Group::ModelTuning, "enable_small_channel", "N", "0|1",
          "Convolutions of few channels are compiled well without it.");
  neutral(Group::ModelTuning, "buffer_optimize", "MODE",
          "l1_optimize|l2_optimize", "Where intermediate data lies.");
  neutral(Group::ModelTuning, "enable_single_stream", "BOOL", "true|false",
          "A plan is one stream.");
  neutral(Group::ModelTuning, "ac_parallel_enable", "N", "0",
          "1: host operators run beside kernels.");
  neutral(Group::ModelTuning, "tiling_schedule_optimize", "N", "0",
          "1: tiling is computed on the device.");
  neutral(Group::ModelTuning, "oo_level", "LEVEL", "O3",
          "How much is optimized.");
  neutral(Group::ModelTuning, "oo_constant_folding", "BOOL", "true",
          "Whether constants are folded.");
  neutral(Group::ModelTuning, "oo_dead_code_elimination", "BOOL", "true",
          "Whether dead code goes.");
  neutral(Group::ModelTuning, "topo_sorting_mode", "N", "",
          "The order of operators.");

  // Operator tuning.
  neutral(Group::OperatorTuning, "op_select_implmode", "MODE",
          "high_performance|high_precision|high_performance_for_all|"
          "high_precision_for_all",
          "Every operator has one implementation, which is precise and fast.");
  neutral(Group::OperatorTuning, "optypelist_for_implmode", "TYPES", "*",
          "The operators of op_select_implmode.");
  neutral(Group::OperatorTuning, "op_precision_mode", "FILE", "",
          "The precision of single operators.");
  neutral(Group::OperatorTuning, "allow_hf32", "BOOL", "false",
          "Products in HF32.");
  neutral(Group::OperatorTuning, "is_weight_clip", "N", "1",
          "0: weights beyond FP16 become infinite.");
  neutral(Group::OperatorTuning, "deterministic", "N", "0|1",
          "Results are the same bits in every run and for every number of "
          "threads.");
  neutral(Group::OperatorTuning, "deterministic_level", "N", "0|1|2|3",
          "As deterministic.");
  neutral(Group::OperatorTuning, "mdl_bank_path", "DIR", "",
          "Tuning results for models.");
  neutral(Group::OperatorTuning, "op_bank_path", "DIR", "",
          "Tuning results for operators.");
  neutral(Group::OperatorTuning, "auto_tune_mode", "MODE", "",
          "Removed from ATC.");
  neutral(Group::OperatorTuning, "jit_compile", "N", "0|1|2",
          "Kernels are always compiled for the model.");
  neutral(Group::OperatorTuning, "op_compiler_cache_mode", "MODE", "disable",
          "Reuse of compiled kernels.");
  neutral(Group::OperatorTuning, "op_compiler_cache_dir", "DIR", "",
          "Where compiled kernels are kept.");

  // Debug.
  full(Group::Debug, "display_model_info", "N", "0",
       "1: after compiling, print what mode 6 prints.");
  neutral(Group::Debug, "op_debug_level", "N", "0", "Files of each kernel.");
  neutral(Group::Debug, "debug_dir", "DIR", "*",
          "Where op_debug_level writes; nothing is written.");
  neutral(Group::Debug, "op_debug_config", "FILE", "",
          "Checks inside kernels.");
  neutral(Group::Debug, "status_check", "N", "0", "Overflow checks.");
  neutral(Group::Debug, "atomic_clean_policy", "N", "0|1",
          "When memory of atomic operators is cleared.");
  neutral(Group::Debug, "export_compile_stat", "N", "0|1|2",
          "fusion_result.json; --log=debug tells what was fused.");
  neutral(Group::Debug, "enable_attr_compression", "BOOL", "false",
          "Attribute names as numbers.");
  neutral(Group::Debug, "quant_dumpable", "N", "0|1",
          "Quantized tensors can be dumped.");
  neutral(Group::Debug, "save_original_model", "BOOL", "false",
          "Also writes the model before optimization.");
  neutral(Group::Debug, "device_id", "N", "0", "The device to tune on.");

  // What ATC does not have.
  full(Group::Extension, "stop_after", "PHASE", "",
       "Print the IR after a phase instead of writing a model: import, shape, "
       "simplify, precision, fuse, select, outline, plan or lower. With "
       "--output it goes to that file.");
  full(Group::Extension, "verify_phases", "", "false",
       "Check the IR after each pass, and what each phase promises.");
  full(Group::Extension, "dump_passes", "", "false",
       "Print the passes of each phase and end.");
  full(Group::Extension, "threads", "N", "0",
       "Threads to compile with; 0: one per processor. The file does not "
       "depend on it.");
  full(Group::Extension, "batch_list", "FILE", "",
       "Compile several models in one process: each line of the file holds the "
       "options of one, as on a command line. Lines that begin with '#' are "
       "comments.");
  return table;
}

/// '-' inside a name means '_'.
std::string normalizedName(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

/// Breaks a paragraph into lines of at most `width` characters, all but the
/// first indented.
std::string wrap(std::string_view text, size_t indent, size_t width) {
  std::string result;
  size_t column = indent;
  while (!text.empty()) {
    size_t end = text.find(' ');
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (column != indent && column + 1 + word.size() > width) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (column != indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string supportText(const OptionInfo &option) {
  switch (option.support) {
  case Support::Full:
    return option.defaultValue[0] == '\0'
               ? std::string()
               : fmt::format("default {}", option.defaultValue);
  case Support::Neutral: {
    std::string_view accepted = option.accepted;
    if (accepted.empty())
      return "not supported yet";
    if (accepted == "*")
      return "any value, without effect";
    std::string values(accepted);
    size_t at = 0;
    while ((at = values.find('|', at)) != values.npos)
      values.replace(at, 1, ", ");
    return fmt::format("only {}", values);
  }
  case Support::Ignored:
    return "ignored with a warning";
  }
  return {};
}

} // namespace

const char *groupTitle(OptionGroup group) {
  switch (group) {
  case Group::General:
    return "Basic: General";
  case Group::Input:
    return "Basic: Input";
  case Group::Output:
    return "Basic: Output";
  case Group::Target:
    return "Basic: Target";
  case Group::Feature:
    return "Advanced: Feature";
  case Group::ModelTuning:
    return "Advanced: Model Tuning";
  case Group::OperatorTuning:
    return "Advanced: Operator Tuning";
  case Group::Debug:
    return "Advanced: Debug";
  case Group::Extension:
    return "OpenATC";
  }
  return "";
}

const std::vector<OptionInfo> &optionTable() {
  static const std::vector<OptionInfo> table = makeTable();
  return table;
}

const OptionInfo *findOption(std::string_view name) {
  std::string wanted = normalizedName(name);
  for (const OptionInfo &option : optionTable())
    if (wanted == option.name)
      return &option;
  return nullptr;
}

std::string helpText() {
  constexpr size_t indent = 34, width = 80;
  std::string text =
      "usage: atc --model=FILE --framework=5 --soc_version=NAME --output=FILE "
      "[options]\n"
      "       atc --mode=1 --om=FILE --json=FILE\n"
      "       atc --mode=6 --om=FILE\n\n"
      "An option is written --name=value, --name value or -name value; in a "
      "name, '-'\nand '_' are the same.\n";
  OptionGroup group = optionTable().front().group;
  bool isFirst = true;
  for (const OptionInfo &option : optionTable()) {
    if (isFirst || option.group != group)
      text += fmt::format("\n{}\n", groupTitle(option.group));
    isFirst = false;
    group = option.group;
    std::string head =
        option.placeholder[0] == '\0'
            ? fmt::format("  --{}", option.name)
            : fmt::format("  --{}={}", option.name, option.placeholder);
    if (head.size() + 1 >= indent)
      head += '\n' + std::string(indent, ' ');
    else
      head.append(indent - head.size(), ' ');
    std::string note = supportText(option);
    std::string body =
        note.empty() ? option.help : fmt::format("{} [{}]", option.help, note);
    text += head + wrap(body, indent, width) + '\n';
  }
  return text;
}

std::string optionsMarkdown() {
  std::string text;
  OptionGroup group = optionTable().front().group;
  bool isFirst = true;
  for (const OptionInfo &option : optionTable()) {
    if (isFirst || option.group != group)
      text += fmt::format("\n## {}\n\n| Option | Value | | Support |\n"
                          "|---|---|---|---|\n",
                          groupTitle(option.group));
    isFirst = false;
    group = option.group;
    auto escape = [](std::string_view value) {
      std::string result;
      for (char c : value) {
        if (c == '|')
          result += '\\';
        result += c;
      }
      return result;
    };
    text += fmt::format("| `--{}` | {} | {} | {} |\n", option.name,
                        option.placeholder, escape(option.help),
                        escape(supportText(option)));
  }
  return text;
}

} // namespace atc::cli
