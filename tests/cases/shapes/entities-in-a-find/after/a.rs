fn f() -> Vec<u16> {
    Vec::new()
}
