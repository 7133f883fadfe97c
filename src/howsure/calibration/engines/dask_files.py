"""The sums of Parquet files on storage that all workers of a Dask cluster read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.calibration.engines.pairs_or_sums import sums_of_frame
from howsure.calibration.slots import Slots
from howsure.errors import InputError
from howsure.files.dask_client import dask_client
from howsure.first_use import require


def sums_by_dask(
    paths: str | Sequence[str],
    *,
    scheduler: str,
    y_true: str,
    y_prob: str,
    groups: str | None = None,
    sample_weight: str | None = None,
    pos_label: Any = None,
) -> dict[str, Slots]:
    """The sums of the pairs in Parquet files, by group; without `groups` of all pairs, under "".

    paths: files, or a pattern such as "/data/*.parquet" or "s3://bucket/*.parquet", as this machine and each worker
    see them. scheduler: its address, tcp://host:8786. The workers need howsure of this version; each reads its parts of
    the files, and its sums come back, at most 5.3 MB of each group without weights.

    Raises what `dask_client` does, and InputError if a file or column cannot be read, and for the first fault of a row.
    """
    with dask_client(scheduler):
        require("Parquet files read by Dask", "dask", "dask", "pyarrow")
        import dask.dataframe

        try:
            frame = dask.dataframe.read_parquet(paths)
            if not len(frame.columns):
                raise OSError("no such file")
            sums = sums_of_frame(
                frame, y_true=y_true, y_prob=y_prob, sample_weight=sample_weight, groups=groups, pos_label=pos_label
            )
        except InputError:
            raise
        except (OSError, ValueError) as error:  # of Dask, and of pyarrow
            reason = str(error).rpartition("Original Message: ")[2].partition("\n")[0].rstrip(".")
            raise InputError(
                f"{paths} cannot be read as Parquet: {reason}. Files must lie where this machine and each worker see "
                "them under the same name."
            ) from error
        return sums.checked()
