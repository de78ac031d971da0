"""All that needs the internals of Numba and llvmlite; `loops/fallbacks.py` has the same without them.

Nothing else in the library imports from `llvmlite` or `numba.core`, or passes an option that Numba does not
document.
"""

from __future__ import annotations

import gc
import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import _dynfunc, njit, types
from numba.core import cgutils, config, event
from numba.core.caching import IndexDataCacheFile, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_machinery import register_pass
from numba.core.runtime.nrt import rtsys
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic
from numba.misc.appdirs import AppDirs

from rosenblatt.loops.notices import NOTICES
from rosenblatt.version import __version__

COUNTING: dict[str, bool] = {"_nrt": True}
"""The option of a function that makes arrays: references to them are counted."""

NO_COUNTING: dict[str, bool] = {"_nrt": False}
"""The option of a function that makes no arrays: counting references often costs more than the work."""


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that is only called from loops: it is optimised and translated as part of them.

    Numba would also do both for every such function by itself, which takes about a third of the time.
    """

    def _optimize_final_module(self) -> None:
        """Leave that to the loop."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):  # type: ignore[misc]
    """Translates a function for use in loops: Python cannot call it."""

    _name = "rosenblatt_part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the function and register it with a name for its callers, in place of machine code."""
        library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library, state.flags.no_compile = library, True
        super().run_pass(state)
        lowered = state["cr"]
        described, environment = lowered.fndesc, lowered.env
        name = described.qualname.rpartition(".")[2]
        made = _dynfunc.make_function(described.lookup_module(), name, "", 0, environment, (library,))
        state.targetctx.insert_user_function(made, described, [library])
        state["cr"] = lowered._replace(cfunc=made)
        return True


class PartCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with `PartLowering`."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's pipelines with the last step exchanged."""
        pipelines: list[Any] = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (PartLowering if step is NativeLowering else step, what) for step, what in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines


LOOP: dict[str, Any] = {"no_cfunc_wrapper": True}
"""The options of a loop: it is called from Python, and not through a pointer from C."""

PART: dict[str, Any] = {"no_cfunc_wrapper": True, "pipeline_class": PartCompiler}
"""The options of a function that is called from loops only."""


def described(options: dict[str, Any]) -> str:
    """Return options as text that is the same in every process."""
    return repr(sorted((name, sorted(v) if isinstance(v, set) else v) for name, v in options.items()))


@cache
def folders() -> tuple[Path, ...]:
    """Return where compiled loops are looked for: NUMBA_CACHE_DIR, or the package and the user's cache."""
    if config.CACHE_DIR:
        return (Path(config.CACHE_DIR) / "rosenblatt",)
    users = AppDirs(appname="rosenblatt", appauthor=False).user_cache_dir
    return Path(__file__).with_name("__pycache__"), Path(users)


@cache
def writable_folder() -> Path | None:
    """Return the first of the folders that can be written, where new loops are kept; report if none can."""
    faults = []
    for folder in folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
        except OSError as fault:
            faults.append(f"{folder}: {fault.strerror}")
        else:
            return folder
    NOTICES.not_kept("; ".join(faults))
    return None


VERSIONS = (
    __version__,
    numba.__version__,
    llvmlite.__version__,
    np.__version__,
    sys.implementation.cache_tag,
    sys.abiflags,
)
SETTINGS = (
    "OPT",
    "BOUNDSCHECK",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "DISABLE_INTEL_SVML",
    "DEBUGINFO_DEFAULT",
)
"""With `VERSIONS`, what code depends on beside the loop, its arguments and options, and the processor."""

DIGEST = 32
"""The bytes of a checksum."""

RUNTIME = b"NRT_"
"""What the names of all functions of Numba's runtime begin with."""


class LoopCache(NullCache):  # type: ignore[misc]
    """Keeps the compiled code of a loop, in one file for each combination of what it depends on.

    The name of a file is a digest of all that its content depends on, and a file is written beside its place
    and renamed. So processes may write at once or be killed, every file is right, and one in a folder that
    cannot be written is found. Numba's own cache has an index of the files of a function, which two processes
    may read before either has written it, and passes over folders that cannot be written.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._name, self._options = function.__qualname__, described(options)

    @property
    def cache_path(self) -> str | None:
        """The folder where new code is kept."""
        folder = writable_folder()
        return None if folder is None else str(folder)

    def load_overload(self, arguments: Any, target: Any) -> Any:
        """Return the kept code for these types of arguments, or None.

        All that kept code may need is the runtime that counts references. What Numba would import before, to
        compile, takes longer than all else.
        """
        name = self._file_name(arguments, target.codegen())
        for folder in folders():
            if (kept := LoopFile(folder / name).read()) is not None:
                if kept.counts:
                    rtsys.initialize(target)
                return CompileResult._rebuild(target, *kept.payload)  # noqa: SLF001
        return None

    def save_overload(self, arguments: Any, made: Any) -> None:
        """Keep code; where that fails, the next process compiles again, and one line reports it."""
        folder = writable_folder()
        if folder is None or made.library.has_dynamic_globals:
            return
        name = self._file_name(arguments, made.library.codegen)
        try:
            LoopFile(folder / name).write(made._reduce())  # noqa: SLF001
        except OSError as fault:
            if LoopFile(folder / name).read() is None:  # else another process has written it
                NOTICES.not_kept(f"{fault.filename or folder}: {fault.strerror}")

    def _file_name(self, arguments: Any, codegen: Any) -> str:
        settings = [getattr(config, name) for name in SETTINGS]
        depends_on = str(arguments), self._options, codegen.magic_tuple(), settings, VERSIONS
        digest = hashlib.sha256(repr(depends_on).encode())
        return f"{self._name}.{digest.hexdigest()[:20]}.nbc"


class KeptLoop(NamedTuple):
    """The content of a file of compiled code."""

    payload: Any
    counts: bool
    """Whether the code counts references: it names functions of the runtime that does."""


class LoopFile(IndexDataCacheFile):  # type: ignore[misc]
    """A file of compiled code, as Numba writes and reads it, with a checksum at its end."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> KeptLoop | None:
        """Return the content, or None if there is no such file, or one that is damaged."""
        try:
            content = self._path.read_bytes()
            whole = hashlib.sha256(content[:-DIGEST]).digest() == content[-DIGEST:]
            return KeptLoop(self._load_data(self._path), RUNTIME in content) if whole else None
        except OSError:
            return None

    def write(self, content: Any) -> None:
        """Replace the file atomically."""
        self._save_data(self._path, content)

    def _dump(self, content: Any) -> bytes:
        written: bytes = super()._dump(content)
        return written + hashlib.sha256(written).digest()

    def _data_path(self, path: Path) -> Path:
        return path


