"""The log of a run: JSON lines that survive a kill, and TensorBoard's own format."""

import json
import struct

import numpy as np
import pytest
from tensorboardX.crc32c import crc32c
from tensorboardX.proto.event_pb2 import Event

from envwright.errors import EnvwrightError
from envwright.train.log import METRICS, TENSORBOARD, RunLog, as_line, read_log
from envwright.train.runners import Metrics


def line(update, seeds=2):
    metrics = Metrics(
        np.array([update, 0][:seeds]),
        np.array([update / 2, np.nan][:seeds]),
        np.array([7.0, np.nan][:seeds]),
        {"entropy": np.array([0.5, 0.25][:seeds], np.float32)},
    )
    return as_line(update, 64 * update, update / 8, 512.04, metrics)


def tell(folder, first, last, since=0):
    log = RunLog(folder, since)
    for update in range(first, last + 1):
        log.write(line(update))
    return log


def masked(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def events(folder):
    """Records of all event files, oldest first: length, its check, data, their check."""
    found = []
    for path in sorted((folder / TENSORBOARD).iterdir(), key=lambda p: p.stat().st_mtime_ns):
        data = path.read_bytes()
        while data:
            (length,), (check,) = struct.unpack("<Q", data[:8]), struct.unpack("<I", data[8:12])
            body, (tail,) = data[12 : 12 + length], struct.unpack_from("<I", data, 12 + length)
            assert check == masked(data[:8]) and tail == masked(body)
            found.append(Event.FromString(body))
            data = data[16 + length :]
    return found


def curve(folder, tag):
    """What TensorBoard shows: a session that begins at a step hides what came after it."""
    shown = {}
    for event in events(folder):
        if event.HasField("session_log"):
            shown = {step: value for step, value in shown.items() if step < event.step}
        for value in event.summary.value:
            if value.tag == tag:
                assert event.step not in shown, "told twice"
                shown[event.step] = value.simple_value
    return shown


def test_a_line_is_plain_json_with_null_where_no_episode_ended(tmp_path):
    tell(tmp_path, 1, 1).close()
    (told,) = [json.loads(text) for text in (tmp_path / METRICS).read_text().splitlines()]
    assert told == {
        "update": 1,
        "steps": 64,
        "seconds": 0.125,
        "steps_per_second": 512.0,
        "episodes": [1, 0],
        "return": [0.5, None],
        "length": [7.0, None],
        "entropy": [0.5, 0.25],
    }
    assert read_log(tmp_path) == [told]


def test_tensorboard_files_hold_the_same_numbers(tmp_path):
    tell(tmp_path, 1, 3).close()
    assert events(tmp_path)[0].file_version == "brain.Event:2"
    assert curve(tmp_path, "episode/return") == {64: 0.5, 128: 1.0, 192: 1.5}
    assert curve(tmp_path, "seeds/return_0") == {64: 0.5, 128: 1.0, 192: 1.5}
    assert curve(tmp_path, "seeds/return_1") == {}, "it has no episode"
    assert curve(tmp_path, "learning/entropy") == dict.fromkeys((64, 128, 192), 0.375)
    assert curve(tmp_path, "speed/steps_per_second") == dict.fromkeys((64, 128, 192), 512.0)


def test_a_line_is_on_disk_as_soon_as_it_was_told(tmp_path):
    log = tell(tmp_path, 1, 2)
    assert [told["update"] for told in read_log(tmp_path)] == [1, 2]
    log.close()


def test_what_a_kill_took_from_tensorboard_is_told_again(tmp_path):
    tell(tmp_path, 1, 3).close()
    (file,) = (tmp_path / TENSORBOARD).iterdir()
    file.write_bytes(file.read_bytes()[:60])
    tell(tmp_path, 4, 4, since=3).close()
    file.write_bytes(b"")  # the reader above checks every record
    assert curve(tmp_path, "episode/return") == {64: 0.5, 128: 1.0, 192: 1.5, 256: 2.0}


@pytest.mark.parametrize("torn", ['{"update": 4, "ste', '{"update": 4}\x00', "\x00\x00\x00", ""])
def test_a_torn_last_line_is_left_out_and_overwritten(tmp_path, torn):
    tell(tmp_path, 1, 3).close()
    with open(tmp_path / METRICS, "a") as file:
        file.write(torn)
    assert [told["update"] for told in read_log(tmp_path)] == [1, 2, 3]
    tell(tmp_path, 4, 4, since=3).close()
    text = (tmp_path / METRICS).read_text()
    assert [json.loads(row)["update"] for row in text.splitlines()] == [1, 2, 3, 4]


def test_what_was_told_after_the_checkpoint_is_forgotten(tmp_path):
    tell(tmp_path, 1, 5).close()
    tell(tmp_path, 3, 4, since=2).close()
    assert [told["update"] for told in read_log(tmp_path)] == [1, 2, 3, 4]
    assert sorted(curve(tmp_path, "episode/return")) == [64, 128, 192, 256]


def test_a_run_that_begins_anew_forgets_everything(tmp_path):
    tell(tmp_path, 1, 3).close()
    tell(tmp_path, 1, 2).close()
    assert [told["update"] for told in read_log(tmp_path)] == [1, 2]
    assert sorted(curve(tmp_path, "episode/return")) == [64, 128]


def test_there_may_be_no_log_yet(tmp_path):
    assert read_log(tmp_path) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda told: 3,
        lambda told: [told],
        lambda told: {**told, "update": "one"},
        lambda told: {**told, "entropy": "high"},
        lambda told: {**told, "return": [[1.0]]},
        lambda told: {k: v for k, v in told.items() if k != "steps"},
    ],
)
def test_a_line_that_is_not_of_a_log_is_refused_in_one_sentence(tmp_path, damage):
    tell(tmp_path, 1, 2).close()
    path = tmp_path / METRICS
    one, two = path.read_text().splitlines()
    path.write_text(f"{one}\n{json.dumps(damage(json.loads(two)))}\n")
    with pytest.raises(EnvwrightError, match="is not the log of a training run"):
        RunLog(tmp_path, 2)
    assert path.read_text().startswith(one), "nothing was changed"
