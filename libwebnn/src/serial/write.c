/* Writes graph files: the structure as JSON, then the constants. */
#include "base/sync.h"
#include "graph/builder.h"
#include "serial/json.h"
#include "serial/tensors.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <webnn/serial.h>

/* ---- the structure */

static void write_shape(wnn_text *text, const wnn_desc *desc) {
  wnn_text_words(text, "[");
  for (uint32_t i = 0; i < desc->rank; i++) {
    if (i > 0) wnn_text_words(text, ",");
    wnn_text_uint(text, desc->dims[i]);
  }
  wnn_text_words(text, "]");
}

static void write_id(wnn_text *text, const wnn_value *value) { wnn_text_uint(text, value->id); }

static void write_words(wnn_text *text, const char *words) {
  wnn_text_string(text, (webnn_str){words, strlen(words)});
}

static void write_inputs(wnn_text *text, const wnn_graph *graph) {
  wnn_text_words(text, "\"inputs\":[");
  for (size_t i = 0; i < graph->n_inputs; i++) {
    const wnn_value *value = graph->inputs[i].value;
    wnn_text_words(text, i > 0 ? ",{\"name\":" : "{\"name\":");
    wnn_text_string(text, graph->inputs[i].name);
    wnn_text_words(text, ",\"id\":");
    write_id(text, value);
    wnn_text_words(text, ",\"dataType\":");
    write_words(text, webnn_data_type_name(value->desc.type));
    wnn_text_words(text, ",\"shape\":");
    write_shape(text, &value->desc);
    wnn_text_words(text, "}");
  }
  wnn_text_words(text, "]");
}

/* The tensor of a constant is called by its id. */
static void write_constants(wnn_text *text, const wnn_graph *graph) {
  wnn_text_words(text, ",\"constants\":[");
  for (size_t i = 0; i < graph->n_constants; i++) {
    if (i > 0) wnn_text_words(text, ",");
    write_id(text, graph->constants[i]);
  }
  wnn_text_words(text, "]");
}

static void write_list(wnn_text *text, const wnn_field *field, const webnn_value *value) {
  wnn_text_words(text, "[");
  for (size_t i = 0; i < value->n; i++) {
    if (i > 0) wnn_text_words(text, ",");
    if (value->kind == WEBNN_FIELD_FLOATS)
      wnn_text_number(text, (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = value->as.floats[i]}});
    else if (value->kind == WEBNN_FIELD_ENUMS)
      write_words(text, field->pub.enum_values[value->as.us[i]]);
    else
      wnn_text_uint(text, value->as.us[i]);
  }
  wnn_text_words(text, "]");
}

static void write_attribute(wnn_text *text, const wnn_field *field, const webnn_value *value) {
  switch (value->kind) {
    case WEBNN_FIELD_UINT: wnn_text_uint(text, value->as.u); break;
    case WEBNN_FIELD_INT:
      wnn_text_number(text, (webnn_number){WEBNN_NUMBER_INT64, {.i = value->as.i}});
      break;
    case WEBNN_FIELD_BOOL: wnn_text_words(text, value->as.b ? "true" : "false"); break;
    case WEBNN_FIELD_ENUM: write_words(text, field->pub.enum_values[value->as.e]); break;
    case WEBNN_FIELD_DATA_TYPE:
      write_words(text, webnn_data_type_name((webnn_data_type)value->as.e));
      break;
    case WEBNN_FIELD_NUMBER: wnn_text_number(text, value->as.number); break;
    default: write_list(text, field, value);
  }
}

static void write_key(wnn_text *text, const char *name, bool *first) {
  if (!*first) wnn_text_words(text, ",");
  *first = false;
  write_words(text, name);
  wnn_text_words(text, ":");
}

static void write_operands(wnn_text *text, const wnn_node *node) {
  wnn_text_words(text, "[");
  for (size_t i = 0; i < node->n_inputs; i++) {
    if (i > 0) wnn_text_words(text, ",");
    write_id(text, node->inputs[i]);
  }
  wnn_text_words(text, "]");
}

