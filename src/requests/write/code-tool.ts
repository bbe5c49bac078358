/** A tool of the code of a definition that a feature adds. Its calls make writes, which are committed with those of the code. */

import type { CollectedWrite } from '../../store/collecting-store.ts'
import type { Store } from '../../store/store.ts'

export interface CodeTool {
  /** The writes of a call; none where it was made before. Refuses what a request would be refused for, else throws a TypeError. */
  writesOf(reads: ToolReads, ...given: readonly unknown[]): Promise<readonly CollectedWrite[]>
}

export interface ToolReads {
  /** Its reads are repeated at the commit. */
  readonly store: Store
  /** Its reads are not. */
  readonly preview: Store
}
