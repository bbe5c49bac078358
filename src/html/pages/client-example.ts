/** Calls of the generated client as text to copy. */

import type { FieldModel, JsonValue, ResourceModel } from '../../definition/model.ts'
import { formatQuery } from '../../describe/client/runtime.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import { parseTarget } from '../../http/request-target.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { bearerTemplate, formatLiteral, quoteForJavaScript } from './request-example.ts'

type ClientContent = Readonly<Record<string, JsonValue>>

/** A call of the client: a method of what the path names. */
export interface ClientCall {
  readonly uri: string
  /** Such as `list`; undefined: the last segment of the path is the method, an action. */
  readonly method: string | undefined
  readonly resource: ResourceModel
  /** The content that it sends. */
  readonly content?: ClientContent | readonly ClientContent[] | undefined
}

/** A module that calls the client; undefined where the client has no such call. */
export function formatClientCall(layout: PageLayout, call: ClientCall): string | undefined {
  const { model, origin, caller } = layout
  const expression = callExpression(layout, call)
  if (expression === undefined) return undefined
  const options = caller.kind === 'anonymous' ? '' : `, { authorization: ${bearerTemplate} }`
  const base = `${origin}${model.base}`
  const files = ['client.js', 'client.d.ts'].map((name) => `-O ${base}/${name}`)
  return `// curl ${files.join(' ')}
import { client } from './client.js'

const api = client(${quoteForJavaScript(base)}${options})
${expression}`
}

function callExpression({ model }: PageLayout, { uri, method, resource, content }: ClientCall) {
  const target = parseTarget(uri.slice(model.base.length))
  if (target.kind !== 'path') return undefined
  const [collection = '', ...below] = target.segments
  const query = parseClientQuery(resource, target.query ?? '')
  if (!query) return undefined
  const values = [...(content ? [content] : []), ...(Object.keys(query).length > 0 ? [query] : [])]
  const own = `api${member(collection)}`
  switch (method) {
    case 'list':
    case 'aggregate':
    case 'create':
    case 'createMany':
      return assigned(callOf(`${listAt(own, below)}.${method}`, values))
    case 'get':
    case 'version':
    case 'history':
      return assigned(callOf(`${own}.${method}`, [...below.filter((_, at) => at !== 1), ...values]))
    case 'patch':
    case 'replace':
    case 'remove': {
      const change = callOf(`${own}.${method}`, [...below, ...values])
      return `${callOf(`${own}.get`, below)} // The change is sent with the entity tag of this version.\n${change}`
    }
    default:
      return assigned(callOf(own + member(below.at(-1) ?? ''), [...below.slice(0, -1), content ?? {}]))
  }
}

/** A sub-collection is called with the id of its item. */
function listAt(own: string, [id, name]: readonly string[]): string {
  return id === undefined || name === undefined ? own : `${own}${member(name)}(${quoteForJavaScript(id)})`
}

function callOf(name: string, values: readonly unknown[]): string {
  return `await ${name}(${values.map(formatLiteral).join(', ')})`
}

function assigned(call: string): string {
  return `const data = ${call}`
}

function member(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? `.${name}` : `[${quoteForJavaScript(name)}]`
}

type ClientQuery = Readonly<Record<string, unknown>>

/** The query as the client takes it; undefined where it cannot express it, such as the cursor of a page. */
function parseClientQuery(resource: ResourceModel, text: string): ClientQuery | undefined {
  const pairs = parseQueryString(text)
  if (!pairs || pairs.some(([name]) => name === 'after' || name === 'before')) return undefined
  const query: Record<string, unknown> = {}
  for (const pair of pairs) addPair(query, resource, pair)
  const sent = parseQueryString(formatQuery(query).slice(1)) ?? []
  if (formatQueryString(sorted(sent)) !== formatQueryString(sorted(pairs))) return undefined
  const { 'group-by': groupBy, ...others } = query
  return groupBy === undefined ? others : { groupBy, ...others }
}

/** Each member of the query, in which an operator is a member of its field. */
function addPair(query: Record<string, unknown>, resource: ResourceModel, [name, text]: QueryPair): void {
  if (lists.has(name)) query[name] = text.split(',')
  else if (name === 'limit') query[name] = Number(text)
  else {
    const [, field = name, operator] = /^(.*)\[([a-z]+)\]$/.exec(name) ?? []
    const value = parseOperand(resource.fieldByName.get(field), operator, text)
    if (operator === undefined) query[field] = value
    else query[field] = { ...(query[field] as object | undefined), [operator]: value }
  }
}

const lists: ReadonlySet<string> = new Set(['sort', 'fields', 'embed', 'group-by', 'aggregate'])

/** A number or boolean where the client sends the same text for it. */
function parseOperand(field: FieldModel | undefined, operator: string | undefined, text: string): unknown {
  if (operator === 'in') return splitOperands(text).map((one) => parseOperand(field, undefined, one))
  const shape = field?.kind.shape
  const isBoolean = operator === 'missing' || shape === 'boolean'
  if (isBoolean && (text === 'true' || text === 'false')) return text === 'true'
  return shape === 'number' && String(Number(text)) === text ? Number(text) : text
}

/** Splits at commas that have no backslash before them. */
function splitOperands(text: string): readonly string[] {
  return (text.match(/(?:[^\\,]|\\.)+|(?<=,)(?=,|$)|^(?=,|$)/gs) ?? []).map((one) =>
    one.replaceAll(/\\(.)/gs, '$1'),
  )
}

function sorted(pairs: readonly QueryPair[]): readonly QueryPair[] {
  return pairs.toSorted(([first], [second]) => (first < second ? -1 : first > second ? 1 : 0))
}
