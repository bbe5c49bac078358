/** Values that must be unique: of one field, or of a set of fields together. */

import { rightRefusal } from '../../access/right-refusal.ts'
import { type Rights, rightsOf } from '../../access/rights.ts'
import { type FieldModel, IDENTITY, type ResourceModel, type Stored } from '../../definition/model.ts'
import { type ContentFault, type Refusal, refuse } from '../../refusal.ts'
import { all, any, type Condition, canBeTrue, equals, isOneOf, never } from '../../store/condition.ts'
import type { Store } from '../../store/store.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { isRowDependent } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget, ItemTarget, WriteTarget } from '../context/target.ts'
import { neededRight } from '../decisions/permission.ts'

/** The fields whose values must be unique together; a unique field is a set of one. */
export type UniqueFields = readonly FieldModel[]

export const uniqueSetsOf = memoizeByObject(
  ({ fields, uniqueSets }: ResourceModel): readonly UniqueFields[] => [
    ...fields.filter(({ unique }) => unique).map((field) => [field]),
    ...uniqueSets,
  ],
)

/** The values of the fields as a key to compare rows by; undefined where one is missing. */
export function uniqueKey(fields: UniqueFields, values: readonly Stored[]): string | undefined {
  const own = fields.map(({ index }) => values[index] ?? null)
  return own.includes(null) ? undefined : formatKey(own)
}

/** The store may return numbers as text. */
function formatKey(values: readonly Stored[]): string {
  return JSON.stringify(values.map(String))
}

/** The identities of present rows that agree with one of these rows, by `uniqueKey`. */
export async function findTakenKeys(
  store: Store,
  resource: ResourceModel,
  fields: UniqueFields,
  rows: readonly (readonly Stored[])[],
): Promise<ReadonlyMap<string, string>> {
  const complete = rows.filter((values) => uniqueKey(fields, values) !== undefined)
  const columns = [...fields.map(({ name }) => name), '_identity']
  const size = fields.length === 1 ? complete.length : maxCombinations
  const taken = new Map<string, string>()
  for (let from = 0; from < complete.length; from += size) {
    const part = complete.slice(from, from + size)
    const found = await store.list({
      table: resource.name,
      condition: agreesWith(fields, part),
      order: columns.map((column) => ({ column, descending: false })),
      after: undefined,
      limit: part.length,
      evaluated: [],
      columns,
    })
    for (const row of found) taken.set(formatKey(row.slice(0, -1)), String(row.at(-1)))
  }
  return taken
}

/** How many combinations of values one statement looks for. */
const maxCombinations = 100

function agreesWith(fields: UniqueFields, rows: readonly (readonly Stored[])[]): Condition {
  const storedValue = (values: readonly Stored[], { index }: FieldModel) =>
    values[index] as Exclude<Stored, null>
  const [only, ...more] = fields
  if (only && more.length === 0) {
    const values = rows.map((row) => storedValue(row, only))
    return isOneOf([only.name], values)
  }
  return any(rows.map((row) => all(fields.map((field) => equals([field.name], storedValue(row, field))))))
}

/** Values that are to be written, and the condition on them. */
interface IntendedValues {
  readonly values: readonly Stored[]
  readonly conditionAfter: Condition
  /** The field whose values the caller must not learn to be taken. */
  readonly untold?: FieldModel
}

/**
 * Refuses 403 and 409 for values that the store would refuse now, before their passwords are hashed.
 * The store checks again when it writes.
 */
export async function requireNoConflicts(
  context: RequestContext<CollectionTarget | ItemTarget>,
  { values, conditionAfter, untold }: IntendedValues,
): Promise<void> {
  const { unit, caller, target } = context
  const { store } = unit
  const { resource } = target
  if (isRowDependent(conditionAfter) && !(await store.satisfies(resource.name, values, conditionAfter)))
    throw rightRefusal(caller, resource, neededRight(context))
  const taken: UniqueFields[] = []
  for (const set of uniqueSetsOf(resource)) {
    // An item that another request creates at the target of a PUT is a lost race, not a conflict.
    if (target.kind === 'item' && set[0] === resource.keyField) continue
    if (untold && set.includes(untold)) continue
    const identities = await findTakenKeys(store, resource, set, [values])
    if ([...identities.values()].some((one) => one !== values[IDENTITY])) taken.push(set)
  }
  if (taken.length > 0) throw duplicate(context, taken)
}

/** 409 for values that are taken. Fields that the caller neither sees nor writes are not named. */
export function duplicate(
  { caller, target }: RequestContext<WriteTarget>,
  sets: readonly UniqueFields[],
): Refusal {
  const { resource } = target
  const rights = rightsOf(resource, caller)
  const details = sets.map((fields) => {
    const names = knownFields(rights, fields).map(({ name }) => `'${name}'`)
    if (names.length === 0) return `Another item of '${resource.name}' has the same values.`
    const together = fields.length > 1 ? 'The combination of ' : ''
    return `${together}${names.join(', ')} must be unique in '${resource.name}'.`
  })
  const errors = sets.flatMap((fields) => uniqueFaults(rights, fields, 'taken'))
  return refuse('duplicate', {
    detail: details.join(' '),
    ...(errors.length > 0 && { errors }),
  })
}

/** A fault for each field that the caller knows. */
export function uniqueFaults(
  rights: Rights,
  fields: UniqueFields,
  reason: keyof typeof faultDetails,
): readonly ContentFault[] {
  const [alone, together] = faultDetails[reason]
  const detail = fields.length > 1 ? together : alone
  return knownFields(rights, fields).map(({ name }) => ({
    pointer: `/${name}`,
    rule: 'unique',
    detail,
  }))
}

const faultDetails = {
  taken: ['This value is already taken.', 'This combination of values is already taken.'],
  repeated: ['An earlier row has this value.', 'An earlier row has this combination of values.'],
} as const

function knownFields({ visibility, writability }: Rights, fields: UniqueFields): UniqueFields {
  return fields.filter(
    (field) => canBeTrue(visibility.get(field) ?? never) || canBeTrue(writability.get(field) ?? never),
  )
}
