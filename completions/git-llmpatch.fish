# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_git_llmpatch_global_optspecs
    string join \n h V/version
end

function __fish_git_llmpatch_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_git_llmpatch_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_git_llmpatch_using_subcommand
    set -l cmd (__fish_git_llmpatch_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -s V -l version -d 'Print version'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "apply" -d 'Work out the whole change, then make it: all or nothing'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "check" -d 'Check whether responses would apply, and write nothing'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "diff" -d 'Print the change as a diff that git apply accepts'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "convert" -d 'Print the change in another format'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "show" -d 'Write commits as responses that make the same changes'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "snapshot" -d 'Store the work tree\'s present files as a tree, and print its id'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "batch" -d 'Make a tree, or a commit, of each of many responses'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "undo" -d 'Take back the last apply'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "recover" -d 'Finish or take back an apply or undo that was interrupted'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "apply-patch" -d 'Behave as the apply_patch that agents run, or install that name'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "prompt" -d 'Print instructions that make a model respond in a format'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "man" -d 'Print a manual page or the skill file for agents, or install all pages'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "help" -d 'Show a manual page, or what there is to say of a kind of error'
complete -c git-llmpatch -n "__fish_git_llmpatch_needs_command" -f -a "completions" -d 'Print a shell\'s completion script, or install it'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l conflicts -d 'With --3way, refuse conflicts, or write markers around them and make the rest of the change; implies --index' -r -f -a "refuse\t'It is refused, and with it the whole change'
markers\t'It is left in the files, with markers, and in the index'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l onto -d 'Apply to this commit or tree in the object database only: print the new tree, or with --commit the new commit' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l branch -d 'With --onto and --commit, create this branch at the new commit, or move it forward to it' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l expect -d 'Make the change only if it is, to the byte, the one that check --json or a preview named so' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s m -l message -d 'The commit message, instead of the response\'s notes; several are paragraphs' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s F -d 'Take the commit message from a file, or - for standard input' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l trailer -d 'Add a trailer, such as Reviewed-by: name (repeatable)' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l author -d 'Name another author' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l date -d 'Set the author date' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l gpg-sign -d 'Sign the commit, with this key if one is given' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l format -d 'Read patches of this format only, instead of detecting it' -r -f -a "envelope\t'`*** Begin Patch` … `*** End Patch`'
opx\t'`<edit file=… op=…>`'
unified\t'`diff --git …`, as `git diff` and `diff -u` print it'
blocks\t'`<<<<<<< SEARCH` … `>>>>>>> REPLACE`'
tool\t'Tool calls as JSON: `{"path": …, "old_string": …, "new_string": …}`'
files\t'Whole files in Markdown fences under their paths; never looked for unless asked for'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l file -d 'The file that search/replace blocks change, if the response doesn\'t name it' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s p -d 'Take this many directories off the names in a diff, as `git apply`; without it, only what is seen to be a prefix goes' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l fuzz -d 'If lines aren\'t in a file as written, use the only place that differs in nothing but this: `trailing` whitespace, or `indent`ation, too, or `unicode` quotes, dashes and spaces, too (also llmpatch.fuzz)' -r -f -a "trailing\t'Whitespace at line ends'
indent\t'Indentation too; added lines are shifted alike'
unicode\t'Typographic quotes, dashes and spaces, composed letters too'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l base -d 'The commit or tree that the model saw: refuse files that have changed since (also llmpatch.base; a response may name it, too); `auto`: the commit that review comments were written for' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l directory -d 'Put this directory before relative paths of the response; `..` leads out of it, which --limit refuses' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l root-is -d 'Where the model saw this work tree, such as /testbed or C:\\Users\\me\\app: absolute paths below it are paths of this one; may be given several times (also llmpatch.rootIs)' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l limit -d 'Refuse a response that touches anything else; may be given several times (also llmpatch.limit, llmpatch.protect)' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l include -d 'Make the edits of these files only, and say which are left out; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l exclude -d 'Leave out the edits of these files, and say so; an absolute path is compared as the response writes it, with all that is below it; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l only -d 'Make only the call or comment with this id, of a session or of review comments; may be given several times' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l color -d 'Colour messages and diffs: auto, always or never (also color.ui, NO_COLOR)' -r -f -a "auto\t'If a terminal shows it'
always\t'Even if a program reads it'
never\t'Not even if a terminal shows it'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l json -d 'Print a JSON document instead of messages, on failure too; --json=schema only prints its schema' -r -f -a "document\t'How it went'
schema\t'The form of such documents, and nothing is done'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l index -d 'Change the index as well as the work tree; both must agree, or the work tree must have this change already'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l cached -d 'Change the index only'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l commit -d 'Change index and work tree, and commit exactly this change; one that is there already is committed as it is'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l each -d 'With --commit, make a commit of each response, and of each mail of a series, one on top of the other, instead of one of all'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s N -l intent-to-add -d 'Let new files show in git diff, though their content isn\'t staged'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s i -l interactive -d 'Show the change and ask at the terminal how much of it to make'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s n -l check -l dry-run -d 'Only check whether it would apply'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l diff -d 'Print the change as a diff that git apply accepts'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l stat -d 'Print how much changes in each file'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l numstat -d 'Print the same for programs'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l name-only -d 'Print the names of the files that change, and nothing else'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s z -d 'With --numstat or --name-only, end names with NUL and don\'t quote them'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l summary -d 'Print which files are added, deleted, renamed or change their mode'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l apply -d 'Apply as well'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s e -l edit -d 'Edit the message before committing'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s s -l signoff -d 'Add a Signed-off-by trailer'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s S -d 'Sign the commit with the default key'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l no-gpg-sign -d 'Don\'t sign the commit, whatever commit.gpgSign says'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l no-verify -d 'Skip the hooks pre-commit and commit-msg'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l recount -d 'Ignore the line counts of a diff\'s hunks, as `git apply`: each ends where its lines do'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l strict -d 'Accept only what the format itself allows (also llmpatch.strict)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l no-strict -d 'Override --strict and llmpatch.strict'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l unique -d 'Refuse lines that are in several places of a file, instead of taking the first (also llmpatch.unique)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l no-unique -d 'Override --unique and llmpatch.unique'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l no-fuzz -d 'Override --fuzz and llmpatch.fuzz'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l no-base -d 'Override --base and llmpatch.base'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s 3 -l 3way -d 'Merge with what has changed since the base, and refuse only conflicts'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l overwrite -d 'Let a patch make a new file where there is one already'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l allow-empty -d 'Accept a response that changes nothing'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s q -l quiet -d 'Print nothing but errors and the requested output'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s v -l verbose -d 'Print also what was read, and list each correction that is otherwise only counted'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -l feedback -d 'On failure print, instead of the errors, a message on standard output to send back to the model'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l onto -d 'Work it out on a commit instead of the work tree' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l format -d 'Read patches of this format only, instead of detecting it' -r -f -a "envelope\t'`*** Begin Patch` … `*** End Patch`'
opx\t'`<edit file=… op=…>`'
unified\t'`diff --git …`, as `git diff` and `diff -u` print it'
blocks\t'`<<<<<<< SEARCH` … `>>>>>>> REPLACE`'
tool\t'Tool calls as JSON: `{"path": …, "old_string": …, "new_string": …}`'
files\t'Whole files in Markdown fences under their paths; never looked for unless asked for'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l file -d 'The file that search/replace blocks change, if the response doesn\'t name it' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -s p -d 'Take this many directories off the names in a diff, as `git apply`; without it, only what is seen to be a prefix goes' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l fuzz -d 'If lines aren\'t in a file as written, use the only place that differs in nothing but this: `trailing` whitespace, or `indent`ation, too, or `unicode` quotes, dashes and spaces, too (also llmpatch.fuzz)' -r -f -a "trailing\t'Whitespace at line ends'
indent\t'Indentation too; added lines are shifted alike'
unicode\t'Typographic quotes, dashes and spaces, composed letters too'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l base -d 'The commit or tree that the model saw: refuse files that have changed since (also llmpatch.base; a response may name it, too); `auto`: the commit that review comments were written for' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l directory -d 'Put this directory before relative paths of the response; `..` leads out of it, which --limit refuses' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l root-is -d 'Where the model saw this work tree, such as /testbed or C:\\Users\\me\\app: absolute paths below it are paths of this one; may be given several times (also llmpatch.rootIs)' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l limit -d 'Refuse a response that touches anything else; may be given several times (also llmpatch.limit, llmpatch.protect)' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l include -d 'Make the edits of these files only, and say which are left out; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l exclude -d 'Leave out the edits of these files, and say so; an absolute path is compared as the response writes it, with all that is below it; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l only -d 'Make only the call or comment with this id, of a session or of review comments; may be given several times' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l color -d 'Colour messages and diffs: auto, always or never (also color.ui, NO_COLOR)' -r -f -a "auto\t'If a terminal shows it'
always\t'Even if a program reads it'
never\t'Not even if a terminal shows it'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l json -d 'Print a JSON document instead of messages, on failure too; --json=schema only prints its schema' -r -f -a "document\t'How it went'
schema\t'The form of such documents, and nothing is done'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l staged -d 'Look at what is staged: responses, and markers of patches in other files; print one line per finding'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l cached -d 'Work it out on the index instead of the work tree'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l recount -d 'Ignore the line counts of a diff\'s hunks, as `git apply`: each ends where its lines do'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l strict -d 'Accept only what the format itself allows (also llmpatch.strict)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l no-strict -d 'Override --strict and llmpatch.strict'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l unique -d 'Refuse lines that are in several places of a file, instead of taking the first (also llmpatch.unique)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l no-unique -d 'Override --unique and llmpatch.unique'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l no-fuzz -d 'Override --fuzz and llmpatch.fuzz'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l no-base -d 'Override --base and llmpatch.base'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -s 3 -l 3way -d 'Merge with what has changed since the base, and refuse only conflicts'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l overwrite -d 'Let a patch make a new file where there is one already'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l allow-empty -d 'Accept a response that changes nothing'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -s q -l quiet -d 'Print nothing but errors and the requested output'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -s v -l verbose -d 'Print also what was read, and list each correction that is otherwise only counted'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -l feedback -d 'On failure print, instead of the errors, a message on standard output to send back to the model'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand check" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l onto -d 'Work it out on a commit instead of the work tree' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l format -d 'Read patches of this format only, instead of detecting it' -r -f -a "envelope\t'`*** Begin Patch` … `*** End Patch`'
opx\t'`<edit file=… op=…>`'
unified\t'`diff --git …`, as `git diff` and `diff -u` print it'
blocks\t'`<<<<<<< SEARCH` … `>>>>>>> REPLACE`'
tool\t'Tool calls as JSON: `{"path": …, "old_string": …, "new_string": …}`'
files\t'Whole files in Markdown fences under their paths; never looked for unless asked for'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l file -d 'The file that search/replace blocks change, if the response doesn\'t name it' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -s p -d 'Take this many directories off the names in a diff, as `git apply`; without it, only what is seen to be a prefix goes' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l fuzz -d 'If lines aren\'t in a file as written, use the only place that differs in nothing but this: `trailing` whitespace, or `indent`ation, too, or `unicode` quotes, dashes and spaces, too (also llmpatch.fuzz)' -r -f -a "trailing\t'Whitespace at line ends'
indent\t'Indentation too; added lines are shifted alike'
unicode\t'Typographic quotes, dashes and spaces, composed letters too'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l base -d 'The commit or tree that the model saw: refuse files that have changed since (also llmpatch.base; a response may name it, too); `auto`: the commit that review comments were written for' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l directory -d 'Put this directory before relative paths of the response; `..` leads out of it, which --limit refuses' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l root-is -d 'Where the model saw this work tree, such as /testbed or C:\\Users\\me\\app: absolute paths below it are paths of this one; may be given several times (also llmpatch.rootIs)' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l limit -d 'Refuse a response that touches anything else; may be given several times (also llmpatch.limit, llmpatch.protect)' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l include -d 'Make the edits of these files only, and say which are left out; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l exclude -d 'Leave out the edits of these files, and say so; an absolute path is compared as the response writes it, with all that is below it; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l only -d 'Make only the call or comment with this id, of a session or of review comments; may be given several times' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l color -d 'Colour messages and diffs: auto, always or never (also color.ui, NO_COLOR)' -r -f -a "auto\t'If a terminal shows it'
always\t'Even if a program reads it'
never\t'Not even if a terminal shows it'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l stat -d 'Print how much changes in each file'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l numstat -d 'Print the same for programs'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l name-only -d 'Print the names of the files that change, and nothing else'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -s z -d 'With --numstat or --name-only, end names with NUL and don\'t quote them'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l summary -d 'Print which files are added, deleted, renamed or change their mode'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l cached -d 'Work it out on the index instead of the work tree'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l recount -d 'Ignore the line counts of a diff\'s hunks, as `git apply`: each ends where its lines do'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l strict -d 'Accept only what the format itself allows (also llmpatch.strict)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l no-strict -d 'Override --strict and llmpatch.strict'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l unique -d 'Refuse lines that are in several places of a file, instead of taking the first (also llmpatch.unique)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l no-unique -d 'Override --unique and llmpatch.unique'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l no-fuzz -d 'Override --fuzz and llmpatch.fuzz'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l no-base -d 'Override --base and llmpatch.base'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -s 3 -l 3way -d 'Merge with what has changed since the base, and refuse only conflicts'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l overwrite -d 'Let a patch make a new file where there is one already'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -l allow-empty -d 'Accept a response that changes nothing'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -s q -l quiet -d 'Print nothing but errors and the requested output'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -s v -l verbose -d 'Print also what was read, and list each correction that is otherwise only counted'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand diff" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l to -d 'The format to print' -r -f -a "unified\t'`diff --git …`, as `git diff` and `diff -u` print it'
envelope\t'`*** Begin Patch` … `*** End Patch`'
opx\t'`<edit file=… op=…>`'
blocks\t'`<<<<<<< SEARCH` … `>>>>>>> REPLACE`'
tool\t'Tool calls as JSON: `{"path": …, "old_string": …, "new_string": …}`'
review\t'The JSON of a review on GitHub whose suggestions are the change'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l pr-base -d 'With --to=review, the branch that the pull request is to be merged into: suggestions can be posted for lines that its diff shows' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -s U -l unified -d 'Show this many unchanged lines around each change, if that is enough to find it (otherwise as diff.context; in OPX as few as it takes)' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l onto -d 'Work it out on a commit instead of the work tree' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l format -d 'Read patches of this format only, instead of detecting it' -r -f -a "envelope\t'`*** Begin Patch` … `*** End Patch`'
opx\t'`<edit file=… op=…>`'
unified\t'`diff --git …`, as `git diff` and `diff -u` print it'
blocks\t'`<<<<<<< SEARCH` … `>>>>>>> REPLACE`'
tool\t'Tool calls as JSON: `{"path": …, "old_string": …, "new_string": …}`'
files\t'Whole files in Markdown fences under their paths; never looked for unless asked for'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l file -d 'The file that search/replace blocks change, if the response doesn\'t name it' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -s p -d 'Take this many directories off the names in a diff, as `git apply`; without it, only what is seen to be a prefix goes' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l fuzz -d 'If lines aren\'t in a file as written, use the only place that differs in nothing but this: `trailing` whitespace, or `indent`ation, too, or `unicode` quotes, dashes and spaces, too (also llmpatch.fuzz)' -r -f -a "trailing\t'Whitespace at line ends'
indent\t'Indentation too; added lines are shifted alike'
unicode\t'Typographic quotes, dashes and spaces, composed letters too'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l base -d 'The commit or tree that the model saw: refuse files that have changed since (also llmpatch.base; a response may name it, too); `auto`: the commit that review comments were written for' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l directory -d 'Put this directory before relative paths of the response; `..` leads out of it, which --limit refuses' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l root-is -d 'Where the model saw this work tree, such as /testbed or C:\\Users\\me\\app: absolute paths below it are paths of this one; may be given several times (also llmpatch.rootIs)' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l limit -d 'Refuse a response that touches anything else; may be given several times (also llmpatch.limit, llmpatch.protect)' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l include -d 'Make the edits of these files only, and say which are left out; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l exclude -d 'Leave out the edits of these files, and say so; an absolute path is compared as the response writes it, with all that is below it; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l only -d 'Make only the call or comment with this id, of a session or of review comments; may be given several times' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l color -d 'Colour messages and diffs: auto, always or never (also color.ui, NO_COLOR)' -r -f -a "auto\t'If a terminal shows it'
always\t'Even if a program reads it'
never\t'Not even if a terminal shows it'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l cached -d 'Work it out on the index instead of the work tree'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l recount -d 'Ignore the line counts of a diff\'s hunks, as `git apply`: each ends where its lines do'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l strict -d 'Accept only what the format itself allows (also llmpatch.strict)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l no-strict -d 'Override --strict and llmpatch.strict'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l unique -d 'Refuse lines that are in several places of a file, instead of taking the first (also llmpatch.unique)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l no-unique -d 'Override --unique and llmpatch.unique'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l no-fuzz -d 'Override --fuzz and llmpatch.fuzz'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l no-base -d 'Override --base and llmpatch.base'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -s 3 -l 3way -d 'Merge with what has changed since the base, and refuse only conflicts'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l overwrite -d 'Let a patch make a new file where there is one already'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -l allow-empty -d 'Accept a response that changes nothing'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -s q -l quiet -d 'Print nothing but errors and the requested output'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -s v -l verbose -d 'Print also what was read, and list each correction that is otherwise only counted'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand convert" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -l to -d 'The format to print' -r -f -a "envelope\t'`*** Begin Patch` … `*** End Patch`'
opx\t'`<edit file=… op=…>`'
blocks\t'`<<<<<<< SEARCH` … `>>>>>>> REPLACE`'
tool\t'Tool calls as JSON: `{"path": …, "old_string": …, "new_string": …}`'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -s o -l output-directory -d 'Write each commit to a file of its own in this directory, and print the names' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -s U -l unified -d 'Show this many unchanged lines around each change, if that is enough to find it (otherwise as diff.context; in OPX as few as it takes)' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -l color -d 'Colour messages and diffs: auto, always or never (also color.ui, NO_COLOR)' -r -f -a "auto\t'If a terminal shows it'
always\t'Even if a program reads it'
never\t'Not even if a terminal shows it'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -l first-parent -d 'Compare a merge with its first parent, and follow only first parents in a range'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -l base -d 'Name the parent as the base: apply then refuses files that have changed since' -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -s q -l quiet -d 'Print nothing but errors and the requested output'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -s v -l verbose -d 'Print also what was read, and list each correction that is otherwise only counted'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand snapshot" -l untracked -d 'Include untracked files, but not ignored ones'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand snapshot" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l onto -d 'Apply each response to this commit or tree' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -s o -l output -d 'Write the output to this file' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l bundle -d 'Write all new objects to this file, for git fetch' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -s j -l jobs -d 'How many responses are worked out at once; as many as there are processors' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l format -d 'Read patches of this format only, instead of detecting it' -r -f -a "envelope\t'`*** Begin Patch` … `*** End Patch`'
opx\t'`<edit file=… op=…>`'
unified\t'`diff --git …`, as `git diff` and `diff -u` print it'
blocks\t'`<<<<<<< SEARCH` … `>>>>>>> REPLACE`'
tool\t'Tool calls as JSON: `{"path": …, "old_string": …, "new_string": …}`'
files\t'Whole files in Markdown fences under their paths; never looked for unless asked for'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l file -d 'The file that search/replace blocks change, if the response doesn\'t name it' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -s p -d 'Take this many directories off the names in a diff, as `git apply`; without it, only what is seen to be a prefix goes' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l fuzz -d 'If lines aren\'t in a file as written, use the only place that differs in nothing but this: `trailing` whitespace, or `indent`ation, too, or `unicode` quotes, dashes and spaces, too (also llmpatch.fuzz)' -r -f -a "trailing\t'Whitespace at line ends'
indent\t'Indentation too; added lines are shifted alike'
unicode\t'Typographic quotes, dashes and spaces, composed letters too'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l base -d 'The commit or tree that the model saw: refuse files that have changed since (also llmpatch.base; a response may name it, too); `auto`: the commit that review comments were written for' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l directory -d 'Put this directory before relative paths of the response; `..` leads out of it, which --limit refuses' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l root-is -d 'Where the model saw this work tree, such as /testbed or C:\\Users\\me\\app: absolute paths below it are paths of this one; may be given several times (also llmpatch.rootIs)' -r -f -a "(__fish_complete_directories)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l limit -d 'Refuse a response that touches anything else; may be given several times (also llmpatch.limit, llmpatch.protect)' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l include -d 'Make the edits of these files only, and say which are left out; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l exclude -d 'Leave out the edits of these files, and say so; an absolute path is compared as the response writes it, with all that is below it; may be given several times' -r -F
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l only -d 'Make only the call or comment with this id, of a session or of review comments; may be given several times' -r
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l commit -d 'Make a commit of each, with the notes of the response for its message'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l resume -d 'Continue after the last line of that file, if there is one'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l recount -d 'Ignore the line counts of a diff\'s hunks, as `git apply`: each ends where its lines do'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l strict -d 'Accept only what the format itself allows (also llmpatch.strict)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l no-strict -d 'Override --strict and llmpatch.strict'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l unique -d 'Refuse lines that are in several places of a file, instead of taking the first (also llmpatch.unique)'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l no-unique -d 'Override --unique and llmpatch.unique'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l no-fuzz -d 'Override --fuzz and llmpatch.fuzz'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l no-base -d 'Override --base and llmpatch.base'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -s 3 -l 3way -d 'Merge with what has changed since the base, and refuse only conflicts'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l overwrite -d 'Let a patch make a new file where there is one already'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -l allow-empty -d 'Accept a response that changes nothing'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand batch" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand undo" -l color -d 'Colour messages and diffs: auto, always or never (also color.ui, NO_COLOR)' -r -f -a "auto\t'If a terminal shows it'
always\t'Even if a program reads it'
never\t'Not even if a terminal shows it'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand undo" -l json -d 'Print a JSON document instead of messages, on failure too; --json=schema only prints its schema' -r -f -a "document\t'How it went'
schema\t'The form of such documents, and nothing is done'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand undo" -l list -d 'List what can be taken back, the newest first, and take back nothing'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand undo" -l drop -d 'Forget the last apply, and change no file: then the one before it can be taken back'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand undo" -s q -l quiet -d 'Print nothing but errors and the requested output'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand undo" -s v -l verbose -d 'Print also what was read, and list each correction that is otherwise only counted'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand undo" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand recover" -l color -d 'Colour messages and diffs: auto, always or never (also color.ui, NO_COLOR)' -r -f -a "auto\t'If a terminal shows it'
always\t'Even if a program reads it'
never\t'Not even if a terminal shows it'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand recover" -l json -d 'Print a JSON document instead of messages, on failure too; --json=schema only prints its schema' -r -f -a "document\t'How it went'
schema\t'The form of such documents, and nothing is done'"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand recover" -l force -d 'Recover even if it may still be running on another machine: you know that it isn\'t'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand recover" -s q -l quiet -d 'Print nothing but errors and the requested output'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand recover" -s v -l verbose -d 'Print also what was read, and list each correction that is otherwise only counted'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand recover" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply-patch" -l install -d 'Link this program as apply_patch among your own programs, and say where that is'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand apply-patch" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand prompt" -l example -d 'Add an example from this repository: a commit, written as a response' -r -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand prompt" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand man" -l install -d 'Put all pages where man finds them, and say where that is'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand man" -l skill -d 'Print the skill file, which tells a coding agent how to use the program'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand man" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand help" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand completions" -l install -d 'Put it where the shell looks for your own completions, and say where that is'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand completions" -s h -d 'Print help'
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand show" -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand prompt" -f -a "envelope opx blocks tool"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand man" -f -a "git-llmpatch apply apply-patch batch check completions convert diff help man prompt recover show snapshot undo agents editors embedding troubleshooting"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand help" -f -a "git-llmpatch apply apply-patch batch check completions convert diff help man prompt recover show snapshot undo agents editors embedding troubleshooting parse context-not-found lines-not-found ambiguous occurrence file-missing file-exists unsafe-path binary stale unchanged declined nothing-to-undo protected markers inexpressible conflict encoding elision unsupported locked hook identity repository io usage signal prose-edit commented-patch draft-patch near-patch quoted-patch unknown-place undone-call pending-call repeated-patch repeated-edit stray-marker skipped-format mail-author left-out unused-option decorated-marker blank-in-body locator-spacing locator-numbers locator-relaxed outside-context no-newline-mark last-plus fuzzy restated blank-dropped duplicates addition-place already-there newline-added conflict-markers patch-markers tool-syntax hidden-characters line-numbers diff-prefixes repeated-line replaced-whole unposted no-change partial-delete-body indented-payload typographic-quotes unknown-markup stray-text blank-edges escaped-marker divider prose-conflict skipped-call nameless-fence final-newline empty-line filled-empty directory inside-word inside-indentation overlap recounted hunk-moved mode-differs id-differs hard-link rights written-late leftover interrupted recovered no-undo index-behind hook-changed in-conflict"
complete -c git-llmpatch -n "__fish_git_llmpatch_using_subcommand completions" -f -a "bash elvish fish powershell zsh"

function __fish_git_llmpatch_of_git
    set -l words (commandline -opc)
    set -e words[1..(contains -i llmpatch $words)]
    set -l typed (string join " " -- (string escape -- $words))
    set -l word (commandline -ct)
    complete -C "git-llmpatch $typed $word"
end
complete -c git -n __fish_git_needs_command -f -a llmpatch -d "Apply the patches that language models write"
complete -c git -n "__fish_git_using_command llmpatch" -f -a "(__fish_git_llmpatch_of_git)"
