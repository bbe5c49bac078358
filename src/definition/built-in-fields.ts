/** Fields of built-in tables whose types clients do not have, or have as optional members. */

import type { Field } from './field.ts'
import type { DeclaredFields } from './resource.ts'
import type { Rule } from './rule.ts'
import { nobody } from './rule-functions.ts'

interface Hideable {
  readOnly(): { visibleTo(...rules: readonly Rule[]): Field }
}

/** The field, which no response shows and no request sets. A secret that is shown once is one, too. */
export function hidden(field: Hideable): Field {
  return field.readOnly().visibleTo(nobody)
}

/** The fields that services with this setting have; they are optional, because other services have none. */
export function fieldsFor<T, F extends DeclaredFields>(
  setting: T | undefined,
  declare: (setting: T) => F,
): F {
  // Types have the fields in any case: clients do not know the settings.
  return setting === undefined ? ({} as F) : declare(setting)
}
