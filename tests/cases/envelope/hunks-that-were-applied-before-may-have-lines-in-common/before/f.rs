fn a() {
    if x {
        one();
        return;
    }
}

fn b() {
    two(2);
    return;
}

fn c() {
    three();
}
