/** The child process of file-check.ts: checks the file and sends the result to its parent. */

import { setPriority } from 'node:os'
import { toStoreUnavailable } from '../sqlite-failure.ts'
import { SqliteConnection } from './connection.ts'
import type { CheckResult } from './file-check.ts'
import { findDamageByTable } from './integrity.ts'

const [, , file = ''] = process.argv
// The service has priority.
setPriority(19)
process.send?.(checkFile(file), () => process.disconnect?.())

function checkFile(file: string): CheckResult {
  try {
    const connection = new SqliteConnection({ file, temporary: false, use: 'read unmapped' })
    return { kind: 'checked', damage: findDamageByTable(connection) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const damaged = toStoreUnavailable(error)?.reason === 'damaged'
    return damaged ? { kind: 'checked', damage: message } : { kind: 'failed', message }
  }
}
