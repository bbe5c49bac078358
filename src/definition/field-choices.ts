/** The values among which a client chooses: those of a choice, or of the choices in a list. */

import type { FieldModel, JsonValue } from './model.ts'

/** Undefined for fields of other kinds. */
export function declaredChoices({ item, schema }: FieldModel): readonly JsonValue[] | undefined {
  return (item?.schema ?? schema).enum as readonly JsonValue[] | undefined
}
