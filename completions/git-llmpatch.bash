# bash completion for git-llmpatch, made by "git llmpatch completions bash".
#
# It answers through git's own completion, for "git llmpatch" and "git-llmpatch" alike.

_git_llmpatch ()
{
	local at=$((__git_cmd_idx + 1)) command="" dashes=""
	while [ $at -lt $cword ]; do
		case "${words[at]}" in
		-*) ;;
		*)
			command="${words[at]}"
			break
			;;
		esac
		((at++))
	done
	while [ $at -lt $cword ]; do
		if [ "${words[at]}" = "--" ]; then
			dashes=1
		fi
		((at++))
	done

	case "$command" in
	"")
		case "$cur" in
		-*) __gitcomp "--version" ;;
		*) __gitcomp "apply check diff convert show snapshot batch undo recover apply-patch prompt man help completions" ;;
		esac
		;;
	apply)
		case "$dashes,$cur" in
		1,*) return ;;
		,--conflicts=*) __gitcomp "refuse markers" "" "${cur#--conflicts=}"; return ;;
		,--onto=*) __git_complete_refs --cur="${cur#--onto=}"; return ;;
		,--branch=*) return ;;
		,--expect=*) return ;;
		,--message=*) return ;;
		,--trailer=*) return ;;
		,--author=*) return ;;
		,--date=*) return ;;
		,--gpg-sign=*) return ;;
		,--format=*) __gitcomp "envelope opx unified blocks tool files" "" "${cur#--format=}"; return ;;
		,--file=*) return ;;
		,--fuzz=*) __gitcomp "trailing indent unicode" "" "${cur#--fuzz=}"; return ;;
		,--base=*) __git_complete_refs --cur="${cur#--base=}"; return ;;
		,--directory=*) _git_llmpatch_directories "${cur#--directory=}"; return ;;
		,--root-is=*) _git_llmpatch_directories "${cur#--root-is=}"; return ;;
		,--limit=*) return ;;
		,--include=*) return ;;
		,--exclude=*) return ;;
		,--only=*) return ;;
		,--color=*) __gitcomp "auto always never" "" "${cur#--color=}"; return ;;
		,--json=*) __gitcomp "document schema" "" "${cur#--json=}"; return ;;
		,-*) __gitcomp "--index --cached --commit --conflicts= --onto= --branch= --each --intent-to-add --interactive --expect= --check --dry-run --diff --stat --numstat --name-only --summary --apply --message= --edit --signoff --trailer= --author= --date= --gpg-sign --gpg-sign= --no-gpg-sign --no-verify --format= --file= --recount --strict --no-strict --unique --no-unique --fuzz= --no-fuzz --base= --no-base --3way --overwrite --allow-empty --directory= --root-is= --limit= --include= --exclude= --only= --quiet --verbose --color --color= --json --json= --feedback"; return ;;
		esac
		case "$prev" in
		--conflicts) __gitcomp "refuse markers" "" "$cur"; return ;;
		--onto) __git_complete_refs --cur="$cur"; return ;;
		--branch) return ;;
		--expect) return ;;
		-m|--message) return ;;
		-F) return ;;
		--trailer) return ;;
		--author) return ;;
		--date) return ;;
		--format) __gitcomp "envelope opx unified blocks tool files" "" "$cur"; return ;;
		--file) return ;;
		-p) return ;;
		--fuzz) __gitcomp "trailing indent unicode" "" "$cur"; return ;;
		--base) __git_complete_refs --cur="$cur"; return ;;
		--directory) _git_llmpatch_directories "$cur"; return ;;
		--root-is) _git_llmpatch_directories "$cur"; return ;;
		--limit) return ;;
		--include) return ;;
		--exclude) return ;;
		--only) return ;;
		esac
		;;
	check)
		case "$dashes,$cur" in
		1,*) return ;;
		,--onto=*) __git_complete_refs --cur="${cur#--onto=}"; return ;;
		,--format=*) __gitcomp "envelope opx unified blocks tool files" "" "${cur#--format=}"; return ;;
		,--file=*) return ;;
		,--fuzz=*) __gitcomp "trailing indent unicode" "" "${cur#--fuzz=}"; return ;;
		,--base=*) __git_complete_refs --cur="${cur#--base=}"; return ;;
		,--directory=*) _git_llmpatch_directories "${cur#--directory=}"; return ;;
		,--root-is=*) _git_llmpatch_directories "${cur#--root-is=}"; return ;;
		,--limit=*) return ;;
		,--include=*) return ;;
		,--exclude=*) return ;;
		,--only=*) return ;;
		,--color=*) __gitcomp "auto always never" "" "${cur#--color=}"; return ;;
		,--json=*) __gitcomp "document schema" "" "${cur#--json=}"; return ;;
		,-*) __gitcomp "--staged --cached --onto= --format= --file= --recount --strict --no-strict --unique --no-unique --fuzz= --no-fuzz --base= --no-base --3way --overwrite --allow-empty --directory= --root-is= --limit= --include= --exclude= --only= --quiet --verbose --color --color= --json --json= --feedback"; return ;;
		esac
		case "$prev" in
		--onto) __git_complete_refs --cur="$cur"; return ;;
		--format) __gitcomp "envelope opx unified blocks tool files" "" "$cur"; return ;;
		--file) return ;;
		-p) return ;;
		--fuzz) __gitcomp "trailing indent unicode" "" "$cur"; return ;;
		--base) __git_complete_refs --cur="$cur"; return ;;
		--directory) _git_llmpatch_directories "$cur"; return ;;
		--root-is) _git_llmpatch_directories "$cur"; return ;;
		--limit) return ;;
		--include) return ;;
		--exclude) return ;;
		--only) return ;;
		esac
		;;
	diff)
		case "$dashes,$cur" in
		1,*) return ;;
		,--onto=*) __git_complete_refs --cur="${cur#--onto=}"; return ;;
		,--format=*) __gitcomp "envelope opx unified blocks tool files" "" "${cur#--format=}"; return ;;
		,--file=*) return ;;
		,--fuzz=*) __gitcomp "trailing indent unicode" "" "${cur#--fuzz=}"; return ;;
		,--base=*) __git_complete_refs --cur="${cur#--base=}"; return ;;
		,--directory=*) _git_llmpatch_directories "${cur#--directory=}"; return ;;
		,--root-is=*) _git_llmpatch_directories "${cur#--root-is=}"; return ;;
		,--limit=*) return ;;
		,--include=*) return ;;
		,--exclude=*) return ;;
		,--only=*) return ;;
		,--color=*) __gitcomp "auto always never" "" "${cur#--color=}"; return ;;
		,-*) __gitcomp "--stat --numstat --name-only --summary --cached --onto= --format= --file= --recount --strict --no-strict --unique --no-unique --fuzz= --no-fuzz --base= --no-base --3way --overwrite --allow-empty --directory= --root-is= --limit= --include= --exclude= --only= --quiet --verbose --color --color="; return ;;
		esac
		case "$prev" in
		--onto) __git_complete_refs --cur="$cur"; return ;;
		--format) __gitcomp "envelope opx unified blocks tool files" "" "$cur"; return ;;
		--file) return ;;
		-p) return ;;
		--fuzz) __gitcomp "trailing indent unicode" "" "$cur"; return ;;
		--base) __git_complete_refs --cur="$cur"; return ;;
		--directory) _git_llmpatch_directories "$cur"; return ;;
		--root-is) _git_llmpatch_directories "$cur"; return ;;
		--limit) return ;;
		--include) return ;;
		--exclude) return ;;
		--only) return ;;
		esac
		;;
	convert)
		case "$dashes,$cur" in
		1,*) return ;;
		,--to=*) __gitcomp "unified envelope opx blocks tool review" "" "${cur#--to=}"; return ;;
		,--pr-base=*) __git_complete_refs --cur="${cur#--pr-base=}"; return ;;
		,--unified=*) return ;;
		,--onto=*) __git_complete_refs --cur="${cur#--onto=}"; return ;;
		,--format=*) __gitcomp "envelope opx unified blocks tool files" "" "${cur#--format=}"; return ;;
		,--file=*) return ;;
		,--fuzz=*) __gitcomp "trailing indent unicode" "" "${cur#--fuzz=}"; return ;;
		,--base=*) __git_complete_refs --cur="${cur#--base=}"; return ;;
		,--directory=*) _git_llmpatch_directories "${cur#--directory=}"; return ;;
		,--root-is=*) _git_llmpatch_directories "${cur#--root-is=}"; return ;;
		,--limit=*) return ;;
		,--include=*) return ;;
		,--exclude=*) return ;;
		,--only=*) return ;;
		,--color=*) __gitcomp "auto always never" "" "${cur#--color=}"; return ;;
		,-*) __gitcomp "--to= --pr-base= --unified= --cached --onto= --format= --file= --recount --strict --no-strict --unique --no-unique --fuzz= --no-fuzz --base= --no-base --3way --overwrite --allow-empty --directory= --root-is= --limit= --include= --exclude= --only= --quiet --verbose --color --color="; return ;;
		esac
		case "$prev" in
		--to) __gitcomp "unified envelope opx blocks tool review" "" "$cur"; return ;;
		--pr-base) __git_complete_refs --cur="$cur"; return ;;
		-U|--unified) return ;;
		--onto) __git_complete_refs --cur="$cur"; return ;;
		--format) __gitcomp "envelope opx unified blocks tool files" "" "$cur"; return ;;
		--file) return ;;
		-p) return ;;
		--fuzz) __gitcomp "trailing indent unicode" "" "$cur"; return ;;
		--base) __git_complete_refs --cur="$cur"; return ;;
		--directory) _git_llmpatch_directories "$cur"; return ;;
		--root-is) _git_llmpatch_directories "$cur"; return ;;
		--limit) return ;;
		--include) return ;;
		--exclude) return ;;
		--only) return ;;
		esac
		;;
	show)
		case "$dashes,$cur" in
		1,*) return ;;
		,--to=*) __gitcomp "envelope opx blocks tool" "" "${cur#--to=}"; return ;;
		,--output-directory=*) _git_llmpatch_directories "${cur#--output-directory=}"; return ;;
		,--unified=*) return ;;
		,--color=*) __gitcomp "auto always never" "" "${cur#--color=}"; return ;;
		,-*) __gitcomp "--to= --first-parent --base --output-directory= --unified= --quiet --verbose --color --color="; return ;;
		esac
		case "$prev" in
		--to) __gitcomp "envelope opx blocks tool" "" "$cur"; return ;;
		-o|--output-directory) _git_llmpatch_directories "$cur"; return ;;
		-U|--unified) return ;;
		esac
		__git_complete_revlist; return
		;;
	snapshot)
		case "$dashes,$cur" in
		1,*) return ;;
		,-*) __gitcomp "--untracked"; return ;;
		esac
		;;
	batch)
		case "$dashes,$cur" in
		1,*) return ;;
		,--onto=*) __git_complete_refs --cur="${cur#--onto=}"; return ;;
		,--output=*) return ;;
		,--bundle=*) return ;;
		,--jobs=*) return ;;
		,--format=*) __gitcomp "envelope opx unified blocks tool files" "" "${cur#--format=}"; return ;;
		,--file=*) return ;;
		,--fuzz=*) __gitcomp "trailing indent unicode" "" "${cur#--fuzz=}"; return ;;
		,--base=*) __git_complete_refs --cur="${cur#--base=}"; return ;;
		,--directory=*) _git_llmpatch_directories "${cur#--directory=}"; return ;;
		,--root-is=*) _git_llmpatch_directories "${cur#--root-is=}"; return ;;
		,--limit=*) return ;;
		,--include=*) return ;;
		,--exclude=*) return ;;
		,--only=*) return ;;
		,-*) __gitcomp "--onto= --commit --output= --resume --bundle= --jobs= --format= --file= --recount --strict --no-strict --unique --no-unique --fuzz= --no-fuzz --base= --no-base --3way --overwrite --allow-empty --directory= --root-is= --limit= --include= --exclude= --only="; return ;;
		esac
		case "$prev" in
		--onto) __git_complete_refs --cur="$cur"; return ;;
		-o|--output) return ;;
		--bundle) return ;;
		-j|--jobs) return ;;
		--format) __gitcomp "envelope opx unified blocks tool files" "" "$cur"; return ;;
		--file) return ;;
		-p) return ;;
		--fuzz) __gitcomp "trailing indent unicode" "" "$cur"; return ;;
		--base) __git_complete_refs --cur="$cur"; return ;;
		--directory) _git_llmpatch_directories "$cur"; return ;;
		--root-is) _git_llmpatch_directories "$cur"; return ;;
		--limit) return ;;
		--include) return ;;
		--exclude) return ;;
		--only) return ;;
		esac
		;;
	undo)
		case "$dashes,$cur" in
		1,*) return ;;
		,--color=*) __gitcomp "auto always never" "" "${cur#--color=}"; return ;;
		,--json=*) __gitcomp "document schema" "" "${cur#--json=}"; return ;;
		,-*) __gitcomp "--list --drop --quiet --verbose --color --color= --json --json="; return ;;
		esac
		;;
	recover)
		case "$dashes,$cur" in
		1,*) return ;;
		,--color=*) __gitcomp "auto always never" "" "${cur#--color=}"; return ;;
		,--json=*) __gitcomp "document schema" "" "${cur#--json=}"; return ;;
		,-*) __gitcomp "--force --quiet --verbose --color --color= --json --json="; return ;;
		esac
		;;
	apply-patch)
		case "$dashes,$cur" in
		1,*) return ;;
		,-*) __gitcomp "--install"; return ;;
		esac
		;;
	prompt)
		case "$dashes,$cur" in
		1,*) return ;;
		,--example=*) __git_complete_refs --cur="${cur#--example=}"; return ;;
		,-*) __gitcomp "--example="; return ;;
		esac
		case "$prev" in
		--example) __git_complete_refs --cur="$cur"; return ;;
		esac
		__gitcomp "envelope opx blocks tool" "" "$cur"; return
		;;
	man)
		case "$dashes,$cur" in
		1,*) return ;;
		,-*) __gitcomp "--install --skill"; return ;;
		esac
		__gitcomp "git-llmpatch apply apply-patch batch check completions convert diff help man prompt recover show snapshot undo agents editors embedding troubleshooting" "" "$cur"; return
		;;
	help)
		case "$dashes,$cur" in
		1,*) return ;;
		,-*) __gitcomp ""; return ;;
		esac
		__gitcomp "git-llmpatch apply apply-patch batch check completions convert diff help man prompt recover show snapshot undo agents editors embedding troubleshooting parse context-not-found lines-not-found ambiguous occurrence file-missing file-exists unsafe-path binary stale unchanged declined nothing-to-undo protected markers inexpressible conflict encoding elision unsupported locked hook identity repository io usage signal prose-edit commented-patch draft-patch near-patch quoted-patch unknown-place undone-call pending-call repeated-patch repeated-edit stray-marker skipped-format mail-author left-out unused-option decorated-marker blank-in-body locator-spacing locator-numbers locator-relaxed outside-context no-newline-mark last-plus fuzzy restated blank-dropped duplicates addition-place already-there newline-added conflict-markers patch-markers tool-syntax hidden-characters line-numbers diff-prefixes repeated-line replaced-whole unposted no-change partial-delete-body indented-payload typographic-quotes unknown-markup stray-text blank-edges escaped-marker divider prose-conflict skipped-call nameless-fence final-newline empty-line filled-empty directory inside-word inside-indentation overlap recounted hunk-moved mode-differs id-differs hard-link rights written-late leftover interrupted recovered no-undo index-behind hook-changed in-conflict" "" "$cur"; return
		;;
	completions)
		case "$dashes,$cur" in
		1,*) return ;;
		,-*) __gitcomp "--install"; return ;;
		esac
		__gitcomp "bash elvish fish powershell zsh" "" "$cur"; return
		;;
	esac
}

# Names the directories for "--option=<dir>" and "--option <dir>".
_git_llmpatch_directories ()
{
	local directory IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen -d -- "$1"))
}

# Whoever asks for git's completion later finds ours; who asks for git-llmpatch first needs git's now.
if ! declare -f __git_complete >/dev/null; then
	if declare -f _comp_load >/dev/null; then
		_comp_load git
	elif declare -f __load_completion >/dev/null; then
		__load_completion git
	fi
fi
if ! declare -f __git_complete >/dev/null; then
	for _git_llmpatch_file in \
		/usr/share/bash-completion/completions/git \
		/usr/local/share/bash-completion/completions/git \
		/etc/bash_completion.d/git \
		/usr/share/git/completion/git-completion.bash \
		/usr/share/git-core/contrib/completion/git-completion.bash
	do
		if [ -r "$_git_llmpatch_file" ]; then
			. "$_git_llmpatch_file"
			break
		fi
	done
	unset _git_llmpatch_file
fi
if declare -f __git_complete >/dev/null; then
	__git_complete git-llmpatch _git_llmpatch
fi
