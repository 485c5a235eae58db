/* Slimes go to and fro, bats where chance takes them, ghouls after whom they see. A foe that would
   step on the hero's square leans back first and strikes then, if the hero is still there. */
#include "foes.h"
#include "art.h"
#include "play.h"
#include "random.h"
#include "screen.h"
#include "sound.h"

#define STEP_FRAMES 16
#define RAISED_FRAMES 12
#define REST_FRAMES 24
#define DAZED_BY_SWORD 24
#define SAFE_FRAMES 8
#define DAZED_BY_FLARE 160
#define SMOKE_FRAMES 16
#define LEAN 3 /* pixels */

u8 foe_on(u8 x, u8 y) {
  const struct Foe *foe = foes;
  u8 i;
  for (i = 0; i < FOES; i++, foe++)
    if (foe->kind && foe->kind != PUFF && foe->x == x && foe->y == y) return 1;
  return 0;
}

static void beat(struct Foe *foe, u8 i) {
  world.foe[game.room][i] = NOBODY;
  foe->kind = PUFF;
  foe->stun = SMOKE_FRAMES;
  game.kills++;
  gain(POINTS_FOE);
}

static u8 is_under(const struct Foe *foe, u8 x, u8 y) {
  if (foe->x == x && foe->y == y) return 1;
  if (!foe->walk) return 0; /* still partly on the square it left */
  return (u8)(foe->x - step_x[foe->facing]) == x && (u8)(foe->y - step_y[foe->facing]) == y;
}

void strike_foe(u8 x, u8 y) {
  struct Foe *foe = foes;
  u8 i;
  for (i = 0; i < FOES; i++, foe++) {
    if (!foe->kind || foe->kind == PUFF || foe->safe || !is_under(foe, x, y)) continue;
    foe->hp--;
    foe->safe = SAFE_FRAMES;
    foe->stun = DAZED_BY_SWORD;
    foe->raised = 0;
    sound(SOUND_HIT);
    if (!foe->hp) beat(foe, i);
  }
}

u8 daze_foes(void) {
  struct Foe *foe = foes;
  u8 i, awake = 0;
  for (i = 0; i < FOES; i++, foe++) {
    if (!foe->kind || foe->kind == PUFF) continue;
    if (!foe->stun) awake++;
    foe->stun = DAZED_BY_FLARE;
    foe->raised = 0;
  }
  return awake;
}

static u8 is_open(u8 x, u8 y) {
  if (x == 0 || x == COLUMNS - 1 || y == 0 || y == ROWS - 1) return 0;
  return grid[AT(x, y)] < SOLID && !foe_on(x, y);
}

static u8 faces_hero(const struct Foe *foe) {
  return (u8)(foe->x + step_x[foe->facing]) == game.x && (u8)(foe->y + step_y[foe->facing]) == game.y;
}

/* Steps ahead, or prepares to strike whom it would run into; whether it could. */
static u8 advance(struct Foe *foe) {
  u8 x, y;
  if (faces_hero(foe)) {
    foe->raised = 1;
    foe->wait = RAISED_FRAMES;
    return 1;
  }
  x = foe->x + step_x[foe->facing];
  y = foe->y + step_y[foe->facing];
  if (!is_open(x, y)) return 0;
  foe->x = x;
  foe->y = y;
  foe->walk = STEP_FRAMES;
  return 1;
}

static void strike(struct Foe *foe) {
  foe->raised = 0;
  if (!faces_hero(foe)) return;
  foe->wait = REST_FRAMES;
  take_blow();
}

static void patrol(struct Foe *foe) {
  if (advance(foe)) return;
  foe->facing ^= 2;
  foe->wait = 8;
}

static void roam(struct Foe *foe) {
  u8 chance = draw();
  foe->facing = chance >> 6;
  if (!advance(foe)) foe->wait = 8;
  else if (foe->walk && (chance & 0x20)) foe->wait = 16; /* after the step */
}

/* Looks along a row or column; water does not hide. */
static u8 sees(const struct Foe *foe, u8 *direction) {
  u8 x = foe->x, y = foe->y;
  if (x == game.x) *direction = game.y < y ? NORTH : SOUTH;
  else if (y == game.y) *direction = game.x < x ? WEST : EAST;
  else return 0;
  for (;;) {
    u8 kind;
    x += step_x[*direction];
    y += step_y[*direction];
    if (x == game.x && y == game.y) return 1;
    kind = grid[AT(x, y)];
    if (kind >= SOLID && kind != WATER) return 0;
  }
}

static void chase(struct Foe *foe) {
  u8 direction;
  foe->wait = 8;
  if (!sees(foe, &direction)) return;
  foe->facing = direction;
  if (!advance(foe)) return;
  if (foe->walk) foe->wait = 0;
}

static void tick_foe(struct Foe *foe) {
  if (foe->safe) foe->safe--;
  if (foe->stun) {
    foe->stun--;
    if (foe->kind == PUFF && !foe->stun) foe->kind = NOBODY;
    return;
  }
  if (foe->walk) {
    foe->px += step_x[foe->facing];
    foe->py += step_y[foe->facing];
    foe->walk--;
    return;
  }
  if (foe->wait) {
    foe->wait--;
    return;
  }
  if (foe->raised) {
    strike(foe);
    return;
  }
  switch (foe->kind) {
    case SLIME: patrol(foe); break;
    case BAT: roam(foe); break;
    case GHOUL: chase(foe); break;
  }
}

void tick_foes(void) {
  u8 i;
  for (i = 0; i < FOES && game.mode == MODE_PLAY; i++)
    if (foes[i].kind) tick_foe(foes + i);
}

static const u8 pictures[] = {0, T_SLIME, T_BAT, T_GHOUL, T_PUFF};

void draw_foes(void) {
  const struct Foe *foe = foes;
  u8 i, x, y, slot = OBJECT_FOES;
  for (i = 0; i < FOES; i++, foe++, slot += 2) {
    u8 tile = pictures[foe->kind];
    if (!foe->kind) {
      objects[slot << 2] = objects[(slot << 2) + 4] = 0;
      continue;
    }
    if (foe->kind != PUFF && (game.frames & 16)) tile += 4;
    x = foe->px;
    y = foe->py;
    if (foe->raised) {
      x -= LEAN * step_x[foe->facing];
      y -= LEAN * step_y[foe->facing];
    }
    put_object(slot, tile, x, y, foe->stun && foe->kind != PUFF ? 0x10 : 0);
  }
}
