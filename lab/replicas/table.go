package replicas

import (
	"bufio"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

// rowGroup is the number of rows that a Parquet file holds together; so many are in memory while it
// is written.
const rowGroup = 1 << 14

// table writes rows of one type as Parquet and as CSV, with the columns that the fields' parquet
// tags name.
type table[T any] struct {
	files   [2]*os.File
	out     *bufio.Writer
	csv     *csv.Writer
	parquet *parquet.GenericWriter[T]
	columns []column
	rows    int
	err     error
}

// column is how a field is written as CSV.
type column struct {
	field int
	time  bool // milliseconds since 1970
}

// newTable begins NAME.csv and NAME.parquet in a folder.
func newTable[T any](dir, name string) (t *table[T], err error) {
	t = &table[T]{}
	for i, end := range []string{".parquet", ".csv"} {
		if t.files[i], err = os.Create(filepath.Join(dir, name+end)); err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	t.parquet = parquet.NewGenericWriter[T](t.files[0], parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("watershed", "", ""))
	t.out = bufio.NewWriterSize(t.files[1], 64<<10)
	t.csv = csv.NewWriter(t.out)
	var head []string
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		tag := of.Field(i).Tag.Get("parquet")
		name, options, _ := strings.Cut(tag, ",")
		head = append(head, name)
		t.columns = append(t.columns, column{i, strings.Contains(options, "timestamp")})
	}
	return t, t.csv.Write(head)
}

// add writes a row; errors are told by close.
func (t *table[T]) add(row T) {
	if t.err != nil {
		return
	}
	if _, t.err = t.parquet.Write([]T{row}); t.err != nil {
		return
	}
	if t.rows++; t.rows%rowGroup == 0 {
		t.err = t.parquet.Flush()
	}
	v := reflect.ValueOf(row)
	fields := make([]string, len(t.columns))
	for i, c := range t.columns {
		fields[i] = field(v.Field(c.field), c.time)
	}
	t.err = errors.Join(t.err, t.csv.Write(fields))
}

func field(v reflect.Value, at bool) string {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', 6, 64)
	case reflect.Int32, reflect.Int64:
		if at {
			return time.UnixMilli(v.Int()).UTC().Format(time.RFC3339)
		}
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return hex.EncodeToString(v.Bytes())
		}
	}
	return fmt.Sprint(v.Interface())
}

// close ends both files, and tells the first error: those that follow from it say the same once
// more.
func (t *table[T]) close() error {
	errs := []error{t.err}
	if t.parquet != nil {
		errs = append(errs, t.parquet.Close())
	}
	if t.csv != nil {
		t.csv.Flush()
		errs = append(errs, t.csv.Error(), t.out.Flush())
	}
	for _, f := range t.files {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
