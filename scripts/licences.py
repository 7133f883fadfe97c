"""Print the licence of each installed library, first those with obligations other than attribution.

python scripts/licences.py
"""

from __future__ import annotations

from importlib.metadata import Distribution, distributions

RECIPROCAL = ("GPL", "MPL", "EPL", "CDDL", "EUPL")


def licence(library: Distribution) -> str:
    """Return the licence as stated in the metadata: the expression, else the classifiers, else the first line of the
    text."""
    about = library.metadata
    stated = about.get("License-Expression")
    classified = [name.split(" :: ")[-1] for name in about.get_all("Classifier") or [] if name.startswith("License")]
    lines = (about.get("License") or "").strip().splitlines()
    return stated or ", ".join(classified) or (lines[0] if lines else "not stated")


def is_reciprocal(stated: str) -> bool:
    """Return whether changes to the library must have the same licence."""
    return any(word in stated.upper() for word in RECIPROCAL)


def main() -> None:
    rows = {(library.name, library.version): licence(library) for library in distributions()}
    ordered = sorted(rows.items(), key=lambda row: (not is_reciprocal(row[1]), row[0][0].lower()))
    name_width = max(len(f"{name} {version}") for name, version in rows)
    for (name, version), stated in ordered:
        mark = "*" if is_reciprocal(stated) else " "
        print(f"{mark} {f'{name} {version}':<{name_width}}  {stated}")
    print(f"\n{len(rows)} libraries; * asks that changes to the library itself stay under its licence")


if __name__ == "__main__":
    main()
