from collections.abc import Callable, Generator, Mapping, Sequence
from types import GenericAlias, TracebackType
from typing import Any, Generic, Literal, Protocol, Self, SupportsFloat, SupportsIndex, TypeVar, overload

from ._ops import DataType as DataType
from ._ops import OpMethods as _OpMethods
from .viz.explain import Explanation

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_Buffer = Any  # bytes, an array, anything with the buffer protocol or __dlpack__
_Number = SupportsFloat | SupportsIndex

__all__: list[str]
__version__: str

def devices(
    *, power_preference: Literal["default", "high-performance", "low-power"] | None = "default"
) -> list[dict[str, Any]]:
    """The devices that there are, each a dict; of a kind, what a context would take first comes first.

    Keys: backend, device_type, device (its name, of which a part is enough for create_context), driver, memory (bytes, 0:
    not known), compute_units, shares_memory (with the host), usable. An extension.
    """

class Error(Exception):
    """What the specification calls a DOMException."""

class InvalidStateError(Error):
    """The object is destroyed, built, exported, or its context is lost."""

class NotSupportedError(Error):
    """This build or this device cannot do what was asked."""

class OperationError(Error):
    """The graph could not be compiled."""

class UnknownError(Error):
    """Something failed below: no memory, no thread, the device."""

class Descriptor(dict[str, Any]):
    """What an input or output is: `shape` and `data_type`, as keys and as attributes."""

    @property
    def shape(self) -> list[int]: ...
    @property
    def data_type(self) -> DataType: ...

class ContextLostInfo(dict[str, str]):
    """Why a context was lost: `message`, as key and as attribute."""

    @property
    def message(self) -> str: ...

class Future(Generic[_T_co]):
    """What will be there later. Wait with result(), or await it in any asyncio loop."""

    def result(self, timeout: float | None = None) -> _T_co:
        """Waits until settled, at most `timeout` seconds, and gives the result or raises.

        Raises TimeoutError when it takes longer.
        """

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits likewise and gives the exception, None when there is none."""

    def done(self) -> bool:
        """True once settled or cancelled."""

    def cancelled(self) -> bool:
        """True when cancel() came in time."""

    def cancel(self) -> bool:
        """Gives the result up; the work itself runs on. False when it was too late."""

    def add_done_callback(self, fn: Callable[[Future[_T_co]], object], /) -> None:
        """Calls fn(future) once settled: at once if it is, else in a thread of the library."""

    def __await__(self) -> Generator[Any, None, _T_co]: ...
    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

class ML:
    """Where contexts come from: the specification's navigator.ml."""

    def __new__(cls) -> Self: ...
    def create_context(
        self,
        *,
        device_type: Literal["cpu", "gpu"] | None = "cpu",
        power_preference: Literal["default", "high-performance", "low-power"] | None = "default",
        accelerated: bool | None = True,
        backend: Literal["auto", "onednn", "opencl", "reference"] | None = "auto",
        threads: int | None = 0,
        math: Literal["exact", "fast"] | None = "exact",
        passes: str | None = None,
        opencl: Any = None,
        device: str | None = None,
    ) -> Future[Context]:
        """A Future of a Context. Spec: ML.createContext; the options from backend on are extensions.

        device_type: 'gpu' takes a GPU through OpenCL, and the CPU where there is none (ctx.info['why']).
        power_preference, accelerated: hints which device of a kind it is to be.
        backend: 'onednn' (the CPU), 'opencl', 'reference' (complete, slow), 'auto'.
        threads: of the CPU backend; 0: as many as the affinity mask and the CPU quota allow.
        math: 'fast' lets products and convolutions multiply in bfloat16 where the processor can.
        passes: for debugging, parts of the engine to leave out, as in '-fuse,-layout' (docs/engine.md).
        opencl: a pyopencl Context or CommandQueue to work on; device: part of an OpenCL device's name.
        """

