use super::{ADD_A, read};

#[test]
fn a_part_that_is_no_answer_changes_no_directory() {
    let command = format!("apply_patch <<'EOF'\n{ADD_A}EOF\n");
    for (text, path) in [
        ("<!--\nls\n-->\n", "a"),
        ("Run this:\n<think>\ncd pkg\n</think>\n", "a"),
        ("cd pkg\n</think>\n", "a"),
        ("cd ..\n\n</think> cd pkg\n", "pkg/a"),
        ("> cd pkg\n\n", "a"),
    ] {
        let response = format!("{text}{command}");
        let told = read(&response);
        assert_eq!(told.lines().next(), Some(path), "{response}{told}");
    }
}

#[test]
fn a_command_above_or_in_another_part_leaves_the_directory_in_doubt() {
    for text in [
        "cd pkg\n<think>\ncd ..\n</think>\n",
        "cd pkg\n<!--\nls\n-->\n",
        "<!--\ncd pkg\n-->\n",
        "<!-- first\n\ncd pkg\n\n-->\n\n",
    ] {
        let told = read(format!("{text}apply_patch <<'EOF'\n{ADD_A}EOF\n"));
        assert!(told.contains("error"), "{told}");
    }
}

#[test]
fn a_value_of_several_lines_right_behind_its_option_is_no_prose() {
    let script = "git commit -m\"one\n\ntwo\" && cd pkg\n";
    let told = read(format!(
        "```bash\n{script}apply_patch <<'EOF'\n{ADD_A}EOF\n```\n"
    ));
    assert_eq!(told, "pkg/a");
}
