# bash completion for git-llmpatch, printed by "git llmpatch completions bash".
#
# The program says what may follow. It answers through git's own completion, for "git llmpatch" and
# "git-llmpatch" alike; where there is nothing to say, bash offers files.

_git_llmpatch ()
{
	local part="$cur" IFS=$'\n' found
	# Of "--option=value", what is behind the "=" is completed.
	case "$cur" in
	-*=*) part="${cur#*=}" ;;
	esac
	found=($(git-llmpatch completions --at=$((cword - __git_cmd_idx)) -- "${words[@]:__git_cmd_idx}" 2>/dev/null))
	found=("${found[@]%%$'\t'*}")
	found=("${found[@]#"${cur%"$part"}"}")
	__gitcomp_nl "${found[*]}" "" "$part"
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
