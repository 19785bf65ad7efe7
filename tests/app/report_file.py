"""Reads the pages that ligament writes, as docs/report.md describes them; NumPy and the standard library only."""

import base64
import json
import re
import zlib

import numpy

TYPES = {"f32": "<f4", "u32": "<u4", "u8": "u1"}

# A page that holds nothing but a document: for builds that have no page of their own.
EMPTY_PAGE = "<!doctype html>\n<title>page</title>\n<!--LIGAMENT-DOCUMENT-->\n"


def element(page, kind, name):
    """The text of the one script element of that name, found as a browser does: up to the first end tag."""
    found = re.findall(rf'<script type="{kind}" id="{name}">(.*?)</script', page, re.DOTALL)
    if len(found) != 1:
        raise ValueError(f"the page has {len(found)} elements {name}")
    return found[0]


class ReportFile:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.page = file.read()
        text = element(self.page, "application/json", "ligament-document")
        if "<" in text:
            raise ValueError("the document holds what a browser may take for markup")
        self.document = json.loads(text, parse_constant=self.refuse)
        self.data = zlib.decompress(base64.b64decode(element(self.page, "text/plain", "ligament-data"), validate=True))

    @staticmethod
    def refuse(word):
        raise ValueError(f"{word} in the document")

    def array(self, description):
        kind, shape, at = numpy.dtype(TYPES[description["type"]]), description["shape"], description["at"]
        if at % 4 != 0:
            raise ValueError("an array begins at no multiple of 4")
        count = int(numpy.prod(shape))
        return numpy.frombuffer(self.data, kind, count, at).reshape(shape)

    def series(self, run=0):
        """The curves of a run by name."""
        return {one["name"]: self.array(one["values"]) for one in self.document["runs"][run]["series"]}
