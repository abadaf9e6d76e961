package progress

import (
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/joblog/progress/forms"
)

// progress returns what is known.
func (st *state) progress() progress.Progress {
	s := &st.said
	p := progress.Progress{Form: s.Form, At: st.at, LastCheckpoint: st.saved, Resumed: st.resumed}
	if s.Form == "" {
		p.Step = st.resumed
		return p
	}
	p.Step, p.Total, p.Epochs = count(s, forms.Step), count(s, forms.Total), count(s, forms.Epochs)
	p.Epoch = number(s, forms.Epoch)
	if p.Loss = number(s, forms.Loss); p.Loss != nil && (math.IsNaN(*p.Loss) || math.IsInf(*p.Loss, 0)) {
		p.Loss, p.Diverged = nil, true
	}
	p.LearningRate, p.MFU = number(s, forms.LearningRate), number(s, forms.MFU)
	if p.UnitsPerSecond = number(s, forms.Rate); p.UnitsPerSecond != nil {
		p.Unit = s.Unit
	}
	st.setEpochs(&p)
	p.Scope = st.scope(&p)
	st.setPace(&p)
	if s.Knows(forms.Left) {
		span := time.Duration(s.Num[forms.Left] * float64(time.Second))
		if p.ETA, p.ETAScope = &span, s.ETAScope; p.ETAScope == progress.UnknownScope {
			p.ETAScope = p.Scope
		}
	}
	return p
}

func count(s *forms.Said, q forms.Quantity) *int64 {
	if !s.Knows(q) {
		return nil
	}
	v := int64(s.Num[q])
	return &v
}

func number(s *forms.Said, q forms.Quantity) *float64 {
	if !s.Knows(q) {
		return nil
	}
	v := s.Num[q]
	return &v
}

// setEpochs notes how many epochs have ended, and how many there are. Programs count epochs from 1, unless the form of
// the line or an epoch 0 says otherwise. A bar of epochs counts those that have ended.
func (st *state) setEpochs(p *progress.Progress) {
	if p.Epoch == nil || p.Epochs == nil {
		return
	}
	ended, all := math.Floor(*p.Epoch), float64(*p.Epochs)
	if st.said.IsLast {
		all++
	}
	if !st.said.IsBase0 && !st.isFrom0 && !st.isOuter {
		ended--
	}
	if ended >= 0 && ended < all && all > 0 {
		p.EpochsEnded, p.EpochsInAll = &ended, all
	}
}

// scope returns what the steps are counted within. If neither the form nor the past of the log says it, the share of
// the steps does, if it cannot be that of the run in this epoch.
func (st *state) scope(p *progress.Progress) progress.Scope {
	switch s := &st.said; {
	case s.Scope != progress.UnknownScope:
		return s.Scope
	case st.isOn:
		return progress.OfRun
	case st.isRestart, st.isOuter:
		return progress.OfEpoch
	case p.Epoch != nil && *p.Epoch != math.Floor(*p.Epoch):
		return progress.OfRun // a part of an epoch is said beside steps of the run
	case p.Epochs == nil && p.Epoch == nil, p.Epochs != nil && p.Epoch == nil:
		return progress.OfRun
	case p.EpochsEnded == nil || p.Total == nil || *p.Total == 0:
		return progress.UnknownScope
	}
	run := float64(*p.Step) / float64(*p.Total) * p.EpochsInAll
	if run < *p.EpochsEnded-0.01 || run > *p.EpochsEnded+1.01 {
		return progress.OfEpoch
	}
	return progress.UnknownScope
}

// setPace notes the pace, and whether it became slower.
func (st *state) setPace(p *progress.Progress) {
	slower, since := st.paces.slower(st.at)
	now := 0.0
	if st.said.Knows(forms.Seconds) && st.said.Num[forms.Seconds] > 0 {
		now, p.Source = st.paces.believed(st.said.Num[forms.Seconds]), progress.Said
	} else if now = st.paces.counted(since); now > 0 {
		p.Source = progress.Counted
	}
	if now > 0 {
		p.SecondsPerStep = &now
		p.Slower = slower
	}
}
