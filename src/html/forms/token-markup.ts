/** HTML for tokens: a matrix of collections and rights, how long a token is valid, and its secret. */

import { type FieldModel, IDENTITY } from '../../definition/model.ts'
import type { ItemView } from '../../views/view.ts'
import type { PageLayout, TokenChoices } from '../loading/page-layout.ts'
import { labelOfCollection } from '../markup/collection-nouns.ts'
import { fieldLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { pageLanguage, phrase } from '../page-language.ts'
import { copyableSnippet } from '../pages/request-example.ts'
import type { ControlContext } from './form-entry.ts'

/** The control of a field of a new token; undefined for other fields. */
export function tokenControl(context: ControlContext): Markup | undefined {
  const { layout, input } = context
  if (isTokenField(layout, input.field, 'scopes')) return scopeMatrix(context)
  const { tokenChoices } = layout
  if (!tokenChoices || !isTokenField(layout, input.field, 'expiresIn')) return undefined
  return lifetimeSelect(context, tokenChoices)
}

/** The help for such a control; undefined for other fields. */
export function tokenHelp(layout: PageLayout, field: FieldModel): string | undefined {
  if (isTokenField(layout, field, 'scopes'))
    return phrase`The token can do this on your behalf, within your own rights. Write includes create, update and delete. Only “Everything: Write” also gives roles.`
  return layout.tokenChoices && isTokenField(layout, field, 'expiresIn') ? '' : undefined
}

function isTokenField({ model }: PageLayout, field: FieldModel, name: string): boolean {
  return model.tokens?.fieldByName.get(name) === field
}

/** A row for each collection, and a checkbox for each right. */
function scopeMatrix({ layout, input, id, values, attributes }: ControlContext): Markup {
  const { field } = input
  const scopes = (field.item?.schema.enum ?? []) as readonly string[]
  const names = new Set(scopes.map((scope) => scope.slice(0, scope.indexOf(':'))))
  const columns = rights()
  const rows = [...names].map((name, index) => {
    const label = name === '*' ? phrase`Everything` : labelOfCollection(layout.model, name)
    const isDocument = name !== '*' && !layout.model.resources.has(name)
    const cells = columns.map(([right, rightLabel], at) => {
      // Documents for operators are only read.
      if (isDocument && right !== 'read') return html`<td></td>`
      const scope = `${name}:${right}`
      if (!scopes.includes(scope)) return html`<td></td>`
      return html`<td><input type="checkbox"${index + at === 0 && html` id="${id}"`} name="${field.name}[]" value="${scope}" aria-label="${`${label}: ${rightLabel}`}"${values.includes(scope) && html` checked`}></td>`
    })
    return html`<tr><th scope="row">${label}</th>${cells}</tr>
`
  })
  const heads = columns.map(([, label]) => html`<th scope="col">${label}</th>`)
  return html`<div class="scroll matrix" role="group" aria-label="${fieldLabel(field)}"${attributes}><input type="hidden" name="${field.name}[]" value=""><table><thead><tr><td></td>${heads}</tr></thead><tbody>
${rows}</tbody></table></div>`
}

function rights(): readonly (readonly [name: string, label: string])[] {
  return [
    ['read', phrase`Read`],
    ['write', phrase`Write`],
    ['create', phrase`Create`],
    ['update', phrase`Update`],
    ['delete', phrase`Delete`],
    ['grant', phrase`Give roles`],
  ]
}

/** A value that is none of the choices was sent by a program; a refused form keeps it. */
function lifetimeSelect({ input, id, attributes, values }: ControlContext, choices: TokenChoices): Markup {
  const { lifetimes, defaultLifetime, expiresAt } = choices
  const byDefault =
    expiresAt === undefined ? formatLifetime(defaultLifetime ?? 0) : phrase`Until ${formatDay(expiresAt)}`
  const presets = lifetimes.filter((lifetime) => lifetime !== defaultLifetime).map(String)
  const [sent = ''] = values
  const others = [...presets, ...(sent === '' || presets.includes(sent) ? [] : [sent])].map(
    (value) =>
      html`<option value="${value}"${value === sent && html` selected`}>${formatLifetime(Number(value))}</option>`,
  )
  return html`<select id="${id}" name="${input.field.name}"${attributes}><option value="">${byDefault}</option>${others}</select>`
}

function formatLifetime(seconds: number): string {
  const days = seconds / 86_400
  if (days === 365) return phrase`1 year`
  if (days === 1) return phrase`1 day`
  return Number.isInteger(days) ? phrase`${days} days` : phrase`${seconds} seconds`
}

function formatDay(iso: string): string {
  return pageLanguage().formatDay(iso.slice(0, 10))
}

/** Whether it is the token of the session that shows the page. */
export function isOwnToken({ tokenChoices }: PageLayout, { row }: ItemView): boolean {
  return tokenChoices?.own !== undefined && tokenChoices.own === row[IDENTITY]
}

export function ownTokenMark(layout: PageLayout, item: ItemView): Markup | undefined {
  return isOwnToken(layout, item) ? html` <span class="badge">This browser</span>` : undefined
}

/** The secret of a new token or webhook, to be copied; undefined where the response shows none. */
export function newSecretSection({ row, visibleFields }: ItemView): Markup | undefined {
  const { resource, fields } = visibleFields
  const field = fields.find(({ name }) => name === resource.traits.shownOnce)
  const secret = field && row[field.index]
  if (!field || typeof secret !== 'string') return undefined
  return html`<section class="note secret" aria-label="${fieldLabel(field)}"><p><strong>Copy it now.</strong> It is shown only once.</p>
${copyableSnippet(fieldLabel(field), secret)}</section>`
}
