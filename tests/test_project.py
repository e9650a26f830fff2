"""The files around the code: what lies at the top, what is installed, who imports whom, the colours of the frame."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests import chromium

ROOT = Path(__file__).resolve().parent.parent
OURS = {"msviz", "pages", "app", "tests"}
TOP_LEVEL = {
    *(".ci", ".gitignore", ".pre-commit-config.yaml", ".streamlit", "CHANGELOG.md", "README.md", "app.py"),
    *("msviz", "pages", "pyproject.toml", "requirements.txt", "tests"),
}


# What is installed


def test_every_library_the_app_imports_is_declared_and_pinned() -> None:
    missing = _distributions(_app_files()) - _pinned("requirements.txt")
    assert not missing, f"imported by msviz, pages or app.py, but not in requirements.txt: {sorted(missing)}"


def test_every_library_a_test_imports_is_declared_and_pinned() -> None:
    missing = _distributions(_python("tests")) - _pinned("requirements.txt") - _pinned("tests/requirements.txt")
    assert not missing, f"imported by tests, but not in tests/requirements.txt: {sorted(missing)}"


def test_the_app_never_imports_what_only_tests_install() -> None:
    assert not _distributions(_app_files()) & _pinned("tests/requirements.txt")


def test_requirements_hold_exact_versions_only() -> None:
    for file in ("requirements.txt", "tests/requirements.txt"):
        for line in _requirement_lines(file):
            assert re.fullmatch(r"[a-z0-9-]+==[0-9][0-9.]*(; .+)?", line), f"{file}: {line}"


# What is committed


def test_the_top_level_stays_small() -> None:
    extra = {file.split("/")[0] for file in _kept_files()} - TOP_LEVEL
    assert not extra, f"not expected at the top level: {sorted(extra)}"


def test_no_file_names_a_registry_or_a_path_of_somebodys_machine() -> None:
    # Put together here, so that this file does not hold what it forbids.
    hosts = [".".join(host) for host in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("debian", "org"))]
    folders = ["/".join(("", *names, "")) for names in (("work",), ("tmp", "w"), ("root",), ("home",), ("Users",))]
    forbidden = re.compile("|".join([*map(re.escape, hosts), *(rf"(?<![\w.~}}]){folder}" for folder in folders)]))
    found = [
        f"{file}:{number}: {hit[0]}"
        for file in _kept_files()
        for number, line in enumerate(_text(ROOT / file).splitlines(), 1)
        if (hit := forbidden.search(line))
    ]
    assert not found, "\n".join(found)


def test_code_files_stay_short_enough_to_read() -> None:
    long = {file: lines for file in _app_files() if (lines := len(_text(file).splitlines())) >= 300}
    assert not long, f"300 lines or more: {long}"


# Who imports whom. Inside msviz import-linter watches (pyproject.toml); these two watch what stands above it.


def test_pages_compose_and_compute_nothing() -> None:
    allowed = {"streamlit", "msviz.ui", "msviz.text"}
    for file in _python("pages"):
        outside = {name for name in _imports(file) if not _is_within(name, allowed) and not _is_standard(name)}
        assert not outside, f"{file.relative_to(ROOT)} imports {sorted(outside)}; pages may import {sorted(allowed)}"


def test_the_entry_only_starts_the_app() -> None:
    allowed = {"streamlit", "msviz.ui"}
    outside = {name for name in _imports(ROOT / "app.py") if not _is_within(name, allowed) and not _is_standard(name)}
    assert not outside, f"app.py imports {sorted(outside)}; it may import {sorted(allowed)}"


# The frame


def test_streamlit_knows_every_option_we_set() -> None:
    from streamlit import config

    unknown = set(_options(_streamlit_config())) - set(config.get_config_options())
    assert not unknown


def test_no_garbage_collection_after_every_rerun_and_no_statistics_sent() -> None:
    assert _streamlit_config()["runner"]["postScriptGC"] is False
    assert _streamlit_config()["browser"]["gatherUsageStats"] is False


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_theme_can_be_read_by_everybody(mode: str) -> None:
    theme = _streamlit_config()["theme"][mode]
    for behind in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert _contrast(theme["textColor"], behind) >= 7
        assert _contrast(theme["linkColor"], behind) >= 4.5
        assert _contrast(theme["primaryColor"], behind) >= 3
    assert _contrast(theme["primaryColor"], "#ffffff") >= 4.5, "buttons carry white text"


def test_contrast_is_measured_as_wcag_does() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_pre_commit_runs_the_checks_of_ci() -> None:
    script, hooks = _text(ROOT / ".ci" / "run"), _text(ROOT / ".pre-commit-config.yaml")
    for check in ("ruff check", "ruff format --check", "mypy --strict msviz", "lint-imports"):
        assert re.search(rf"^{check}$", script, re.MULTILINE)
        assert f"entry: {check}" in hooks


# The browser


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_without_chromium_ci_fails_and_a_laptop_skips(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "find_chromium", lambda: None)
    monkeypatch.setenv("CI", ci)
    came: BaseException | None = None
    try:
        chromium.chromium_or_skip()
    except (pytest.fail.Exception, pytest.skip.Exception) as exception:
        came = exception  # not pytest.raises: a skip where a failure is due would then skip this test, too
    assert isinstance(came, outcome)
    assert "Chromium" in str(came)


# Helpers


def _kept_files() -> list[str]:
    """What git has, and what it would take with the next `git add .`"""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git clone: nobody can tell which files belong to the project")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


@cache
def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""  # a picture


def _python(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def _app_files() -> list[Path]:
    return [ROOT / "app.py", *_python("msviz"), *_python("pages")]


def _imports(file: Path) -> Iterator[str]:
    """Every module that a file imports absolutely, anywhere in it."""
    for node in ast.walk(ast.parse(_text(file), file.name)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == "msviz":
            yield from (f"msviz.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def _is_within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def _is_standard(name: str) -> bool:
    return name.split(".")[0] in sys.stdlib_module_names


def _distributions(files: list[Path]) -> set[str]:
    """The names under which the third-party packages that these files import are installed."""
    installed = packages_distributions()
    names = {name.split(".")[0] for file in files for name in _imports(file) if not _is_standard(name)} - OURS
    return {_normal(installed.get(name, [name])[0]) for name in names}


def _requirement_lines(file: str) -> list[str]:
    lines = (line.split("#")[0].strip() for line in _text(ROOT / file).splitlines())
    return [line for line in lines if line and not line.startswith("-r ")]


def _pinned(file: str) -> set[str]:
    return {_normal(line.split("==")[0]) for line in _requirement_lines(file) if "==" in line}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _streamlit_config() -> dict[str, dict]:
    return tomllib.loads(_text(ROOT / ".streamlit" / "config.toml"))


def _options(section: dict, prefix: str = "") -> Iterator[str]:
    for name, value in section.items():
        yield from _options(value, f"{prefix}{name}.") if isinstance(value, dict) else [f"{prefix}{name}"]


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2, 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
