"""Never stands still. A comment "-> f g" after a line names all functions that the line may have called, for the test
that judges the stacks. Each function has a name of its own."""
import asyncio
import sys
import threading
import time


def empty():
    pass


def other():
    pass


def tight(n):
    for _ in range(n):
        empty()  # -> empty
        other()  # -> other
        empty()  # -> empty


def count(n):
    for i in range(n):
        yield i
    yield n


def relay(n):
    yield from count(n)  # -> count


def generators(n):
    total = 0
    for i in relay(n):  # -> relay
        total += i
    for i in count(n):  # -> count
        total += i
    return total


def square(x):
    return x * x


def comprehensions(n):
    a = [square(x) for x in range(n)]  # -> square <listcomp>
    b = sum(square(x) for x in range(n))  # -> square <genexpr>
    c = {x: square(x) for x in range(n)}  # -> square <dictcomp>
    d = sorted(range(n), key=lambda x: square(-x))  # -> square <lambda>
    return a, b, c, d


def down(n):
    if n == 0:
        tight(20)  # -> tight
        return 0
    return down(n - 1) + 1  # -> down


def even(n):
    return True if n == 0 else odd(n - 1)  # -> odd


def odd(n):
    return False if n == 0 else even(n - 1)  # -> even


def made(n):
    """Functions that are forgotten again, so that others get their memory: number, name, file and line belong together."""
    for i in range(n):
        text = "\n" * (i % 50) + "def made_%d():\n    return square(%d)\nmade_%d()" % (i, i, i)
        exec(compile(text, "<made %d>" % i, "exec"), {"square": square})  # -> <module>


def fails(n):
    raise ValueError(n)


def exceptions(n):
    for i in range(n):
        try:
            fails(i)  # -> fails
        except ValueError:
            empty()  # -> empty
        finally:
            other()  # -> other


class Descriptor:
    def __get__(self, of, cls):
        return square(3)  # -> square

    def __init__(self):
        empty()  # -> empty


class Made:
    def __init__(self, x):
        self.x = square(x)  # -> square


class Holder:
    value = Descriptor()  # -> __init__

    def __len__(self):
        return square(2)  # -> square


def slots(n):
    holder = Holder()
    for _ in range(n):
        holder.value  # -> __get__
        len(holder)  # -> __len__
        Made(3)  # -> __init__


async def leaf(n):
    tight(n)  # -> tight
    await asyncio.sleep(0)
    return square(n)  # -> square


async def branch(n):
    return await leaf(n)  # -> leaf


async def tree(n):
    return await asyncio.gather(*[branch(i) for i in range(n)])  # -> branch <listcomp>


def tasks(n):
    asyncio.run(tree(n))  # -> tree


def trace(frame, event, arg):
    return trace if frame.f_code is tight.__code__ else None


def traced(n):
    sys.settrace(trace)
    tight(n)  # -> tight trace
    sys.settrace(None)


def waits(n):
    time.sleep(0.0001)
    tight(n)  # -> tight


def work():
    while True:
        tight(200)  # -> tight
        generators(20)  # -> generators
        comprehensions(10)  # -> comprehensions
        down(20)  # -> down
        even(25)  # -> even
        made(10)  # -> made
        exceptions(20)  # -> exceptions
        slots(20)  # -> slots
        waits(10)  # -> waits


def first():
    while True:
        tight(100)  # -> tight
        generators(30)  # -> generators
        comprehensions(20)  # -> comprehensions
        down(100)  # -> down
        even(60)  # -> even
        made(30)  # -> made
        exceptions(30)  # -> exceptions
        slots(30)  # -> slots
        tasks(5)  # -> tasks
        traced(10)  # -> traced


def main():
    sys.setrecursionlimit(5000)
    for _ in range(int(sys.argv[1])):
        threading.Thread(target=work, daemon=True).start()
    print("1", flush=True)
    first()  # -> first


main()  # -> main
