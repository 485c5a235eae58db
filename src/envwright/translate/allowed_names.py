"""Names that translated Python may use, and those that it may not; `allowed.py` follows them."""

from __future__ import annotations

import builtins
import re

MODULES = frozenset(
    {
        *("__future__", "abc", "collections", "collections.abc", "dataclasses", "enum"),
        *("bisect", "copy", "fractions", "functools", "heapq", "itertools", "math", "numbers"),
        *("operator", "types", "typing", "typing_extensions"),
        *("jax", "jax.dtypes", "jax.image", "jax.lax", "jax.nn", "jax.nn.initializers"),
        *("jax.numpy", "jax.numpy.fft", "jax.ops", "jax.scipy.ndimage", "jax.scipy.signal"),
        *("jax.numpy.linalg", "jax.random", "jax.scipy", "jax.scipy.linalg", "jax.scipy.special"),
        *("jax.scipy.stats", "jax.tree", "jax.tree_util", "jax.typing"),
        *("numpy", "numpy.fft", "numpy.linalg", "numpy.polynomial", "numpy.random"),
        "numpy.typing",
        *("envwright.core", "envwright.core.env", "envwright.core.exact", "envwright.core.lanes"),
        *("envwright.core.pytree", "envwright.core.spaces", "envwright.core.wrappers"),
    }
)
# Of some modules only these names: the others leave the program, or load and run things.
ONLY = {
    "jax": frozenset(
        {
            *("Array", "ShapeDtypeStruct", "checkpoint", "eval_shape", "grad", "hessian"),
            *("jacfwd", "jacrev", "jit", "jvp", "linearize", "named_scope", "remat"),
            *("value_and_grad", "vjp", "vmap"),
        }
    ),
    "abc": frozenset({"ABC", "abstractmethod"}),
    # Not `wraps` and its kin: they read and write attributes whose names are texts.
    "functools": frozenset(
        {
            *("cache", "cached_property", "cmp_to_key", "lru_cache", "partial", "partialmethod"),
            *("reduce", "total_ordering"),
        }
    ),
    # Not the functions that draw from a generator of the whole process.
    "numpy.random": frozenset(
        {
            *("BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"),
            *("RandomState", "SeedSequence", "default_rng"),
        }
    ),
    "types": frozenset({"EllipsisType", "MappingProxyType", "NoneType", "SimpleNamespace"}),
    "envwright.core": frozenset(
        {
            *("Box", "Dict", "Discrete", "DiscreteTuple", "Env", "MultiDiscrete", "Space"),
            *("Step", "TimeLimit", "Wrapper", "exact_div", "pytree_dataclass", "rounded"),
            *("scalar_power", "updated"),
        }
    ),
}
FILES = frozenset(
    {
        *("DataSource", "fromfile", "fromregex", "genfromtxt", "load", "loadtxt", "memmap"),
        *("save", "savetxt", "savez", "savez_compressed"),
    }
)
# Settings of the whole process, which outlive a call.
SETTINGS = frozenset(
    {
        *("get_printoptions", "getbufsize", "geterr", "geterrcall", "set_printoptions"),
        *("setbufsize", "seterr", "seterrcall"),
    }
)
# They know the time: "today" and "now" are dates.
CLOCKS = frozenset(
    {
        *("busday_count", "busday_offset", "busdaycalendar", "datetime64", "datetime_as_string"),
        *("datetime_data", "is_busday", "isnat", "sctypeDict", "timedelta64", "typecodes"),
    }
)
# They describe this machine, or hold whatever the memory held before.
OTHERS = frozenset(
    {
        *("empty", "empty_like", "get_include", "info", "ndarray()", "show_config"),
        *("show_runtime", "test"),
    }
)
# They know how many lanes there are, and whether code is mapped at all.
AXES = frozenset(
    {
        *("all_gather", "all_to_all", "axis_index", "axis_size", "pbroadcast", "pcast", "pmax"),
        *("pmean", "pmin", "ppermute", "pshuffle", "psum", "psum_scatter", "pswapaxes", "pvary"),
    }
)
# Of others, all but these: they read and write files, or keep something for the process.
BUT = {
    "enum": frozenset({"EnumMeta", "EnumType", "global_enum"}),
    "jax.lax": AXES,
    "jax.numpy": FILES | SETTINGS,
    "numpy": FILES | SETTINGS | CLOCKS | OTHERS,
    "typing": frozenset({"clear_overloads", "get_overloads"}),
    "typing_extensions": frozenset({"clear_overloads", "get_overloads"}),
}
# Of Python itself: they run text as code, reach what has no name, leave the program, or differ
# between two processes.
BUILT_IN = frozenset(
    {
        *("breakpoint", "compile", "copyright", "credits", "delattr", "dir", "eval", "exec"),
        *("exit", "getattr", "globals", "hash", "help", "id", "input", "license", "locals"),
        *("open", "quit", "setattr", "vars"),
    }
)
# They leave the compiled program, choose another one, or reach what has no name; wherever they
# come from.
WORDS = frozenset(
    {
        *("callback", "debug_callback", "host_callback", "io_callback", "pure_callback"),
        *("custom_batching", "custom_jvp", "custom_vjp", "custom_vmap", "ffi_call"),
        *("platform_dependent", "rng_uniform"),
        *("attrgetter", "cache_info", "methodcaller", "singledispatch", "singledispatchmethod"),
        *("ForwardRef", "get_type_hints", "make_dataclass"),
        *("ag_frame", "cr_frame", "f_back", "f_builtins", "f_globals", "f_locals", "gi_frame"),
        *("tb_frame", "mro", "dump", "dumps", "tofile"),
        *("evaluate_forward_ref", "evaluate_value", "get_annotations", "get_cache_token"),
        *("ctypes", "format_map", "live_arrays", "live_executables", "unsafe_buffer_pointer"),
        *("ABCMeta", "EnumMeta", "EnumType", "NamedTupleMeta"),  # they make classes of texts
        *("_ctypes", "_evaluate", "ag_code", "co_filename", "cr_code", "gi_code"),
    }
)
# Attributes of JAX's values and compiled functions that say where and how they are computed. Code
# may have fields and methods of its own by these names.
PEEKS = frozenset(
    {
        # of traced values
        *("aval_mutable_qdd", "batch_dim", "cur_qdd", "full_lower", "get_const", "get_referent"),
        *("is_known", "mutable_qdd", "pval", "source_info", "to_concrete_value", "type_state"),
        # of arrays, their devices and these devices' clients
        *("addressable_data", "addressable_devices", "addressable_memories", "addressable_shards"),
        *("client", "committed", "copy_to_host_async", "defragment", "device", "device_buffer"),
        *("device_buffers", "device_count", "device_kind", "device_set", "devices"),
        *("global_shards", "heap_profile", "host_id", "is_deleted", "is_fully_addressable"),
        *("is_fully_replicated", "is_ready", "live_buffers", "local_devices", "memory_kind"),
        *("memory_stats", "num_devices", "on_device_size_in_bytes", "platform"),
        *("platform_version", "process_index", "runtime_type", "sharding", "task_id"),
        # of functions that are compiled, linear, or transposed, and of their programs
        *("args_res", "as_python_traceback", "as_text", "compile", "compiler_ir"),
        *("cost_analysis", "eqns", "fun_name", "jaxpr", "lojax", "memory_analysis"),
        *("opaque_residuals", "runtime_executable", "serialize_executable", "traceback"),
        # of dtypes, which may carry what is not compared
        "metadata",
    }
)
# Without a seed, they take one from this process.
SEEDED = frozenset(
    f"numpy.random.{name}"
    for name in (
        *("BitGenerator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64"),
        *("SeedSequence", "default_rng"),
    )
)
DATES = re.compile(r"[<>=|]?[mM]8(\[.*\])?|(datetime|timedelta)64(\[.*\])?")
REGISTER = "jax.tree_util.register_dataclass"  # reads fields whose names are texts
# Attributes with an underscore that values of others have for everybody.
OF_TUPLES = frozenset({"_asdict", "_fields", "_make", "_replace"})
# Names between two pairs of underscores that are not a way around all this.
PLAIN = frozenset(
    {
        *("__all__", "__doc__", "__hash__", "__init__", "__name__", "__post_init__", "__slots__"),
        "__version__",
    }
)
# Of these, the ones that code may set: the others say whose a function is, or set fields.
SET = PLAIN - {"__name__", "__init__", "__post_init__"}
# Methods that a class may have: others decide what a name, a class or an assignment means, or are
# given errors.
METHODS = PLAIN | frozenset(
    f"__{name}__"
    for name in (
        *("abs", "add", "and", "bool", "call", "contains", "divmod", "eq", "float"),
        *("floordiv", "ge", "getitem", "gt", "iadd", "iand", "index", "int", "invert"),
        *("ior", "isub", "iter", "le", "len", "lshift", "lt", "matmul", "mod", "mul", "ne", "neg"),
        *("next", "or", "pos", "pow", "radd", "rand", "repr", "reversed", "rfloordiv", "rlshift"),
        *("rmatmul", "rmod", "rmul", "ror", "rpow", "rrshift", "rshift", "rsub", "rtruediv"),
        *("rxor", "str", "sub", "truediv", "xor"),
    )
)
ERRORS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
TELLING = ERRORS | {"print", "repr", "str"}  # they are given what an error says
VALUES = frozenset({"bool", "bytes", "dict", "float", "int", "list", "str", "tuple"})
MAKERS = ("__init__", "__post_init__")  # only they set fields
