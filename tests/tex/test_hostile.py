"""Hostile documents end in a clear status inside their limits, learn nothing, write nothing outside
their job and leave nothing behind.

Each document under hostile/ names what is expected of it; secrets are planted around the job, in
the environment, in the home folder and above the working folder, and looked for in everything that
comes back.
"""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pypdfium2
import pytest

from redline.tex import Engine, Limits, Render, Renderer

pytestmark = pytest.mark.tex

HOSTILE = sorted((Path(__file__).parent / "hostile").glob("*.tex"))
LIMITS = Limits(cpu_s=3, wall_s=60, memory_mb=700, output_mb=4, files=40)
TOKEN = "redline-hostile-token"
SECRET = "xylophone-7315-quagmire"
# What a document would print if it had been where it must not go.
BETRAYED = ("WROTE", "RAN", "PROGRAM STARTED", "READ ")


@dataclass(frozen=True)
class Planted:
    """Secrets in the places where documents look for them."""

    top: Path
    home: Path

    def plant(self, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put the secret into files and environment."""
        (self.top / "secret.txt").write_text(secret)
        (self.home / "notes.txt").write_text(secret)
        for name in ("REDLINE_TEST_SECRET", "OPENAI_API_KEY"):
            monkeypatch.setenv(name, secret)

    def fill(self, code: str) -> str:
        places = {
            "@SECRET_FILE@": self.top / "secret.txt",
            "@SECRET_FOLDER@": self.top,
            "@HOME_FILE@": self.home / "notes.txt",
            "@HOME@": self.home,
            "@TOKEN@": TOKEN,
        }
        for word, place in places.items():
            code = code.replace(word, str(place))
        return code


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planted:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(work)
    made = Planted(tmp_path, home)
    made.plant(SECRET, monkeypatch)
    return made


@pytest.fixture(scope="module")
def strict(tex_cache: Path) -> Iterator[Renderer]:
    with Renderer(limits=LIMITS, cache_dir=tex_cache, reuse=False) as made:
        # The font cache and the drawing process are there before anything is compared.
        made.render(r"\documentclass{article}\begin{document}x\end{document}", engine="lualatex")
        yield made


def everything_said(render: Render) -> str:
    """All text that comes back: log, message, the PDF's text, its bytes and its streams."""
    said = [render.log, render.error.message if render.error else ""]
    if render.pdf is not None:
        said.append(render.pdf.decode("latin-1"))
        for stream in re.findall(rb"stream\r?\n(.*?)endstream", render.pdf, re.DOTALL):
            try:
                said.append(zlib.decompress(stream).decode("latin-1"))
            except zlib.error:
                continue
        document = pypdfium2.PdfDocument(render.pdf)
        said += [page.get_textpage().get_text_range() for page in document]
    return "\n".join(said)


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Every path below a folder with size and time."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        found[str(path)] = (about.st_size if path.is_file() else 0, about.st_mtime_ns)
    return found


def children(pid: int) -> set[int]:
    """All descendants of a process."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # threads and processes end while we look
            for child in (task / "children").read_text().split():
                found |= {int(child), *children(int(child))}
    return found


def orphans() -> set[tuple[int, str]]:
    """Processes without a parent that look like ours."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (path / "stat").read_text().partition("(")[2].rpartition(")")
            if rest.split()[1] == "1" and re.search(r"tex$|sleep|bwrap|^mf", name):
                found.add((int(path.name), name))
        except OSError:
            continue
    return found


def outside() -> set[str]:
    """Names with our token where documents try to write."""
    folders = ("/tmp", "/var/tmp", "/dev/shm", "/dev", "/", "/usr", "/etc", "/run", "/usr/bin")
    return {str(path) for folder in folders for path in Path(folder).glob(f"*{TOKEN}*")}


def render_and_compare(
    renderer: Renderer, planted: Planted, code: str, engine: Engine | None
) -> Render:
    """Render; files, processes and secrets are as they were before."""
    filled = planted.fill(code)
    before = tree(planted.top), children(os.getpid()), orphans(), outside()
    made = renderer.render(filled, engine=engine)
    assert tree(planted.top) == before[0]
    assert children(os.getpid()) <= before[1]
    # A killed process takes a moment to go.
    until = time.monotonic() + 5
    while orphans() - before[2] and time.monotonic() < until:
        time.sleep(0.05)
    assert orphans() <= before[2]
    assert outside() == before[3] == set()
    said = everything_said(made)
    assert SECRET not in said
    assert "root:x:0" not in said
    # The document's own words may come back (a missing file is named); nothing else may.
    for word in (str(planted.home), str(Path(__file__).parents[2])):
        assert word not in said.replace(str(planted.home / "notes.txt"), "")
    return made


def wanted(code: str) -> tuple[Engine | None, str, set[str]]:
    """What the head of a hostile document says: engine, status, classes of error."""
    engine = re.search(r"% engine: (\w+)", code)
    status, *kinds = re.findall(r"% expect: (.*)", code)[0].split()
    return (engine[1] if engine else None), status, set(kinds)  # type: ignore[return-value]


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.stem)
def test_a_hostile_document_ends_clearly_and_harms_nothing(
    path: Path, strict: Renderer, planted: Planted
) -> None:
    code = path.read_text()
    engine, status, kinds = wanted(code)
    made = render_and_compare(strict, planted, code, engine)
    assert (made.status, made.error and made.error.kind) == (
        status,
        made.error.kind if made.error and (not kinds or made.error.kind in kinds) else None,
    ), made.error
    assert made.seconds < LIMITS.wall_s
    assert len(made.log) <= 256 * 1024
    if engine == "lualatex":
        for word in BETRAYED:
            assert f"\n{word}" not in made.log
    if made.size_px is not None:
        assert min(made.size_px) >= 1 and max(made.size_px) <= 4096


