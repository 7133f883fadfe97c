"""Selective prediction."""

from __future__ import annotations

from tests.goldens.running import Room

READ = "selective pairs.csv --target y --prob p"

ROOM = Room(
    f"""
    {READ}
    {READ} --format json
    {READ} --format csv
    {READ} --format markdown
    {READ} --format latex
    {READ} --group lang
    {READ} --group lang --format json
    {READ} --group lang --format csv
    {READ} --group lang --format markdown
    {READ} --group lang --format latex
    {READ} --group year --format json
    {READ} --group lang,year
    {READ} --cluster doc
    {READ} --weight w
    {READ} --risk 0.4
    {READ} --coverage 0.5
    {READ} --coverage 0.8 --accuracy 0.7 --format csv
    {READ} --coverage 0.5 --group lang --format markdown
    {READ} --accuracy 0.8
    {READ} --accuracy 0.8 --format json
    {READ} --risk 0.2
    {READ} --risk 0.2 --delta 0.05
    {READ} --risk 0.2 --group lang
    {READ} --risk 0.2 --cluster doc --dependence any
    {READ} --level 0.9
    {READ} --figure selective.svg
    {READ} --group lang --figure groups.svg --width 3
    {READ} --worst 3 --show uid,lang
    {READ} --worst 3 --group lang --format json
    {READ} --worst 3 --report worst.html
    {READ} --output selective.txt
    {READ} --format csv --output selective.csv
    {READ} --columns n
    {READ} --columns nothing
    selective north.csv south.csv --target y --prob p --by-file
    selective pairs.csv --target answer --positive yes --prob p
    selective demo-predictions.csv --target label --prob probability --group model --cluster tweet
    {READ} --coverage 2
    {READ} --accuracy 0
    {READ} --risk 1.5
    {READ} --group land
    {READ} --level 0
    """,
    long=True,
)
