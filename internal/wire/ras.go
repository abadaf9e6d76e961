package wire

// AskRAS asks NCCL's RAS subsystem about a job, at the socket that one of the user's processes on the node opened for
// it. The subsystem asks all other processes of the job, so it is asked only on request. An answer comes in pieces: the
// request for the first piece asks the question, and requests with More fetch the next piece of the same answer.
type AskRAS struct {
	ProcessID      // a process of the job
	More      bool `json:"more,omitempty"`
	// Old asks even an NCCL before 2.29, whose processes can crash while they assemble the answer.
	Old bool `json:"old,omitempty"`
}

// RASPiece is a piece of what the socket sent, verbatim, except that a JSON document has no indentation.
type RASPiece struct {
	Address string `json:"address,omitempty"` // of the socket, in the first piece
	Data    []byte `json:"data,omitempty"`    // may be empty before the end, if nothing has arrived yet
	More    bool   `json:"more,omitempty"`    // this is not the end
	Old     bool   `json:"old,omitempty"`     // it was not asked, because AskRAS.Old was not set
}

// Limits of an answer of RAS.
const (
	MaxRASPiece   = 512 << 10 // bytes of RASPiece.Data, to keep a Reply below MaxLine
	MaxRAS        = 16 << 20  // bytes of an answer
	MaxRASSeconds = 15        // from the question to the end
)
