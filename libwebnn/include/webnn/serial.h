/** Graph files: what a builder holds, written down and read back.
 *
 *  A file is a safetensors file: the constants are its tensors, the structure is JSON text in its metadata under
 *  "webnn". Data begins at a multiple of 64 and tensors stand in the order of their element sizes, so that all are
 *  aligned and can be mapped. docs/files.md describes the format. */
#ifndef WEBNN_SERIAL_H
#define WEBNN_SERIAL_H

#include <webnn/base.h>
#include <webnn/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Takes the next `n_bytes` of a file; false ends the writing with UNKNOWN. */
typedef bool (*webnn_serial_sink)(void *ud, const void *data, size_t n_bytes);

/** Writes what `outputs` need. The builder stays as it is and can still build.
 *  Threads: one at a time per builder, as all below.
 *  Fails: INVALID_STATE (already built, context lost), TYPE (outputs, as in `webnn_builder_build`), UNKNOWN (no
 *  memory, the sink refused); `webnn_builder_error` tells. */
WEBNN_API webnn_status webnn_serial_write(webnn_builder *builder, const webnn_named_operand *outputs,
                                          size_t n_outputs, webnn_serial_sink sink, void *ud);

/** The same into a file, which is there whole or not at all.  Fails: as above; UNKNOWN (the system). */
WEBNN_API webnn_status webnn_serial_write_file(webnn_builder *builder, const webnn_named_operand *outputs,
                                               size_t n_outputs, const char *path);

/** Adds what a file holds to the builder: inputs under their names, constants, operations.
 *  `*outs` are the file's outputs in order.  Owns: the list belongs to the builder; `data` is copied.
 *  Fails: INVALID_STATE, OPERATION (not such a file, damaged, of a later version), TYPE (an input's name is taken,
 *  an operation is refused), UNKNOWN (no memory). Nothing stays of a reading that fails. */
WEBNN_API webnn_status webnn_serial_read(webnn_builder *builder, const void *data, size_t n_bytes,
                                         const webnn_named_operand **outs, size_t *n_outs);

/** The same from a file. Aligned constants are mapped, not read: the file must not change while a graph uses them.
 *  Fails: as above; UNKNOWN (the system). */
WEBNN_API webnn_status webnn_serial_read_file(webnn_builder *builder, const char *path,
                                              const webnn_named_operand **outs, size_t *n_outs);

#ifdef __cplusplus
}
#endif
#endif
