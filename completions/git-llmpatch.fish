# fish completion for git-llmpatch, printed by "git llmpatch completions fish".
#
# The program says what may follow; where there is nothing to say, fish offers files.

function __fish_git_llmpatch
    set -l words (commandline -opc)
    git-llmpatch completions --at=(count $words) -- $words (commandline -ct) 2>/dev/null
end
complete -c git-llmpatch -n "__fish_git_llmpatch | string length -q" -f -a "(__fish_git_llmpatch)"

# fish's completion of git has a rule for commands that aren't git's own, which doesn't work in
# every fish.
function __fish_git_llmpatch_of_git
    set -l words (commandline -opc)
    set -e words[1..(contains -i llmpatch $words)]
    set -l typed (string join " " -- (string escape -- $words))
    set -l word (commandline -ct)
    complete -C "git-llmpatch $typed $word"
end
complete -c git -n __fish_git_needs_command -f -a llmpatch -d "Apply the patches that language models write"
complete -c git -n "__fish_git_using_command llmpatch" -f -a "(__fish_git_llmpatch_of_git)"
