/** The words chained to a field: those that contradict each other or can never be satisfied. */

import type { FaultReport } from '../definition-fault.ts'
import type { FieldDeclaration } from '../field.ts'
import { formatValue } from '../option-table.ts'

export function checkModifiers(field: FieldDeclaration, report: FaultReport): void {
  for (const { when, reason, suggestion } of contradictions) {
    if (when(field)) report(reason, suggestion)
  }
  for (const name of field.formerly) {
    if (typeof name === 'string' && /^[a-z][A-Za-z0-9]*$/.test(name)) continue
    report(`A former name must be the name of a field, not ${formatValue(name)}.`)
  }
}

interface Contradiction {
  when(field: FieldDeclaration): boolean
  readonly reason: string
  readonly suggestion?: string
}

const contradictions: readonly Contradiction[] = [
  {
    when: (field) => field.optional && field.default !== undefined,
    reason: 'A field is optional or has a default, not both.',
    // GET, then PUT of the same, must change nothing.
    suggestion: 'A PUT of what a GET showed would bring a removed value back. Drop one of them.',
  },
  {
    when: (field) => field.unique && field.default !== undefined,
    reason: 'A unique field cannot have a default: the second item would be a duplicate.',
  },
  {
    when: (field) => field.readOnly && field.writeOnly,
    reason: 'A field that is read-only and write-only has no use.',
  },
  {
    when: (field) =>
      field.readOnly && !field.optional && !field.fromPrincipal && field.default === undefined,
    reason: 'No body can set a read-only field, so it needs a default or must be optional.',
  },
  {
    when: (field) => (field.readOnly || field.fromPrincipal) && field.writableBy !== undefined,
    reason: 'No body can set this field, so writableBy has no use.',
  },
  {
    when: (field) => field.writeOnly && field.visibleTo !== undefined,
    reason: 'A write-only field is never shown, so visibleTo has no use.',
  },
  {
    when: (field) => field.visibleTo?.length === 0 || field.writableBy?.length === 0,
    reason: 'visibleTo and writableBy need a rule.',
    suggestion: 'Use nobody where no caller is meant.',
  },
  {
    when: (field) => typeof field.filterable !== 'boolean',
    reason: 'filterable must be true or false.',
  },
]
