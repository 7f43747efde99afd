/** The W3C Web Neural Network API in C.
 *  Thread contract: a context, its tensors, graphs and futures may be used from any thread at once; a builder
 *  belongs to one thread at a time. No call keeps a caller's pointer but where its name or text says so. */
#ifndef WEBNN_H
#define WEBNN_H

#include <webnn/base.h>
#include <webnn/context.h>
#include <webnn/future.h>
#include <webnn/graph.h>
#include <webnn/op.h>
#include <webnn/ops.h>
#include <webnn/options.h>
#include <webnn/serial.h>
#include <webnn/tensor.h>

#define WEBNN_VERSION_MAJOR 0
#define WEBNN_VERSION_MINOR 1
#define WEBNN_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/** The library's version, "0.1.0".  Threads: any. */
WEBNN_API const char *webnn_version(void);

#ifdef __cplusplus
}
#endif
#endif
