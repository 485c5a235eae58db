; Vectors, header, start-up, and the few loops that V-blank leaves no time to write in C.
	.module	crt0
	.globl	_main
	.globl	_on_vblank

_objects	== 0xC000		; state.h says what these are
_game		== 0xC0A0
_foes		== 0xC0D0
_grid		== 0xC100
_world		== 0xC150

	.area	_HEADER (ABS)

	.org	0x0040			; V-blank
	jp	vblank
	.org	0x0048			; a line of the screen was reached: wait_frame's sleep is over
	push	af
	ld	a, #1
	ldh	(0x90), a
	pop	af
	reti

	.org	0x0100
	nop
	jp	start
	.org	0x0104			; 48 bytes that are not the console maker's logo
	.ascii	"EMBERKEEP: A GAME FOR REINFORCEMENT LEARNING.   "

	.org	0x0150
start:
	di
	ld	sp, #0xE000
	ld	hl, #0xC000		; all RAM below the stack starts as zero
	ld	bc, #0x1F00
clear:
	xor	a
	ld	(hl+), a
	dec	bc
	ld	a, b
	or	c
	jr	nz, clear
	ld	hl, #dma_code		; the processor sees only high RAM while objects are copied
	ld	de, #0xFF80
	ld	b, #dma_code_end - #dma_code
move:
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	b
	jr	nz, move
	call	_main
stop_here:
	halt
	nop
	jr	stop_here

dma_code:
	ld	a, #0xC0
	ld	(0xFF46), a
	ld	a, #40
dma_wait:
	dec	a
	jr	nz, dma_wait
	ret
dma_code_end:

vblank:
	push	af
	push	bc
	push	de
	push	hl
	call	_on_vblank
	pop	hl
	pop	de
	pop	bc
	pop	af
	reti

_start_object_dma::
	jp	0xFF80

_wait_frame::
	xor	a
	ldh	(0x90), a
wait_more:
	halt
	nop
	ldh	a, (0x90)
	or	a
	jr	z, wait_more
	ret

_copy_20::				; a row begins at a multiple of 32: only the low byte counts on
	ld	h, b
	ld	l, c
	ld	b, #2
copy_tens:
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	dec	b
	jr	nz, copy_tens
	ret

_copy_64::
	ld	h, b
	ld	l, c
	ld	b, #16
copy_fours:
	ld	a, (hl+)
	ld	(de), a
	inc	de
	ld	a, (hl+)
	ld	(de), a
	inc	de
	ld	a, (hl+)
	ld	(de), a
	inc	de
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	b
	jr	nz, copy_fours
	ret

	.area	_CODE			; the order in which the linker lays areas out
	.area	_INITIALIZER
	.area	_DATA
	.area	_INITIALIZED
	.area	_BSS
