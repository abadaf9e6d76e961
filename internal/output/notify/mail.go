package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"os/exec"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

const (
	mostAddresses = 10
	maxSubject    = 200
)

// sendmails are the places of sendmail besides PATH: users do not have sbin in it.
var sendmails = []string{"sendmail", "/usr/sbin/sendmail", "/usr/lib/sendmail"}

// NewMailWay passes a mail to the host's sendmail for each Message.
func NewMailWay(to string) (Way, error) {
	addresses, err := parseRecipients(to)
	if err != nil {
		return Way{}, err
	}
	for _, name := range sendmails {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		return Way{"mail", func(ctx context.Context, d *MessageDocument) error {
			return runProgram(ctx, childTime, path, []string{"-t", "-i"}, mailMessage(addresses, d))
		}, childTime}, nil
	}
	return Way{}, errors.New("there is no sendmail on this host")
}

// parseRecipients returns the addresses of a list, without names.
func parseRecipients(list string) (addresses []string, err error) {
	all, err := mail.ParseAddressList(list)
	if err != nil || len(all) > mostAddresses {
		return nil, fmt.Errorf("%q is not a list of up to %d mail addresses", list, mostAddresses)
	}
	for _, a := range all {
		addresses = append(addresses, (&mail.Address{Address: a.Address}).String())
	}
	return addresses, nil
}

// mailMessage returns the mail. Titles and texts come from other hosts. So the subject is always one line, and the body
// is encoded: it can neither begin a header nor contain a line that is too long.
func mailMessage(to []string, d *MessageDocument) []byte {
	var b bytes.Buffer
	subject := mime.QEncoding.Encode("utf-8", safe.Line("nvnodetop: "+d.Title, maxSubject))
	for _, header := range [][2]string{
		{"To", strings.Join(to, ", ")}, {"Subject", strings.ReplaceAll(subject, "\r\n", "\n")},
		{"Auto-Submitted", "auto-generated"}, {"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&b, "%s: %s\n", header[0], header[1])
	}
	b.WriteByte('\n')
	body := quotedprintable.NewWriter(&b)
	fmt.Fprintf(body, "%s\n\nnvnodetop of %s on %s\n", safe.Lines(d.Text, maxLetter), d.User, d.Host)
	_ = body.Close() // a Buffer takes everything
	return bytes.ReplaceAll(b.Bytes(), []byte("\r\n"), []byte("\n"))
}

const maxLetter = 16 << 10
