/**
 * What the Store interface promises, as claims. Every driver is held against all of it:
 * `storeContract('SQLite', open)`.
 */

import { keepingContract } from './keeping-contract.ts'
import type { OpenStore } from './library.ts'
import { logContract } from './log-contract.ts'
import { membersContract } from './members-contract.ts'
import { readingContract } from './reading-contract.ts'
import { removalContract } from './removal-contract.ts'
import { repeatContract } from './repeat-contract.ts'
import { revisionContract } from './revision-contract.ts'
import { snapshotContract } from './snapshot-contract.ts'
import { writingContract } from './writing-contract.ts'

const contracts = [
  readingContract,
  writingContract,
  revisionContract,
  logContract,
  membersContract,
  removalContract,
  repeatContract,
  keepingContract,
  snapshotContract,
]

export function storeContract(name: string, open: OpenStore): void {
  for (const contract of contracts) contract(name, open)
}
