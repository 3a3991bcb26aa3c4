fn a() {
    // ... existing code ...
    log();
}
fn b() {}
