# For a tap of Homebrew. A laptop uses nvnodetop with --login; the probes for the nodes come from the release, and the source knows their SHA-256.
class Nvnodetop < Formula
  desc "Every GPU of your SLURM jobs, on all their nodes, on one screen"
  homepage "https://github.com/nvnodetop/nvnodetop"
  url "https://github.com/nvnodetop/nvnodetop/releases/download/v@VERSION@/nvnodetop-@VERSION@-vendor.tar.xz"
  sha256 "@SOURCE_SHA256@"
  license "MIT"

  depends_on "go" => :build
  depends_on "xz" => :build

  on_macos do
    depends_on "coreutils" => :build # sha256sum
  end

  resource "probes" do
    url "https://github.com/nvnodetop/nvnodetop/releases/download/v@VERSION@/nvnodetop-probes-@VERSION@.tar.gz"
    sha256 "@PROBES_SHA256@"
  end

  def install
    ENV.prepend_path "PATH", Formula["coreutils"].opt_libexec/"gnubin" if OS.mac?
    ENV["GOTOOLCHAIN"] = "local"
    ENV["GOPROXY"] = "off"
    ENV["GOFLAGS"] = "-mod=vendor"
    ENV["VERSION"] = version.to_s
    system "scripts/build", "--probes", resource("probes").cached_download
    system "packaging/install", prefix
    bash_completion.install share/"bash-completion/completions/nvnodetop"
  end

  test do
    assert_match "nvnodetop version #{version}", shell_output("#{bin}/nvnodetop --version")
    said = shell_output("#{bin}/nvnodetop config --build")
    assert_match "probe    linux/amd64", said
    assert_match "probe    linux/arm64", said
  end
end