/* The fields that are required, or those that aren't: arguments and options. */
static void write_fields(wnn_text *text, const wnn_node *node, bool required) {
  const wnn_signature *signature = node->op->signature;
  size_t position = 0;
  bool first = true;
  for (size_t i = 0; i < signature->n_fields; i++) {
    const wnn_field *field = &signature->fields[i];
    bool is_operand = field->pub.kind == WEBNN_FIELD_OPERAND;
    const wnn_value *operand = is_operand ? node->inputs[position++] : NULL;
    if (field->pub.required != required || (is_operand && operand == NULL)) continue;
    if (field->pub.kind == WEBNN_FIELD_LABEL) {
      if (node->label.size == 0) continue;
      write_key(text, field->pub.spec_name, &first);
      wnn_text_string(text, node->label);
    } else if (is_operand) {
      write_key(text, field->pub.spec_name, &first);
      write_id(text, operand);
    } else if (field->pub.kind == WEBNN_FIELD_OPERANDS) {
      write_key(text, field->pub.spec_name, &first);
      write_operands(text, node);
    } else {
      webnn_value value = wnn_attribute(node->op, node->attrs, i);
      bool absent = value.kind == 0 || (value.kind == WEBNN_FIELD_NUMBER &&
                                        value.as.number.kind == WEBNN_NUMBER_ABSENT);
      if (absent || (field->pub.extension && value.kind == WEBNN_FIELD_ENUM && value.as.e == 0)) continue;
      write_key(text, field->pub.spec_name, &first);
      write_attribute(text, field, &value);
    }
  }
}

static void write_operators(wnn_text *text, const wnn_graph *graph) {
  wnn_text_words(text, ",\"operators\":[");
  for (const wnn_node *node = graph->first; node != NULL; node = node->next) {
    wnn_text_words(text, node->prev ? ",{\"op\":" : "{\"op\":");
    write_words(text, node->op->spec_name);
    wnn_text_words(text, ",\"args\":{");
    write_fields(text, node, true);
    wnn_text_words(text, "},\"options\":{");
    write_fields(text, node, false);
    wnn_text_words(text, "},\"outputs\":[");
    for (size_t i = 0; i < node->n_outputs; i++) {
      if (i > 0) wnn_text_words(text, ",");
      write_id(text, node->outputs[i]);
    }
    wnn_text_words(text, "]}");
  }
  wnn_text_words(text, "]");
}

static void write_outputs(wnn_text *text, const wnn_graph *graph) {
  wnn_text_words(text, ",\"outputs\":[");
  for (size_t i = 0; i < graph->n_outputs; i++) {
    wnn_text_words(text, i > 0 ? ",{\"name\":" : "{\"name\":");
    wnn_text_string(text, graph->outputs[i].name);
    wnn_text_words(text, ",\"id\":");
    write_id(text, graph->outputs[i].value);
    wnn_text_words(text, "}");
  }
  wnn_text_words(text, "]}");
}

static void write_structure(wnn_text *text, const wnn_graph *graph) {
  wnn_text_words(text, "{\"version\":");
  wnn_text_uint(text, WNN_SERIAL_VERSION);
  wnn_text_words(text, ",");
  write_inputs(text, graph);
  write_constants(text, graph);
  write_operators(text, graph);
  write_outputs(text, graph);
}

/* ---- the file */

