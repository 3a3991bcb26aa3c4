if (a) {
if (b) {
}
}
if (c) {
if (d) {
} // end
