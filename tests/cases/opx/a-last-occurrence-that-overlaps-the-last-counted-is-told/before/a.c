if (a) {
if (b) {
if (c) {
}
}
}
