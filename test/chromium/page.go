package chromium

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Look says how the page is seen.
type Look struct {
	Width, Height int
	Dark          bool
}

// See makes the window as large as l, and its colors light or dark. A narrow window is that of a phone.
func (b *Browser) See(l Look) error {
	phone := l.Width < 600
	scale := 1
	if phone {
		scale = 2
	}
	if err := b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": l.Width, "height": l.Height,
		"deviceScaleFactor": scale, "mobile": phone}, nil); err != nil {
		return err
	}
	scheme := "light"
	if l.Dark {
		scheme = "dark"
	}
	return b.call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Open loads a page.
func (b *Browser) Open(url string) error {
	var opened struct {
		Fault string `json:"errorText"`
	}
	if err := b.call("Page.navigate", map[string]any{"url": url}, &opened); err != nil {
		return err
	}
	if opened.Fault != "" {
		return fmt.Errorf("chromium: %q cannot be opened: %s", url, opened.Fault)
	}
	return nil
}

// errLeft is Chromium's answer to JavaScript whose page was left before it had returned.
const errLeft = failure("Inspected target navigated or closed")

// Eval runs JavaScript in the page, and decodes its result.
func (b *Browser) Eval(script string, result any) error {
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Thrown *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	if err := b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true,
		"awaitPromise": true}, &answer); err != nil {
		return err
	}
	if answer.Thrown != nil {
		return fmt.Errorf("chromium: %q: %s", script, answer.Thrown.Text)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, result)
}

// Leave runs JavaScript that leaves the page, or loads it again.
func (b *Browser) Leave(script string) error {
	if err := b.Eval(script, nil); !errors.Is(err, errLeft) {
		return err
	}
	return nil
}

// Wait waits until JavaScript returns true, in this page or in one that follows it.
func (b *Browser) Wait(script string) error {
	for late := time.Now().Add(patience); ; {
		var is bool
		if err := b.Eval("Boolean("+script+")", &is); is || err != nil && !errors.Is(err, errLeft) {
			return err
		}
		if time.Now().After(late) {
			return fmt.Errorf("chromium: %s was never so", script)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Picture writes a picture of the page, as a PNG.
func (b *Browser) Picture(file string) error {
	var picture struct {
		Data string `json:"data"`
	}
	if err := b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &picture); err != nil {
		return err
	}
	png, err := base64.StdEncoding.DecodeString(picture.Data)
	if err != nil {
		return err
	}
	return os.WriteFile(file, png, 0o644)
}

// Complaints returns the errors that the browser and the page have reported since the last call: exceptions, resources
// that could not be loaded, and violations of the page's policy.
func (b *Browser) Complaints() ([]string, error) {
	if err := b.Eval("0", nil); err != nil { // after all earlier reports
		return nil, err
	}
	said := b.said
	b.said = nil
	return said, nil
}

// listen keeps an event that is a complaint.
func (b *Browser) listen(m message) {
	var event struct {
		Entry struct {
			Level, Text, URL string
		} `json:"entry"`
		Kind   string `json:"type"`
		Thrown struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
	}
	if json.Unmarshal(m.Params, &event) != nil {
		return
	}
	switch {
	case m.Method == "Log.entryAdded" && event.Entry.Level == "error":
		b.said = append(b.said, event.Entry.Text+" "+event.Entry.URL)
	case m.Method == "Runtime.exceptionThrown":
		b.said = append(b.said, event.Thrown.Text+" "+event.Thrown.Exception.Description)
	case m.Method == "Runtime.consoleAPICalled" && (event.Kind == "error" || event.Kind == "warning"):
		b.said = append(b.said, string(m.Params))
	}
}
