"""Emberkeep keeps the rules of its README, seen through RAM as an environment sees them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.zoo.gameboy.expert import BUTTON, ROOM_STEP, Expert, Keep, doorway

from envwright.zoo.gameboy.emberkeep import COLUMNS, FoeKind, Mode, Ram, Square, Way

SEED = 7
HERO = (4, 4)
FOE_BYTES = 16
WRAM = range(0xC000, 0xE000)
LCD_LINE = 0xFF44


@pytest.fixture
def play(console):
    """A game just begun: the first room has no foes, the hero stands at (4, 4)."""
    console.start(SEED)
    for at in range(COLUMNS + 1, 7 * COLUMNS - 1):
        if console.peek(Ram.GRID + at) < Square.WALL:
            console.poke(Ram.GRID + at, Square.FLOOR)
    return console


def put(console, at: tuple[int, int], kind: Square) -> None:
    console.poke(Ram.GRID + at[1] * COLUMNS + at[0], kind)


def put_foe(console, kind: FoeKind, at: tuple[int, int], *, hp=1, facing=Way.EAST, wait=0, i=0):
    x, y = at
    record = [kind, hp, x, y, 16 * x, 16 * y, facing, 0, wait, 0, 0, 0]
    for offset, value in enumerate(record):
        console.poke(Ram.FOE + FOE_BYTES * i + offset, value)


def foe(console, i=0) -> list[int]:
    return [console.peek(Ram.FOE + FOE_BYTES * i + j) for j in range(12)]


def hero(console) -> tuple[int, int]:
    return console.peek(Ram.X), console.peek(Ram.Y)


def score(console) -> int:
    return console.word(Ram.SCORE)


def wram(console) -> bytes:
    return bytes(console.peek(address) for address in WRAM)


def step_through(console, way: Way) -> None:
    """From (4, 4) of the first room to the next room."""
    keep = Keep(console)
    room = keep.room
    goal = doorway(way)[0]
    for button, count in (
        ("left" if goal[0] < 4 else "right", abs(goal[0] - 4)),
        ("up" if goal[1] < 4 else "down", abs(goal[1] - 4)),
    ):
        for _ in range(count):
            console.press((button,), 8)
    console.press((BUTTON[way],), 8)
    assert keep.room == room + ROOM_STEP[way]


# --- title and seeds -------------------------------------------------------------------------


def test_title_waits_for_start(console):
    console.load(console.title)
    console.press(("a", "right"), 200)
    assert console.peek(Ram.MODE) == Mode.TITLE
    console.press(("start",), 60)
    assert console.peek(Ram.MODE) == Mode.PLAY


def test_a_seed_poked_at_the_title_is_used(console):
    console.start(0x1234)
    assert console.word(Ram.SEED) == 0x1234


@pytest.mark.parametrize("frames", [3, 50])
def test_without_a_seed_the_frame_of_pressing_start_is_it(console, frames):
    console.load(console.title)
    console.press((), frames)
    clock = console.word(Ram.CLOCK)
    console.press(("start",), 60)
    assert console.word(Ram.SEED) == clock + 1


def test_games_of_a_seed_are_equal_to_the_byte(console):
    rng = np.random.default_rng(0)
    buttons = rng.choice(["up", "down", "left", "right", "a", "b"], 300)

    def run():
        console.start(99)
        for button in buttons:
            console.press((str(button),), 8)
        return wram(console), console.pixels().tobytes()

    assert run() == run()


def test_seeds_make_different_keeps(console):
    keeps = set()
    for seed in range(1, 21):
        console.start(seed)
        keeps.add(bytes(console.peek(a) for a in range(Ram.EXITS, Ram.REGION + 16)))
    assert len(keeps) == 20


def test_random_numbers_are_the_documented_ones(play):
    put_foe(play, FoeKind.BAT, (7, 5))
    before = play.word(Ram.RNG)
    play.press((), 1)
    assert play.word(Ram.RNG) == (before * 25173 + 13849) & 0xFFFF


# --- walking -----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", Way)
def test_a_step_takes_eight_frames(play, way):
    play.press((BUTTON[way],), 7)
    assert play.peek(Ram.WALK) == 1
    play.press((BUTTON[way],), 1)
    assert play.peek(Ram.WALK) == 0
    x, y = HERO
    dx, dy = {Way.NORTH: (0, -1), Way.EAST: (1, 0), Way.SOUTH: (0, 1), Way.WEST: (-1, 0)}[way]
    assert hero(play) == (x + dx, y + dy)
    assert play.peek(Ram.FACING) == way
    assert play.word(Ram.STEPS) == 1


def test_holding_for_24_frames_is_three_squares(play):
    play.press(("right",), 24)
    assert hero(play) == (7, 4)
    assert play.peek(Ram.WALK) == 0


@pytest.mark.parametrize("kind", [Square.WALL, Square.PILLAR, Square.WATER, Square.GATE_MOON])
def test_solid_squares_stop(play, kind):
    put(play, (5, 4), kind)
    play.press(("right",), 24)
    assert hero(play) == HERO
    assert play.peek(Ram.FACING) == Way.EAST


def test_a_foe_in_the_way_is_faced_not_trodden_on(play):
    put_foe(play, FoeKind.SLIME, (5, 4), wait=100)
    play.press(("right",), 8)
    assert hero(play) == HERO
    assert play.peek(Ram.FACING) == Way.EAST
    assert play.peek(Ram.HP) == 4


def test_start_and_select_do_nothing_in_play(play):
    play.press(("start", "select"), 40)
    assert play.peek(Ram.MODE) == Mode.PLAY
    assert hero(play) == HERO


# --- items -------------------------------------------------------------------------------------


def test_a_gem_is_one_point(play):
    put(play, (5, 4), Square.GEM)
    play.press(("right",), 8)
    assert (score(play), play.peek(Ram.GEMS)) == (1, 1)
    assert Keep(play).square((5, 4)) == Square.FLOOR


@pytest.mark.parametrize("i", range(3))
def test_a_key_is_five_points_and_a_bit(play, i):
    put(play, (5, 4), Square(Square.KEY_MOON + i))
    play.press(("right",), 8)
    assert (score(play), play.peek(Ram.KEYS)) == (5, 1 << i)


@pytest.mark.parametrize(("before", "after"), [(1, 2), (4, 5), (5, 5)])
def test_a_heart_heals_up_to_five(play, before, after):
    play.poke(Ram.HP, before)
    put(play, (5, 4), Square.HEART)
    play.press(("right",), 8)
    assert (play.peek(Ram.HP), score(play)) == (after, 0)


def test_a_flask_is_one_more_flare(play):
    put(play, (5, 4), Square.FLASK)
    play.press(("right",), 8)
    assert (play.peek(Ram.OIL), score(play)) == (3, 0)


def test_the_relic_is_fifty_points_and_wins(play):
    put(play, (5, 4), Square.RELIC)
    play.press(("right",), 8)
    assert score(play) == 50
    assert (play.peek(Ram.DONE), play.peek(Ram.WON)) == (1, 1)
    assert play.peek(Ram.MODE) == Mode.WON
    play.press((), 60)
    play.press(("start",), 4)
    assert play.peek(Ram.MODE) == Mode.TITLE
    assert play.word(Ram.SEED) == 0


# --- rooms and doors ---------------------------------------------------------------------------


def first_way(play) -> Way:
    keep = Keep(play)
    return next(way for way, _ in keep.ways(keep.room))


def test_a_room_is_two_points_the_first_time(play):
    way = first_way(play)
    step_through(play, way)
    assert (score(play), play.peek(Ram.SEEN)) == (2, 2)
    play.press((), 8)
    play.press((BUTTON[Way(way ^ 2)],), 8)
    assert (score(play), play.peek(Ram.SEEN)) == (2, 2)
    play.press((BUTTON[way],), 8)
    assert (score(play), play.peek(Ram.SEEN)) == (2, 2)


def test_changing_rooms_takes_eight_frames(play):
    way = first_way(play)
    step_through(play, way)
    assert play.peek(Ram.WIPE) == 0


def test_a_taken_item_is_not_there_again(play):
    console = play
    console.start(SEED)
    keep = Keep(console)
    room, items = keep.room, keep.items(keep.room)
    expert = Expert(console)
    while keep.items(room):
        console.press(expert.decide(), 8)
    assert score(console) == len(items) == 2
    while keep.room == room:
        console.press(expert.decide(), 8)
    back = Way(console.peek(Ram.FACING) ^ 2)
    console.press((BUTTON[back],), 8)
    assert keep.room == room
    assert not keep.items(room)
    assert all(keep.square(at) == Square.FLOOR for at in items)


@pytest.mark.parametrize("lock", [1, 2, 3])
def test_a_locked_door_wants_its_own_key_and_is_five_points(play, lock):
    keep, way = Keep(play), first_way(play)
    room = keep.room
    other = room + ROOM_STEP[way]
    play.poke(Ram.LOCKS + room, lock << 2 * way)
    play.poke(Ram.LOCKS + other, play.peek(Ram.LOCKS + other) | lock << 2 * (way ^ 2))
    for at in doorway(way):
        put(play, at, Square(Square.GATE_MOON + lock - 1))
    before, button = doorway(way)[0], BUTTON[way]
    for axis, forward, backward in ((0, "right", "left"), (1, "down", "up")):
        for _ in range(9):
            away = before[axis] - hero(play)[axis]
            if abs(away) > (axis == way % 2 ^ 1):  # up to the square before the door
                play.press((forward if away > 0 else backward,), 8)
    at = hero(play)
    play.poke(Ram.KEYS, 7 & ~(1 << (lock - 1)))
    play.press((button,), 8)
    assert (hero(play), score(play)) == (at, 0)
    play.poke(Ram.KEYS, 1 << (lock - 1))
    play.press((button,), 8)
    assert hero(play) == before
    assert (score(play), play.peek(Ram.DOORS)) == (5, 1 << (lock - 1))
    assert [keep.square(at) for at in doorway(way)] == [Square.FLOOR] * 2
    assert play.peek(Ram.LOCKS + room) >> 2 * way & 3 == 0
    assert play.peek(Ram.LOCKS + other) >> 2 * (way ^ 2) & 3 == 0


# --- foes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "hp", "swings"), [(FoeKind.SLIME, 1, 1), (FoeKind.BAT, 1, 1), (FoeKind.GHOUL, 2, 2)]
)
def test_a_foe_beaten_is_two_points(play, kind, hp, swings):
    put_foe(play, kind, (5, 4), hp=hp, wait=40)
    for swing in range(swings):
        assert (score(play), play.peek(Ram.KILLS)) == (0, 0), swing
        play.press(("right", "a"), 8)
    assert (score(play), play.peek(Ram.KILLS)) == (2, 1)
    assert foe(play)[0] == FoeKind.PUFF
    play.press((), 20)
    assert foe(play)[0] == FoeKind.NOBODY


def test_the_sword_reaches_only_the_square_ahead(play):
    for i, at in enumerate([(4, 3), (3, 4), (6, 4)]):
        put_foe(play, FoeKind.SLIME, at, wait=100, i=i)
    play.press(("right", "a"), 8)
    assert play.peek(Ram.KILLS) == 0


def test_holding_the_sword_swings_again_and_again(play):
    play.press(("a",), 80)
    put_foe(play, FoeKind.SLIME, (4, 5), wait=100)
    play.press(("a",), 8)
    assert play.peek(Ram.KILLS) == 1


def test_a_foe_warns_before_it_strikes(play):
    put_foe(play, FoeKind.SLIME, (5, 4), facing=Way.WEST)
    play.press((), 1)
    raised = foe(play)[10]
    assert (raised, play.peek(Ram.HP)) == (1, 4)
    play.press((), 12)
    assert play.peek(Ram.HP) == 4
    play.press((), 1)
    assert play.peek(Ram.HP) == 3


def test_who_steps_aside_is_not_struck(play):
    put_foe(play, FoeKind.SLIME, (5, 4), facing=Way.WEST)
    play.press((), 1)
    play.press(("up",), 24)
    assert play.peek(Ram.HP) == 4


def test_after_a_blow_others_do_not_count_for_a_while(play):
    put_foe(play, FoeKind.SLIME, (5, 4), facing=Way.WEST)
    put_foe(play, FoeKind.SLIME, (3, 4), facing=Way.EAST, wait=4, i=1)
    play.press((), 60)
    assert play.peek(Ram.HP) == 3


def test_the_last_heart_ends_the_game(play):
    play.poke(Ram.HP, 1)
    put_foe(play, FoeKind.SLIME, (5, 4), facing=Way.WEST)
    play.press((), 20)
    assert (play.peek(Ram.DONE), play.peek(Ram.WON), play.peek(Ram.HP)) == (1, 0, 0)
    assert play.peek(Ram.MODE) == Mode.LOST
    play.press(("a", "b", "up"), 100)
    assert play.peek(Ram.MODE) == Mode.LOST
    play.press(("start",), 4)
    assert play.peek(Ram.MODE) == Mode.TITLE


def test_slimes_go_to_and_fro(play):
    put_foe(play, FoeKind.SLIME, (6, 2))
    xs = []
    for _ in range(400):
        play.press((), 1)
        assert foe(play)[3] == 2
        xs.append(foe(play)[2])
    assert (min(xs), max(xs)) == (1, 8)


def test_bats_stay_within_the_walls(play):
    put_foe(play, FoeKind.BAT, (6, 2))
    squares = set()
    for _ in range(600):
        play.press((), 4)
        squares.add(tuple(foe(play)[2:4]))
    assert len(squares) > 10
    assert all(1 <= x <= 8 and 1 <= y <= 6 for x, y in squares)


def test_ghouls_come_along_a_line_of_sight(play):
    put_foe(play, FoeKind.GHOUL, (8, 4), hp=2)
    play.press((), 16 * 3 + 4)
    assert tuple(foe(play)[2:4]) == (5, 4)


@pytest.mark.parametrize(
    ("at", "between"), [((8, 3), None), ((8, 4), (6, 4))], ids=["no line", "a pillar between"]
)
def test_ghouls_stand_when_they_see_nobody(play, at, between):
    if between:
        put(play, between, Square.PILLAR)
    put_foe(play, FoeKind.GHOUL, at, hp=2)
    play.press((), 100)
    assert tuple(foe(play)[2:4]) == at


def test_a_flare_dazes_those_awake_and_costs_oil(play):
    play.press(("b",), 16)
    assert play.peek(Ram.OIL) == 2, "nobody was awake"
    put_foe(play, FoeKind.GHOUL, (8, 4), hp=2)
    play.press(("b",), 32)
    assert play.peek(Ram.OIL) == 1
    play.press((), 100)
    assert tuple(foe(play)[2:4]) == (8, 4)
    play.press((), 100)
    assert tuple(foe(play)[2:4]) != (8, 4)


def test_beaten_foes_stay_beaten_and_others_return_to_their_places(console):
    console.start(SEED)
    keep, expert = Keep(console), Expert(console)
    while not (console.peek(Ram.KILLS) and keep.room != console.peek(Ram.ORDER)):
        console.press(expert.decide(), 8)
    room, left = keep.room, keep.foes_left(keep.room)
    while keep.room == room:
        console.press(expert.decide(), 8)
        if keep.room == room:
            left = keep.foes_left(room)
    console.press((BUTTON[Way(console.peek(Ram.FACING) ^ 2)],), 8)
    assert keep.room == room
    assert len(keep.foes()) == left


# --- the machine -------------------------------------------------------------------------------


def hooked_lines(console, pattern: bytes) -> list[int]:
    """The screen's line whenever the code of `pattern` is reached, while the expert plays."""
    from envwright.zoo.gameboy.emberkeep import ROM

    rom = ROM.read_bytes()[:0x200]
    assert rom.count(pattern) == 1
    lines: list[int] = []
    console.start(3)
    address = rom.index(pattern)
    console.boy.hook_register(0, address, lambda _: lines.append(console.peek(LCD_LINE)), None)
    Expert(console).play(300)
    console.boy.hook_deregister(0, address)
    return lines


