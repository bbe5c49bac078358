/** The child process of file-check.ts: checks the file and sends the result to its parent. */

import { setPriority } from 'node:os'
import type { CheckResult } from './file-check.ts'
import { findLastingDamage } from './integrity.ts'

const [, , file = ''] = process.argv
// The service has priority.
setPriority(19)
process.send?.(checkFile(file), () => process.disconnect?.())

function checkFile(file: string): CheckResult {
  try {
    return { kind: 'checked', damage: findLastingDamage(file) }
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}
