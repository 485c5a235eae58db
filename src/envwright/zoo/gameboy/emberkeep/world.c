/* The keep is a random tree of rooms, grown from the first. Three of its doors are locked: the moon
   door bars a room of order 4 to 6, the star door one of order 8 to 10, the sun door the last, which
   has the relic. The moon key lies in a room that came before the moon door, the star
   key behind the moon door, the sun key behind the star door: so every keep can be won. */
#include "world.h"
#include "random.h"
#include "shapes.h"

#define OPPOSITE(direction) ((direction) ^ 2)
#define MORE_DOORWAYS 12 /* draws; those that would lead round a lock or exist come to nothing */

/* What a room has beside gems and keys, by the order in which rooms were added. */
static const u8 extras[ROOMS] = {
  FLOOR, FLOOR, FLASK, HEART, FLOOR, FLASK, HEART, FLOOR,
  FLASK, HEART, FLOOR, FLASK, HEART, FLOOR, HEART, FLOOR};

/* Tables instead of shifts by variables, which sdcc 4.2 gets wrong when registers are short. */
const u8 bits[4] = {1, 2, 4, 8};
static const u8 lock_bits[4][4] = {
  {0x00, 0x01, 0x02, 0x03},
  {0x00, 0x04, 0x08, 0x0C},
  {0x00, 0x10, 0x20, 0x30},
  {0x00, 0x40, 0x80, 0xC0}};

u8 neighbour(u8 room, u8 direction) {
  switch (direction) {
    case NORTH: return room < 4 ? NOWHERE : room - 4;
    case EAST: return (room & 3) == 3 ? NOWHERE : room + 1;
    case SOUTH: return room >= 12 ? NOWHERE : room + 4;
    default: return (room & 3) == 0 ? NOWHERE : room - 1;
  }
}

u8 lock_of(u8 room, u8 direction) {
  const u8 *marks = lock_bits[direction];
  u8 mark = world.locks[room] & marks[3];
  u8 lock = 0;
  while (marks[lock] != mark) lock++;
  return lock;
}

static void connect(u8 room, u8 direction, u8 lock) {
  u8 other = neighbour(room, direction), back = OPPOSITE(direction);
  world.exits[room] |= bits[direction];
  world.exits[other] |= bits[back];
  world.locks[room] |= lock_bits[direction][lock];
  world.locks[other] |= lock_bits[back][lock];
}

void unlock(u8 room, u8 direction) {
  world.locks[room] &= ~lock_bits[direction][3];
  world.locks[neighbour(room, direction)] &= ~lock_bits[OPPOSITE(direction)][3];
}

static u8 lock_at(u8 order, u8 moon_door, u8 star_door) {
  if (order == moon_door) return 1;
  if (order == star_door) return 2;
  return order == ROOMS - 1 ? 3 : 0;
}

static void grow(u8 moon_door, u8 star_door) {
  u8 order, room, direction, from, lock;
  for (room = 0; room < ROOMS; room++) {
    world.exits[room] = world.locks[room] = world.visited[room] = 0;
    world.region[room] = NOWHERE;
  }
  room = 12 + (draw() >> 6);
  world.order[0] = room;
  world.region[room] = 0;
  for (order = 1; order < ROOMS; order++) {
    do {
      room = draw() >> 4;
      direction = draw() >> 6;
      from = neighbour(room, direction);
    } while (world.region[room] != NOWHERE || from == NOWHERE || world.region[from] == NOWHERE);
    lock = lock_at(order, moon_door, star_door);
    connect(room, direction, lock);
    world.order[order] = room;
    world.region[room] = lock ? lock : world.region[from];
  }
}

static void add_doorways(void) {
  u8 i, room, direction, other;
  for (i = 0; i < MORE_DOORWAYS; i++) {
    room = draw() >> 4;
    direction = draw() >> 6;
    other = neighbour(room, direction);
    if (other == NOWHERE || world.region[other] != world.region[room]) continue;
    connect(room, direction, 0);
  }
}

static u8 is_taken(u8 room, u8 at) {
  u8 i;
  for (i = 0; i < ITEMS; i++)
    if (world.item[room][i] && world.item_at[room][i] == at) return 1;
  for (i = 0; i < FOES; i++)
    if (world.foe[room][i] && world.foe_at[room][i] == at) return 1;
  return room == world.order[0] && at == SQUARE_START;
}

static u8 is_before_doorway(u8 x, u8 y) {
  return ((x == 3 || x == 4) && (y == 0 || y == INNER_ROWS - 1)) ||
         ((y == 2 || y == 3) && (x == 0 || x == INNER_COLUMNS - 1));
}

