"""Checks the site: links lead to pages and headings that exist, pages load nothing from other hosts, and code parses."""

import ast
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import tomllib
import yaml

FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FOREIGN_ASSET = re.compile(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//")
PARSERS = {
    "json": json.loads,
    "python": ast.parse,
    "toml": tomllib.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
}


class Page(HTMLParser):
    """The names within a page, what it links to, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.names, self.links, self.assets = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names.update(values[key] for key in ("id", "name") if values.get(key))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag in ("script", "img", "iframe", "source") and values.get("src"):
            self.assets.append(values["src"])
        elif tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload"):
            self.assets.append(values["href"])


def check_links(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links + page.assets:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.assets and parts.scheme != "data":
                    yield f"{path.relative_to(site)} loads {link}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{path.relative_to(site)} links to {link}, which does not exist"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].names:
                yield f"{path.relative_to(site)} links to {link}, and there is no such heading"
    for sheet in site.rglob("*.css"):
        if FOREIGN_ASSET.search(sheet.read_text(encoding="utf-8")):
            yield f"{sheet.relative_to(site)} loads from another host"


def check_code(root):
    for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")]:
        for language, text in FENCE.findall(page.read_text(encoding="utf-8")):
            try:
                PARSERS.get(language, str)(text)
            except (SyntaxError, ValueError, yaml.YAMLError) as e:
                yield f"{page.relative_to(root)} has {language} that does not parse: {e}"


if __name__ == "__main__":
    found = [*check_links(Path(sys.argv[1]).resolve()), *check_code(Path(__file__).resolve().parent.parent)]
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    sys.exit(1 if found else 0)
