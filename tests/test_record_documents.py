"""The recorder of what documents print."""

from __future__ import annotations

from pathlib import Path

from tests.record_documents import record_page

PAGE = """
```python
print("three")
print(0.12345)
```

```text
two
0.12345
```

```console
$ echo same
same
$ printf 'first\\nsecond\\nthird\\nlast\\n'
first
...
end
```
"""


def test_only_outputs_that_differ_are_replaced(tmp_path: Path) -> None:
    recorded, replaced = record_page(PAGE, tmp_path)
    assert recorded == PAGE.replace("two", "three").replace("\nend", "\nlast")
    assert replaced == ["line 8: 2 lines, now 2", "line 15: 3 lines, now 3"]
    assert record_page(recorded, tmp_path) == (recorded, [])