static u8 free_square(u8 room, u8 for_foe) {
  u8 x, y, at;
  for (;;) {
    x = draw() >> 5;
    y = draw_below(INNER_ROWS);
    if (shapes[world.shape[room]][(u8)(y * INNER_COLUMNS + x)] != '.') continue;
    if (for_foe && is_before_doorway(x, y)) continue;
    at = AT(x + 1, y + 1);
    if (!is_taken(room, at)) return at;
  }
}

static void put_item(u8 room, u8 place, u8 kind) {
  world.item_at[room][place] = free_square(room, 0);
  world.item[room][place] = kind;
}

static u8 foes_at(u8 order) {
  if (order == 0) return 0;
  if (order < 4) return 1;
  return order == ROOMS - 1 ? 3 : 2;
}

static u8 kind_of_foe(u8 order) {
  if (order < 4) return SLIME + (draw() >> 7);
  if (order == ROOMS - 1) return BAT + (draw() >> 7);
  return SLIME + draw_below(3);
}

static void furnish(u8 order) {
  u8 room = world.order[order], i;
  u8 last = order == ROOMS - 1;
  for (i = 0; i < ITEMS; i++) world.item[room][i] = FLOOR;
  for (i = 0; i < FOES; i++) world.foe[room][i] = NOBODY;
  world.shape[room] = order == 0 ? SHAPE_START : last ? SHAPE_SANCTUM : 1 + draw_below(SHAPES - 2);
  if (last) {
    world.item[room][2] = RELIC;
    world.item_at[room][2] = SQUARE_RELIC;
  }
  put_item(room, 0, GEM);
  put_item(room, 1, GEM);
  if (extras[order]) put_item(room, 3, extras[order]);
  for (i = 0; i < foes_at(order); i++) {
    world.foe_at[room][i] = free_square(room, 1);
    world.foe[room][i] = kind_of_foe(order);
  }
}

/* Any room of a region whose order is at least 1 and less than `before`. */
static u8 room_of(u8 region, u8 before) {
  u8 order;
  do order = 1 + draw_below(before - 1);
  while (world.region[world.order[order]] != region);
  return world.order[order];
}

void make_world(void) {
  u8 order, moon_door, star_door;
  for (order = 0; order < 4; order++) draw(); /* seeds that are neighbours part */
  moon_door = 4 + draw_below(3);
  star_door = 8 + draw_below(3);
  grow(moon_door, star_door);
  add_doorways();
  for (order = 0; order < ROOMS; order++) furnish(order);
  put_item(room_of(0, moon_door), 2, KEY_MOON);
  put_item(room_of(1, ROOMS - 1), 2, KEY_STAR);
  put_item(room_of(2, ROOMS - 1), 2, KEY_SUN);
}

static void lay_doorway(u8 room, u8 direction) {
  u8 lock = lock_of(room, direction);
  u8 kind = lock ? GATE_MOON - 1 + lock : FLOOR;
  u8 at, next;
  if (!(world.exits[room] & bits[direction])) return;
  switch (direction) {
    case NORTH: at = AT(4, 0); next = AT(5, 0); break;
    case EAST: at = AT(9, 3); next = AT(9, 4); break;
    case SOUTH: at = AT(4, 7); next = AT(5, 7); break;
    default: at = AT(0, 3); next = AT(0, 4); break;
  }
  grid[at] = grid[next] = kind;
}

static void lay_foe(u8 room, u8 i) {
  struct Foe *foe = foes + i;
  u8 at = world.foe_at[room][i];
  foe->kind = world.foe[room][i];
  foe->hp = foe->kind == GHOUL ? 2 : 1;
  foe->y = at / COLUMNS;
  foe->x = at - AT(0, foe->y);
  foe->px = foe->x << 4;
  foe->py = foe->y << 4;
  foe->facing = (at & 1) ? EAST : SOUTH;
  foe->walk = foe->stun = foe->raised = foe->safe = 0;
  foe->wait = 16;
}

void lay_room(u8 room) {
  const char *inside = shapes[world.shape[room]];
  u8 *square = grid;
  u8 x, y;
  for (x = 0; x < SQUARES; x++) *square++ = WALL;
  grid[AT(2, 0)] = grid[AT(7, 0)] = TORCH;
  square = grid + AT(1, 1);
  for (y = 0; y < INNER_ROWS; y++) {
    for (x = 0; x < INNER_COLUMNS; x++) {
      char c = *inside++;
      *square++ = c == '.' ? FLOOR : c == 'o' ? PILLAR : WATER;
    }
    square += 2;
  }
  for (x = 0; x < 4; x++) lay_doorway(room, x);
  for (x = 0; x < ITEMS; x++)
    if (world.item[room][x]) grid[world.item_at[room][x]] = world.item[room][x];
  for (x = 0; x < FOES; x++) lay_foe(room, x);
}
