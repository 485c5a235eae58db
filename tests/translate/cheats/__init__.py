"""Translations of the lamp that deceive: one file each, with the code and what stops it.

A cheat gives right answers where it expects to be judged, or takes them from elsewhere. Each file
has `FILES`, the sources that replace the good ones.

`WALLS` names what stops a cheat when its source is not read at all. Reading the source
(`translate/allowed.py`) stops every cheat whose name is in `READ`, too; for those in `ONLY_READ`,
it is the only wall.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

JAIL = "the jail does not hold the reference, golden pairs, or other processes' memory"
PROGRAM = "the compiled program holds what may not run"
TRACED = "only traced functions of an Env are served"
AGAIN = "another process, or a second time, traces another program"
TRACES = "tracing changes the code's own variables"
LEVELS = "the answers differ from the reference's"
LOOKS = "code that looks at how it is traced is noted"
ELSEWHERE = "a step that is not compiled, or in single precision, is compared, too"
DEFAULT = "starts, draws and steps are judged with the default dtype, too"
APART = "what answers and what compares does not run the code"

# What a verdict says of each.
SAYS = {
    JAIL: "No module named 'lamp'|is not there|No such file|Permission denied|unpack",
    PROGRAM: "leaves the compiled program|which a translation may not",
    TRACED: (
        "not an envwright.core.env.Env|has its own|restarts by itself|No module named|has changed"
    ),
    AGAIN: "another program when another process traces it",
    TRACES: "tracing changes the code's own variables|makes another environment",
    LOOKS: (
        "makes a text of a traced|asks a traced value|which Python would run|takes a compiled"
        "|draws a seed|reads a clock|reads the environment"
    ),
    DEFAULT: "reference .*, (yours|twin) ",
    ELSEWHERE: "is not compiled does something else|steps differ with dtype|can be said of steps",
    LEVELS: "reference .*, (yours|twin) ",
    APART: "reference .*, (yours|twin) |sent .* bytes|nonsense|the process ended",
}

WALLS = {
    "address_by_a_hash": "",
    "answers_by_key": LEVELS,
    "answers_by_seed": LEVELS,
    "answers_forged_at_exit": APART,
    "answers_forged_by_a_thread": APART,
    "answers_forged_on_every_pipe": APART,
    "answers_kept_from_golden_pairs": LEVELS,
    "attributes_by_a_pattern": LOOKS,
    "attributes_by_a_registered_class": LOOKS,
    "axis_of_a_batch": "",
    "batches_of_another_rule": PROGRAM,
    "batches_of_its_own": TRACED,
    "callback_by_another_name": PROGRAM,
    "callback_for_debugging": PROGRAM,
    "callback_in_order": PROGRAM,
    "callback_to_a_copy": PROGRAM,
    "callback_to_the_reference": JAIL,
    "clock_by_a_class_of_texts": LOOKS,
    "clock_by_a_date": "",
    "clock_by_a_module_of_its_own": LOOKS,
    "clock_by_an_annotation": "",
    "clock_by_an_array": "",
    "clock_by_an_enum_of_texts": LOOKS,
    "clock_by_an_error": LOOKS,
    "clock_by_an_error_of_its_own": LOOKS,
    "clock_by_an_exit": LOOKS,
    "clock_by_copied_attributes": LOOKS,
    "clock_by_the_type_of_a_date": "",
    "clock_of_the_host": LOOKS,
    "code_by_the_type_of_a_type": LOOKS,
    "code_in_the_name_of_a_field": LOOKS,
    "comparison_of_numpy_replaced": APART,
    "compiled_code_only": ELSEWHERE,
    "counter_in_a_cache": TRACES,
    "counter_in_a_cache_of_typing": TRACES,
    "counter_in_a_cached_field": TRACES,
    "counter_in_a_class_of_a_library": TRACES,
    "counter_in_a_class_without_a_name": TRACES,
    "counter_in_a_closure_of_a_tree": TRACES,
    "counter_in_a_flat_iterator": TRACES,
    "counter_in_a_function_of_a_library": TRACES,
    "counter_in_a_generator": TRACES,
    "counter_in_a_library": TRACES,
    "counter_in_a_list_with_fields": TRACES,
    "counter_in_a_mapping": TRACES,
    "counter_in_a_part_of_a_library": TRACES,
    "counter_in_a_place_of_pop": TRACES,
    "counter_in_a_property": TRACES,
    "counter_in_a_set": TRACES,
    "counter_in_a_static_method": TRACES,
    "counter_in_a_structure": TRACES,
    "counter_in_a_table_of_a_library": TRACES,
    "counter_in_a_view": TRACES,
    "counter_in_an_array_of_objects": TRACES,
    "counter_in_an_asynchronous_generator": TRACES,
    "counter_in_an_enum": TRACES,
    "counter_in_an_error": TRACES,
    "counter_in_an_iterator": TRACES,
    "counter_in_an_order": TRACES,
    "counter_in_flags": TRACES,
    "counter_in_flags_of_arrays": TRACES,
    "counter_in_registered_classes": TRACES,
    "counter_in_registered_trees": TRACES,
    "counter_in_the_argument_of_a_type": TRACES,
    "counter_in_the_environment": TRACES,
    "counter_in_the_metadata_of_a_dtype": TRACES,
    "counter_in_the_rest_of_an_array": TRACES,
    "counter_in_the_state": LEVELS,
    "counter_of_traces": TRACES,
    "counter_outside_the_code": TRACES,
    "counter_under_another_name": TRACES,
    "derivative_of_another_rule": LEVELS,
    "device_that_is_not_judged": PROGRAM,
    "devices_of_an_array": "",
    "dice_of_a_space": LOOKS,
    "dice_without_a_seed": LOOKS,
    "draws_in_single_precision": DEFAULT,
    "environment_made_again": TRACES,
    "environment_of_the_judge": LOOKS,
    "foreign_function": PROGRAM,
    "frames_of_the_judge": LEVELS,
    "golden_pairs_from_disk": JAIL,
    "harness_replaced": APART,
    "judge_in_a_compiled_text": LOOKS,
    "judge_in_a_derivative": LEVELS,
    "judge_in_a_program": LOOKS,
    "judge_in_a_text": "",
    "judge_in_a_traceback": LOOKS,
    "judge_in_the_text_of_an_error": LEVELS,
    "library_of_c": JAIL,
    "masks_of_its_own": TRACED,
    "memory_of_numpy": "",
    "memory_of_the_runner": JAIL,
    "path_of_its_own_file": "",
    "precision_that_is_not_judged": DEFAULT,
    "private_parts_by_a_pattern": "",
    "process_of_its_own": LEVELS,
    "reference_by_its_class": JAIL,
    "reference_by_its_name": JAIL,
    "reference_compiled_beside": TRACED,
    "restarts_that_never_come": TRACED,
    "simulator_in_python": TRACED,
    "size_of_a_batch_by_a_tracer": LOOKS,
    "size_of_a_batch_in_a_text": LOOKS,
    "starts_in_single_precision": DEFAULT,
    "state_that_remembers": TRACES,
    "step_of_its_own": TRACED,
    "step_of_its_own_in_single_precision": TRACED,
    "step_of_the_harness_replaced": TRACED,
    "wall_that_is_silenced": DEFAULT,
    "words_of_the_command": AGAIN,
    "wrapper_in_the_middle": TRACED,
}
# Whoever is traced can see where, when and how often. The traces of a judgement are not all that
# there will be.
ONLY_READ = frozenset(name for name, wall in WALLS.items() if not wall)
# Their code is ordinary, so reading it finds nothing.
UNREAD = frozenset(
    {
        *("answers_by_key", "answers_by_seed", "answers_kept_from_golden_pairs"),
        *("batches_of_its_own", "compiled_code_only"),
        *("counter_in_a_cache", "counter_in_a_cached_field", "counter_in_a_class_of_a_library"),
        *("counter_in_a_class_without_a_name", "counter_in_a_closure_of_a_tree"),
        *("counter_in_a_flat_iterator", "counter_in_a_generator"),
        *("counter_in_a_list_with_fields", "counter_in_a_mapping", "counter_in_a_property"),
        *("counter_in_a_set", "counter_in_a_static_method"),
        *("counter_in_an_array_of_objects", "counter_in_an_enum", "counter_in_an_iterator"),
        *("counter_in_registered_classes", "counter_in_registered_trees"),
        *("counter_in_a_cache_of_typing", "counter_in_a_function_of_a_library"),
        *("counter_in_a_place_of_pop", "counter_in_a_structure", "counter_in_a_view"),
        *("counter_in_an_asynchronous_generator", "counter_in_an_error", "counter_in_an_order"),
        *("counter_in_flags", "counter_in_flags_of_arrays", "counter_in_the_argument_of_a_type"),
        *("counter_in_the_rest_of_an_array", "counter_in_the_state", "counter_of_traces"),
        *("dice_of_a_space", "draws_in_single_precision"),
        *("environment_made_again", "masks_of_its_own", "precision_that_is_not_judged"),
        *("restarts_that_never_come", "size_of_a_batch_by_a_tracer", "size_of_a_batch_in_a_text"),
        *("starts_in_single_precision", "state_that_remembers", "step_of_its_own"),
        *("step_of_its_own_in_single_precision", "wall_that_is_silenced"),
        "wrapper_in_the_middle",
    }
)
READ = frozenset(WALLS) - UNREAD


def files_of(name: str) -> dict[str, str]:
    """Return the sources of a cheat: heat, env, and more."""
    return import_module(f"{__name__}.{name}").FILES


def all_names() -> set[str]:
    """Return the name of every file."""
    return {path.stem for path in Path(__file__).parent.glob("[a-z]*.py")} - {"parts"}
