"""Stands still in stacks that it knows: after each line of its input it goes into another one, says where each thread
is, and waits for the next line. Its lines are "STEP SEED"."""
import asyncio
import json
import os
import random
import sys
import threading
import time


def stack(frame):
    """The frames from one on: what the test compares with what it reads."""
    found = []
    while frame is not None:
        found.append([frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno])
        frame = frame.f_back
    return found


def stop(kind):
    """Says where all threads are, and waits."""
    me = threading.get_ident()
    others = {native(ident): stack(frame) for ident, frame in sys._current_frames().items() if ident != me}
    say = lambda frame: sys.stdout.write(json.dumps({"kind": kind, "me": stack(frame), "others": others}) + "\n")
    return say(sys._getframe()) and sys.stdout.flush() or sys.stdin.readline()


natives = {}


def native(ident):
    return natives.get(ident, 0)


def then(rest):
    """Goes on with the next kind of call, or stops."""
    if not rest:
        return stop("end")
    return globals()["by_" + rest[0]](rest[1:])


def by_call(rest):
    return then(rest)


def by_recursion(rest, depth=None):
    if depth is None:
        depth = random.choice([3, 30, 300])
    if depth == 0:
        return then(rest)
    return by_recursion(rest, depth - 1)


def by_generator(rest):
    def numbers():
        yield 1
        yield then(rest)

    for x in numbers():
        last = x
    return last


def by_delegation(rest):
    def inner():
        yield then(rest)

    def outer():
        yield from inner()

    return list(outer())[0]


def by_comprehension(rest):
    return [then(rest)
            for _ in range(1)][0]


def by_expression(rest):
    return next(then(rest) for _ in range(1))


def by_lambda(rest):
    return (lambda: then(rest))()


def by_c(rest):
    return sorted([1], key=lambda _: then(rest) and 0)[0]


def by_map(rest):
    return list(map(then, [rest]))[0]


def by_exec(rest):
    scope = {"then": then, "rest": rest}
    exec(compile("\n" * random.randrange(500) + "def made():\n  # by exec\n  return then(rest)\nresult = made()",
                 "<made %d>" % random.randrange(99), "exec"), scope)
    return scope["result"]


class Thing:
    def __init__(self, rest):
        self.rest = rest

    def __getattr__(self, name):
        return then(self.rest)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return then(self.rest)

    def __lt__(self, other):
        return then(self.rest) and False


class Made:
    def __init__(self, rest):
        self.result = rest and then(rest)


def by_constructor(rest):
    for _ in range(50): Made(None)
    for what in [None] * 50 + [rest or ["call"]]: made = Made(what)
    return made.result


def by_attribute(rest):
    return Thing(rest).anything


def by_with(rest):
    with Thing(rest):
        pass


def by_operator(rest):
    return Thing(rest) < 1


def by_exception(rest):
    try:
        raise ValueError
    except ValueError:
        try:
            raise KeyError
        finally:
            try:
                return then(rest)
            finally:
                pass


def by_async(rest):
    if asyncio._get_running_loop():
        return then(rest)

    async def inner():
        await asyncio.sleep(0)
        return then(rest)

    async def outer():
        results = await asyncio.gather(inner())
        return results[0]

    return asyncio.run(outer())


def by_await(rest):
    if asyncio._get_running_loop():
        return then(rest)

    class Awaitable:
        def __await__(self):
            yield
            return then(rest)

    async def waits():
        return await Awaitable()

    return asyncio.run(waits())


def by_long_lines(rest):
    value = [
        1,
        2,
        then(
            rest,
        ),
        3,
    ]
    return value[2]


def by_unicode_é(rest):
    def имя(rest): return then(rest)

    def 名前_𝒳(rest): return имя(rest)

    return 名前_𝒳(rest)


def by_trace(rest):
    def tracer(frame, event, arg):
        return tracer

    sys.settrace(tracer)
    try:
        return then(rest)
    finally:
        sys.settrace(None)


def by_profile(rest):
    sys.setprofile(lambda *_: None)
    try:
        return then(rest)
    finally:
        sys.setprofile(None)


def by_jump(rest):
    for i in range(300):
        if i == 299: result = then(rest)
        else: result = None
    return result


