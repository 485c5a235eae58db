/* Pictures are prepared in RAM; V-blank carries them to video memory, a little each frame. */
#pragma once
#include "types.h"

#define SCREEN_COLUMNS 20
#define SCREEN_ROWS 18
#define STATUS_ROWS 2
#define MAP_TILE 208u /* four tiles that show the rooms seen */

extern u8 screen[SCREEN_ROWS * SCREEN_COLUMNS];
extern u8 status[STATUS_ROWS * SCREEN_COLUMNS];
extern u8 map_tiles[64];
extern u8 status_ready, map_ready;

void init_screen(void);
void on_vblank(void);
void show_status(u8 on);
void flash(u8 frames);
void send_rows(u8 first, u8 end);             /* of screen, four each frame */
u8 is_sending(void);
void metatile(u8 x, u8 y, u8 which);          /* into screen, at 16x16 */
void patch(u8 x, u8 y, u8 which);             /* into video memory; at most 4 a frame */
void text(u8 *at, const char *letters);       /* into screen or status */
void number(u8 *at, u8 digits, u8 value);
void hide_objects(void);
void put_object(u8 slot, u8 tile, u8 x, u8 y, u8 flags); /* 16x16: slot and the one after */
