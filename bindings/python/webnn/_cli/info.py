"""`info`: what this machine and this build can do."""

import platform

import webnn


def main(_):
    print(f"webnn {webnn.__version__}, Python {platform.python_version()}, {platform.platform()}")
    for device_type in ("cpu", "gpu"):
        with webnn.ML().create_context(device_type=device_type).result() as context:
            found = context.info
        line = f"{found['backend']} on {found['device']}, {found['threads']} threads"
        line = f"{line}, {found['driver']}" if found["driver"] else line
        if not found["why"]:
            print(f"{device_type}: {line}")
        else:  # another device than the one asked for
            print(f"{device_type}: none; falls back to {line}")
            print(f"     {found['why']}")
    for backend in ("onednn", "opencl", "reference"):
        try:
            webnn.ML().create_context(backend=backend).result().destroy()
            print(f"backend {backend}: yes")
        except webnn.Error as error:
            print(f"backend {backend}: no ({error})")
    for device in webnn.devices():
        print(f"device: {describe(device)}")
    return 0


def describe(device):
    memory = f"{device['memory'] / 2**30:.1f} GiB" + (" of the host's" if device["shares_memory"] else "")
    line = f"{device['device']} ({device['device_type']}, {device['backend']}), {device['compute_units']} units, {memory}"
    return line + (f", {device['driver']}" if device["driver"] else "") + ("" if device["usable"] else ": can't be used")
