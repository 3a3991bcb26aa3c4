export function parse(
  input: string,
): Row[] {
  return rows(input)
}

export function processData(
  input: string | Buffer,
): Result {
  return fold(parse(input))
}
