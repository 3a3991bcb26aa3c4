//! Ready sets of paths, by name.

/// What runs by itself, or says what does, once it is in a work tree: names of files and
/// directories, wherever they are, and what each says. The manual has the same list.
pub const EXECUTES: &[(&str, &str)] = &[
    (
        ".githooks",
        "which hooks git runs, where `core.hooksPath` names it",
    ),
    (".husky", "which hooks husky runs"),
    ("lefthook.yml", "which hooks lefthook runs"),
    (".lefthook.yml", "which hooks lefthook runs"),
    (".pre-commit-config.yaml", "which hooks pre-commit runs"),
    (
        ".gitattributes",
        "which filters and merge drivers git runs on which files",
    ),
    (
        ".gitmodules",
        "from where git clones, and what it runs to update",
    ),
    (".lfsconfig", "to which server git-lfs talks"),
    (".github/workflows", "what GitHub runs"),
    (".github/actions", "what GitHub runs"),
    (".gitlab-ci.yml", "what GitLab runs"),
    (".forgejo/workflows", "what Forgejo runs"),
    (".gitea/workflows", "what Gitea runs"),
    (".circleci", "what CircleCI runs"),
    (".buildkite", "what Buildkite runs"),
    (".woodpecker", "what Woodpecker runs"),
    (".travis.yml", "what Travis runs"),
    (".drone.yml", "what Drone runs"),
    ("Jenkinsfile", "what Jenkins runs"),
    ("azure-pipelines.yml", "what Azure runs"),
    ("bitbucket-pipelines.yml", "what Bitbucket runs"),
    (".cirrus.yml", "what Cirrus runs"),
    (
        ".vscode",
        "what the editor runs when it opens the directory",
    ),
    (".idea", "what the editor runs when it opens the directory"),
    (".zed", "what the editor runs when it opens the directory"),
    (".devcontainer", "what the editor runs in a container"),
    (".exrc", "what vi runs when it starts here"),
    (".vimrc", "what vim runs when it starts here"),
    (".nvim.lua", "what neovim runs when it starts here"),
    (".nvimrc", "what neovim runs when it starts here"),
    (
        ".dir-locals.el",
        "what Emacs evaluates when it opens a file",
    ),
    (".claude", "what an agent may run, and its hooks"),
    (".codex", "what an agent may run"),
    (".cursor", "what an agent may run, and its servers"),
    (".gemini", "what an agent may run"),
    (".aider.conf.yml", "what an agent may run"),
    (".continue", "what an agent may run"),
    (".windsurf", "what an agent may run"),
    (".roo", "what an agent may run"),
    (".mcp.json", "which servers an agent starts"),
    (
        ".envrc",
        "what direnv runs in a shell that enters the directory",
    ),
    (
        "mise.toml",
        "what mise runs in a shell that enters the directory",
    ),
    (
        ".mise.toml",
        "what mise runs in a shell that enters the directory",
    ),
    (
        ".cargo/config.toml",
        "what cargo runs as compiler, linker and runner",
    ),
    (
        ".cargo/config",
        "what cargo runs as compiler, linker and runner",
    ),
    (".npmrc", "which scripts and registries npm uses"),
    (".yarnrc.yml", "which program runs as yarn"),
    (".bazelrc", "what bazel runs"),
    (".mvn", "what Maven runs"),
    ("gradle/wrapper", "what runs as Gradle"),
    (".gdbinit", "what gdb runs when it starts here"),
    (".lldbinit", "what lldb runs when it starts here"),
];

/// Returns what runs a file at this path by itself, if anything does; case doesn't count.
pub fn executes(path: &[u8]) -> Option<&'static str> {
    let mut starts =
        std::iter::once(0).chain(memchr::memchr_iter(b'/', path).map(|slash| slash + 1));
    starts.find_map(|start| {
        let rest = &path[start..];
        let named = EXECUTES.iter().find(|(name, _)| {
            let there = rest.get(..name.len());
            there.is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes()))
                && matches!(rest.get(name.len()), None | Some(b'/'))
        });
        named.map(|(_, what)| *what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_whole_and_anywhere() {
        for (path, is_one) in [
            (&b".envrc"[..], true),
            (b"a/b/.envrc", true),
            (b".ENVRC", true),
            (b".envrc2", false),
            (b"x.envrc", false),
            (b".github/workflows/a/b.yml", true),
            (b"sub/.github/workflows", true),
            (b".github/CODEOWNERS", false),
            (b"github/workflows/a.yml", false),
            (b"", false),
        ] {
            assert_eq!(executes(path).is_some(), is_one, "{}", path.escape_ascii());
        }
    }
}
