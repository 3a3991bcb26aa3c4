fn new_function() {
    // implementation
}
