/** The responses to writes, built from a preview of the row that the write will store. */

import { rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import type { Stored } from '../definition/model.ts'
import type { Link } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { deriveInto } from '../read/derived-values.ts'
import { itemPresenter } from '../read/item-presenter.ts'
import { itemValidators } from '../read/validators.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import type { Row } from '../store/row.ts'

import { createRowChecks } from '../view/row-checks.ts'
import { itemUri } from '../view/uri.ts'
import type { ItemView } from '../view/view.ts'
import { createFieldSelector } from '../view/visible-fields.ts'

/** The item after a write, as a GET by the same caller will show it. */
interface WritePreview {
  readonly row: Row
  /** Undefined when the caller may not read the result. */
  readonly view: ItemView | undefined
  readonly links: readonly Link[]
}

/**
 * The item as these values would make it. It is needed before the write: the response may be stored in the same
 * transaction. `store` is the store with the other writes of the request.
 */
export async function previewWrite(
  context: RequestContext<CollectionTarget | ItemTarget>,
  values: readonly Stored[],
  store = context.service.store,
): Promise<WritePreview> {
  const service = { ...context.service, store }
  const { caller, target } = context
  const { resource } = target
  const rights = rightsOf(resource, caller)
  const presenter = itemPresenter({ ...context, service }, createFieldSelector(rights, 'item'), rights)
  const checks = createRowChecks(resource, [rights.read, ...presenter.conditions])
  const row = await store.previewRow(resource.name, values, checks.conditions)
  const isTrue = checks.readResults(row)
  if (!isTrue(rights.read)) return { row, view: undefined, links: [] }
  const { view, links } = await presenter.present(row, isTrue)
  const [derived = view] = await deriveInto({ service, caller }, [view])
  return { row, view: derived, links: links() }
}

/** 201 with the URI of the new item, and the item when the caller may read it. */
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

/** 200 with the changed item; 204 when the caller may not read it. */
export function changedResponse(context: RequestContext<ItemTarget>, preview: WritePreview): ViewResponse {
  const { row, view, links } = preview
  const { service, target } = context
  const fields: ResponseFields = {}
  if (view) addContentFields(fields, context, { uri: itemUri(service.model, target.resource, row), view })
  return { status: view ? 200 : 204, view, links, fields }
}

export const deletedResponse: ViewResponse = Object.freeze({
  status: 204,
  view: undefined,
  links: [],
  fields: {},
})

/**
 * Adds Content-Location and the validators of the enclosed item. RFC 9110 §9.3.4: no validators
 * after a PUT, because the stored item is not byte for byte the content.
 */
function addContentFields(
  fields: ResponseFields,
  context: RequestContext<CollectionTarget | ItemTarget>,
  { uri, view }: { readonly uri: string; readonly view: ItemView },
): void {
  fields['Content-Location'] = uri
  if (context.method !== 'PUT') Object.assign(fields, itemValidators(context, view))
}
