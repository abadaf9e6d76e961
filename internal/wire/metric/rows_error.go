package metric

// errorRows has the metrics of memory errors and recovery.
var errorRows = []tableEntry{
	{ECCMode, Row{
		Key: "ecc_enabled", Label: "ECC mode", Unit: Count, Pace: Once,
		From: []string{"nvmlDeviceGetEccMode"},
		DCGM: "DCGM_FI_DEV_ECC_CURRENT",
		Help: "1 if ECC is on, 0 if it is off.",
	}},
	{ECCUncorrected, Row{
		Core: true, Key: "ecc_uncorrected_volatile", Label: "ECC", Unit: Count, Sum: Add,
		From:   []string{"nvmlDeviceGetTotalEccErrors"},
		Series: "ecc_errors", Labels: `kind="uncorrected",scope="volatile"`, Counter: true,
		DCGM: "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
		Help: "Uncorrectable ECC errors since the driver was loaded.",
	}},
	{ECCCorrected, Row{
		Core: true, Key: "ecc_corrected_volatile", Label: "corrected ECC errors", Unit: Count, Sum: Add,
		From:   []string{"nvmlDeviceGetTotalEccErrors"},
		Series: "ecc_errors", Labels: `kind="corrected",scope="volatile"`, Counter: true,
		DCGM: "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
		Help: "Corrected ECC errors since the driver was loaded.",
	}},
	{ECCUncorrectedAggregate, Row{
		Key: "ecc_uncorrected_aggregate", Label: "ECC errors of all time", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetTotalEccErrors"},
		Series: "ecc_errors", Labels: `kind="uncorrected",scope="aggregate"`, Counter: true,
		DCGM: "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL",
		Help: "Uncorrectable ECC errors in the life of the GPU.",
	}},
	{ECCCorrectedAggregate, Row{
		Key: "ecc_corrected_aggregate", Label: "corrected ECC errors of all time", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetTotalEccErrors"},
		Series: "ecc_errors", Labels: `kind="corrected",scope="aggregate"`, Counter: true,
		DCGM: "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL",
		Help: "Corrected ECC errors in the life of the GPU.",
	}},
	{RetiredCorrectable, Row{
		Key: "retired_pages_correctable", Label: "retired pages, correctable", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetRetiredPages"},
		Series: "retired_pages", Labels: `cause="correctable"`, DCGM: "DCGM_FI_DEV_RETIRED_SBE",
		Help: "Memory pages retired after correctable errors. Up to Volta.",
	}},
	{RetiredUncorrectable, Row{
		Key: "retired_pages_uncorrectable", Label: "retired pages, uncorrectable", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetRetiredPages"},
		Series: "retired_pages", Labels: `cause="uncorrectable"`, DCGM: "DCGM_FI_DEV_RETIRED_DBE",
		Help: "Memory pages retired after an uncorrectable error. Up to Volta.",
	}},
	{RetiredPending, Row{
		Key: "retired_pages_pending", Label: "page retirement pending", Unit: Count, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetRetiredPagesPendingStatus"},
		DCGM: "DCGM_FI_DEV_RETIRED_PENDING",
		Help: "1 if pages will be retired at the next reboot, else 0.",
	}},
	{RemappedCorrectable, Row{
		Key: "remapped_rows_correctable", Label: "remapped rows, correctable", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetRemappedRows"},
		Series: "remapped_rows", Labels: `cause="correctable"`, DCGM: "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
		Help: "Memory rows remapped after correctable errors. Ampere and later.",
	}},
	{RemappedUncorrectable, Row{
		Key: "remapped_rows_uncorrectable", Label: "remapped rows, uncorrectable", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetRemappedRows"},
		Series: "remapped_rows", Labels: `cause="uncorrectable"`, DCGM: "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
		Help: "Memory rows remapped after an uncorrectable error. Ampere and later.",
	}},
	{RemapPending, Row{
		Key: "remap_pending", Label: "row remapping pending", Unit: Count, Pace: Slow, Sum: Highest,
		From:   []string{"nvmlDeviceGetRemappedRows"},
		Series: "row_remap_pending", DCGM: "DCGM_FI_DEV_ROW_REMAP_PENDING",
		Help: "1 if a row will be remapped at the next reset, else 0.",
	}},
	{RemapFailed, Row{
		Key: "remap_failed", Label: "row remapping failed", Unit: Count, Pace: Slow, Sum: Highest,
		From:   []string{"nvmlDeviceGetRemappedRows"},
		Series: "row_remap_failed", DCGM: "DCGM_FI_DEV_ROW_REMAP_FAILURE",
		Help: "1 if a row could not be remapped, else 0.",
	}},
	{BanksWithoutSpareRows, Row{
		Key: "banks_without_spare_rows", Label: "memory banks without spare rows", Unit: Count, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetRowRemapperHistogram"},
		DCGM: "DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_NONE",
		Help: "Memory banks in which no row is left to remap a damaged one to. Ampere and later.",
	}},
	{RecoveryAction, Row{
		Key: "recovery_action", Label: "recovery action", Unit: Count, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		DCGM: "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION",
		Help: "What the driver asks for: 0 nothing, 1 reset the GPU, 2 reboot the node, 3 drain P2P, 4 drain P2P and " +
			"reset, 5 recover the IMEX domain.",
	}},
}
