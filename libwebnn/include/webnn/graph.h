/** Builders, operands and graphs.  Spec: MLGraphBuilder, MLOperand, MLGraph. */
#ifndef WEBNN_GRAPH_H
#define WEBNN_GRAPH_H

#include <webnn/base.h>
#include <webnn/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A named output of a graph under construction. */
typedef struct webnn_named_operand {
  webnn_str name;
  const webnn_operand *operand;
} webnn_named_operand;

/** A tensor bound to a name for one dispatch. */
typedef struct webnn_named_tensor {
  webnn_str name;
  webnn_tensor *tensor;
} webnn_named_tensor;

/** Caller's memory bound to a name for one blocking compute. Outputs are written, inputs are not. */
typedef struct webnn_named_data {
  webnn_str name;
  void *data;
  size_t n_bytes;
} webnn_named_data;

/** Creates a builder.  Spec: MLGraphBuilder constructor.
 *  Owns: `*out` is the caller's.  Threads: any.  Fails: INVALID_STATE (context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_builder_create(webnn_context *context, webnn_builder **out, webnn_error *err);

/** Count one owner more, one less; NULL is allowed.  Threads: any. */
WEBNN_API webnn_builder *webnn_builder_retain(webnn_builder *builder);
WEBNN_API void webnn_builder_release(webnn_builder *builder);

/** The last failure of a call on this builder.  Owns: borrowed, valid until the next call on the builder.
 *  Threads: the builder's. */
WEBNN_API const webnn_error *webnn_builder_error(const webnn_builder *builder);

/** The builder's context.  Owns: borrowed.  Threads: any. */
WEBNN_API webnn_context *webnn_builder_context(const webnn_builder *builder);

/** Adds a named input.  Spec: MLGraphBuilder.input.
 *  Owns: `*out` belongs to the builder, as every operand.  Threads: one at a time per builder, as below.
 *  Fails: INVALID_STATE (already built, context lost), TYPE (name empty, taken or not UTF-8; descriptor). */
WEBNN_API webnn_status webnn_builder_input(webnn_builder *builder, webnn_str name,
                                           const webnn_descriptor *descriptor, webnn_operand **out);

/** Adds a constant; `data` is copied, `n_bytes` must fit exactly.  Spec: MLGraphBuilder.constant.
 *  Owns, Threads: as above.  Fails: INVALID_STATE, TYPE (descriptor, length), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_builder_constant(webnn_builder *builder, const webnn_descriptor *descriptor,
                                              const void *data, size_t n_bytes, webnn_operand **out);

/** The same without a copy: `data` must stay valid and unchanged until `release(ud)` is called, once, from
 *  any thread: when the last graph that needs the bytes is gone. On failure it isn't called. */
WEBNN_API webnn_status webnn_builder_constant_mapped(webnn_builder *builder,
                                                     const webnn_descriptor *descriptor, const void *data,
                                                     size_t n_bytes, void (*release)(void *ud), void *ud,
                                                     webnn_operand **out);

/** Adds a scalar constant; `value` is cast as the specification's castNumber says (saturating, half to even).
 *  Owns, Threads: as above.  Fails: INVALID_STATE, TYPE (no such type). */
WEBNN_API webnn_status webnn_builder_constant_number(webnn_builder *builder, webnn_data_type type,
                                                     webnn_number value, webnn_operand **out);

/** Adds a constant tensor.  Owns, Threads: as above; the tensor may be released at once, and
 * destroyed after the build. Fails: TYPE (other context, destroyed, not constant), then
 * INVALID_STATE. */
WEBNN_API webnn_status webnn_builder_constant_tensor(webnn_builder *builder, webnn_tensor *tensor,
                                                     webnn_operand **out);

/** How many operands the builder has given out: inputs, constants and results of operations.  Threads: the builder's. */
WEBNN_API size_t webnn_builder_n_operands(const webnn_builder *builder);

/** Takes back all operands but the first `n_operands`, so that adding something of many parts can fail as a whole. Names
 *  of inputs are free again, memory of constants is released; a call that is given one of them fails with TYPE, as with
 *  another builder's. Does nothing once built.  Threads: the builder's. */
WEBNN_API void webnn_builder_take_back(webnn_builder *builder, size_t n_operands);

/** Compiles what `outputs` need.  Spec: MLGraphBuilder.build.  `webnn_future_graph` has the result.
 *  The builder is closed when this returns OK; after a TYPE error it is still usable.
 *  Owns: `*out` is the caller's.  Threads: one at a time per builder.
 *  Fails at once: INVALID_STATE (already built, context lost), TYPE (no outputs; name empty or
 * twice; operand of another builder, or an input or constant; a constant that they need whose
 * tensor is destroyed). Fails later: OPERATION (compilation), INVALID_STATE (context lost). */
WEBNN_API webnn_status webnn_builder_build(webnn_builder *builder, const webnn_named_operand *outputs,
                                           size_t n_outputs, webnn_future **out);

/** The same, waited for: one status for all that can fail.  Extension (webnn-native).
 *  Owns: `*out` is the caller's.  Threads: one at a time per builder, any but the context's worker.
 *  Fails: as above, at once or later; `webnn_builder_error` tells. */
WEBNN_API webnn_status webnn_builder_build_sync(webnn_builder *builder, const webnn_named_operand *outputs,
                                                size_t n_outputs, webnn_graph **out);

