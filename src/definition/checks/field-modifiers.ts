/** Checks the modifiers of a field, such as `.unique()`: what its place permits, and contradictions. */

import type { FaultReport } from '../definition-fault.ts'
import { type FieldDeclaration, usedModifiers } from '../field.ts'
import { formatValue, lineOfText } from '../option-table.ts'

/** The modifiers that have a meaning where no column holds the field; a column permits all. */
const permittedModifiers = {
  /** Members of the content of an action, and of an older version. */
  member: ['optional', 'default', 'label', 'help'],
  /** Members of the result of an action. */
  result: ['optional', 'label', 'help'],
  // Its visibility is that of its dependencies.
  computed: ['label', 'help'],
  // They are those of the list.
  listItem: [],
} satisfies Record<string, readonly string[]>

/** Returns the name of a modifier that the place does not permit, such as `unique`. */
export function findMisplacedModifier(
  declared: FieldDeclaration,
  place: keyof typeof permittedModifiers,
): string | undefined {
  const permitted: readonly string[] = permittedModifiers[place]
  return usedModifiers(declared).find((name) => !permitted.includes(name))
}

/** Reports contradicting modifiers, invalid former names and invalid texts for people. */
export function checkModifiers(field: FieldDeclaration, report: FaultReport): void {
  for (const { when, reason, suggestion } of contradictions) {
    if (when(field)) report(reason, suggestion)
  }
  for (const name of field.formerly) {
    if (typeof name === 'string' && /^[a-z][A-Za-z0-9]*$/.test(name)) continue
    report(`A former name must be a field name such as 'firstName', not ${formatValue(name)}.`)
  }
  checkTexts(field, report)
}

/** Reports a label or help that is not a text on one line. */
export function checkTexts(declared: Pick<FieldDeclaration, 'label' | 'help'>, report: FaultReport): void {
  for (const name of ['label', 'help'] as const) {
    const given = declared[name]
    const { expected, accepts } = textsForPeople[name]
    if (!given || accepts(given.value)) continue
    report(`.${name}(…) must have ${expected}, not ${formatValue(given.value)}.`)
  }
}

const textsForPeople = { label: lineOfText(100), help: lineOfText(500) }

interface Contradiction {
  when(field: FieldDeclaration): boolean
  readonly reason: string
  readonly suggestion?: string
}

const contradictions: readonly Contradiction[] = [
  {
    when: (field) => field.optional && field.default !== undefined,
    reason: 'A field cannot be optional and have a default.',
    // A PUT of the representation that a GET returned would set a removed value to the default.
    suggestion: 'Remove .optional() or .default().',
  },
  {
    when: (field) => field.unique && field.default !== undefined,
    reason: 'A unique field cannot have a default: the second item would be a duplicate.',
    suggestion: 'Remove .unique() or .default().',
  },
  {
    when: (field) => field.readOnly && field.writeOnly,
    reason: 'A field cannot be read-only and write-only.',
    suggestion: 'Remove .readOnly() or .writeOnly().',
  },
  {
    when: (field) => (field.readOnly || field.fromPrincipal) && field.immutable,
    reason: 'No request can set this field, so immutable has no effect.',
    suggestion: 'Remove .immutable().',
  },
  {
    when: (field) => (field.readOnly || field.fromPrincipal) && field.writableBy !== undefined,
    reason: 'No request can set this field, so writableBy has no effect.',
    suggestion: 'Remove .writableBy().',
  },
  {
    when: (field) => field.writeOnly && field.visibleTo !== undefined,
    reason: 'A write-only field is never shown, so visibleTo has no effect.',
    suggestion: 'Remove .visibleTo().',
  },
  {
    when: (field) => field.visibleTo?.length === 0 || field.writableBy?.length === 0,
    reason: 'visibleTo and writableBy need a rule.',
    suggestion: 'To exclude every caller, use nobody.',
  },
  {
    when: (field) => typeof field.filterable !== 'boolean',
    reason: 'filterable must be true or false.',
  },
]
