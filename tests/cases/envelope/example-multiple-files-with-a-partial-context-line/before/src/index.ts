import { A } from './a'
import { OLD } from './old'

export default [A, OLD]