class Context:
    """A device and its ordered timeline. Made by ML.create_context. Spec: MLContext."""

    @property
    def accelerated(self) -> bool:
        """The option as given. Spec: MLContext.accelerated."""

    @property
    def lost(self) -> Future[ContextLostInfo]:
        """A Future of why the context was lost, the same one each time. Spec: MLContext.lost."""

    @property
    def info(self) -> dict[str, Any]:
        """What was chosen: backend, device, driver, threads, why."""

    @property
    def on_uncaptured_error(self) -> Callable[[Exception], object] | None:
        """A function that is called with every error that no error scope has caught, in a thread of the library.

        None: no function. An extension.
        """

    @on_uncaptured_error.setter
    def on_uncaptured_error(self, handler: Callable[[Exception], object] | None, /) -> None: ...
    def push_error_scope(self, filter: Literal["validation", "out-of-memory", "internal"]) -> None:
        """Opens an error scope, which notes the first error of its kind.

        Errors are raised all the same. An extension.
        """

    def pop_error_scope(self) -> Future[Exception | None]:
        """A Future of what the innermost error scope has noted, an exception or None; closes it. An extension."""

    def create_tensor(
        self,
        shape: Sequence[int],
        data_type: DataType,
        *,
        readable: bool | None = False,
        writable: bool | None = False,
    ) -> Future[Tensor]:
        """A Future of a Tensor full of zeros. Spec: MLContext.createTensor."""

    def create_constant_tensor(
        self, data: _Buffer, *, shape: Sequence[int] | None = None, data_type: DataType | None = None
    ) -> Future[Tensor]:
        """A Future of a Tensor for GraphBuilder.constant. Spec: MLContext.createConstantTensor."""

    def write_tensor(self, tensor: Tensor, data: _Buffer) -> None:
        """Writes the whole tensor; `data` is copied before the call returns. Spec: MLContext.writeTensor.

        As there, data are bytes in the tensor's order: their number and their type count, not an array's shape.
        """

    def import_opencl(
        self,
        memory: Any,
        shape: Sequence[int],
        data_type: DataType,
        *,
        event: Any = None,
        readable: bool | None = False,
        writable: bool | None = False,
    ) -> Future[Tensor]:
        """A Future of a Tensor on an OpenCL buffer (a pyopencl object or a cl_mem's number) of the context's own
        cl_context; its first use waits for `event`. An extension."""

    @overload
    def read_tensor(self, tensor: Tensor, out: None = None) -> Future[Any]: ...
    @overload
    def read_tensor(self, tensor: Tensor, out: _Buffer) -> Future[None]: ...
    def dispatch(self, graph: Graph, inputs: dict[str, Tensor], outputs: dict[str, Tensor]) -> None:
        """Runs the graph on tensors by name and returns at once. Spec: MLContext.dispatch."""

    def compute(
        self, graph: Graph, inputs: dict[str, _Buffer], outputs: dict[str, _Buffer] | None = None
    ) -> dict[str, Any]:
        """Runs the graph on arrays by name and waits: a dict of arrays, `outputs` where given.

        Data types and numbers of bytes have to fit; shapes of arrays aren't looked at.
        """

    def measure_peaks(self) -> dict[str, float]:
        """What the device reaches with nothing else to do: flops and bytes a second.

        The first call measures, for some tenths of a second. An extension.
        """

    def op_support_limits(self) -> dict[str, Any]:
        """What the context can do, a dict as in the specification. Spec: MLContext.opSupportLimits."""

    def destroy(self) -> None:
        """Loses the context on purpose, with all that came from it. Spec: MLContext.destroy."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

class Tensor:
    """Memory that graphs read and write. Made by Context.create_tensor. Spec: MLTensor."""

    @property
    def shape(self) -> list[int]:
        """A list of dimensions. Spec: MLTensor.shape."""

    @property
    def data_type(self) -> DataType:
        """The element type's name. Spec: MLTensor.dataType."""

    @property
    def byte_length(self) -> int:
        """What a buffer for it must have."""

    @property
    def readable(self) -> bool:
        """read_tensor may be called. Spec: MLTensor.readable."""

    @property
    def writable(self) -> bool:
        """write_tensor may be called. Spec: MLTensor.writable."""

    @property
    def constant(self) -> bool:
        """For GraphBuilder.constant only. Spec: MLTensor.constant."""

    @property
    def context(self) -> Context:
        """Where it comes from."""

    def destroy(self) -> None:
        """Gives the memory back; pending reads fail. Spec: MLTensor.destroy."""

    def export_opencl(self) -> tuple[int, int]:
        """Lends the memory out until return_opencl: the numbers of its cl_mem, which stays the tensor's, and of a
        cl_event, the caller's to release, that comes when queued work is done. An extension."""

    def return_opencl(self, event: Any = None) -> None:
        """Takes the memory back; what uses the tensor next waits for `event`. An extension."""

    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __release_buffer__(self, view: memoryview, /) -> None: ...
    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule over the memory, once queued work is done."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """(1, 0): the CPU."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

