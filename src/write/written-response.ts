/** What a journey came to, before it is put into header fields and a format. */

import { rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import type { Stored } from '../definition/model.ts'
import type { Link } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { itemPresenter } from '../read/item-presenter.ts'
import { itemValidators } from '../read/validators.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import type { Row } from '../store/row.ts'
import { andThen, type MaybePromise } from '../store/store.ts'
import { createRowChecks } from '../view/row-checks.ts'
import { createFieldSelector } from '../view/shape.ts'
import { itemUri } from '../view/uri.ts'
import type { ItemView } from '../view/view.ts'

/** The item after a write, as its writer's own GET will show it. */
export interface WritePreview {
  readonly row: Row
  /** Undefined where the writer may not read what it wrote. */
  readonly view: ItemView | undefined
  readonly links: readonly Link[]
}

/** Of the values that are going to be written: the answer is to go into the same transaction. */
export function previewWrite(
  context: RequestContext<CollectionTarget | ItemTarget>,
  values: readonly Stored[],
): MaybePromise<WritePreview> {
  const { service, caller, target } = context
  const { resource } = target
  const rights = rightsOf(resource, caller)
  const presenter = itemPresenter(context, createFieldSelector(rights), rights)
  const checks = createRowChecks(resource, [rights.read, ...presenter.conditions])
  const seen = (row: Row): MaybePromise<WritePreview> => {
    const holds = checks.readResults(row)
    if (!holds(rights.read)) return { row, view: undefined, links: [] }
    return andThen(presenter.present(row, holds), ({ view, links }) => ({
      row,
      view,
      links: links(),
    }))
  }
  return andThen(service.store.previewRow(resource.name, values, checks.conditions), seen)
}

/** 201: where the new item is, and the item itself. */
export function createdResponse(
  context: RequestContext<CollectionTarget | ItemTarget>,
  preview: WritePreview,
): ViewResponse {
  const { service, target } = context
  const { row, view, links } = preview
  const uri = itemUri(service.model, target.resource, row)
  const fields: ResponseFields = { Location: uri }
  if (view) addContentFields(fields, context, { uri, view })
  return { status: 201, view, links, fields }
}

/** 200 with the item as it is now; 204 where its writer may not see it. */
export function changedResponse(
  context: RequestContext<ItemTarget>,
  preview: WritePreview,
): ViewResponse {
  const { row, view, links } = preview
  const { service, target } = context
  const fields: ResponseFields = {}
  if (view)
    addContentFields(fields, context, { uri: itemUri(service.model, target.resource, row), view })
  return { status: view ? 200 : 204, view, links, fields }
}

export const deletedResponse: ViewResponse = Object.freeze({
  status: 204,
  view: undefined,
  links: [],
  fields: {},
})

/**
 * What the enclosed representation is a representation of. RFC 9110 §9.3.4: no validators after a
 * PUT, for what is stored is not byte for byte what was sent.
 */
function addContentFields(
  fields: ResponseFields,
  context: RequestContext<CollectionTarget | ItemTarget>,
  { uri, view }: { readonly uri: string; readonly view: ItemView },
): void {
  fields['Content-Location'] = uri
  if (context.method !== 'PUT') Object.assign(fields, itemValidators(context, view))
}
