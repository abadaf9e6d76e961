package sshconn

import (
	"io"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// LimitedSigner returns signer restricted to the signature algorithms that the configuration accepts; ok is false if
// none is left.
func LimitedSigner(signer ssh.Signer, algorithms []string) (_ ssh.Signer, ok bool) {
	const cert = "-cert-v01@openssh.com"
	kind := signer.PublicKey().Type()
	if algorithms == nil || kind != ssh.KeyAlgoRSA && kind != ssh.CertAlgoRSAv01 {
		return signer, algorithms == nil || slices.Contains(algorithms, kind)
	}
	var wanted []string
	for _, a := range algorithms {
		plain, isCert := strings.CutSuffix(a, cert)
		if isCert == (kind == ssh.CertAlgoRSAv01) &&
			slices.Contains([]string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA}, plain) {
			wanted = append(wanted, plain)
		}
	}
	signs, isSigner := signer.(ssh.AlgorithmSigner)
	if !isSigner {
		return signer, slices.Contains(wanted, ssh.KeyAlgoRSA)
	}
	limited, err := ssh.NewSignerWithAlgorithms(signs, wanted)
	return limited, err == nil
}

// WitnessedSigner returns signer with a callback that is called when it is used: a key signs only after sshd has
// accepted it. A signer that fails to sign counts as unused.
func WitnessedSigner(signer ssh.Signer, used func()) ssh.Signer {
	algorithms, ok := signer.(ssh.AlgorithmSigner)
	if !ok {
		return signer
	}
	w := witnessSigner{AlgorithmSigner: algorithms, used: used}
	if multi, ok := signer.(ssh.MultiAlgorithmSigner); ok {
		return &witnessMultiSigner{witnessSigner: w, algorithms: multi.Algorithms()}
	}
	return &w
}

type witnessSigner struct {
	ssh.AlgorithmSigner
	used func()
}

func (w *witnessSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signature, err := w.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
	if err == nil {
		w.used()
	}
	return signature, err
}

type witnessMultiSigner struct {
	witnessSigner
	algorithms []string
}

func (w *witnessMultiSigner) Algorithms() []string { return w.algorithms }
