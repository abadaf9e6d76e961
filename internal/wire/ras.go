package wire

// AskRAS asks NCCL's RAS subsystem about a job, at the socket that one of the user's processes on the node has for it.
// The subsystem asks all other processes of the job, so it is asked only on request. An answer comes in pieces: the
// request for the first one asks, and those with More take the next piece of the same answer.
type AskRAS struct {
	ProcessID      // a process of the job
	More      bool `json:"more,omitempty"`
	// Old asks an NCCL before 2.29 too, of which processes can crash while they put the answer together.
	Old bool `json:"old,omitempty"`
}

// RASPiece is a piece of what the socket has sent, in its own words; of a document in JSON without its indentation.
type RASPiece struct {
	Address string `json:"address,omitempty"` // of the socket, in the first piece
	Data    []byte `json:"data,omitempty"`    // may be empty before the end: nothing has come yet
	More    bool   `json:"more,omitempty"`    // it is not the end
	Old     bool   `json:"old,omitempty"`     // it was not asked, since AskRAS.Old was not set
}

// Limits of an answer of RAS.
const (
	MaxRASPiece   = 512 << 10 // bytes of RASPiece.Data, to keep a Reply below MaxLine
	MaxRAS        = 16 << 20  // bytes of an answer
	MaxRASSeconds = 15        // from the question to the end
)
