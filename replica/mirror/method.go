package mirror

// Method is a way to rank.
type Method uint8

// The methods. The first nine are those of the paper's Table 1, in its order.
const (
	Hosts Method = iota
	IP3
	IP4
	Conn
	HConn1
	HConn2
	Paths
	Prefix
	Shingles
	Stage1
	Combined
	Content
	Declared
	TopDown
	Fused
	methods
)

// Nine is how many of the methods are the paper's single ones.
const Nine = 9

var methodNames = [methods]string{
	"hosts", "IP3", "IP4", "conn", "hconn1", "hconn2", "paths", "prefix", "shingles",
	"stage1", "combined", "content", "declared", "topdown", "fused",
}

func (m Method) String() string { return methodNames[min(m, methods-1)] }