class Graph:
    """A compiled graph. Made by GraphBuilder.build. Spec: MLGraph."""

    @property
    def inputs(self) -> dict[str, Descriptor]:
        """Descriptors by name; only inputs that the outputs need."""

    @property
    def outputs(self) -> dict[str, Descriptor]:
        """Descriptors by name."""

    @property
    def memory(self) -> dict[str, int]:
        """Bytes kept for weights, arena and scratch."""

    @property
    def context(self) -> Context:
        """Where it can run."""

    @property
    def steps(self) -> list[dict[str, Any]]:
        """What runs, in order: operations, kernel, shapes, layout, declined, reason, label, threads, bytes, flops, and
        how many kernels it launches on a device (0 on the host)."""

    @property
    def _definition(self) -> bytes | None: ...
    def _repr_html_(self) -> str | None: ...
    def profile(self, inputs: Mapping[str, Any], runs: int = 10) -> list[dict[str, Any]]:
        """Runs the graph and says of each step, in running order, what it does and how long it takes.

        To what `steps` tells it adds seconds (of a run), share (of all steps), flops_per_second and of_peak (of what
        Context.measure_peaks finds: products or memory, whichever is more).
        """

    def explain(self) -> Explanation:
        """What became of the operations: fused into which steps, left to which kernel and why."""

    def destroy(self) -> None:
        """No more runs; those that are queued still end. Spec: MLGraph.destroy."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

class Operand:
    """A value of a graph under construction. Made by a GraphBuilder. Spec: MLOperand."""

    @property
    def shape(self) -> list[int]:
        """A list of dimensions. Spec: MLOperand.shape."""

    @property
    def data_type(self) -> DataType:
        """The element type's name. Spec: MLOperand.dataType."""

    @property
    def label(self) -> str:
        """An input's name, an operation's label."""

    @property
    def builder(self) -> GraphBuilder:
        """Whose operand it is."""

    __array_ufunc__: None
    def __add__(self, other: Operand | _Number, /) -> Operand: ...
    def __radd__(self, other: _Number, /) -> Operand: ...
    def __sub__(self, other: Operand | _Number, /) -> Operand: ...
    def __rsub__(self, other: _Number, /) -> Operand: ...
    def __mul__(self, other: Operand | _Number, /) -> Operand: ...
    def __rmul__(self, other: _Number, /) -> Operand: ...
    def __truediv__(self, other: Operand | _Number, /) -> Operand: ...
    def __rtruediv__(self, other: _Number, /) -> Operand: ...
    def __matmul__(self, other: Operand, /) -> Operand: ...
    def __pow__(self, other: Operand | _Number, /) -> Operand: ...
    def __rpow__(self, other: _Number, /) -> Operand: ...
    def __neg__(self) -> Operand: ...
    def __pos__(self) -> Operand: ...
    def __abs__(self) -> Operand: ...

class GraphBuilder(_OpMethods):
    """Makes a graph, operation by operation. Spec: MLGraphBuilder."""

    def __new__(cls, context: Context) -> Self: ...
    @property
    def context(self) -> Context:
        """What the graph will run on."""

    def input(self, name: str, shape: Sequence[int], data_type: DataType) -> Operand:
        """A named input. Spec: MLGraphBuilder.input."""

    @overload
    def constant(
        self,
        data: _Buffer,
        *,
        shape: Sequence[int] | None = None,
        data_type: DataType | None = None,
        copy: bool | None = True,
    ) -> Operand:
        """A constant from a buffer, a DLPack tensor, or a constant Tensor.

        Shape and type are the data's own unless given. With copy=False the graph uses the memory as it is: it must
        not change. Spec: MLGraphBuilder.constant.
        """

    @overload
    def constant(self, *, data_type: DataType, value: _Number) -> Operand:
        """A constant from a number. Spec: MLGraphBuilder.constant."""

    def build(self, outputs: dict[str, Operand], *, keep_definition: bool | None = False) -> Future[Graph]:
        """A Future of the Graph that computes the operands in the dict `outputs`. Closes the builder.

        Spec: MLGraphBuilder.build.
        """

def __getattr__(name: str) -> Any: ...