def cached(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a loop on first call, and keep its code for other processes."""
    loop = njit(**LOOP, **options)(function)
    loop._cache = LoopCache(function, options)  # noqa: SLF001
    return loop


CACHE_LINE = 64
READ, FIRST_CACHE, SECOND_CACHE, DATA = 0, 3, 2, 1
WORD = ir.IntType(64)


def when_compiling(
    began: Callable[[Callable[..., Any], str | None], None], ended: Callable[[], None]
) -> None:
    """Call these when the compilation of a loop begins and ends; of functions that are not loops, never.

    `began` is given the function, and the folder where its code is kept, if there is one. Meanwhile, the
    garbage collector is off.
    """

    class Listener(event.Listener):  # type: ignore[misc]
        collecting = True

        def on_start(self, occasion: Any) -> None:
            if (loop := loop_of(occasion)) is not None:
                self.collecting = gc.isenabled()
                gc.disable()
                began(loop.py_func, loop._cache.cache_path)  # noqa: SLF001

        def on_end(self, occasion: Any) -> None:
            if loop_of(occasion) is not None:
                if self.collecting:
                    gc.enable()
                ended()

    event.register("numba:compile", Listener())


def loop_of(occasion: Any) -> Any:
    """Return the dispatcher that is compiled if it is that of a loop, else None."""
    dispatcher = occasion.data["dispatcher"]
    return dispatcher if isinstance(getattr(dispatcher, "_cache", None), LoopCache) else None


def instruction(function: Callable[..., Any]) -> Any:
    """Make an intrinsic that is the same in every process.

    Numba gives an intrinsic a random name when it is pickled, and the key of a loop in its cache holds the
    pickles of what the loop is composed of: with a random name no other process would find it.
    """
    made = intrinsic(function)
    made._set_uuid(f"{__name__}.{function.__name__}")  # noqa: SLF001
    return made


def _prefetching(cache: int) -> Callable[..., Any]:
    """Return the code generator of a prefetch into this cache."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, flags = ir.PointerType(ir.IntType(8)), [ir.IntType(32)] * 3
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = cgutils.unpack_tuple(builder, view.strides)[0]
        index = context.cast(builder, arguments[1], signature.args[1], types.int64)
        start = builder.add(builder.ptrtoint(view.data, WORD), builder.mul(index, stride))
        signature = ir.FunctionType(ir.VoidType(), [byte, *flags])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], signature)
        for ahead in (0, CACHE_LINE):
            pointer = builder.inttoptr(builder.add(start, ir.Constant(WORD, ahead)), byte)
            builder.call(hint, [pointer, *(ir.Constant(flags[0], flag) for flag in (READ, cache, DATA))])
        return context.get_dummy_value()

    return generate


@instruction
def prefetch(typing_context: Any, array: Any, line: Any) -> Any:
    """Prefetch the first two cache lines of a row of an array, which will be read soon."""
    return types.void(array, line), _prefetching(FIRST_CACHE)


@instruction
def prefetch_for_later(typing_context: Any, array: Any, line: Any) -> Any:
    """Prefetch into the second cache only: in the first it would evict what is read until then."""
    return types.void(array, line), _prefetching(SECOND_CACHE)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any, size: int) -> Any:
    """A pointer to `size` bits at an index of an array of bytes."""
    view = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.bitcast(builder.gep(view.data, [arguments[1]]), ir.IntType(size).as_pointer())


@instruction
def word_at(typing_context: Any, text: Any, at: Any) -> Any:
    """Eight bytes as one integer, little-endian; they must be within the array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, arguments, 64), align=1)

    return types.uint64(text, types.int64), generate


@instruction
def byte_at(typing_context: Any, text: Any, at: Any) -> Any:
    """One byte; its index must be within the array, and is not counted from the end."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.load(_pointer(context, builder, signature, arguments, 8)), WORD)

    return types.int64(text, types.int64), generate


@instruction
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """How many bits are below the lowest that is set; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.int64(types.uint64), generate


@instruction
def leading_zeros(typing_context: Any, word: Any) -> Any:
    """How many bits are above the highest that is set; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], cgutils.false_bit)

    return types.int64(types.uint64), generate


@instruction
def high_product(typing_context: Any, a: Any, b: Any) -> Any:
    """The upper 64 bits of a product of two words; `*` returns the lower ones."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), WORD)

    return types.uint64(types.uint64, types.uint64), generate
