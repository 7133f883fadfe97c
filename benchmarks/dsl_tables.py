"""`howsure.regress_predicted` compared with the table of the R package dsl: `python benchmarks/dsl_tables.py FILE`.

FILE is `data_lm.rdata` of the package (naoki-egami/dsl on GitHub, folder `data`). It is not in this repository;
`pyreadr` reads it (`pip install pyreadr`). The table is that of the package's page "Models Available in DSL", section
`lm`: the outcome Y is labelled in 245 of the rows and predicted in all, and five covariates are known. dsl predicts
labels by a random forest, howsure by a ridge regression, so the coefficients should agree within a standard error.
"""

from __future__ import annotations

import sys

import howsure

PRINTED = {  # coefficient: estimate, standard error
    "(intercept)": (0.6450, 0.0714),
    "X1": (2.1293, 0.0685),
    "X2": (2.1033, 0.0645),
    "X3": (0.0448, 0.0687),
    "X4": (0.0022, 0.0635),
    "X5": (0.0257, 0.0593),
}


def main(path: str) -> int:
    """Print both tables; return 1 if a coefficient differs by more than a standard error."""
    import pyreadr

    table = pyreadr.read_r(path)["data_lm"]
    names = [name for name in PRINTED if name in table]
    regression = howsure.regress_predicted("Y", "pred_Y", covariates=names, data=table)
    print(f"{len(table):,} rows, {int(table['Y'].notna().sum())} with a label")
    print("| coefficient | dsl | error | howsure | error | apart, in errors |\n|---|---|---|---|---|---|")
    apart = []
    for name, (estimate, error) in PRINTED.items():
        row = regression[name]
        apart.append(abs(row.corrected.value - estimate) / error)
        corrected = f"{row.corrected.value:.4f} | {row.corrected_error:.4f}"
        print(f"| {name} | {estimate:.4f} | {error:.4f} | {corrected} | {apart[-1]:.2f} |")
    return int(max(apart) > 1.0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
