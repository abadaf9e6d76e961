package schema

// Constant and Generated are for the tests whose packages import this one.
var (
	Constant  = constant
	Generated = generated
)
