package metric

// errorRows has the metrics of memory errors and recovery.
var errorRows = map[ID]Row{
	ECCMode: {
		Key: "ecc_enabled", Label: "ECC", Unit: Count, Pace: Once,
		From: []string{"nvmlDeviceGetEccMode"},
		Help: "1 if ECC is on, 0 if it is off.",
	},
	ECCUncorrected: {
		Key: "ecc_uncorrected_volatile", Label: "ECC", Unit: Count, Sum: Add,
		From: []string{"nvmlDeviceGetTotalEccErrors"},
		Help: "Uncorrectable ECC errors since the driver was loaded.",
	},
	ECCCorrected: {
		Key: "ecc_corrected_volatile", Label: "corrected ECC errors", Unit: Count, Sum: Add,
		From: []string{"nvmlDeviceGetTotalEccErrors"},
		Help: "Corrected ECC errors since the driver was loaded.",
	},
	ECCUncorrectedAggregate: {
		Key: "ecc_uncorrected_aggregate", Label: "ECC errors of all time", Unit: Count, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetTotalEccErrors"},
		Help: "Uncorrectable ECC errors in the life of the GPU.",
	},
	ECCCorrectedAggregate: {
		Key: "ecc_corrected_aggregate", Label: "corrected ECC errors of all time", Unit: Count, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetTotalEccErrors"},
		Help: "Corrected ECC errors in the life of the GPU.",
	},
	RetiredCorrectable: {
		Key: "retired_pages_correctable", Label: "retired pages, correctable", Unit: Count, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetRetiredPages"},
		Help: "Memory pages retired after correctable errors. Up to Volta.",
	},
	RetiredUncorrectable: {
		Key: "retired_pages_uncorrectable", Label: "retired pages, uncorrectable", Unit: Count, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetRetiredPages"},
		Help: "Memory pages retired after an uncorrectable error. Up to Volta.",
	},
	RetiredPending: {
		Key: "retired_pages_pending", Label: "page retirement pending", Unit: Count, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetRetiredPagesPendingStatus"},
		Help: "1 if pages will be retired at the next reboot, else 0.",
	},
	RemappedCorrectable: {
		Key: "remapped_rows_correctable", Label: "remapped rows, correctable", Unit: Count, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetRemappedRows"},
		Help: "Memory rows remapped after correctable errors. Ampere and later.",
	},
	RemappedUncorrectable: {
		Key: "remapped_rows_uncorrectable", Label: "remapped rows, uncorrectable", Unit: Count, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetRemappedRows"},
		Help: "Memory rows remapped after an uncorrectable error. Ampere and later.",
	},
	RemapPending: {
		Key: "remap_pending", Label: "row remapping pending", Unit: Count, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetRemappedRows"},
		Help: "1 if a row will be remapped at the next reset, else 0.",
	},
	RemapFailed: {
		Key: "remap_failed", Label: "row remapping failed", Unit: Count, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetRemappedRows"},
		Help: "1 if a row could not be remapped, else 0.",
	},
	RecoveryAction: {
		Key: "recovery_action", Label: "recovery action", Unit: Count, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "What the driver asks for: 0 nothing, 1 reset the GPU, 2 reboot the node, 3 drain P2P, 4 drain P2P and reset, 5 recover the IMEX domain.",
	},
}
