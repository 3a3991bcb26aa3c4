import { A } from './a'
import { OLD } from './old'
import { NEW } from './new'

export default [A, OLD]
