# Homebrew's formula. The release workflow fills in what is between at signs.
class GitLlmpatch < Formula
  desc "Applies the patches that language models write: exact, atomic, native to git"
  homepage "@HOME@"
  url "@URL@"
  sha256 "@SHA256@"
  license any_of: ["Apache-2.0", "MIT"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    man1.install Dir["man/*.1"]
    man7.install Dir["man/*.7"]
    bash_completion.install "completions/git-llmpatch.bash" => "git-llmpatch"
    zsh_completion.install "completions/_git-llmpatch"
    # Not among the completions: fish reads those of `git` only when it completes git.
    (share/"fish/vendor_conf.d").install "completions/git-llmpatch.fish"
    (share/"fish/vendor_completions.d").install "completions/no-others.fish" => "git-llmpatch.fish"
  end

  test do
    system "git", "init", "--quiet", "."
    (testpath/"a.txt").write "one\n"
    response = "*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch\n"
    pipe_output("#{bin}/git-llmpatch apply", response, 0)
    assert_equal "two\n", (testpath/"a.txt").read
  end
end
