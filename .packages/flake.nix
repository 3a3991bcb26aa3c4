# `nix run '.?dir=.packages' -- --version` in a clone, and so with the address of a repository.
{
  description = "Applies the patches that language models write: exact, atomic, native to git";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = of: nixpkgs.lib.genAttrs systems (system: of nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "git-llmpatch";
          version = (pkgs.lib.importTOML ../Cargo.toml).package.version;
          src = ../.;
          cargoLock.lockFile = ../Cargo.lock;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          nativeCheckInputs = [ pkgs.git ];
          cargoTestFlags = [ "--lib" "--test" "cases" ];
          postInstall = ''
            installManPage man/*.1 man/*.7
            installShellCompletion --bash --name git-llmpatch completions/git-llmpatch.bash
            installShellCompletion --zsh --name _git-llmpatch completions/_git-llmpatch
            install -D --mode=644 completions/git-llmpatch.fish -t "$out/share/fish/vendor_conf.d"
            install -D --mode=644 completions/no-others.fish "$out/share/fish/vendor_completions.d/git-llmpatch.fish"
          '';
          meta = {
            description = "Applies the patches that language models write: exact, atomic, native to git";
            license = with pkgs.lib.licenses; [ asl20 mit ];
            mainProgram = "git-llmpatch";
          };
        };
      });
    };
}
