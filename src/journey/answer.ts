/** What a journey came to, before it is put into header fields and a format. */

import { rightsOf } from '../access/rights.ts'
import type { Stored } from '../declare/model.ts'
import type { Link } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { type Awaitable, andThen, type Row } from '../store/store.ts'
import { asksOf } from '../view/record.ts'
import { lensOf } from '../view/shape.ts'
import { itemUri } from '../view/uri.ts'
import type { ItemView, StreamView, View } from '../view/view.ts'
import type { Errand } from './errand.ts'
import { prospectOf } from './prospect.ts'
import type { CollectionTarget, ItemTarget } from './target.ts'
import { validatorsOf } from './validators.ts'

export interface Answer {
  readonly status: 200 | 201 | 204
  /** Undefined where there is nothing to show, or nothing this caller may see. */
  readonly view: View | StreamView | undefined
  readonly links: readonly Link[]
  /** Fields that belong to this outcome, such as Location and the validators. */
  readonly fields: ResponseFields
}

/** The item after a write, as its writer's own GET will show it. */
export interface Aftermath {
  readonly row: Row
  /** Undefined where the writer may not read what it wrote. */
  readonly view: ItemView | undefined
  readonly links: readonly Link[]
}

/** Of the values that are going to be written: the answer is to go into the same transaction. */
export function foresee(
  errand: Errand<CollectionTarget | ItemTarget>,
  values: readonly Stored[],
): Awaitable<Aftermath> {
  const { context, who, target } = errand
  const { resource } = target
  const rights = rightsOf(resource, who)
  const prospect = prospectOf(errand, lensOf(rights), rights)
  const asks = asksOf(resource, [rights.read, ...prospect.asks])
  const seen = (row: Row): Awaitable<Aftermath> => {
    const holds = asks.answersIn(row)
    if (!holds(rights.read)) return { row, view: undefined, links: [] }
    return andThen(prospect.see(row, holds), ({ view, links }) => ({ row, view, links: links() }))
  }
  return andThen(context.store.wouldShow(resource.name, values, asks.conditions), seen)
}

/** 201: where the new item is, and the item itself. */
export function created(
  errand: Errand<CollectionTarget | ItemTarget>,
  aftermath: Aftermath,
): Answer {
  const { context, target } = errand
  const { row, view, links } = aftermath
  const uri = itemUri(context.model, target.resource, row)
  const fields: ResponseFields = { Location: uri }
  if (view) enclose(fields, errand, { uri, view })
  return { status: 201, view, links, fields }
}

/** 200 with the item as it is now; 204 where its writer may not see it. */
export function done(errand: Errand<ItemTarget>, aftermath: Aftermath): Answer {
  const { row, view, links } = aftermath
  const { context, target } = errand
  const fields: ResponseFields = {}
  if (view) enclose(fields, errand, { uri: itemUri(context.model, target.resource, row), view })
  return { status: view ? 200 : 204, view, links, fields }
}

export const removed: Answer = Object.freeze({
  status: 204,
  view: undefined,
  links: [],
  fields: {},
})

/**
 * What the enclosed representation is a representation of. RFC 9110 §9.3.4: no validators after a
 * PUT, for what is stored is not byte for byte what was sent.
 */
function enclose(
  fields: ResponseFields,
  errand: Errand<CollectionTarget | ItemTarget>,
  { uri, view }: { readonly uri: string; readonly view: ItemView },
): void {
  fields['Content-Location'] = uri
  if (errand.method !== 'PUT') Object.assign(fields, validatorsOf(errand, view))
}
