"""Wrong inputs of `howsure score` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import Wrong

ANSWERS = {"it.csv": b"right,answer,model,item\n1,A,x,1\n0,A,x,2\n1,B,y,1\n,B,y,2\n"}
COUNTED = "(counted from 1, without the header)"
VOTES = {"it.csv": b"left,right,won\nx,y,a\ny,x,draw\nx,y,a\n", "self.csv": b"left,right,won\nx,y,a\ny,y,b\n"}
BATTLES = "--a left --b right --winner won"

SCORE = [
    Wrong("no score", "score it.csv", "--score must name the column of the score. Logs name their scores themselves."
          "\nhowsure look it.csv",
          ANSWERS),
    Wrong("a score of letters", "score it.csv --score answer",
          f"answer must hold numbers; row 1 of it.csv {COUNTED} holds 'A'. If one value means right, say which: "
          "--positive correct.", ANSWERS),
    Wrong("a missing score", "score it.csv --score right",
          f"right must not be missing; row 4 of it.csv {COUNTED} holds nothing. Leave such rows out with "
          "--skip-missing (1 in all). Or count them as a score: --missing-score 0.", ANSWERS),
    Wrong("a missing score that counts as nothing", "score it.csv --score right --missing-score nan",
          "--missing-score must be a finite number; it is nan.", ANSWERS),
    Wrong("a mean of groups without groups", "score it.csv --score right --missing-score 0 --macro",
          "--macro is the mean of groups; there is 1 group. Leave it out.", ANSWERS),
    Wrong("items that stand twice", "score it.csv --score item --id answer",
          f"an item must have one row for each model and run; row 1 of it.csv {COUNTED} and row 2 of it.csv {COUNTED} "
          "are both item 'A'. If these are several runs, name their column (--run); if they are of several sets of "
          "items, let several columns identify the item together (--id).", ANSWERS),
    Wrong("bounds that do not hold", "score it.csv --score item --bounds 0,1",
          f"item must lie between the bounds, 0 and 1; row 2 of it.csv {COUNTED} holds 2. Give bounds that hold for "
          "every score.", ANSWERS),
    Wrong("a winner that is none", f"score battles it.csv {BATTLES}",
          "won must name one of the two models, model_a or model_b, a or b, 1 or 2, or a tie (tie, tie (bothbad), "
          f"both_bad, 0, 1.5); row 2 of it.csv {COUNTED} holds 'draw'. If it means a tie, say so: --tie draw.", VOTES),
    Wrong("a battle of a model with itself", f"score battles self.csv {BATTLES}",
          f"right must be another model than left; row 2 of self.csv {COUNTED} holds 'y'. Leave such rows out.", VOTES),
    Wrong("a model that won everything", f"score battles it.csv {BATTLES} --where \"won = 'a'\"",
          "x never lost to, or tied with, any other model: beside the others, no finite strength fits. Leave it out, "
          "or add battles.", VOTES),
    Wrong("models of which one never won back", f"score battles it.csv {BATTLES} --tie draw",
          "no finite strengths fit these battles: no model won over one that won back, directly or through others. Add "
          "battles.", VOTES),
]  # fmt: skip
