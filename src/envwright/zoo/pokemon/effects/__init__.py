"""Effects of abilities, items and moves: rows of tables and, where rows are too plain, rules.

How to add an atom
==================
Find its callbacks in the simulator's data and put each into the layer of its trigger.

1. It multiplies a number (onModifyAtk, onBasePower, onModifyDamage, onSourceModifyDamage,
   onModifySpe, onSourceModifyAccuracy ...): a `Modifier` row in `abilities.py` / `items.py`:

       "thickfat": [
           Modifier(Event.ATK, HALF, 6, types=("Ice", "Fire"), of_target=True),
           Modifier(Event.SPA, HALF, 5, types=("Ice", "Fire"), of_target=True),
       ],

   The factor is in 4096ths, the priority is the simulator's, `guard` lists facts that must hold
   (`Fact`, worked out once per hit in `facts_of_hit`; add one there if it is missing), and
   `of_target` says that the holder is the one being hit (onSource...).
2. It blocks or absorbs a move (onTryHit): a `Gate` row: types or move flags that it is proof
   against, and what its holder gets: `heal=4` (a fourth), `boost=("atk", 1)`, `flag=Flag.X`.
3. It answers an event with a small change: a `Reply` row for its trigger. Abilities have
   `SWITCH_IN` (boost, weather, terrain), `HIT` when the holder was hit (boost, status, HP of the
   other) and `KO` after the holder's move made the other faint (boost); items have `HIT` (HP of the
   other) and `RESIDUAL` (heal):

       "flamebody": [Reply(Trigger.HIT, Op.STATUS, Status.BURN, on_other=True,
                           guard=(Fact.CONTACT,), chance=(3, 10))],

   An ability or an item has at most one reply per trigger (see `replies.py`).
4. Anything else is a rule: a function `rule(c, on, ...)` in the module of its trigger
   (`before_move.py`, `try_hit.py`, `after_hit.py`, `on_hit.py`, `power.py`, `residuals.py`,
   `switch_in.py`, `update.py` ...), listed in that module's table and run with `c.when`.

Mind the compiled program: every call of `boost`, `set_status`, `hurt` or `update.run` is compiled
where it stands, so choose arguments with `c.where` and call once rather than once per effect, and
put what is rare behind `c.when`. In a loop, lanes that are done must keep what is read later
(`c.where(on, new, old)`).

Words: `c.me` uses the move, `c.foe` is across; `on` are the lanes for which the rule applies; `s`
is the holder, `o = c.other(s)`. Compare `s.ab` (the ability that works now), never `s.ability`.
"""
