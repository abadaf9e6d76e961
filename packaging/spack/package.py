# For Spack 1.0 and newer: repos/spack_repo/builtin/packages/nvnodetop/package.py. Only Go and xz are needed: no network, and no C compiler,
# since the probes for the nodes come from the release, and the source knows their SHA-256.
import glob
import re

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Nvnodetop(Package):
    """Shows every GPU of your running SLURM jobs, on all their nodes, on one screen, from the login node. It needs
    nothing on the nodes: it copies a small probe there."""

    homepage = "https://github.com/nvnodetop/nvnodetop"
    url = "https://github.com/nvnodetop/nvnodetop/releases/download/v@VERSION@/nvnodetop-@VERSION@-vendor.tar.xz"

    license("MIT")

    version("@VERSION@", sha256="@SOURCE_SHA256@")

    resource(
        name="probes",
        url="https://github.com/nvnodetop/nvnodetop/releases/download/v@VERSION@/nvnodetop-probes-@VERSION@.tar.gz",
        sha256="@PROBES_SHA256@",
        expand=False,
        placement="probes",
        when="@@VERSION@",
    )

    depends_on("go@1.26:", type="build")
    depends_on("xz", type="build")

    executables = ["^nvnodetop$"]
    sanity_check_is_file = ["bin/nvnodetop", "share/bash-completion/completions/nvnodetop"]

    @classmethod
    def determine_version(cls, exe):
        """nvnodetop version 0.9.0"""
        output = Executable(exe)("--version", output=str, error=str)
        match = re.match(r"nvnodetop version (\d\S*)", output)
        return match.group(1) if match else None

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        env.set("GOTOOLCHAIN", "local")
        env.set("GOPROXY", "off")
        env.set("GOFLAGS", "-mod=vendor")
        env.set("GOCACHE", join_path(self.stage.path, "cache"))
        env.set("VERSION", str(self.spec.version))

    def install(self, spec, prefix):
        Executable(join_path("scripts", "build"))("--probes", glob.glob("probes/*.tar.gz")[0])
        Executable(join_path("packaging", "install"))(prefix)

    @run_after("install")
    def check_probes(self):
        """Without its probes nvnodetop reads nodes with nvidia-smi: no ranks, users and Xids."""
        said = Executable(self.prefix.bin.nvnodetop)("config", "--build", output=str)
        for platform in ("linux/amd64", "linux/arm64"):
            if f"probe    {platform}" not in said:
                raise InstallError(f"the probe for {platform} is missing in: {said}")

    def test_probes(self):
        """the version, and the probes inside"""
        self.check_probes()
