/** The process that reads a large file through for damage (file-check.ts), and says what it found. */

import { setPriority } from 'node:os'
import { findUnavailable } from '../sqlite-failure.ts'
import { SqliteConnection } from './connection.ts'
import type { CheckResult } from './file-check.ts'
import { findDamageByTable } from './integrity.ts'

const [, , file = ''] = process.argv
// Whatever answers requests goes first.
setPriority(19)
process.send?.(resultOf(file), () => process.disconnect?.())

function resultOf(file: string): CheckResult {
  try {
    const connection = new SqliteConnection({ file, temporary: false, use: 'read unmapped' })
    return { kind: 'checked', damage: findDamageByTable(connection) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const damaged = findUnavailable(error)?.reason === 'damaged'
    return damaged ? { kind: 'checked', damage: message } : { kind: 'failed', message }
  }
}
