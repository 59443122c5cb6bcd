"""How Sphinx makes the site from the pages of the repository, which stay as they are: README.md is its start page."""

import re
import shutil
import xml.etree.ElementTree
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).resolve().parent.parent
POM = xml.etree.ElementTree.parse(ROOT / "pom.xml").getroot()

project = "Overdrive"
version = release = POM.findtext("{*}version")
copyright = f"The Overdrive project. Version {version}. Licence: Apache 2.0"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md"]
exclude_patterns = ["**/target", "*/src", "data", "scripts", "site", ".*"]
highlight_language = "text"
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
# "row:" leads to a row of a page that is made of a JSON file
myst_url_schemes = {"http": None, "https": None, "mailto": None, "row": {"url": "{{path}}#{{fragment}}"}}

# code with "…" for what is left out is no valid code
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "Overdrive"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "static/icon.svg"
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_theme_options = {
    "top_of_page_buttons": [],
    "light_css_variables": {"color-brand-primary": "#9a3412", "color-brand-content": "#9a3412"},
    "dark_css_variables": {"color-brand-primary": "#fdba74", "color-brand-content": "#fdba74"},
}

# The navigation. A page of docs that is not named here is under the name of its folder.
NAVIGATION = {
    "Start": ["docs/start/install"],
    "Guides": [
        "docs/guides/loading",
        "docs/guides/profiling",
        "docs/guides/verify",
        "docs/guides/sstables",
        "docs/guides/unloading",
        "docs/guides/object-stores",
        "docs/guides/sql",
        "docs/guides/python",
        "docs/guides/java",
        "docs/guides/simulated",
        "docs/guides/spark-reading",
        "docs/guides/spark-writing",
        "docs/guides/spark-rdd",
        "docs/guides/from-dsbulk",
        "docs/guides/from-cqlsh-copy",
        "docs/guides/from-cdm",
        "docs/guides/from-spark-connector",
    ],
    "Reference": ["docs/reference/command-line", "docs/reference/formats", "docs/reference/expressions", "docs/reference/configuration", "docs/reference/reports", "docs/reference/spark-settings"],
    "Concepts": [],
    "Experiments": ["docs/experiments/README", "PERFORMANCE"],
    "Design": ["ARCHITECTURE", "docs/design/README", "docs/decisions/README"],
    "Project": ["CHANGELOG", "CONTRIBUTING", "SECURITY"],
}

ROW = re.compile(r"\]\(([^)\s:#]+)\.json#([^)\s]+)\)")
LINK = re.compile(r"\]\(([^)\s:#]+)\)")
# a link whose text is the name of a page gets the page's title
NAME = re.compile(r"\[[\w/.-]+\.md\](?=\([^)\s:#]+\.md\))")


def toctree(pages, caption=""):
    return "\n\n```{toctree}\n:hidden:\n" + (f":caption: {caption}\n" if caption else "") + "\n".join(pages) + "\n```\n"


def navigation():
    named = {page for pages in NAVIGATION.values() for page in pages}
    for caption, pages in NAVIGATION.items():
        folder = f"docs/{caption.lower()}"
        found = sorted(f"{folder}/{page.stem}" for page in (ROOT / folder).glob("*.md")) if (ROOT / folder).is_dir() else []
        yield caption, pages + [page for page in found if page not in named]


def prepare(app, page, source):
    """Adds the navigation and titles of pages, and has links to a directory lead to its README.md."""
    here = (ROOT / page).parent

    def to_page(link):
        directory = link.group(1).rstrip("/")
        return f"]({directory}/README.md)" if (here / directory / "README.md").exists() else link.group()

    rows = ROW.sub(r"](row:\1.html#\2)", source[0])
    text = NAME.sub("[]", LINK.sub(to_page, rows))
    if page == root_doc:
        text += "".join(toctree(["/" + each for each in pages], caption) for caption, pages in navigation())
    elif page == "docs/decisions/README":
        text += toctree(sorted(each.stem for each in here.glob("0*.md")))
    source[0] = text


def published(path):
    """The place in the site of a file of the repository that is not a page."""
    return path if path.suffix else path.with_suffix(".txt")


def page_of(path):
    """The place in the site of the page that shows a file: if the file has the results of an experiment, the page with its charts."""
    return path.with_suffix(".html") if path.match("docs/experiments/*.json") else published(path)


class Files(SphinxTransform):
    """Links to files that are not pages lead to copies in the same place, links to results of experiments to the pages that are made of them."""

    default_priority = 500

    def apply(self):
        here = Path(self.env.docname).parent
        for node in list(self.document.findall(addnodes.download_reference)):
            path = Path(self.env.relfn2path(node["reftarget"], self.env.docname)[0])
            COPIED.add(path)
            up = "../" * len(here.parts)
            node.replace_self(nodes.reference("", "", *node.children, refuri=up + page_of(path).as_posix()))


COPIED = set()


def copy(app, failure):
    if failure is None and app.builder.format == "html":
        reports = [path.relative_to(ROOT) for path in (ROOT / "docs/experiments").glob("*.*") if path.suffix != ".md"]
        for path in COPIED.union(reports):
            target = Path(app.outdir) / published(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, target)
        ledger = Path(app.outdir) / "docs/experiments/ledger.html"
        ledger.write_text(re.sub(r'(href="[^"#]*)\.md\b', r"\1.html", ledger.read_text(encoding="utf-8")), encoding="utf-8")
        shutil.copyfile(Path(app.outdir) / "README.html", Path(app.outdir) / "index.html")


def setup(app):
    app.connect("source-read", prepare)
    app.add_transform(Files)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": False}