def by_far(rest):
    x = 0
    x += 0; x -= 0
    x += 1; x -= 1
    x += 2; x -= 2
    x += 3; x -= 3
    x += 4; x -= 4
    x += 5; x -= 5
    x += 6; x -= 6
    x += 7; x -= 7
    x += 8; x -= 8
    x += 9; x -= 9
    x += 10; x -= 10
    x += 11; x -= 11
    x += 12; x -= 12
    x += 13; x -= 13
    x += 14; x -= 14
    x += 15; x -= 15
    x += 16; x -= 16
    x += 17; x -= 17
    x += 18; x -= 18
    x += 19; x -= 19
    x += 20; x -= 20
    x += 21; x -= 21
    x += 22; x -= 22
    x += 23; x -= 23
    x += 24; x -= 24
    x += 25; x -= 25
    x += 26; x -= 26
    x += 27; x -= 27
    x += 28; x -= 28
    x += 29; x -= 29
    x += 30; x -= 30
    x += 31; x -= 31
    x += 32; x -= 32
    x += 33; x -= 33
    x += 34; x -= 34
    x += 35; x -= 35
    x += 36; x -= 36
    x += 37; x -= 37
    x += 38; x -= 38
    x += 39; x -= 39
    x += 40; x -= 40
    x += 41; x -= 41
    x += 42; x -= 42
    x += 43; x -= 43
    x += 44; x -= 44
    x += 45; x -= 45
    x += 46; x -= 46
    x += 47; x -= 47
    x += 48; x -= 48
    x += 49; x -= 49
    x += 50; x -= 50
    x += 51; x -= 51
    x += 52; x -= 52
    x += 53; x -= 53
    x += 54; x -= 54
    x += 55; x -= 55
    x += 56; x -= 56
    x += 57; x -= 57
    x += 58; x -= 58
    x += 59; x -= 59
    x += 60; x -= 60
    x += 61; x -= 61
    x += 62; x -= 62
    x += 63; x -= 63
    x += 64; x -= 64
    x += 65; x -= 65
    x += 66; x -= 66
    x += 67; x -= 67
    x += 68; x -= 68
    x += 69; x -= 69
    x += 70; x -= 70
    x += 71; x -= 71
    x += 72; x -= 72
    x += 73; x -= 73
    x += 74; x -= 74
    x += 75; x -= 75
    x += 76; x -= 76
    x += 77; x -= 77
    x += 78; x -= 78
    x += 79; x -= 79
    x += 80; x -= 80
    x += 81; x -= 81
    x += 82; x -= 82
    x += 83; x -= 83
    x += 84; x -= 84
    x += 85; x -= 85
    x += 86; x -= 86
    x += 87; x -= 87
    x += 88; x -= 88
    x += 89; x -= 89
    x += 90; x -= 90
    x += 91; x -= 91
    x += 92; x -= 92
    x += 93; x -= 93
    x += 94; x -= 94
    x += 95; x -= 95
    x += 96; x -= 96
    x += 97; x -= 97
    x += 98; x -= 98
    x += 99; x -= 99
    x += 100; x -= 100
    x += 101; x -= 101
    x += 102; x -= 102
    x += 103; x -= 103
    x += 104; x -= 104
    x += 105; x -= 105
    x += 106; x -= 106
    x += 107; x -= 107
    x += 108; x -= 108
    x += 109; x -= 109
    x += 110; x -= 110
    x += 111; x -= 111
    x += 112; x -= 112
    x += 113; x -= 113
    x += 114; x -= 114
    x += 115; x -= 115
    x += 116; x -= 116
    x += 117; x -= 117
    x += 118; x -= 118
    x += 119; x -= 119
    x += 120; x -= 120
    x += 121; x -= 121
    x += 122; x -= 122
    x += 123; x -= 123
    x += 124; x -= 124
    x += 125; x -= 125
    x += 126; x -= 126
    x += 127; x -= 127
    x += 128; x -= 128
    x += 129; x -= 129
    x += 130; x -= 130
    x += 131; x -= 131
    x += 132; x -= 132
    x += 133; x -= 133
    x += 134; x -= 134
    x += 135; x -= 135
    x += 136; x -= 136
    x += 137; x -= 137
    x += 138; x -= 138
    x += 139; x -= 139
    x += 140; x -= 140
    x += 141; x -= 141
    x += 142; x -= 142
    x += 143; x -= 143
    x += 144; x -= 144
    x += 145; x -= 145
    x += 146; x -= 146
    x += 147; x -= 147
    x += 148; x -= 148
    x += 149; x -= 149
    x += 150; x -= 150
    x += 151; x -= 151
    x += 152; x -= 152
    x += 153; x -= 153
    x += 154; x -= 154
    x += 155; x -= 155
    x += 156; x -= 156
    x += 157; x -= 157
    x += 158; x -= 158
    x += 159; x -= 159
    x += 160; x -= 160
    x += 161; x -= 161
    x += 162; x -= 162
    x += 163; x -= 163
    x += 164; x -= 164
    x += 165; x -= 165
    x += 166; x -= 166
    x += 167; x -= 167
    x += 168; x -= 168
    x += 169; x -= 169
    x += 170; x -= 170
    x += 171; x -= 171
    x += 172; x -= 172
    x += 173; x -= 173
    x += 174; x -= 174
    x += 175; x -= 175
    x += 176; x -= 176
    x += 177; x -= 177
    x += 178; x -= 178
    x += 179; x -= 179
    x += 180; x -= 180
    x += 181; x -= 181
    x += 182; x -= 182
    x += 183; x -= 183
    x += 184; x -= 184
    x += 185; x -= 185
    x += 186; x -= 186
    x += 187; x -= 187
    x += 188; x -= 188
    x += 189; x -= 189
    x += 190; x -= 190
    x += 191; x -= 191
    x += 192; x -= 192
    x += 193; x -= 193
    x += 194; x -= 194
    x += 195; x -= 195
    x += 196; x -= 196
    x += 197; x -= 197
    x += 198; x -= 198
    x += 199; x -= 199
    return then(rest)


def sleeper(ready):
    natives[threading.get_ident()] = threading.get_native_id()
    ready.set()
    time.sleep(1e6)


def locker(ready, lock):
    natives[threading.get_ident()] = threading.get_native_id()
    ready.set()
    with lock:
        pass


def main():
    lock = threading.Lock()
    lock.acquire()
    for work, args in ((sleeper, ()), (locker, (lock,)), (sleeper, ())):
        ready = threading.Event()
        threading.Thread(target=work, args=(ready,) + args, daemon=True).start()
        ready.wait()
    time.sleep(0.2)
    kinds = sorted(name[3:] for name in globals() if name.startswith("by_"))
    line = stop("start")
    while line:
        random.seed(line)
        line = then([random.choice(kinds) for _ in range(random.choice([1, 2, 3, 5, 8]))])
        if not isinstance(line, str):
            line = stop("again")


main()