/* Large elements first: each tensor then begins at a multiple of its element's size. */
static int by_element_size(const void *a, const void *b) {
  const wnn_value *x = *(wnn_value *const *)a, *y = *(wnn_value *const *)b;
  size_t m = webnn_data_type_bytes(x->desc.type), n = webnn_data_type_bytes(y->desc.type);
  if (m != n) return m < n ? 1 : -1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static void write_tensor(wnn_text *text, const wnn_value *value, size_t begin) {
  wnn_text_words(text, ",\"");
  write_id(text, value);
  wnn_text_words(text, "\":{\"dtype\":\"");
  wnn_text_words(text, wnn_tensor_types[value->desc.type]);
  wnn_text_words(text, "\",\"shape\":");
  write_shape(text, &value->desc);
  wnn_text_words(text, ",\"data_offsets\":[");
  wnn_text_uint(text, begin);
  wnn_text_words(text, ",");
  wnn_text_uint(text, begin + wnn_desc_bytes(&value->desc));
  wnn_text_words(text, "]}");
}

/* The header with its length before it, filled up with spaces so that data begins aligned. */
static void write_header(wnn_text *header, const wnn_text *structure, const wnn_graph *graph) {
  char length[8] = {0};
  size_t begin = 0;
  wnn_text_raw(header, length, sizeof length);
  wnn_text_words(header, "{\"__metadata__\":{\"format\":\"webnn\",\"webnn\":");
  wnn_text_string(header, (webnn_str){structure->data, structure->n});
  wnn_text_words(header, "}");
  for (size_t i = 0; i < graph->n_constants; i++) {
    write_tensor(header, graph->constants[i], begin);
    begin += wnn_desc_bytes(&graph->constants[i]->desc);
  }
  wnn_text_words(header, "}");
  while (!header->failed && header->n % WNN_SERIAL_ALIGN != 0) wnn_text_words(header, " ");
  if (header->failed) return;
  uint64_t n = header->n - sizeof length;
  for (size_t i = 0; i < sizeof length; i++) header->data[i] = (char)(unsigned char)(n >> (8 * i));
}

static webnn_status write_graph(webnn_builder *builder, wnn_graph *graph, webnn_serial_sink sink,
                                void *ud) {
  wnn_text structure = {.alloc = graph->alloc}, header = {.alloc = graph->alloc};
  webnn_status status = WEBNN_OK;
  if (graph->n_constants > 1)
    qsort(graph->constants, graph->n_constants, sizeof *graph->constants, by_element_size);
  write_structure(&structure, graph);
  if (!structure.failed) write_header(&header, &structure, graph);
  if (structure.failed || header.failed) status = wnn_error_no_memory(&builder->err);
  bool taken = status == WEBNN_OK && sink(ud, header.data, header.n);
  for (size_t i = 0; i < graph->n_constants && taken; i++)
    taken = sink(ud, wnn_value_data(graph->constants[i]), wnn_desc_bytes(&graph->constants[i]->desc));
  if (status == WEBNN_OK && !taken)
    status = wnn_error_set(&builder->err, WEBNN_ERROR_UNKNOWN, "write: the file can't be written");
  wnn_text_free(&structure);
  wnn_text_free(&header);
  return status;
}

webnn_status webnn_serial_write(webnn_builder *builder, const webnn_named_operand *outputs,
                                size_t n_outputs, webnn_serial_sink sink, void *ud) {
  wnn_graph graph;
  webnn_status status = wnn_builder_copy(builder, "write", outputs, n_outputs, &graph);
  if (status == WEBNN_OK) {
    status = write_graph(builder, &graph, sink, ud);
    wnn_graph_reset(&graph);
  }
  return wnn_builder_end(builder, status);
}

#define PART_BYTES 32

static bool to_file(void *ud, const void *data, size_t n_bytes) {
  return n_bytes == 0 || fwrite(data, 1, n_bytes, ud) == n_bytes;
}

static webnn_status system_failure(webnn_builder *builder, const char *path) {
  wnn_quoted name = wnn_quote((webnn_str){path, strlen(path)});
  return wnn_error_set(&builder->err, WEBNN_ERROR_UNKNOWN, "write: '%s': %s", name.text, strerror(errno));
}

/* A new file in the folder of `path`; its name into `part`, which has room for it. NULL: `errno` says why. */
static FILE *open_part(const char *path, char *part) {
  const char *slash = strrchr(path, '/');
  const size_t n = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  memcpy(part, path, n);
  uint64_t number = (uint64_t)wnn_now_ns() ^ (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)part << 8;
  for (int tries = 0; tries < 1000; tries++, number += 0x9E3779B97F4A7C15u) {
    snprintf(part + n, PART_BYTES, ".%016llx.part", (unsigned long long)number);
    int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file != NULL || (descriptor < 0 && errno != EEXIST)) return file;
    if (descriptor < 0) continue;
    close(descriptor);
    remove(part);
    return NULL;
  }
  return NULL;
}

/* Written beside its place, under a name that nobody else has, and moved there: no reader ever sees a part. */
webnn_status webnn_serial_write_file(webnn_builder *builder, const webnn_named_operand *outputs,
                                     size_t n_outputs, const char *path) {
  const size_t n = strlen(path) + PART_BYTES;
  char *part = wnn_alloc_get(&builder->alloc, n);
  if (part == NULL) return wnn_builder_end(builder, wnn_error_no_memory(&builder->err));
  FILE *file = open_part(path, part);
  webnn_status status = WEBNN_OK;
  if (file == NULL) {
    status = wnn_builder_end(builder, system_failure(builder, path));
  } else {
    status = webnn_serial_write(builder, outputs, n_outputs, to_file, file);
    bool closed = fclose(file) == 0;
    if (status == WEBNN_OK && (!closed || rename(part, path) != 0))
      status = wnn_builder_end(builder, system_failure(builder, path));
    if (status != WEBNN_OK) remove(part);
  }
  wnn_alloc_free(&builder->alloc, part, n);
  return status;
}
