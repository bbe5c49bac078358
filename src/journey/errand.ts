/** What is asked, by whom, of what, and how it is to be shown: settled before anything is loaded. */

import type { Principal } from '../access/principal.ts'
import type { Representation } from '../representations/representation.ts'
import type { Method } from './admission.ts'
import type { Context } from './context.ts'
import type { Target } from './target.ts'

export interface Errand<T extends Target = Target> {
  readonly context: Context
  readonly who: Principal
  readonly method: Method
  readonly target: T
  readonly format: Representation
}
