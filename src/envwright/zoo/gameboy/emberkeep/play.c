/* The hero. All that is done takes 8 frames: a step, a swing, a turn to a foe, a change of rooms. So
   a player who decides every 8 frames always finds the hero at rest. */
#include "play.h"
#include "art.h"
#include "foes.h"
#include "screen.h"
#include "sound.h"
#include "state.h"
#include "status.h"
#include "world.h"

#define ACT_FRAMES 8
#define STEP_PIXELS 2
#define HURT_FRAMES 64
#define FLASH_FRAMES 16
#define FIRST_HP 4
#define FIRST_OIL 2
#define MOST_OIL 9

enum { HOLD_RIGHT = 1, HOLD_LEFT = 2, HOLD_UP = 4, HOLD_DOWN = 8, HOLD_A = 16, HOLD_B = 32 };

const i8 step_x[4] = {0, 1, 0, -1}, step_y[4] = {-1, 0, 1, 0};

static const u8 look[] = {
  M_FLOOR, M_GEM, M_HEART, M_FLASK, M_KEY_MOON, M_KEY_STAR, M_KEY_SUN, M_RELIC,
  M_WALL, M_TORCH, M_PILLAR, M_WATER, M_GATE_MOON, M_GATE_STAR, M_GATE_SUN};

void gain(u8 points) {
  game.score += points;
  status_stale = 1;
}

static void finish(u8 mode) {
  game.done = 1;
  game.won = mode == MODE_WON;
  game.mode = mode;
}

void take_blow(void) {
  if (game.hurt) return;
  game.hurt = HURT_FRAMES;
  game.hp--;
  status_stale = 1;
  sound(SOUND_HURT);
  if (!game.hp) finish(MODE_LOST);
}

/* --- rooms --------------------------------------------------------------------------------- */

static void enter_room(u8 room) {
  game.room = room;
  game.wipe = ACT_FRAMES - 1; /* the frame of leaving is the first */
  game.px = game.x << 4;
  game.py = game.y << 4;
  lay_room(room);
  if (!world.visited[room]) {
    world.visited[room] = 1;
    game.seen++;
    if (room != world.order[0]) gain(POINTS_ROOM);
  }
  status_stale = map_stale = 1;
}

static void leave_room(u8 direction) {
  switch (direction) {
    case NORTH: game.y = ROWS - 1; break;
    case EAST: game.x = 0; break;
    case SOUTH: game.y = 0; break;
    default: game.x = COLUMNS - 1; break;
  }
  game.steps++;
  enter_room(neighbour(game.room, direction));
}

/* --- squares ------------------------------------------------------------------------------- */

static void set_square(u8 at, u8 x, u8 y, u8 kind) {
  grid[at] = kind;
  patch(x, y, look[kind]);
}

static void forget_item(u8 at) {
  u8 i;
  for (i = 0; i < ITEMS; i++)
    if (world.item_at[game.room][i] == at) world.item[game.room][i] = FLOOR;
}

static void take_item(void) {
  u8 at = AT(game.x, game.y), kind = grid[at];
  switch (kind) {
    case FLOOR: return;
    case GEM:
      game.gems++;
      gain(POINTS_GEM);
      sound(SOUND_GEM);
      break;
    case HEART:
      if (game.hp < FULL_HP) game.hp++;
      sound(SOUND_HEART);
      break;
    case FLASK:
      if (game.oil < MOST_OIL) game.oil++;
      sound(SOUND_HEART);
      break;
    case RELIC:
      gain(POINTS_RELIC);
      finish(MODE_WON);
      break;
    default:
      game.keys |= bits[kind - KEY_MOON];
      gain(POINTS_KEY);
      sound(SOUND_KEY);
  }
  status_stale = 1;
  forget_item(at);
  set_square(at, game.x, game.y, FLOOR);
}

static void open_gate(u8 kind, u8 direction) {
  u8 bit = bits[kind - GATE_MOON];
  if (!(game.keys & bit)) return;
  unlock(game.room, direction);
  game.doors |= bit;
  gain(POINTS_DOOR);
  sound(SOUND_DOOR);
  switch (direction) {
    case NORTH:
    case SOUTH: {
      u8 y = direction == NORTH ? 0 : ROWS - 1;
      set_square(AT(4, y), 4, y, FLOOR);
      set_square(AT(5, y), 5, y, FLOOR);
      break;
    }
    default: {
      u8 x = direction == WEST ? 0 : COLUMNS - 1;
      set_square(AT(x, 3), x, 3, FLOOR);
      set_square(AT(x, 4), x, 4, FLOOR);
    }
  }
}

/* --- what buttons do ----------------------------------------------------------------------- */

static u8 is_at_edge(u8 direction) {
  switch (direction) {
    case NORTH: return game.y == 0;
    case EAST: return game.x == COLUMNS - 1;
    case SOUTH: return game.y == ROWS - 1;
    default: return game.x == 0;
  }
}