def test_thoughts_end_before_the_foot_of_the_screen(console):
    start_of_sleep = bytes.fromhex("AF E0 90 76 00")  # xor a; ldh (90), a; halt; nop
    lines = hooked_lines(console, start_of_sleep)
    assert len(lines) > 2000
    assert min(lines) >= 4 and max(lines) < 144
    assert np.mean(lines) < 40, "asleep most of the time"


def test_video_memory_is_written_within_v_blank(console):
    end_of_vblank = bytes.fromhex("E1 D1 C1 F1 D9")  # pop hl, de, bc, af; reti
    lines = hooked_lines(console, end_of_vblank)
    assert len(lines) > 2000
    assert set(lines) <= set(range(144, 154))


def test_the_screen_shows_four_shades_in_play_and_the_status_below(play):
    room, bar = np.split(play.pixels(), [128])
    assert len(np.unique(room)) == 4
    assert np.median(bar) == 0
    play.poke(Ram.HP, 1)
    put_foe(play, FoeKind.SLIME, (5, 4), facing=Way.WEST)
    play.press((), 60)
    assert np.median(play.pixels()) == 0, "the end is told on a dark screen"


def test_frames_are_never_lost_in_play(console):
    console.start(3)
    frames, expert = console.word(Ram.FRAMES), Expert(console)
    for _ in range(200):
        console.press(expert.decide(), 8)
        frames += 8
        assert console.word(Ram.FRAMES) == frames


def test_the_hero_is_at_rest_every_eight_frames(console):
    console.start(3)
    expert = Expert(console)
    for _ in range(300):
        console.press(expert.decide(), 8)
        busy = [console.peek(a) for a in (Ram.WALK, Ram.SWING, Ram.WIPE, Ram.TURN)]
        assert not any(busy)
