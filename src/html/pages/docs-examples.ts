/** The examples of a resource in /docs, as text to copy. */

import type { FieldModel, JsonValue, Model } from '../../definition/model.ts'
import type { ResourceDocumentation } from '../../describe/documentation.ts'
import { formatQueryString } from '../../http/query-string.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { formatLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'
import { copyableSnippet, formatCurl, type RequestExample } from './request-example.ts'

interface DocsExample {
  readonly title: string
  readonly method: string
  readonly target: string
  readonly content?: Readonly<Record<string, JsonValue>> | undefined
}

/** The examples, for the URI of the collection. The id of an item is to be filled in. */
export function exampleList(layout: PageLayout, resource: ResourceDocumentation, uri: string): Markup {
  const item = `${uri}/ID`
  const examples = [
    ...collectionExamples(layout.model, resource, uri),
    ...itemExamples(resource, item),
    ...actionExamples(resource, { uri, item }),
  ]
  return html`<h3>Examples</h3>${examples.map((one) => exampleMarkup(layout, one))}`
}

function collectionExamples(
  model: Model,
  { name, collectionMethods, fields, example }: ResourceDocumentation,
  uri: string,
): readonly DocsExample[] {
  const own = model.resources.get(name)
  const everywhere = fields.filter(({ visibleTo, writeOnly }) => visibleTo === undefined && !writeOnly)
  const filters = everywhere.flatMap((field) => filterOn(own?.fieldByName.get(field.name)))
  const isListed = collectionMethods.includes('GET')
  const list = { title: phrase`List`, method: 'GET', target: `${uri}?limit=10&sort=-createdAt` }
  const filtered = filters.slice(0, 1).map((pair) => ({
    title: phrase`Filter`,
    method: 'GET',
    target: `${uri}?${formatQueryString([pair])}`,
  }))
  const creation = { title: phrase`Create`, method: 'POST', target: uri, content: example }
  return [
    ...(isListed ? [list, ...filtered] : []),
    ...(collectionMethods.includes('POST') && example ? [creation] : []),
  ]
}

/** A filter that every value of the field's kind can have. */
function filterOn(field: FieldModel | undefined): readonly (readonly [name: string, value: string])[] {
  if (!field?.filterable) return []
  const [first] = (field.schema.enum ?? []) as readonly JsonValue[]
  if (first !== undefined) return [[field.name, String(first)]]
  const { shape, isText, order } = field.kind
  if (shape === 'boolean') return [[field.name, 'true']]
  if (isText) return [[`${field.name}[contains]`, 'a']]
  return order === 'amount' ? [[`${field.name}[gte]`, '1']] : []
}

function itemExamples(
  { itemMethods, change, states }: ResourceDocumentation,
  target: string,
): readonly DocsExample[] {
  const isChanged = itemMethods.includes('PATCH')
  const transitions = states.flatMap(({ field, transitions: steps }) =>
    steps.slice(0, 1).map(({ name, to }) => ({
      title: phrase`Transition: ${name}`,
      method: 'PATCH',
      target,
      content: { [field]: to },
    })),
  )
  return [
    ...(itemMethods.includes('GET') ? [{ title: phrase`Get one`, method: 'GET', target }] : []),
    ...(isChanged && change ? [{ title: phrase`Change`, method: 'PATCH', target, content: change }] : []),
    ...(isChanged ? transitions : []),
    ...(itemMethods.includes('DELETE') ? [{ title: phrase`Delete`, method: 'DELETE', target }] : []),
  ]
}

function actionExamples(
  { actions = [] }: ResourceDocumentation,
  { uri, item }: { readonly uri: string; readonly item: string },
): readonly DocsExample[] {
  return actions.map(({ name, on, method = 'POST', example = {} }) => {
    const [title, target] = [formatLabel(name), `${on === 'item' ? item : uri}/${name}`]
    if (method !== 'GET') return { title, method, target, content: example }
    const query = formatQueryString(Object.entries(example).flatMap(parametersOf))
    return { title, method, target: query === '' ? target : `${target}?${query}` }
  })
}

/** A list has a parameter for each of its elements. */
function parametersOf([name, value]: readonly [string, JsonValue]): readonly [string, string][] {
  if (Array.isArray(value)) return value.map((one) => [name, String(one)])
  return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]]
}

function exampleMarkup({ origin, caller }: PageLayout, example: DocsExample): Markup {
  const { title, method, target, content } = example
  const body = content && JSON.stringify(content)
  const request: RequestExample = {
    method,
    url: origin + target,
    ...(body === undefined ? {} : { fields: { 'Content-Type': 'application/json' }, body }),
    hasToken: caller.kind !== 'anonymous',
  }
  return html`<details class="example"><summary>${title}</summary>${copyableSnippet('curl', formatCurl(request))}</details>`
}
