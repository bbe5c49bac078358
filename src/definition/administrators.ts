/** The rule for administrators. */

import type { Rule } from './rule.ts'
import { nobody, role } from './rule-functions.ts'

/** The role of administrators, unless the definition says otherwise. */
export const usualAdmin = 'admin'

/** The names in the option `accounts`. */
export interface AdministratorNames {
  readonly roles?: string
  readonly admin?: string
}

/** Returns the rule for administrators. Without roles there are none. */
export function administratorsOf({ roles, admin = usualAdmin }: AdministratorNames = {}): Rule {
  return roles === undefined ? nobody : role(admin)
}
