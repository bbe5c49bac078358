/** Loads the titles of the items that others refer to, with one store query for each reference. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, JsonValue, Model, ResourceModel } from '../../definition/model.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { all } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { formatTitle, titleFields } from '../../views/item-title.ts'
import { elementIdentitiesOf, titleKey } from '../../views/set-element-ids.ts'
import { idOf } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'

/** Items that a page refers to. */
export interface ReferencedItems {
  readonly target: ResourceModel
  readonly identities: readonly string[]
  /** How the page shows them: by identity, or as the ids of a set of references. */
  readonly shown: 'identity' | 'id'
}

/** Titles by the key of `titleKey`, of items that the caller may read, with the parts that the caller sees on every item. */
export async function loadItemTitles(
  context: Pick<Unit, 'store' | 'limits'>,
  caller: Principal,
  references: readonly ReferencedItems[],
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(references.map((referenced) => loadTitlesOf(context, caller, referenced)))
  return new Map(found.flat())
}

/** The items that the references of these items, which are of one resource, lead to. */
export function referencesIn(items: readonly ItemView[]): readonly ReferencedItems[] {
  const fields = items[0]?.visibleFields.resource.fields ?? []
  return fields.flatMap((field): readonly ReferencedItems[] => {
    const { ref, refs } = field
    if (ref) return [{ target: ref.resource, identities: identitiesIn(items, field), shown: 'identity' }]
    return refs ? [{ target: refs.resource, identities: elementIdentitiesOf(items, field), shown: 'id' }] : []
  })
}

type Version = Readonly<Record<string, JsonValue>>

/** The accounts that made these versions of an item, and the items that its references led to. */
export function referencesInVersions(
  { accounts }: Model,
  resource: ResourceModel,
  versions: readonly Version[],
): readonly ReferencedItems[] {
  const authors = accounts
    ? [
        byIdentity(
          accounts.resource,
          versions.map(({ by }) => by),
        ),
      ]
    : []
  const referred = resource.fields.flatMap((field) =>
    field.ref
      ? [
          byIdentity(
            field.ref.resource,
            versions.flatMap((version) => changedValues(version, field)),
          ),
        ]
      : [],
  )
  return [...authors, ...referred]
}

function changedValues({ changes }: Version, { name }: FieldModel): readonly (JsonValue | undefined)[] {
  const { from, to } = (changes as Readonly<Record<string, Version>>)[name] ?? {}
  return [from, to]
}

/** An id is the identity, except in collections with keys, which are readable themselves. */
function byIdentity(target: ResourceModel, ids: readonly (JsonValue | undefined)[]): ReferencedItems {
  const known = target.keyField ? [] : ids.filter((id) => typeof id === 'string')
  return { target, identities: [...new Set(known)], shown: 'identity' }
}

async function loadTitlesOf(
  { store, limits }: Pick<Unit, 'store' | 'limits'>,
  caller: Principal,
  referenced: ReferencedItems,
): Promise<readonly (readonly [string, string])[]> {
  const { target, identities, shown } = referenced
  const fields = seenTitleFields(target, caller)
  const { read } = rightsOf(target, caller)
  if (fields.length === 0 || identities.length === 0 || read.kind === 'never') return []
  // Sets of references to a collection with keys show keys, whose identities the page does not know.
  const idColumn = (shown === 'id' && target.keyField?.name) || '_identity'
  const among = {
    kind: 'compare',
    path: ['_identity'],
    operator: 'in',
    values: identities,
  } as const
  const rows = await store.list({
    table: target.name,
    condition: all([among, read]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: identities.length,
    octets: limits.page,
    evaluated: [],
    columns: [idColumn, ...fields.map(({ name }) => name)],
  })
  return rows.flatMap(([id, ...values]) => {
    const title = formatTitle(target, (field) => values[fields.indexOf(field)])
    if (title === '') return []
    const key = shown === 'id' ? titleKey(target, String(id)) : String(id)
    return [[key, shortenTitle(title)] as const]
  })
}

/** The fields of a title that the caller sees on every item. */
function seenTitleFields(resource: ResourceModel, caller: Principal): readonly FieldModel[] {
  const { visibility } = rightsOf(resource, caller)
  return titleFields(resource)
    .map(({ field }) => field)
    .filter((field) => visibility.get(field)?.kind === 'always')
}

/** The title of a row, of the fields that the caller sees on every item; undefined where none has a value. */
export function findTitleOfRow(resource: ResourceModel, caller: Principal, row: Row): string | undefined {
  const fields = seenTitleFields(resource, caller)
  const title = formatTitle(resource, (field) => (fields.includes(field) ? row[field.index] : null))
  return title === '' ? undefined : shortenTitle(title)
}

/** The same, with the id in place of a missing title. */
export function titleOfRow(resource: ResourceModel, caller: Principal, row: Row): string {
  return findTitleOfRow(resource, caller, row) ?? idOf(resource, row)
}

const maxTitleLength = 80

/** The title, cut at the longest length that a page shows. */
function shortenTitle(title: string): string {
  return title.length <= maxTitleLength ? title : `${title.slice(0, maxTitleLength - 1).toWellFormed()}…`
}

function identitiesIn(items: readonly ItemView[], field: FieldModel): readonly string[] {
  const identities = new Set<string>()
  for (const { row, visibleFields } of items) {
    const identity = row[field.index]
    if (typeof identity === 'string' && visibleFields.fields.includes(field)) identities.add(identity)
  }
  return [...identities]
}
