import { foo } from './foo'
import { bar } from './bar'
import { baz } from './baz'

export function main() {
  foo()
  bar()
}
