package smi_test

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m, apptest.App{Main: app.Main, Run: app.Run}) }
