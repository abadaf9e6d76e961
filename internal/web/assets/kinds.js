// The kinds of problems: the letter in the cell of a GPU, and the name after that of the node or GPU. A test compares them with package health.

export const kinds = {
  "node_failed": ["", "failed"],
  "node_stale": ["", "not responding"],
  "no_driver": ["", "NVIDIA driver not working"],
  "driver_slow": ["", "driver slow"],
  "collector": ["", "some metrics unavailable"],
  "gpu_missing": ["X", "GPU missing"],
  "gpu_hidden": ["X", "GPUs hidden"],
  "gpu_lost": ["X", "lost"],
  "gpu_unusable": ["X", "unusable"],
  "gpu_hang": ["X", "hung"],
  "ecc": ["E", "ECC errors"],
  "thermal": ["T", "thermal"],
  "power_brake": ["P", "power brake"],
  "hw_slowdown": ["T", "HW slowdown"],
  "recovery_action": ["X", "recovery needed"],
  "xid": ["X", "Xid"],
  "remap_failed": ["E", "remap failed"],
  "remap_pending": ["E", "remap pending"],
  "retired_pages": ["E", "retired pages"],
  "ecc_growing": ["E", "new ECC errors"],
  "nvlink_down": ["N", "NVLink down"],
  "nvlink_errors": ["N", "NVLink errors"],
  "pcie_degraded": ["N", "PCIe slow"],
  "pcie_replays": ["N", "PCIe replays"],
  "gpu_memory_full": ["", "memory full"],
  "persistence_off": ["", "persistence off"],
  "disk_full": ["", "disk full"],
  "host_memory": ["", "host memory full"],
  "other_cgroup": ["", "other cgroup"],
  "owner_unknown": ["", "owner not known"],
  "mixed_drivers": ["", "other driver or model"],
  "left_over": ["", "left-over process"],
  "foreign_process": ["", "foreign process"],
  "clock_skew": ["", "clock wrong"],
  "rank_gone": ["X", "rank gone"],
  "lag": ["L", "lags"],
  "idle": ["I", "idle"],
  "job_idle": ["", "all GPUs idle"],
  "job_hang": ["", "job seems to hang"],
  "memory_imbalance": ["", "uses more memory"],
  "connecting": ["", "connecting"],
  "old_driver": ["", "driver too old"]
};

// The letters, worst first, and what they stand for.
export const letters = {
  "X": "lost/Xid",
  "E": "ECC",
  "T": "thermal",
  "P": "brake",
  "N": "link",
  "L": "lags",
  "I": "idle"
};

// The names of failures of a node, by class. Other classes are "failed".
export const failures = {
  "adopt": "login refused",
  "auth": "login refused",
  "denied": "login refused",
  "refused": "unreachable",
  "no_route": "unreachable",
  "timeout": "unreachable",
  "frozen": "unreachable",
  "login_hangs": "login hung",
  "probe_late": "probe not started",
  "driver_hangs": "driver hung",
  "driver_replaced": "driver replaced",
  "unknown_host": "unknown host",
  "host_key_changed": "host key changed",
  "host_key_unknown": "host key unknown",
  "silent": "not responding",
  "closed": "connection lost",
  "probe_killed": "probe was killed"
};
