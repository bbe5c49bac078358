/** Loads the items that the forms of a page offer for references, and those that a person searched for. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { parseId } from '../../definition/item-id.ts'
import type { ResourceModel } from '../../definition/model.ts'
import type { QueryPair } from '../../http/query-string.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { all, type Condition, isOneOf } from '../../store/condition.ts'
import { listRows } from '../../store/table-rows.ts'
import { isListable } from '../../views/form-input.ts'
import { type Action, formInputs, type Input } from '../../views/hypermedia-controls.ts'
import { idOf } from '../../views/uri.ts'
import { loadTitles } from './item-titles.ts'
import type { ReferenceChoice, ReferenceChoices } from './page-layout.ts'
import { titleSearch } from './reference-search.ts'

type ChoicesContext = Pick<Unit, 'store' | 'limits'>

/** A form offers all items of a collection that has at most so many; those of others are searched. */
const maxChoices = 50
/** The most values whose titles a page looks up one by one. */
const maxNamed = 100

/** The choices by collection: all items, or the titles of the values that the forms have. */
export async function loadReferenceChoices(
  context: ChoicesContext,
  caller: Principal,
  actions: readonly Action[],
  sent: readonly QueryPair[] = [],
): Promise<ReadonlyMap<string, ReferenceChoices>> {
  const inputs = actions.flatMap(formInputs).filter(({ fixed }) => !fixed)
  const values = Map.groupBy(inputs, (input) => targetOf(input))
  const loaded = await Promise.all(
    [...values].flatMap(([target, own]) =>
      target && isListable(target, caller) ? [loadChoices(context, caller, target, valuesOf(own, sent))] : [],
    ),
  )
  return new Map(loaded)
}

function targetOf({ field: { ref, refs } }: Pick<Input, 'field'>): ResourceModel | undefined {
  return (ref ?? refs)?.resource
}

/** The ids that the controls show. */
function valuesOf(inputs: readonly Input[], sent: readonly QueryPair[]): readonly string[] {
  const names = new Set(inputs.flatMap(({ field: { name } }) => [name, `${name}[]`]))
  const own = sent.flatMap(([name, value]) => (names.has(name) ? value.split(/\r?\n/) : []))
  const present = inputs.flatMap(({ value = [] }) => value).filter((one) => typeof one === 'string')
  return [...own, ...present].filter((one) => one !== '')
}

async function loadChoices(
  context: ChoicesContext,
  caller: Principal,
  target: ResourceModel,
  values: readonly string[],
): Promise<readonly [string, ReferenceChoices]> {
  const condition = listedCondition(target, caller)
  const items = await listChoices(context, caller, target, { condition, limit: maxChoices + 1 })
  const isComplete = items.length <= maxChoices
  const choices = isComplete ? items : await loadChosen(context, caller, target, values)
  return [target.name, { items: sortByTitle(choices), isComplete }]
}

/** The items with these ids that the caller may read; others are left out. */
export async function loadChosen(
  context: ChoicesContext,
  caller: Principal,
  target: ResourceModel,
  ids: readonly string[],
): Promise<readonly ReferenceChoice[]> {
  const named = [...new Set(ids)].flatMap((id) => parseId(target, id) ?? []).slice(0, maxNamed)
  if (named.length === 0) return []
  const among = isOneOf([target.keyField?.name ?? '_identity'], named)
  const condition = all([rightsOf(target, caller).read, among])
  return listChoices(context, caller, target, { condition, limit: named.length })
}

/** A person who finds more than these types more of the title. */
const maxFound = 20

/** The items whose title has the text, or whose id it is, as the list of the collection shows them to the caller. */
export async function findChoices(
  context: ChoicesContext,
  caller: Principal,
  target: ResourceModel,
  text: string,
): Promise<readonly ReferenceChoice[]> {
  const searched = text.trim().slice(0, maxTextLength).toWellFormed()
  const search = titleSearch(target, caller, searched)
  const condition = search && all([listedCondition(target, caller), search])
  const matching = condition ? await listChoices(context, caller, target, { condition, limit: maxFound }) : []
  const named = await loadChosen(context, caller, target, [searched])
  const others = matching.filter(({ id }) => id !== named[0]?.id)
  return sortByTitle([...named, ...others].slice(0, maxFound))
}

function sortByTitle(choices: readonly ReferenceChoice[]): readonly ReferenceChoice[] {
  return choices.toSorted((a, b) => (a.title < b.title ? -1 : 1))
}

const maxTextLength = 100

async function listChoices(
  context: ChoicesContext,
  caller: Principal,
  target: ResourceModel,
  { condition, limit }: { readonly condition: Condition; readonly limit: number },
): Promise<readonly ReferenceChoice[]> {
  const rows = await listRows(context.store, target, { condition, limit })
  const titles = await loadTitles(context, caller, target, rows)
  return rows.map((row, at) => ({ id: idOf(target, row), title: titles[at] || idOf(target, row) }))
}

/** The items that the list of the collection shows to the caller. */
function listedCondition(target: ResourceModel, caller: Principal): Condition {
  const { read, list } = rightsOf(target, caller)
  return all([read, list])
}