/** What an operand is; `shape` is borrowed from it.  Threads: any, as long as the builder lives. */
WEBNN_API webnn_descriptor webnn_operand_descriptor(const webnn_operand *operand);
WEBNN_API webnn_str webnn_operand_label(const webnn_operand *operand); /**< input's name, operation's label */
WEBNN_API webnn_builder *webnn_operand_builder(const webnn_operand *operand); /**< borrowed */

/** Count one owner more, one less; NULL is allowed.  Threads: any. */
WEBNN_API webnn_graph *webnn_graph_retain(webnn_graph *graph);
WEBNN_API void webnn_graph_release(webnn_graph *graph);

/** Destroys the graph: no new dispatch, queued ones still run. Idempotent.  Threads: any. */
WEBNN_API void webnn_graph_destroy(webnn_graph *graph);
WEBNN_API bool webnn_graph_is_destroyed(const webnn_graph *graph);
WEBNN_API webnn_context *webnn_graph_context(const webnn_graph *graph); /**< borrowed */

/** The graph's inputs and outputs: names and shapes are borrowed from the graph.  Threads: any.
 *  Past the end the name's data is NULL. Only inputs that the outputs need are here. */
WEBNN_API size_t webnn_graph_n_inputs(const webnn_graph *graph);
WEBNN_API size_t webnn_graph_n_outputs(const webnn_graph *graph);
WEBNN_API webnn_str webnn_graph_input(const webnn_graph *graph, size_t i, webnn_descriptor *out);
WEBNN_API webnn_str webnn_graph_output(const webnn_graph *graph, size_t i, webnn_descriptor *out);

/** What a graph keeps in memory, in bytes. */
typedef struct webnn_graph_memory {
  size_t struct_size;
  uint64_t weights; /**< constants and packed weights */
  uint64_t arena;   /**< intermediate values of one run */
  uint64_t scratch; /**< work space of kernels, shared by all of them */
} webnn_graph_memory;
#define WEBNN_GRAPH_MEMORY_INIT { sizeof(webnn_graph_memory), 0, 0, 0 }

/** Fills `*out`, as far as its `struct_size` reaches.  Threads: any. */
WEBNN_API void webnn_graph_get_memory(const webnn_graph *graph, webnn_graph_memory *out);

/** One step of a compiled graph: some operations of the builder's that run as one. Strings are borrowed and
 *  live as long as the graph. */
typedef struct webnn_graph_step {
  size_t struct_size;
  const char *operations; /**< "conv2d+relu" */
  const char *kernel;     /**< what runs them */
  const char *shapes;     /**< operands and result; `:0231` is an order of axes, `c` a constant */
  webnn_str label;        /**< of the first of them that has one */
  uint64_t n_bytes;       /**< read and written, each once */
  uint64_t n_flops;       /**< of products and convolutions; 0 for the rest */
  const char *layout;     /**< how the result lies: "plain", the order of its axes ("0231"), blocks of them ("8x") */
  const char *declined;   /**< "a, b": kernels that were asked before and can't do it; "" where there are none */
  const char *reason;     /**< why the slow last resort runs it, as far as can be told; "" where it doesn't */
  uint32_t n_threads;     /**< it may use */
  uint32_t n_launches;    /**< kernels that it starts on a device; 0 on the host */
} webnn_graph_step;
#define WEBNN_GRAPH_STEP_INIT { sizeof(webnn_graph_step), NULL, NULL, NULL, {NULL, 0}, 0, 0, NULL, NULL, NULL, 0, 0 }

/** How many steps there are, and step `i` in running order; false past the end.  Threads: any. */
WEBNN_API size_t webnn_graph_n_steps(const webnn_graph *graph);
WEBNN_API bool webnn_graph_get_step(const webnn_graph *graph, size_t i, webnn_graph_step *out);

/** `webnn_graph_compute` that adds the time of each step to `seconds`, a list of `webnn_graph_n_steps`
 *  numbers.  Threads, Fails: as there; TYPE (length of the list). */
WEBNN_API webnn_status webnn_graph_profile(webnn_context *context, webnn_graph *graph,
                                           const webnn_named_data *inputs, size_t n_inputs,
                                           const webnn_named_data *outputs, size_t n_outputs,
                                           double *seconds, size_t n_steps, webnn_error *err);

/** Runs the graph on tensors, in its place on the timeline, and returns at once.  Spec: MLContext.dispatch.
 *  With nothing queued before it, a graph that takes less time than waking the context's worker (a few
 *  microseconds, measured when it first ran there) is run by the caller, in the default floating-point mode.
 *  Tensors and graph may be destroyed or released right after.  Threads: any.
 *  Fails: TYPE (graph or tensor of another context, a tensor twice, destroyed tensor, names or descriptors
 *  that don't match, constant tensor), INVALID_STATE (graph destroyed, tensor exported). */
WEBNN_API webnn_status webnn_graph_dispatch(webnn_context *context, webnn_graph *graph,
                                            const webnn_named_tensor *inputs, size_t n_inputs,
                                            const webnn_named_tensor *outputs, size_t n_outputs,
                                            webnn_error *err);

/** Runs the graph on the caller's memory, in its place on the timeline, and waits.  Extension (webnn-native).
 *  Lengths must fit exactly; outputs may not overlap anything.  Threads: any but the context's worker.
 *  Fails: TYPE (names, lengths, overlap), INVALID_STATE (graph destroyed, context lost), UNKNOWN. */
WEBNN_API webnn_status webnn_graph_compute(webnn_context *context, webnn_graph *graph,
                                           const webnn_named_data *inputs, size_t n_inputs,
                                           const webnn_named_data *outputs, size_t n_outputs,
                                           webnn_error *err);

#ifdef __cplusplus
}
#endif
#endif
