/** The responses to writes, built from a preview of the row that the write will store. See decision 0015. */

import { rightsOf } from '../../access/rights.ts'
import type { ResourceModel, Stored } from '../../definition/model.ts'
import { itemInVersion } from '../../formats/version-formats.ts'
import type { Link } from '../../http/link.ts'
import type { ResponseFields } from '../../http/message.ts'
import type { Row } from '../../store/row.ts'
import type { Store } from '../../store/store.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { itemUri } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import { withStore } from '../context/service-context.ts'
import type { ActionTarget, CollectionTarget, ItemTarget } from '../context/target.ts'
import { deriveInto } from '../read/derived-values.ts'
import { itemPresenter } from '../read/item-presenter.ts'
import { itemValidators } from '../read/validators.ts'
import type { ViewResponse } from '../respond/finish-response.ts'

type ShownWriteContext = RequestContext<CollectionTarget | ItemTarget | ActionTarget>

/** The item after a write, as a GET by the same caller will show it. */
interface WritePreview {
  readonly resource: ResourceModel
  readonly row: Row
  /** Undefined when the caller may not read the result. */
  readonly view: ItemView | undefined
  readonly links: readonly Link[]
}

interface PreviewOptions {
  /** The store with the other writes of the request. */
  readonly store?: Store
  /** The resource of the item; by default that of the target. */
  readonly resource?: ResourceModel
}

/**
 * The item as these values would make it. It is needed before the write: the response may be stored in the same
 * transaction.
 */
export async function previewWrite(
  context: ShownWriteContext,
  values: readonly Stored[],
  { store = context.unit.store, resource = context.target.resource }: PreviewOptions = {},
): Promise<WritePreview> {
  const unit = store === context.unit.store ? context.unit : withStore(context.unit, store)
  const shown = { ...context, unit }
  const { caller } = context
  const rights = rightsOf(resource, caller)
  const presenter = itemPresenter(shown, createFieldSelector(rights, 'item'), rights)
  const checks = createRowChecks(resource, [rights.read, ...presenter.conditions])
  const row = await store.previewRow(resource.name, values, checks.conditions)
  const isTrue = checks.readResults(row)
  if (!isTrue(rights.read)) return { resource, row, view: undefined, links: [] }
  const { view, links } = await presenter.present(row, isTrue)
  const [derived = view] = await deriveInto({ unit, caller }, [view])
  // Code that cannot show the item must fail before the write.
  if (context.version) itemInVersion(context.version)(derived)
  return { resource, row, view: derived, links: links() }
}

/** 201 with the URI of the new item, and the item when the caller may read it. */
export function createdResponse(context: ShownWriteContext, preview: WritePreview): ViewResponse {
  const { resource, row, view, links } = preview
  const uri = itemUri(context.service.model, resource, row)
  const fields: ResponseFields = { Location: uri }
  if (view) addContentFields(fields, context, { uri, view })
  return { status: 201, view, links, fields }
}

/** 200 with the changed item; 204 when the caller may not read it. */
export function changedResponse(context: ShownWriteContext, preview: WritePreview): ViewResponse {
  const { resource, row, view, links } = preview
  const fields: ResponseFields = {}
  if (view) addContentFields(fields, context, { uri: itemUri(context.service.model, resource, row), view })
  return { status: view ? 200 : 204, view, links, fields }
}

/** 204: there is no item to show. */
export const emptyResponse: ViewResponse = Object.freeze({
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
  context: ShownWriteContext,
  { uri, view }: { readonly uri: string; readonly view: ItemView },
): void {
  fields['Content-Location'] = uri
  if (context.method !== 'PUT') Object.assign(fields, itemValidators(context, view))
}
