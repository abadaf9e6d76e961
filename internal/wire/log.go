package wire

// ReadLog asks for a piece of a file that belongs to the login user: the log of a job.
type ReadLog struct {
	Path string `json:"path"` // absolute
	From int64  `json:"from"` // offset of the first byte; negative: count from the end
	Max  int    `json:"max"`  // bytes, at most MaxLog

	// Latest asks for the last Max bytes instead, if there are more than Max after From.
	Latest bool `json:"latest,omitempty"`
}

// LogPiece is a piece of a log.
type LogPiece struct {
	Missing bool   `json:"missing,omitempty"` // no such file; the rest is empty
	Size    int64  `json:"size"`              // of the file
	From    int64  `json:"from"`              // offset of Data; Size if the file is shorter than From
	Data    []byte `json:"data,omitempty"`    // as it is in the file
	ModMS   int64  `json:"mod_ms,omitempty"`  // time of the last change, in ms since 1970
	Shared  bool   `json:"shared,omitempty"`  // the file system is a network file system
}

// MaxLog is the maximum number of bytes of LogPiece.Data, to keep a Reply far below MaxLine.
const MaxLog = 64 << 10
