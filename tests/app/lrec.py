"""Recordings as docs/recordings.md describes them, read and written without the program: blocks and samples."""

import json
import struct
import zlib

import numpy as np

BEGINNING = b"\x89LREC\r\n\x1a"
CONTACT_NUMBERS = 13


def split(data):
    """The blocks [kind, content] of a whole file; every check sum is looked at."""
    assert data[:8] == BEGINNING
    version, crc = struct.unpack_from("<II", data, 8)
    assert version == 1 and crc == zlib.crc32(data[:12])
    at, blocks = 16, []
    while at < len(data):
        kind, stored, size, crc, header_crc = struct.unpack_from("<4sIIII", data, at)
        assert header_crc == zlib.crc32(data[at : at + 16])
        content = data[at + 20 : at + 20 + stored]
        assert len(content) == stored and zlib.crc32(content) == crc
        blocks.append([kind.decode(), zlib.decompress(content)])
        assert len(blocks[-1][1]) == size
        at += 20 + stored
    return blocks


def join(blocks, version=1):
    data = BEGINNING + struct.pack("<I", version)
    data += struct.pack("<I", zlib.crc32(data))
    for kind, content in blocks:
        stored = zlib.compress(content)
        header = struct.pack("<4sIII", kind.encode(), len(stored), len(content), zlib.crc32(stored))
        data += header + struct.pack("<I", zlib.crc32(header)) + stored
    return data


def ends(data):
    """Where the blocks of a file end; first of all its beginning."""
    places = [16]
    while places[-1] < len(data):
        places.append(places[-1] + 20 + struct.unpack_from("<I", data, places[-1] + 4)[0])
    return places


def unfold(folded):
    return (folded >> 1) if folded % 2 == 0 else -(folded >> 1) - 1


def fold(d):
    d = (d + 2**63) % 2**64 - 2**63
    return 2 * d if d >= 0 else -2 * d - 1


def words_of(data, at, count):
    """One after the other: slow, and nothing to be misunderstood."""
    return [sum(data[at + k * count + i] << (8 * k) for k in range(8)) for i in range(count)]


def planes_of(words):
    return bytes((word >> (8 * k)) & 0xFF for k in range(8) for word in words)


class Samples:
    """A block of samples: numbers as the integers of their bits, [sample][column], and lists of contacts."""

    def __init__(self, content):
        n, m, k = struct.unpack_from("<III", content)
        counts = struct.unpack_from(f"<{n}I", content, 12)
        geoms = struct.unpack_from(f"<{2 * k}i", content, 12 + 4 * n)
        at = 12 + 4 * n + 8 * k
        words = words_of(content, at, n * m)
        self.numbers = [[0] * m for _ in range(n)]
        for c in range(m):
            for s in range(n):
                x1 = self.numbers[s - 1][c] if s > 0 else 0
                x2 = self.numbers[s - 2][c] if s > 1 else 0
                self.numbers[s][c] = (unfold(words[c * n + s]) + 2 * x1 - x2) % 2**64
        words = words_of(content, at + 8 * n * m, CONTACT_NUMBERS * k)
        self.contacts, i = [], 0
        for s in range(n):
            self.contacts.append([])
            for place in range(counts[s]):
                before = self.contacts[s - 1] if s > 0 else []
                last = before[place][1] if place < len(before) else [0] * CONTACT_NUMBERS
                numbers = [(unfold(words[c * k + i]) + last[c]) % 2**64 for c in range(CONTACT_NUMBERS)]
                self.contacts[-1].append((geoms[2 * i : 2 * i + 2], numbers))
                i += 1
        assert i == k and len(content) == at + 8 * n * m + 8 * CONTACT_NUMBERS * k

    def content(self):
        n, m = len(self.numbers), len(self.numbers[0])
        flat = [(s, place) for s in range(n) for place in range(len(self.contacts[s]))]
        data = struct.pack("<III", n, m, len(flat))
        data += struct.pack(f"<{n}I", *map(len, self.contacts))
        for s, place in flat:
            data += struct.pack("<2i", *self.contacts[s][place][0])
        words = []
        for c in range(m):
            for s in range(n):
                x1 = self.numbers[s - 1][c] if s > 0 else 0
                x2 = self.numbers[s - 2][c] if s > 1 else 0
                words.append(fold(self.numbers[s][c] - 2 * x1 + x2))
        data += planes_of(words)
        words = []
        for c in range(CONTACT_NUMBERS):
            for s, place in flat:
                before = self.contacts[s - 1] if s > 0 else []
                last = before[place][1][c] if place < len(before) else 0
                words.append(fold(self.contacts[s][place][1][c] - last))
        return data + planes_of(words)


def to_float(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def to_bits(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def layout_of(blocks):
    return json.loads(dict(blocks)["LAYT"])


def column_of(layout, array, column):
    entry = next(a for a in layout["arrays"] if a["name"] == array)
    return entry["begin"] + entry["columns"].index(column)


def contacts_of(blocks):
    """Per sample the contacts as arrays: geoms, numbers."""
    lists = []
    for kind, content in blocks:
        if kind == "SAMP":
            lists += [
                [(geoms, np.array([to_float(x) for x in numbers])) for geoms, numbers in contacts]
                for contacts in Samples(content).contacts
            ]
    return lists
