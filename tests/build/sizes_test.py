#!/usr/bin/env python3
"""Functions of src/ and include/ have at most 80 lines and seven parameters, files at most 450 lines.

What has more says why, in a comment that begins with "Long because": one above a function counts for it, one among the
first lines of a file for the file. Lists of functions by hand have no parameters to count."""

import os
import pathlib
import re
import sys

MOST_LINES, MOST_PARAMETERS, MOST_FILE_LINES = 80, 7, 450
EXCUSE = "// Long because "

root = pathlib.Path(os.environ["SOURCE_DIR"]).resolve()
CONTROL = {"if", "for", "while", "switch", "catch", "return", "sizeof", "alignas", "decltype", "requires", "noexcept"}


def code_of(text):
    """The text with comments, strings, characters and preprocessor lines blanked; lines stay where they are."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)*\'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*',
        re.S | re.M,
    )
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def closing(code, at):
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for match in re.compile(r"[(){}\[\]]").finditer(code, at):
        depth += 1 if match.group() in "({[" else -1
        if depth == 0:
            return match.start()
    return len(code)


def parameters_of(text):
    """How many a list between parentheses has."""
    if not text.strip() or text.strip() == "void":
        return 0
    depth = count = 0
    for match in re.finditer(r"->|[(){}\[\]<>,]", text):
        sign = match.group()
        if sign in ("(", "{", "[", "<"):
            depth += 1
        elif sign in (")", "}", "]", ">"):
            depth -= 1
        elif sign == "," and depth == 0:
            count += 1
    return count + 1


def functions_of(code):
    """(name, first position, last position, parameters) of all that have a body; lambdas count to what they are in."""
    at, head = 0, 0
    signature = None  # of the declaration that is being read: its name and list of parameters
    while at < len(code):
        sign = code[at]
        if sign in ";}" or (sign == ":" and re.search(r"\b(public|private|protected)\s*$", code[head:at])):
            head, signature = at + 1, None
        elif sign == "(":
            end = closing(code, at)
            name = re.search(r"((?:[\w:~<>]|::)*(?:\boperator\s*[^\s\w(]+|\boperator\s+\w+|\boperator\s*\(\)|[\w~>]))\s*$", code[head:at])
            if signature is None and name and name.group(1).split("::")[-1] not in CONTROL and "=" not in re.sub(r"operator\s*\S+|<[^<>]*>", "", code[head:at]):
                signature = (name.group(1), parameters_of(code[at + 1 : end]))
            at = end
        elif sign == "[":
            at = closing(code, at)
        elif sign == "{":
            before = code[head:at]
            end = closing(code, at)
            initializes = signature and re.search(r"[:,]\s*[\w:<>, ]*[\w>]\s*$", re.sub(r"::", "  ", before)) and not re.search(r"->[^;{]*$", before) and re.search(r"\)\s*(noexcept\s*)?:(?!:)", before)
            if re.match(r"\s*(template\s*<.*>\s*)?(inline\s+)?(namespace|class|struct|union|extern)\b", before, re.S) and signature is None:
                head = at + 1
            elif signature and not initializes:
                first = head + len(before) - len(before.lstrip())
                yield signature[0], first, end, signature[1]
                at, head, signature = end, end + 1, None
            else:  # values, an enumeration, or a member that is being initialized
                at = end
        at += 1


def excused(lines, line):
    """Whether the comment above a line, or above its declaration, says why."""
    at = line - 1
    while at >= 0 and re.match(r"\s*(//|template\b|\[\[)", lines[at]):
        if EXCUSE in lines[at]:
            return True
        at -= 1
    return False


def faults_of(path):
    text = path.read_text("utf-8")
    lines = text.split("\n")
    count = text.count("\n")
    if count > MOST_FILE_LINES and not any(EXCUSE in line for line in lines[:40]):
        yield 1, f"the file has {count} lines"
    code = code_of(text)
    for name, first, last, parameters in functions_of(code):
        line = code.count("\n", 0, first)
        length = code.count("\n", first, last) + 1
        if length > MOST_LINES and not excused(lines, line):
            yield line + 1, f"{name} has {length} lines"
        if parameters > MOST_PARAMETERS and not excused(lines, line):
            yield line + 1, f"{name} has {parameters} parameters"


def main():
    faults = functions = 0
    for path in sorted([*root.glob("src/**/*"), *root.glob("include/**/*")]):
        name = str(path.relative_to(root))
        if path.suffix not in (".h", ".cpp"):
            continue
        functions += sum(1 for _ in functions_of(code_of(path.read_text("utf-8"))))
        for line, what in faults_of(path):
            print(f"{name}:{line}: {what}")
            faults += 1
    print(f"{functions} functions, {faults} that are too long or have too many parameters")
    return 1 if faults or functions < 3000 else 0


if __name__ == "__main__":
    sys.exit(main())
