/** The actions of an item beside its title: the edit form, transitions, and a menu with its deletion. */

import type { Action } from '../../views/hypermedia-controls.ts'
import { formUriOf } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import { actionButtons, actionForm } from '../forms/action-form.ts'
import { isFileAction } from '../forms/file-forms.ts'
import { isOwnToken } from '../forms/token-markup.ts'
import type { DeletionBlock, PageLayout } from '../loading/page-layout.ts'
import { formatCount, itemNoun } from '../markup/collection-nouns.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'

export function itemToolbar(layout: PageLayout, item: ItemView): Markup | undefined {
  const actions = item.hypermedia?.actions ?? []
  const edit = actions.find(({ name }) => name === 'default')
  const deletion = actions.find(({ name }) => name === 'delete')
  const others = actions.filter(
    (action) => action !== edit && action !== deletion && !isFileAction(item, action),
  )
  const menu = moreMenu(layout, item, deletion)
  if (!edit && !menu && others.length === 0) return undefined
  return html`<div class="toolbar">${edit && html`<a class="button plain" id="edit" href="${formUriOf(layout.model, edit.target)}">Edit</a>`}
${actionButtons(layout, others, item)}${menu}</div>`
}

/** The menu of rare actions. Opening it is the first of two steps, so a deletion needs no other confirmation. */
function moreMenu(layout: PageLayout, item: ItemView, deletion: Action | undefined): Markup | undefined {
  const { deletionBlock } = layout
  const isToken = item.visibleFields.resource === layout.model.tokens
  const content = deletion
    ? html`<p>${deletionQuestion(layout, item)}</p>${actionForm(layout, { action: deletion, prefix: 'delete', button: isToken ? phrase`Revoke` : phrase`Delete`, item, look: 'danger' })}`
    : deletionBlock &&
      html`<button class="danger" disabled aria-describedby="delete-reason">Delete</button><p class="help" id="delete-reason">${blockReason(layout, deletionBlock)}</p>`
  return (
    content &&
    html`<details class="more" id="more"><summary class="button plain" aria-label="More actions">⋯</summary><div class="panel">${content}</div></details>`
  )
}

function deletionQuestion(layout: PageLayout, item: ItemView): string {
  const { resource } = item.visibleFields
  const noun = itemNoun(resource)
  if (isOwnToken(layout, item)) return phrase`Revoke this ${noun}? You will be signed out in this browser.`
  return resource === layout.model.tokens
    ? phrase`Revoke this ${noun}? This cannot be undone.`
    : phrase`Delete this ${noun}? This cannot be undone.`
}

function blockReason({ model }: PageLayout, { reason, users }: DeletionBlock): string {
  if (reason === 'last-admin') return phrase`This is the last administrator.`
  if (reason === 'too-many') return phrase`Too many items would be deleted with it.`
  const counts = users.flatMap(({ collection, total }) => {
    const resource = model.resources.get(collection)
    return resource ? [formatCount(resource, total)] : []
  })
  if (counts.length === 0) return phrase`Other items refer to it.`
  const last = counts.pop() ?? ''
  return phrase`Used by ${counts.length === 0 ? last : phrase`${counts.join(', ')} and ${last}`}.`
}
