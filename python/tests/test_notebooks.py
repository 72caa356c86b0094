"""The notebooks run, and the book shows them: `INTERFIELD_BLESS=1` renews its chapter and pictures."""

import base64
import os
import re

import nbformat
import pytest
from nbclient import NotebookClient

HERE = os.path.dirname(os.path.abspath(__file__))
NOTEBOOKS = os.path.join(HERE, "..", "notebooks")
BOOK = os.path.join(HERE, "..", "..", "docs", "book", "src")
CHAPTER = os.path.join(BOOK, "notebooks.md")
# Not among the pictures of the book, which it draws itself.
PICTURES = os.path.join(BOOK, "..", "..", "img")
ORDER = ["first-run", "own-specimen", "couplings", "ida", "opensees", "own-scheme"]
HEAD = """# Notebooks

Six notebooks of [the Python package](python.md). They are in `python/notebooks`, and the tests run them; this chapter is made of them.
"""


def run(name):
    notebook = nbformat.read(os.path.join(NOTEBOOKS, f"{name}.ipynb"), as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": NOTEBOOKS}}).execute()
    return notebook


def section(name, notebook):
    """Markdown of a notebook, and its pictures by file name."""
    parts, pictures = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(re.sub("^# ", "## ", cell.source))
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stdout":
                parts.append(f"```text\n{output.text.strip()}\n```")
            elif "image/png" in output.get("data", {}):
                file = f"notebook-{name}-{len(pictures) + 1}.png"
                pictures[file] = base64.b64decode(output.data["image/png"])
                parts.append(f"![{name}, picture {len(pictures)}](../../img/{file})")
    return "\n\n".join(parts) + "\n", pictures


@pytest.mark.parametrize("name", ORDER)
def test_it_runs_and_is_shown(name):
    text, pictures = section(name, run(name))
    assert pictures, "a notebook shows a picture"
    if os.environ.get("INTERFIELD_BLESS"):
        with open(os.path.join(BOOK, f".notebook-{name}"), "w", encoding="utf-8") as file:
            file.write(text)
        for file_name, bytes_ in pictures.items():
            with open(os.path.join(PICTURES, file_name), "wb") as file:
                file.write(bytes_)
        return
    with open(CHAPTER, encoding="utf-8") as file:
        chapter = file.read()
    for block in re.findall(r"```(?:python|text)\n.*?\n```", text, re.S):
        assert block in chapter, f"docs/book/src/notebooks.md is not current: INTERFIELD_BLESS=1 cargo xtask test python\n{block}"
    for file_name in pictures:
        assert os.path.exists(os.path.join(PICTURES, file_name)) and file_name in chapter


def test_the_chapter_is_put_together():
    if not os.environ.get("INTERFIELD_BLESS"):
        return
    parts = []
    for name in ORDER:
        path = os.path.join(BOOK, f".notebook-{name}")
        with open(path, encoding="utf-8") as file:
            parts.append(file.read())
        os.remove(path)
    with open(CHAPTER, "w", encoding="utf-8") as file:
        file.write(HEAD + "\n" + "\n".join(parts))
