  1 | fn main() {
  2 |
  3 | }
