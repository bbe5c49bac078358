/** Loads the titles of the items that others refer to, with one store query for each reference. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, JsonValue, Model, ResourceModel } from '../../definition/model.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { all } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { type StoredIn, storedInView, titleFields } from '../../views/item-title.ts'
import { elementIdentitiesOf, titleKey } from '../../views/set-element-ids.ts'
import type { Entry, EntryColumn, ItemView } from '../../views/view.ts'
import { formatTitle, referredKey, titleText } from '../markup/title-text.ts'

type TitleContext = Pick<Unit, 'store' | 'limits'>

/** Items that a page refers to. */
export interface ReferencedItems {
  readonly target: ResourceModel
  readonly identities: readonly string[]
  /** How the page shows them: by identity, or as the ids of a set of references. */
  readonly shown: 'identity' | 'id'
}

/** Titles by the key of `titleKey`, of items that the caller may read, with the parts that the caller sees on every item. */
export async function loadItemTitles(
  context: TitleContext,
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

/** The items that the entries of a document name: accounts, items of a collection, and those that changes led to. */
export function referencesInEntries(
  { accounts, resources }: Model,
  entries: readonly Entry[],
  {
    columns,
    resource,
  }: { readonly columns: readonly EntryColumn[]; readonly resource: ResourceModel | undefined },
): readonly ReferencedItems[] {
  return columns.flatMap(({ name, shows }): readonly ReferencedItems[] => {
    const values = entries.map((entry) => entry[name])
    if (shows === 'account') return accounts ? [byIdentity(accounts.resource, values)] : []
    if (shows === 'changes') return resource ? referencesInChanges(resource, values) : []
    if (shows !== 'item') return []
    return [...Map.groupBy(entries, ({ collection }) => String(collection))].flatMap(([collection, own]) => {
      const target = resources.get(collection)
      const identities = [...new Set(own.map(({ identity }) => String(identity)))]
      return target ? [{ target, identities, shown: 'identity' as const }] : []
    })
  })
}

/** The items that references led to before or after the changes. */
function referencesInChanges(
  { fields }: ResourceModel,
  changes: readonly (JsonValue | undefined)[],
): readonly ReferencedItems[] {
  return fields.flatMap((field) => {
    const target = (field.ref ?? field.refs)?.resource
    if (!target) return []
    const ids = changes.flatMap((one) => changedValues(one, field)).flat()
    return [{ ...byIdentity(target, ids), shown: field.refs ? ('id' as const) : ('identity' as const) }]
  })
}

function changedValues(
  changes: JsonValue | undefined,
  { name }: FieldModel,
): readonly (JsonValue | undefined)[] {
  const { from, to } = (Object(changes) as Readonly<Record<string, Entry>>)[name] ?? {}
  return [from, to]
}

/** An id is the identity, except in collections with keys, which are readable themselves. */
function byIdentity(target: ResourceModel, ids: readonly (JsonValue | undefined)[]): ReferencedItems {
  const known = target.keyField ? [] : ids.filter((id) => typeof id === 'string')
  return { target, identities: [...new Set(known)], shown: 'identity' }
}

async function loadTitlesOf(
  context: TitleContext,
  caller: Principal,
  { target, identities, shown }: ReferencedItems,
): Promise<readonly (readonly [string, string])[]> {
  const fields = seenTitleFields(target, caller)
  if (fields.length === 0) return []
  // Sets of references to a collection with keys show keys, whose identities the page does not know.
  const idColumn = (shown === 'id' && target.keyField?.name) || '_identity'
  const columns = [idColumn, ...fields.map(({ name }) => name)]
  const rows = await listByIdentity(context, caller, target, { identities, columns })
  const stored = rows.map(
    ([, ...values]): StoredIn =>
      (field) =>
        values[fields.indexOf(field)],
  )
  const referred = await loadReferredTexts(context, caller, target, stored)
  return rows.flatMap(([id], at) => {
    const title = formatTitle(target, stored[at] ?? noValue, referred)
    if (title === '') return []
    const key = shown === 'id' ? titleKey(target, String(id)) : String(id)
    return [[key, shortenTitle(title)] as const]
  })
}

const noValue: StoredIn = () => null

/** The columns of the rows with these identities that the caller may read. */
async function listByIdentity(
  { store, limits }: TitleContext,
  caller: Principal,
  target: ResourceModel,
  { identities, columns }: { readonly identities: readonly string[]; readonly columns: readonly string[] },
): Promise<readonly Row[]> {
  const { read } = rightsOf(target, caller)
  if (identities.length === 0 || read.kind === 'never') return []
  const among = { kind: 'compare', path: ['_identity'], operator: 'in', values: identities } as const
  return store.list({
    table: target.name,
    condition: all([among, read]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: identities.length,
    octets: limits.page,
    evaluated: [],
    columns,
  })
}

/** The texts that titles take from other items, of those that the caller may read, with one store query for each part. */
export async function loadReferredTexts(
  context: TitleContext,
  caller: Principal,
  resource: ResourceModel,
  rows: readonly StoredIn[],
): Promise<ReadonlyMap<string, string>> {
  const loaded = titleFields(resource).map(async ({ field, of }) => {
    if (!of || !field.ref || !isAlwaysSeen(field.ref.resource, caller, of)) return []
    const found = rows.map((storedIn) => storedIn(field)).filter((one) => typeof one === 'string')
    const wanted = { identities: [...new Set(found)], columns: ['_identity', of.name] }
    const referred = await listByIdentity(context, caller, field.ref.resource, wanted)
    return referred.flatMap(([identity = null, stored = null]) =>
      stored === null ? [] : [[referredKey(identity, of), titleText(of, stored)] as const],
    )
  })
  return new Map((await Promise.all(loaded)).flat())
}

/** The fields of a title that the caller sees on every item. */
function seenTitleFields(resource: ResourceModel, caller: Principal): readonly FieldModel[] {
  const fields = titleFields(resource).map(({ field }) => field)
  return [...new Set(fields)].filter((field) => isAlwaysSeen(resource, caller, field))
}

function isAlwaysSeen(resource: ResourceModel, caller: Principal, field: FieldModel): boolean {
  return rightsOf(resource, caller).visibility.get(field)?.kind === 'always'
}

/** The title of each row, of the fields that the caller sees on every item; empty where none has a value. */
export async function loadTitles(
  context: TitleContext,
  caller: Principal,
  resource: ResourceModel,
  rows: readonly Row[],
): Promise<readonly string[]> {
  const seen = seenTitleFields(resource, caller)
  const stored = rows.map(
    (row): StoredIn =>
      (field) =>
        seen.includes(field) ? row[field.index] : null,
  )
  const referred = await loadReferredTexts(context, caller, resource, stored)
  return stored.map((one) => shortenTitle(formatTitle(resource, one, referred)))
}

/** Loads the texts that the titles of these items take from other items. */
export async function loadReferredTextsOf(
  context: TitleContext,
  caller: Principal,
  items: readonly ItemView[],
): Promise<ReadonlyMap<string, string>> {
  const loaded = [...Map.groupBy(items, ({ visibleFields }) => visibleFields.resource)].map(
    ([resource, own]) => loadReferredTexts(context, caller, resource, own.map(storedInView)),
  )
  return new Map((await Promise.all(loaded)).flatMap((texts) => [...texts]))
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
