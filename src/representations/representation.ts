/** What every format is. Adding a format is adding a file and a line in formats.ts. */

import type { View } from '../view/view.ts'

export interface Representation {
  /** What `?format=` calls it. */
  readonly name: string
  readonly mediaType: string
  /** The kinds of view it can write. */
  readonly shows: ReadonlySet<View['kind']>
  write(view: View): string | Uint8Array
  /** Content in this format as a JSON value; refuses what is not well-formed. Undefined: output only. */
  readonly read?: (content: Uint8Array) => unknown
}
