/* Devices whose memory is the host's own, and their buffers. */
#ifndef WNN_LOWER_HOST_H
#define WNN_LOWER_HOST_H

#include "backend.h"

/* What the host is as a device, but for its name and driver. */
void wnn_host_describe(webnn_device_info *out);

webnn_status wnn_host_buffer_create(wnn_device *device, size_t n_bytes, wnn_buffer *out);
void wnn_host_buffer_free(wnn_device *device, wnn_buffer *buffer);
webnn_status wnn_host_buffer_write(wnn_device *device, wnn_buffer *buffer, const void *data);
webnn_status wnn_host_buffer_read(wnn_device *device, const wnn_buffer *buffer, void *data);

#endif
