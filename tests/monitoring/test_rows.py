"""Clusters that are known again, whatever rows they come with."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import pytest

from howsure.monitoring.calibration_monitor import packed, unpacked
from howsure.monitoring.settings import fingerprint, fingerprints


def test_numbers_and_their_texts_are_one_cluster() -> None:
    kinds = [["7", "8"], [7, 8], np.array([7.0, 8.0]), pd.Series([7, 8], dtype=object).to_numpy()]
    found = [fingerprints(np.asarray(one), n=2).tolist() for one in kinds]
    assert found == [[fingerprint("7"), fingerprint("8")]] * 4


def test_a_database_counts_the_same() -> None:
    for name in ("doc 7", "", "Gespräch", "\U0001f600"):
        ((held,),) = duckdb.execute("SELECT md5_number_lower(?)", [name]).fetchall()
        assert np.uint64(held).astype(np.int64) == fingerprint(name)


def test_fingerprints_come_back_from_their_text() -> None:
    """Also those whose difference no number of 64 bits holds."""
    held = np.array([-(2**63), -5, 0, 2**63 - 1])
    assert unpacked(packed(held)).tolist() == held.tolist()
    assert unpacked(packed(held[:0])).tolist() == []
    for wrong in (packed(held[::-1]), packed(held[[0, 0]]), "AAA", "AAAA", "ä", "AAAA AAAA"):
        with pytest.raises(ValueError):  # noqa: PT011 -- whatever base64 says
            unpacked(wrong)
