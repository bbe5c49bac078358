/** The rule for administrators. */

import { type Options, objectOption } from './option-table.ts'
import type { Rule } from './rule.ts'
import { nobody, role } from './rule-functions.ts'

/** Returns it for the option `accounts`, valid or not. Without roles there are no administrators. */
export function administratorsOf(accounts: unknown): Rule {
  const { roles, admin = 'admin' }: Options = objectOption.accepts(accounts) ? accounts : {}
  return typeof roles === 'string' && typeof admin === 'string' ? role(admin) : nobody
}
