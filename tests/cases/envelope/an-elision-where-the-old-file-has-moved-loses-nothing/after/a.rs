fn main() {
    begin();
    // ... rest of the file unchanged ...
}
