/* Registers of the Game Boy that the game uses. */
#pragma once
#include "types.h"

#define IO(address) (*(volatile u8 *)(address))
#define P1 IO(0xFF00)
#define IF IO(0xFF0F)
#define NR(n) IO(0xFF00 + (n)) /* sound registers by the low byte of their address */
#define LCDC IO(0xFF40)
#define STAT IO(0xFF41)
#define SCY IO(0xFF42)
#define SCX IO(0xFF43)
#define LY IO(0xFF44)
#define LYC IO(0xFF45)
#define BGP IO(0xFF47)
#define OBP0 IO(0xFF48)
#define OBP1 IO(0xFF49)
#define WY IO(0xFF4A)
#define WX IO(0xFF4B)
#define IE IO(0xFFFF)

#define VRAM_TILES ((u8 *)0x8000)
#define VRAM_SCREEN ((u8 *)0x9800)
#define VRAM_STATUS ((u8 *)0x9C00) /* the window's map */

/* crt0.s */
void wait_frame(void);                     /* sleeps until line LYC of the next frame */
void copy_20(u8 *to, const u8 *from);      /* a row of the screen */
void copy_64(u8 *to, const u8 *from);      /* four tiles */
void start_object_dma(void);               /* from 0xC000 */
