/* The bar below the room: hearts, keys, flares, gems, score, and a map of the rooms seen. */
#include "status.h"
#include "art.h"
#include "screen.h"
#include "state.h"

u8 status_stale, map_stale;

#define CELL(column, row) (status + (row) * SCREEN_COLUMNS + (column))

void draw_status(void) {
  u8 i;
  u8 *at = status;
  for (i = 0; i < STATUS_ROWS * SCREEN_COLUMNS; i++) *at++ = T_ICON_BLANK;
  for (i = 0; i < FULL_HP; i++) *CELL(1 + i, 0) = i < game.hp ? T_ICON_HEART : T_ICON_HOLLOW;
  for (i = 0; i < 3; i++)
    *CELL(1 + i, 1) = game.keys & bits[i] ? T_ICON_MOON + i : T_ICON_SOCKET;
  *CELL(7, 0) = T_ICON_FLASK;
  number(CELL(8, 0), 1, game.oil);
  *CELL(11, 0) = T_ICON_GEM;
  number(CELL(13, 0), 2, game.gems);
  text(CELL(6, 1), "SCORE");
  number(CELL(12, 1), 3, (u8)game.score);
  *CELL(17, 0) = MAP_TILE;
  *CELL(18, 0) = (u8)(MAP_TILE + 1);
  *CELL(17, 1) = (u8)(MAP_TILE + 2);
  *CELL(18, 1) = (u8)(MAP_TILE + 3);
  status_stale = 0;
  status_ready = 1;
}

/* 4x4 pixels a room: dark where seen, white where the hero is. */
void draw_map(void) {
  u8 room, line, mask;
  u8 *row;
  for (line = 0; line < 64; line++) map_tiles[line] = 0xFF;
  for (room = 0; room < ROOMS; room++) {
    if (!world.visited[room]) continue;
    row = map_tiles + ((room & 8) << 2) + ((room & 2) << 3) + ((room & 4) << 1);
    mask = room & 1 ? 0xF1 : 0x1F;
    for (line = 0; line < 3; line++) {
      *row++ &= mask;
      if (room == game.room) *row &= mask;
      row++;
    }
  }
  map_stale = 0;
  map_ready = 1;
}
