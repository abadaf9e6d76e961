"""As much of pynvml as scripts/realgpu asks, on whatever NVML is loaded. PYNVML_SAYS replaces answers: "function=number;…"."""

import ctypes
import os

# The energy is missing: each process that loads the fake NVML counts its own.
lib = ctypes.CDLL("libnvidia-ml.so.1")
SAYS = dict(one.split("=") for one in os.environ.get("PYNVML_SAYS", "").split(";") if one)

NVML_TEMPERATURE_GPU = 0
NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN = 0, 1
NVML_TEMPERATURE_THRESHOLD_MEM_MAX, NVML_TEMPERATURE_THRESHOLD_GPU_MAX = 2, 3
NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO = 0, 1, 2, 3
NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 0, 1
NVML_VOLATILE_ECC, NVML_AGGREGATE_ECC = 0, 1
NVML_NVLINK_MAX_LINKS = 18


class NVMLError(Exception):
    pass


class Value(ctypes.Union):
    _fields_ = [("dVal", ctypes.c_double), ("uiVal", ctypes.c_uint), ("ulVal", ctypes.c_ulong),
                ("ullVal", ctypes.c_ulonglong), ("sllVal", ctypes.c_longlong)]


class Field(ctypes.Structure):
    _fields_ = [("fieldId", ctypes.c_uint), ("scopeId", ctypes.c_uint), ("timestamp", ctypes.c_longlong),
                ("latencyUsec", ctypes.c_longlong), ("valueType", ctypes.c_uint), ("nvmlReturn", ctypes.c_uint),
                ("value", Value)]


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class Memory(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint), *((name, ctypes.c_ulonglong) for name in ("total", "reserved", "free", "used"))]


class BAR1Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("bar1Total", "bar1Free", "bar1Used")]


nvmlMemory_v2 = ctypes.sizeof(Memory) | 2 << 24


def ask(name, *args, kind=ctypes.c_uint, outs=1):
    if name in SAYS:
        values = [int(SAYS[name])] * outs
    else:
        got = [kind() for _ in range(outs)]
        result = getattr(lib, name)(*args, *(ctypes.byref(g) for g in got))
        if result:
            raise NVMLError(f"error {result}")
        values = [g.value for g in got]
    return values[0] if outs == 1 else values


def nvmlInit():
    lib.nvmlInit_v2()


def nvmlDeviceGetHandleByIndex(index):
    return ctypes.c_void_p(ask("nvmlDeviceGetHandleByIndex_v2", index, kind=ctypes.c_void_p))


def nvmlDeviceGetFieldValues(gpu, ids):
    values = (Field * len(ids))(*(Field(fieldId=i) for i in ids))
    if lib.nvmlDeviceGetFieldValues(gpu, len(ids), values):
        raise NVMLError("fields")
    return values


def whole(name, kind, **given):
    """Returns a structure."""

    def read(gpu, **_):
        value = kind(**given)
        result = getattr(lib, name)(gpu, ctypes.byref(value))
        if result:
            raise NVMLError(f"error {result}")
        return value

    return read


nvmlDeviceGetUtilizationRates = whole("nvmlDeviceGetUtilizationRates", Utilization)
nvmlDeviceGetMemoryInfo = whole("nvmlDeviceGetMemoryInfo_v2", Memory, version=nvmlMemory_v2)
nvmlDeviceGetBAR1MemoryInfo = whole("nvmlDeviceGetBAR1MemoryInfo", BAR1Memory)


def one(name, kind=ctypes.c_uint):
    return lambda gpu, *more: ask(name, gpu, *more, kind=kind)


for function in ("Temperature", "TemperatureThreshold", "PowerUsage", "EnforcedPowerLimit", "PowerManagementDefaultLimit",
                 "PerformanceState", "ClockInfo", "MaxClockInfo", "FanSpeed", "CurrPcieLinkGeneration", "PersistenceMode",
                 "MaxPcieLinkGeneration", "CurrPcieLinkWidth", "MaxPcieLinkWidth", "PcieReplayCounter", "NvLinkState",
                 "ComputeMode", "DisplayMode", "DisplayActive", "RetiredPagesPendingStatus"):
    globals()["nvmlDeviceGet" + function] = one("nvmlDeviceGet" + function)
for function in ("CurrentClocksEventReasons", "TotalEccErrors"):
    globals()["nvmlDeviceGet" + function] = one("nvmlDeviceGet" + function, ctypes.c_ulonglong)
for function in ("EncoderUtilization", "DecoderUtilization", "PowerManagementLimitConstraints", "EccMode", "JpgUtilization",
                 "OfaUtilization"):
    globals()["nvmlDeviceGet" + function] = lambda gpu, name="nvmlDeviceGet" + function: ask(name, gpu, outs=2)


def nvmlDeviceGetRemappedRows(gpu):
    return ask("nvmlDeviceGetRemappedRows", gpu, outs=4)
