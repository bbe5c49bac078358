/** The built-in table of wrong codes: how many were entered for an account, by each browser that it knows and by all others. */

import type { BuiltInTable } from './built-in-table.ts'
import { integer } from './kinds/number.ts'
import { ref } from './kinds/ref.ts'
import { text } from './kinds/text.ts'
import { timestamp } from './kinds/time.ts'
import { type Resource, resource } from './resource.ts'

/** No collection can have this name, and the table has no URI. */
export const codeAttemptsName = 'account_code_attempts'

export const codeAttemptsTable = {
  name: codeAttemptsName,
  internal: true,
  unlogged: true,
  held: { account: 'account' },
} as const satisfies BuiltInTable

/** Returns the declaration of the table. access/code-attempts.ts reads and writes its rows. */
export function createCodeAttemptsResource(accounts: string): Resource {
  return resource({
    account: ref(accounts, { onDelete: 'cascade' }),
    /** SHA-256 of the account and the browser. */
    source: text({ max: 64 }).unique(),
    /** Wrong codes in succession, each soon after the one before. */
    wrong: integer({ min: 0 }),
    /** When the last one was entered. */
    lastAt: timestamp(),
  })
}
