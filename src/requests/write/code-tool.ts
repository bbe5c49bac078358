/** A tool that a feature adds to the code of a definition. Its calls make writes, which are committed with those of the code. */

import type { CollectedWrite } from '../../store/collecting-store.ts'
import type { Store } from '../../store/store.ts'

export interface CodeTool {
  /** The writes of a call; none where it was made before. Throws a Refusal, or a TypeError where types would refuse it. */
  writesOf(reads: ToolReads, ...given: readonly unknown[]): Promise<readonly CollectedWrite[]>
}

export interface ToolReads {
  /** Its reads are repeated at the commit. */
  readonly store: Store
  /** Its reads are not. */
  readonly preview: Store
}
