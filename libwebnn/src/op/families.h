/* What the families give to the table: every signature and every infer that ops.def names. */
#ifndef WNN_OP_FAMILIES_H
#define WNN_OP_FAMILIES_H

#include "op/schema.h"

#define OP(id, name, spec_name, signature, infer, types, doc) \
  extern const wnn_signature wnn_signature_##signature;       \
  webnn_status wnn_infer_##infer(wnn_infer *in);
#include "op/ops.def"

#endif
