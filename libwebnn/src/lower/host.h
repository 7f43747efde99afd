/* Buffers of devices whose memory is the host's own. */
#ifndef WNN_LOWER_HOST_H
#define WNN_LOWER_HOST_H

#include "backend.h"

webnn_status wnn_host_buffer_create(wnn_device *device, size_t n_bytes, wnn_buffer *out);
void wnn_host_buffer_free(wnn_device *device, wnn_buffer *buffer);
webnn_status wnn_host_buffer_write(wnn_device *device, wnn_buffer *buffer, const void *data);
webnn_status wnn_host_buffer_read(wnn_device *device, const wnn_buffer *buffer, void *data);

#endif
