"""Where futures meet threads and event loops. Imported when a future is first awaited or called back."""

import atexit
import threading

from . import _core


def start():
    """Starts the thread that runs done-callbacks, one an interpreter."""
    try:
        thread = threading.Thread(target=_core._poll, name="webnn-futures", daemon=True)
        thread.start()
    except RuntimeError:  # isolated interpreters have no daemon threads; theirs end before they are joined
        thread = threading.Thread(target=_core._poll, name="webnn-futures", daemon=False)
        threading._register_atexit(_core._close)
        thread.start()
    atexit.register(_stop, thread)


def _stop(thread):
    _core._close()
    thread.join()


def wait(future):
    """The iterator behind `await future`: in any running asyncio loop, in several at once."""
    if not future.done():
        from asyncio import get_running_loop

        loop = get_running_loop()
        waiter = loop.create_future()

        def settle():
            if not waiter.done():
                waiter.set_result(None)

        def wake(_):
            try:
                loop.call_soon_threadsafe(settle)
            except RuntimeError:  # the loop is closed: nobody waits any more
                pass

        future.add_done_callback(wake)
        try:
            yield from waiter
        finally:
            future._discard(wake)
    if future.cancelled():
        from asyncio import CancelledError

        raise CancelledError
    return future.result()
