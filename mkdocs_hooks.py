"""What the pages take for granted of a forge and MkDocs does otherwise."""

import posixpath
import re

FENCED = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((\.\./[^)\s]+)\)")


def slug(heading, separator):
    """Anchors of headings as forges make them: tests/build/links_test.py has the same."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    return config


def on_page_markdown(markdown, page, config, files):
    repository = (config["repo_url"] or "").rstrip("/")

    def outside(match):
        """A file beside docs/ is not part of the site: its name, or where the repository has it."""
        text, target = match.groups()
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), target))
        if repository:
            return f"[{text}]({repository}/blob/main/{path})"
        return text if text.startswith("`") or " " in text else f"`{text}`"

    def plain(text):
        lines = []
        for line in LINK.sub(outside, text).split("\n"):
            if line.startswith("|"):
                # Within code, a bar needs no escape here.
                line = re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), line)
            lines.append(line)
        return "\n".join(lines)

    parts, at = [], 0
    for block in FENCED.finditer(markdown):
        parts += [plain(markdown[at : block.start()]), block[0]]
        at = block.end()
    return "".join(parts) + plain(markdown[at:])
