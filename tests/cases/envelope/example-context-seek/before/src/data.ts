export function parse(
  input: string,
): Row[] {
  return rows(input)
}

export function processData(
  input: string,
): Result {
  return fold(parse(input))
}