# Documents that look for what was planted.
READERS = [p for p in HOSTILE if re.search(r"@SECRET|@HOME|getenv", p.read_text())]
OTHER_SECRET = "mm"


def renders_under_two_secrets(
    renderer: Renderer,
    planted: Planted,
    code: str,
    engine: Engine | None,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Render]:
    """The same document rendered while all planted places hold one secret, then another."""
    made = []
    for secret in (SECRET, OTHER_SECRET):
        planted.plant(secret, monkeypatch)
        made.append(renderer.render(planted.fill(code), engine=engine))
    return made


@pytest.mark.parametrize("path", READERS, ids=lambda path: path.stem)
def test_no_pixel_and_no_byte_depends_on_a_secret(
    path: Path, strict: Renderer, planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = path.read_text()
    engine, status, _ = wanted(code)
    one, other = renders_under_two_secrets(strict, planted, code, engine, monkeypatch)
    assert (one.png is not None) == (status == "ok")
    assert one.png == other.png
    assert everything_said(one) == everything_said(other)


def test_a_secret_that_reaches_the_pixels_is_seen_by_comparing_them(
    tex_cache: Path, planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        r"\documentclass{article}\begin{document}"
        r"\directlua{tex.sprint(-2, io.open('@SECRET_FILE@'):read('a'))}x\end{document}"
    )
    with Renderer(limits=LIMITS, sandbox="none", cache_dir=tex_cache, reuse=False) as open_one:
        one, other = renders_under_two_secrets(open_one, planted, code, "lualatex", monkeypatch)
    assert one.png and other.png and one.png != other.png
    assert SECRET in everything_said(one) and SECRET not in everything_said(other)


def test_public_attacks_draw_the_same_whatever_the_list_of_users_holds(
    strict: Renderer, shared_cases: Path
) -> None:
    for path in sorted((shared_cases / "attacks").glob("*.tex")):
        code = path.read_text()
        if "/etc/passwd" in code:
            engine: Engine | None = "lualatex" if path.stem.startswith("lua") else None
            without = code.replace("/etc/passwd", "/etc/nothing")
            drawn = [strict.render(c, engine=engine).png for c in (code, without)]
            assert drawn[0] == drawn[1], path.name


def test_a_document_that_only_waits_is_not_the_models_failure(
    tex_cache: Path, planted: Planted
) -> None:
    limits = replace(LIMITS, wall_s=2)
    with Renderer(limits=limits, cache_dir=tex_cache, reuse=False) as short:
        made = short.render(
            r"\documentclass{article}\begin{document}\directlua{os.sleep(300)}x\end{document}",
            engine="lualatex",
        )
    assert made.status == "unavailable"
    assert made.error is not None and made.error.kind == "wall_limit"


def test_the_sandbox_shows_a_bare_system(strict: Renderer, planted: Planted) -> None:
    made = strict.render(planted.fill((Path(__file__).parent / "hostile/lua_list.tex").read_text()),
                         engine="lualatex")  # fmt: skip
    seen = re.findall(r"LIST (\S+) (\S+)", made.log)
    assert ("/", "usr") in seen, "the listing itself must work for this test to mean anything"
    for folder in ("/home", "/root", "/tmp", "/proc", "/run", "/mnt", str(planted.top)):
        assert [name for at, name in seen if at == folder] == []


def test_public_attacks_end_in_a_clear_status(
    strict: Renderer, planted: Planted, shared_cases: Path
) -> None:
    for path in sorted((shared_cases / "attacks").glob("*.tex")):
        code = path.read_text()
        engine: Engine | None = "lualatex" if path.stem.startswith("lua") else None
        made = render_and_compare(strict, planted, code, engine)
        assert made.status in ("ok", "ok_with_errors", "failed"), (path.name, made.error)
        assert made.status != "failed" or made.error is not None, path.name
    assert not Path("/tmp/evil_abs.txt").exists()
    assert not Path("/tmp/evil_lua.txt").exists()
