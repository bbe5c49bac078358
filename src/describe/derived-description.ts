/** Describes derived fields in words. */

import { formatFields } from '../access/rule-description.ts'
import type { DerivedModel } from '../definition/model.ts'

const operations = {
  count: 'the number',
  sum: 'the sum',
  avg: 'the average',
  min: 'the least',
  max: 'the greatest',
} as const

/** Returns what the value of the field is, such as `the number of tasks where status is open`. */
export function formatDerived(derived: DerivedModel): string {
  const always = derived.isAlwaysShown ? ', shown in lists too' : ''
  if (derived.kind === 'computed') {
    return `${derived.field.kind.name}, computed from ${derived.dependencies.map(({ name }) => name).join(', ')}${always}`
  }
  const { operation, inverse, source, rule } = derived
  const of = source ? `${source.name} in ${inverse.name}` : inverse.name
  const chosen = rule ? ` where ${formatFields(rule.fields)}` : ''
  return `${operations[operation]} of ${of}${chosen}${always}`
}
