/** The HTML page of an item: its fields, actions, and the items that refer to it. */

import { CREATED_AT } from '../../definition/model.ts'
import { formatPath } from '../../http/request-target.ts'
import { versionTable } from '../../requests/events/load-item-history.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { storedInView } from '../../views/item-title.ts'
import { lastChangeTime } from '../../views/opaque-tag.ts'
import { formUriOf, historyUri, idOf, itemUri } from '../../views/uri.ts'
import type { CollectionView, EmbeddedList, ItemView } from '../../views/view.ts'
import { actionButtons, actionForm } from '../forms/action-form.ts'
import { fileForms, isFileAction } from '../forms/file-forms.ts'
import { newPasskeyForm } from '../forms/passkey-forms.ts'
import { isOwnToken, newSecretSection, ownTokenMark } from '../forms/token-markup.ts'
import type { HtmlPage } from '../layout.ts'
import { itemsTable } from '../lists/items-table.ts'
import type { DeletionBlock, PageLayout, ReferringItems } from '../loading/page-layout.ts'
import { collectionLabel, formatCount, itemNoun } from '../markup/collection-nouns.ts'
import { fullValue, shortId, timeMarkup } from '../markup/display-value.ts'
import { fieldLabel, formatLabel, labelInSentence, memberLabel } from '../markup/field-label.ts'
import { currentPart, refreshInterval } from '../markup/job-markup.ts'
import { html, type Markup, trustedMarkup } from '../markup/markup.ts'
import { formatTitle } from '../markup/title-text.ts'
import { phrase } from '../page-language.ts'
import { pagePath, pathLink } from '../parent-path.ts'
import { explainAccessForm, viewAsForm } from '../view-as/view-as-form.ts'
import { entryTable } from './entries-page.ts'

export function itemPage(layout: PageLayout, item: ItemView): HtmlPage {
  const title = itemTitle(layout, item)
  const main = html`${breadcrumbs(item, title)}
${currentPart(
  item,
  html`<div class="heading"><h1>${title}${ownTokenMark(layout, item)}</h1>${layout.passkey === undefined && itemToolbar(layout, item)}</div>
${newSecretSection(item)}
${layout.qrCode !== undefined && qrCodeSection(layout.qrCode)}
${layout.passkey && newPasskeyForm(layout.passkey)}
${fieldList(layout, item)}`,
)}
${fileForms(layout, item)}
${embeddedSections(layout, item)}
${[...(layout.subCollections ?? [])].map(([name, list]) => subCollectionSection(layout, name, list))}
${layout.referring.map(referringSection)}
${historySection(layout, item)}
${explainAccessForm(layout)}
${item.visibleFields.resource.declared && viewAsForm(layout)}`
  return { title, main, refresh: refreshInterval(item) }
}

/** The title of the item, or its shortened id. */
export function itemTitle({ titles }: Pick<PageLayout, 'titles'>, item: ItemView): string {
  const { resource } = item.visibleFields
  const title = formatTitle(resource, storedInView(item), titles)
  return title === '' ? shortId(idOf(resource, item.row)) : title
}

function breadcrumbs({ hypermedia, visibleFields }: ItemView, title: string): Markup {
  const collection = hypermedia?.links.find(({ rel }) => rel === 'collection')
  return pagePath([pathLink(collection?.target, collectionLabel(visibleFields.resource)), title])
}

/** The fields of the item with their values. */
export function fieldList(layout: PageLayout, item: ItemView): Markup {
  const { row, visibleFields } = item
  const id = idOf(visibleFields.resource, row)
  return html`<dl class="fields">
${fieldValues(layout, item)}
<dt>ID</dt><dd><code>${id}</code></dd>
<dt>Created at</dt><dd>${trustedMarkup(timeMarkup(String(row[CREATED_AT])))}</dd>
<dt>Updated at</dt><dd>${trustedMarkup(timeMarkup(lastChangeTime(item)))}</dd>
</dl>`
}

/** The terms and values of the fields, for a list. */
export function fieldValues(layout: PageLayout, item: ItemView): readonly Markup[] {
  return item.visibleFields.fields.map(
    (field) => html`<dt>${fieldLabel(field)}</dt><dd>${fullValue(layout, item, field)}</dd>`,
  )
}

