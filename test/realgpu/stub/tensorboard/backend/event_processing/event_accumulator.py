"""As much of TensorBoard's EventAccumulator as scripts/realgpu asks: the scalars of a directory."""

import glob
import struct
from types import SimpleNamespace


def fields(data):
    """Yields the fields of a message of protobuf: number and value, without the message's schema."""
    at = 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(kind) or varint()
        yield key >> 3, data[at : at + size]
        at += size


class EventAccumulator:
    def __init__(self, folder, size_guidance):
        self.folder, self.tags = folder, {}

    def Reload(self):
        for path in sorted(glob.glob(self.folder + "/*tfevents*")):
            with open(path, "rb") as f:
                while head := f.read(12):
                    event = f.read(struct.unpack("<Q", head[:8])[0])
                    f.read(4)
                    for number, summary in fields(event):
                        if number == 5:
                            self.add(summary)

    def add(self, summary):
        for number, value in fields(summary):
            if number == 1:
                parts = dict(fields(value))
                if 2 in parts:
                    point = SimpleNamespace(value=struct.unpack("<f", parts[2])[0])
                    self.tags.setdefault(parts[1].decode(), []).append(point)

    def Tags(self):
        return {"scalars": list(self.tags)}

    def Scalars(self, tag):
        return self.tags[tag]
