export function load() {
  const a = read();
  const b = parse(a);
  check(b);
  return b;
}
