"""`python -m website`: collect the pages, build the site into build/site, check it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from website.links import Site
from website.pages import collect_pages
from website.reference import public_names, write_reference

ROOT = Path(__file__).parents[1]
PAGES, SITE = ROOT / "build" / "pages", ROOT / "build" / "site"


def main() -> int:
    """Return 0 if the site has no problems; print each problem."""
    collect_pages(ROOT, PAGES, source_url=os.environ.get("SOURCE_URL", ""))
    write_reference(PAGES / "reference")
    # Without --quiet, which would hide the warnings from --strict as well.
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--config-file"]
    # The theme prints an announcement about other tools unless that is turned off.
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [*build, str(ROOT / "website" / "mkdocs.yml")], check=False, env=quiet, text=True, stderr=subprocess.PIPE
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return done.returncode
    base = urlsplit(os.environ.get("SITE_URL", "")).path or "/"
    problems = Site.read(SITE, base=base).problems(wanted_names=public_names())
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"build/site: {len(list(SITE.rglob('*.html')))} pages; open build/site/index.html")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
