/** The HTML pages below /forms: `/forms/{collection}` creates an item or imports many, `/forms/{collection}/{id}` edits it. */

import { callerRefusal } from '../../access/access-refusal.ts'
import { html } from '../../formats/html.ts'
import { json } from '../../formats/json.ts'
import { parseQueryString } from '../../http/query-string.ts'
import type { Document, DocumentQuery, LoadedContent } from '../../requests/context/target.ts'
import { absenceOf } from '../../requests/read/item-access.ts'
import { loadDocumentedItem } from '../../requests/read/item-of-document.ts'
import { loadEditAction } from '../../requests/read/item-presenter.ts'
import { loadParent } from '../../requests/read/load-parent.ts'
import { findPermittedCreation } from '../../requests/read/permitted-creation.ts'
import { findCreateAction } from '../../views/create-action.ts'
import { isListable } from '../../views/form-input.ts'
import { collectionUri, itemUri } from '../../views/uri.ts'
import { findChoices } from '../loading/reference-choices.ts'
import { importParameter, importUri, mayImport, writableColumns } from './import-view.ts'
import { choicesParameter } from './reference-control.ts'

export const creationForm: Document = {
  route: '/forms/{collection}',
  name: 'creation-form',
  personal: true,
  formats: [html],
  async load({ service, caller, target }): Promise<LoadedContent> {
    const { collection } = target
    if (!collection) throw new Error('The form does not belong to a collection')
    const { resource } = collection
    const parent = collection.parent && (await loadParent({ unit: service, caller }, collection.parent))
    if (parent?.kind === 'absent') {
      throw await absenceOf(
        { unit: service, caller, target },
        collection.parent?.resource ?? resource,
        parent,
      )
    }
    const creation = await findPermittedCreation({ unit: service, caller, method: 'GET' }, resource, parent)
    if (!creation) throw callerRefusal(caller)
    const links = [
      { target: target.path, rel: 'self' },
      { target: creation.target, rel: 'up' },
    ]
    return { data: null, resource, hypermedia: { links, actions: [creation] } }
  },
}

export const importForm: Document = {
  route: `/forms/{collection}?${importParameter}=file`,
  name: 'import-form',
  personal: true,
  formats: [html],
  parameters: [importParameter],
  async load({ service, caller, target }): Promise<LoadedContent> {
    const { resource } = target.collection ?? {}
    if (!resource) throw new Error('The form does not belong to a collection')
    const creation = findCreateAction(service.model, resource, caller)
    if (!mayImport(resource, creation)) throw callerRefusal(caller)
    const links = [
      { target: importUri(service.model, resource), rel: 'self' },
      { target: creation.target, rel: 'up' },
    ]
    const entries = writableColumns(creation)
    // The form has no input for each field.
    return { data: null, entries, resource, hypermedia: { links, actions: [{ ...creation, inputs: [] }] } }
  },
}

export const editForm: Document = {
  route: '/forms/{collection}/{id}',
  name: 'edit-form',
  personal: true,
  editsItem: true,
  formats: [html],
  async load(query: DocumentQuery): Promise<LoadedContent> {
    const { service, caller, target } = query
    const { model } = service
    const { rights, row, isTrue, view } = await loadDocumentedItem(query)
    const { resource } = rights
    const edit = await loadEditAction(service, { model, resource, caller, rights, isTrue, row })
    if (!edit) throw callerRefusal(caller)
    const links = [
      { target: target.path, rel: 'self' },
      { target: itemUri(model, resource, row), rel: 'up' },
      { target: collectionUri(model, resource), rel: 'collection' },
    ]
    const hypermedia = { links, actions: [edit] }
    return { data: null, resource, hypermedia, item: view }
  },
}

/** The items that a picker finds by a text, by title. */
export const choices: Document = {
  route: `/forms/{collection}?${choicesParameter}=text`,
  name: 'choices',
  isTranslated: true,
  personal: true,
  formats: [json],
  parameters: [choicesParameter],
  async load({ service, caller, target }): Promise<LoadedContent> {
    const { resource } = target.collection ?? {}
    if (!resource) throw new Error('The choices do not belong to a collection')
    if (!isListable(resource, caller)) throw callerRefusal(caller)
    const text = new Map(parseQueryString(target.query ?? '')).get(choicesParameter) ?? ''
    const items = await findChoices(service, caller, resource, text)
    return { data: items.map(({ id, title }) => ({ id, title })), hypermedia: { links: [], actions: [] } }
  },
}
