package metric

import (
	"encoding/json"
	"slices"
	"testing"
)

// Columns carry exactly the values that have changed, whichever of them are absent.
func TestColumns(t *testing.T) {
	was := []Values{Make(map[ID]float64{Util: 1, Power: 2.5}), {}, Make(map[ID]float64{Util: 3, MemoryUsed: 1 << 40})}
	now := []Values{Make(map[ID]float64{Util: 1, Power: 3.125}), Make(map[ID]float64{Util: 0}),
		Make(map[ID]float64{Util: 3})}
	text := AppendColumns(nil, len(now), func(i int) (*Values, *Values) { return &now[i], &was[i] })
	if want := `{"util_percent":[null,0,null],"power_watts":[3.125,null,null]}`; string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	var got Columns
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Inherit(&was[i], now[i].Gone(&was[i]), GPU)
	}
	if !slices.Equal(got, now) {
		t.Errorf("%v, want %v", got, now)
	}
}

func TestColumnsOfOthers(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                 `[]`,
		`{"util_percent":[5]}`:               `[{"util_percent":5}]`,
		`{"new_metric":[5],"mem_mhz":[1,2]}`: `[{"mem_mhz":1} {"mem_mhz":2}]`,
		`{"util_percent":[500]}`:             `[{}]`,
		`{"cpu_percent":[5]}`:                `[{}]`, // of a node
		`{"util_percent":[]}`:                "",
		`{"util_percent":5}`:                 "",
		`{"util_percent":[5],"mem_mhz":{}}`:  "",
		`{"util_percent":["5"]}`:             "",
		`{"util_percent":[nullnull]}`:        "",
		`{"util_percent":[null`:              "",
		`{"util_percent":[5`:                 "",
		`{"util_percent":[5}`:                "",
		`{"util_percent":[5]`:                "",
		`{":[5]}`:                            "",
		`[]`:                                 "",
		``:                                   "",
	} {
		var got Columns
		err := got.UnmarshalJSON([]byte(text))
		if (err == nil) != (want != "") || err == nil && want != valuesText(got) {
			t.Errorf("%s: %s, %v; want %s", text, valuesText(got), err, want)
		}
	}
}

func valuesText(list Columns) string {
	text := "["
	for i := range list {
		if i > 0 {
			text += " "
		}
		text += list[i].String()
	}
	return text + "]"
}

func FuzzColumns(f *testing.F) {
	f.Add([]byte(`{"util_percent":[null,0,97],"power_watts":[3.125,null,1e3]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c Columns
		if c.UnmarshalJSON(text) != nil {
			return
		}
		var again Columns
		written := AppendColumns(nil, len(c), func(i int) (*Values, *Values) { return &c[i], &Values{} })
		if err := again.UnmarshalJSON(written); err != nil || !slices.Equal(again[:len(again):len(again)],
			c[:len(again)]) {
			t.Errorf("%q gives %v, then %v, %v", text, c, again, err)
		}
	})
}
