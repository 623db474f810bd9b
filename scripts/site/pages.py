"""Pages of the site that lie outside docs/, and links that lead there.

README, CONTRIBUTING and CHANGELOG become pages. A link to another file of the project leads to a page with its text,
so that one link serves both: the site, and a viewer of the repository.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

TOP = Path(__file__).resolve().parents[2]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""File at the top of the project -> its page."""

SOURCES = "source"
"""Folder of the pages that show a file of the project."""

FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")
NAMED_FENCE = re.compile(r"^```(\w+) file=(\S+)$", re.MULTILINE)
"""The first line of an example that is a file."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of files outside docs/."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(TOP / name).read_text(encoding="utf-8")))
    for name in sorted(_linked_sources(files)):
        files.append(File.generated(config, _address(name), content=_shown(name)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to where their targets are on the site, and give an example its file's name as title."""
    if page.file.src_uri.startswith(f"{SOURCES}/"):
        return markdown
    folder = posixpath.dirname(page.file.src_uri) or "."

    def on_site(link: re.Match[str]) -> str:
        address = posixpath.relpath(_address(_target(page.file.src_uri, link[1])), folder)
        return f"]({address}{link[2] or ''})"

    linked = _in_prose(markdown, lambda text: LINK.sub(on_site, text))
    return NAMED_FENCE.sub(r'```\1 title="\2"', linked)


def _in_prose(markdown: str, change: Callable[[str], str]) -> str:
    return "".join(part if part.startswith("```") else change(part) for part in FENCE.split(markdown))


def _target(page: str, link: str) -> str:
    """The path in the project of what a page's link names."""
    origin = next((name for name, address in PAGES.items() if address == page), posixpath.join("docs", page))
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))


def _address(name: str) -> str:
    """The page, or file below docs/, that stands on the site for a file of the project."""
    if name in PAGES:
        return PAGES[name]
    return name.removeprefix("docs/") if name.startswith("docs/") else f"{SOURCES}/{name}.md"


def _linked_sources(files: Files) -> set[str]:
    """The files of the project to which pages lead, beside those that are on the site anyway."""
    targets = set()
    for file in files.documentation_pages():
        for part in FENCE.split(file.content_string):
            if not part.startswith("```"):
                targets |= {_target(file.src_uri, link) for link, _ in LINK.findall(part)}
    return {name for name in targets if _address(name).startswith(f"{SOURCES}/") and (TOP / name).exists()}


def _shown(name: str) -> str:
    """A page with the text of a file, or the names in a folder."""
    path = TOP / name
    if path.is_dir():
        return f"# {name}\n\n" + "".join(f"- `{entry.name}`\n" for entry in sorted(path.iterdir()))
    return f"# {name}\n\n````{path.suffix[1:] or 'text'}\n{path.read_text(encoding='utf-8')}\n````\n"