/** The QR code is made by the service itself. */
function qrCodeSection(svg: string): Markup {
  return html`<p>Scan this code with your authenticator app, or enter the secret below. Then confirm with a code that the app shows.</p>
<p class="qr-code">${trustedMarkup(svg)}</p>`
}

/** A section for each embedded relation: the fields of a referenced item, the titles of a list. */
function embeddedSections(layout: PageLayout, { embedded, visibleFields }: ItemView): readonly Markup[] {
  return [...(embedded ?? [])].map(([name, one]) => {
    const content = one.kind === 'list' ? embeddedList(layout, one) : embeddedItem(layout, one)
    // The page may also show the sub-collection of the same name.
    const label = memberLabel(visibleFields.resource, name)
    const heading = one.kind === 'list' ? phrase`${label} (embedded)` : label
    return html`<section class="referring"><h2>${heading}</h2>${content}</section>`
  })
}

function embeddedItem(layout: PageLayout, item: ItemView): Markup {
  return html`<p>${titleLink(layout, item)}</p>${fieldList(layout, item)}${embeddedSections(layout, item)}`
}

function embeddedList(layout: PageLayout, { items, rest }: EmbeddedList): Markup {
  const links = items.map((item) => html`<li>${titleLink(layout, item)}</li>`)
  return html`<ul>${links}</ul>${rest !== undefined && html`<p><a href="${rest}">Show all</a></p>`}`
}

function titleLink(layout: PageLayout, item: ItemView): Markup {
  const { resource } = item.visibleFields
  if (!resource.itemMethods.has('GET')) return html`${itemTitle(layout, item)}`
  return html`<a href="${itemUri(layout.model, resource, item.row)}">${itemTitle(layout, item)}</a>`
}

/** The first items of a sub-collection, and the form that creates one in it. */
function subCollectionSection(layout: PageLayout, name: string, list: CollectionView): Markup {
  const { links = [], actions = [] } = list.hypermedia ?? {}
  const target = (rel: string) => links.find((link) => link.rel === rel)?.target ?? ''
  const [creation] = actions
  const label = formatLabel(name)
  const form =
    creation && actionForm(layout, { action: creation, prefix: `${name}-new`, button: phrase`Create` })
  return html`<section class="sub-collection" id="below-${name}"><h2><a href="${target('self')}">${label}</a></h2>
${form && html`<details class="new"><summary>New in ${labelInSentence(label)}</summary>${form}</details>`}
${list.items.length > 0 ? itemsTable({ ...layout, uri: target('self') }, list) : html`<p class="empty">No items yet.</p>`}
${target('next') !== '' && html`<p><a href="${target('self')}">Show all</a></p>`}</section>`
}

function referringSection({ resource, name, items, uri }: ReferringItems): Markup {
  const links = items.map((item) => html`<li><a href="${item.uri}">${item.title}</a></li>`)
  const collection = collectionLabel(resource)
  return html`<section class="referring"><h2>${collection} <small>by ${labelInSentence(memberLabel(resource, name))}</small></h2>
<ul>${links}</ul><p><a href="${uri}">Show all</a></p></section>`
}

/** The newest versions of the item, where the caller may read its history. */
function historySection(layout: PageLayout, { visibleFields, row }: ItemView): Markup | undefined {
  const { model, versions } = layout
  if (!versions) return undefined
  const { resource } = visibleFields
  const uri = historyUri(model, resource, row)
  const links = versions.map(({ version }) => ({ target: formatPath(uri, [String(version)]), rel: 'item' }))
  return html`<section class="referring" id="history"><h2><a href="${uri}">History</a></h2>
${versions.length > 0 ? entryTable(layout, { table: versionTable, data: versions, resource, hypermedia: { links, actions: [] } }) : html`<p class="empty">No versions are kept.</p>`}</section>`
}

/** The actions of an item beside its title: the edit form, transitions, and a menu with its deletion. */
function itemToolbar(layout: PageLayout, item: ItemView): Markup | undefined {
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
