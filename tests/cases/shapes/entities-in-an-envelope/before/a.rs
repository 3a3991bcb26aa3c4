fn f() -> Vec<u8> {
    Vec::new()
}
