"""What abilities, items and moves do: rows of tables and, where rows are too plain, rules.

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
3. It answers an event with a small change (boost, status, share of HP, weather): a `Reply` row for
   its trigger (`Trigger.SWITCH_IN`, `HIT` when its holder was hit, `HIT_OTHER` when its holder's
   move hit, `RESIDUAL`, `KO` after its holder's move made the other faint):

       "flamebody": [Reply(Trigger.HIT, Op.STATUS, Status.BURN, on_other=True,
                           guard=(Fact.CONTACT,), chance=(3, 10))],

   An ability or an item has at most one reply per trigger. Order within a trigger is fixed by the
   trigger's module (see `replies.py`); residual replies also name their order.
4. Anything else is a rule: a function `rule(c, on, ...)` in the module of its trigger
   (`before_move.py`, `try_hit.py`, `after_hit.py`, `on_hit.py`, `power.py`, `residuals.py`,
   `switch_in.py`, `update.py` ...), listed in that module's table and run with `c.when`.

Words: `c.me` uses the move, `c.foe` is across; `on` are the lanes for which the rule applies; `s`
is the holder, `o = c.other(s)`. Compare `s.ab` (the ability that works now), never `s.ability`.
"""