static void try_step(u8 direction) {
  u8 x, y, kind;
  game.facing = direction;
  if (is_at_edge(direction)) {
    leave_room(direction); /* only doorways reach the edge */
    return;
  }
  x = game.x + step_x[direction];
  y = game.y + step_y[direction];
  kind = grid[AT(x, y)];
  if (kind >= GATE_MOON) {
    open_gate(kind, direction);
    kind = grid[AT(x, y)];
  }
  if (kind >= SOLID) return;
  if (foe_on(x, y)) {
    game.turn = ACT_FRAMES;
    return;
  }
  game.x = x;
  game.y = y;
  game.walk = ACT_FRAMES;
  game.steps++;
}

static u8 held_direction(void) {
  if (game.held & HOLD_UP) return NORTH;
  if (game.held & HOLD_RIGHT) return EAST;
  if (game.held & HOLD_DOWN) return SOUTH;
  if (game.held & HOLD_LEFT) return WEST;
  return NOWHERE;
}

static void act(void) {
  u8 direction = held_direction();
  if (game.held & HOLD_A) {
    if (direction != NOWHERE) game.facing = direction;
    game.swing = ACT_FRAMES;
    sound(SOUND_SWING);
  } else if ((game.held & HOLD_B) && game.oil && daze_foes()) {
    game.oil--;
    game.turn = ACT_FRAMES;
    status_stale = 1;
    flash(FLASH_FRAMES);
    sound(SOUND_FLARE);
  } else if (direction != NOWHERE) {
    try_step(direction);
  }
}

static void walk_on(void) {
  game.px += STEP_PIXELS * step_x[game.facing];
  game.py += STEP_PIXELS * step_y[game.facing];
  if (!--game.walk) take_item();
}

static void tick_hero(void) {
  if (game.hurt) game.hurt--;
  if (!game.walk && !game.swing && !game.turn) act();
  if (game.walk) {
    walk_on();
  } else if (game.turn) {
    game.turn--;
  } else if (game.swing) {
    strike_foe(game.x + step_x[game.facing], game.y + step_y[game.facing]);
    game.swing--;
  }
}

/* --- pictures ------------------------------------------------------------------------------ */

static const u8 hero_tile[4] = {T_HERO_UP, T_HERO_SIDE, T_HERO_DOWN, T_HERO_SIDE};
static const u8 sword_tile[4] = {T_SWORD_UP, T_SWORD_SIDE, T_SWORD_UP, T_SWORD_SIDE};
static const u8 flips[4] = {0, 0, 0x40, 0x20};

static void draw_sword(void) {
  u8 reach = game.swing > 4 ? 12 : 10;
  u8 tile = sword_tile[game.facing];
  u8 x = game.px, y = game.py;
  if (!game.swing) {
    objects[0] = objects[4] = 0;
    return;
  }
  switch (game.facing) {
    case NORTH: y -= reach; break;
    case EAST: x += reach; break;
    case SOUTH: y += reach; break;
    default: x -= reach; break;
  }
  put_object(OBJECT_SWORD, tile, x, y, flips[game.facing]);
}

static void draw_hero(void) {
  u8 tile = hero_tile[game.facing];
  u8 flags = game.hurt ? 0x10 : 0; /* steady, so that it is seen at any frame skip */
  if (game.facing == WEST) flags |= 0x20;
  if ((game.px + game.py) & 8) tile += 4;
  put_object(OBJECT_HERO, tile, game.px, game.py, flags);
}

static void draw_play(void) {
  draw_sword();
  draw_hero();
  draw_foes();
  if (status_stale) draw_status();
}

static void draw_room_row(u8 y) {
  const u8 *square = grid + AT(0, y);
  u8 x;
  for (x = 0; x < COLUMNS; x++) metatile(x, y, look[*square++]);
}

/* Two rows of squares a frame, then the map, then the status and who is there. */
static void wipe_on(void) {
  u8 y = (u8)(ACT_FRAMES - 1 - game.wipe) << 1;
  game.wipe--;
  if (y == 0) hide_objects();
  if (y < ROWS) {
    draw_room_row(y);
    draw_room_row(y + 1);
    send_rows(y << 1, (y + 2) << 1);
  } else if (map_stale) {
    draw_map();
  } else {
    draw_play();
  }
}

/* --- from frame to frame ----------------------------------------------------------------------- */

void begin_play(void) {
  game.score = game.steps = game.frames = 0;
  game.keys = game.doors = game.gems = game.kills = game.seen = game.done = game.won = 0;
  game.walk = game.swing = game.turn = game.hurt = 0;
  game.hp = FIRST_HP;
  game.oil = FIRST_OIL;
  game.facing = SOUTH;
  game.x = 4;
  game.y = 4;
  game.rng = game.seed;
  make_world();
  enter_room(world.order[0]);
  hide_objects();
  show_status(1);
  game.mode = MODE_PLAY;
}

void tick_play(void) {
  game.frames++;
  if (game.wipe) {
    wipe_on();
    return;
  }
  tick_hero();
  if (game.wipe) return; /* the hero left */
  tick_foes();
  draw_play();
}
