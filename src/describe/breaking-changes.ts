/** Finds what breaks clients between two OpenAPI documents: the one they were written for, and a new one. */

import type { JsonSchema } from '../definition/model.ts'
import { createSchemaComparer, type Direction } from './schema-compatibility.ts'

/** Returns sentences that each name a place and what would break there, in the order of the old document. */
export function findBreakingChanges(old: JsonSchema, next: JsonSchema): readonly string[] {
  const compareSchemas = createSchemaComparer({ resolveOld: resolverOf(old), resolveNew: resolverOf(next) })
  const context: DocumentPair = { old, next, compareSchemas }
  const paths = Object.entries(objectOf(old.paths)).flatMap(([path, item]) =>
    comparePath(context, path, item as JsonSchema),
  )
  const events = Object.keys(objectOf(old.webhooks))
    .filter((name) => !Object.hasOwn(objectOf(next.webhooks), name))
    .map((name) => `Webhooks: the event ${name} no longer exists.`)
  return [...new Set([...compareBase(old, next), ...paths, ...events])]
}

interface DocumentPair {
  readonly old: JsonSchema
  readonly next: JsonSchema
  readonly compareSchemas: ReturnType<typeof createSchemaComparer>
}

const methods: readonly string[] = ['get', 'head', 'query', 'post', 'put', 'patch', 'delete']

function compareBase(old: JsonSchema, next: JsonSchema): readonly string[] {
  const urlOf = ({ servers }: JsonSchema) =>
    (Array.isArray(servers) ? objectOf(servers[0]).url : undefined) ?? '/'
  if (urlOf(old) === urlOf(next)) return []
  return [`The base path is ${String(urlOf(next))} instead of ${String(urlOf(old))}.`]
}

function comparePath(context: DocumentPair, path: string, old: JsonSchema): readonly string[] {
  const next = objectOf(context.next.paths)[path]
  if (next === undefined) return [`${path} no longer exists.`]
  return Object.entries(operationsOf(old)).flatMap(([method, operation]) => {
    const place = `${method.toUpperCase()} ${path}`
    const other = operationsOf(next as JsonSchema)[method]
    if (!other) return [`${place} no longer exists.`]
    return compareOperation(context, place, {
      old: { shared: old, operation },
      next: { shared: next as JsonSchema, operation: other },
    })
  })
}

/** OpenAPI 3.1 documents have QUERY as the extension `x-query`. */
function operationsOf({ 'x-query': extension, ...item }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const named = Object.entries(item).filter(([name]) => methods.includes(name))
  const query = extension === undefined ? [] : [['query', extension] as const]
  return Object.fromEntries([...named, ...query]) as Readonly<Record<string, JsonSchema>>
}

interface Described {
  readonly shared: JsonSchema
  readonly operation: JsonSchema
}

interface OperationPair {
  readonly old: Described
  readonly next: Described
}

function compareOperation(context: DocumentPair, place: string, pair: OperationPair): readonly string[] {
  return [
    ...compareSecurity(context, place, pair),
    ...compareParameters(context, place, pair),
    ...compareRequestBody(context, place, pair),
    ...compareResponses(context, place, pair),
  ]
}

function compareSecurity({ old, next }: DocumentPair, place: string, pair: OperationPair): readonly string[] {
  const isOpen = (document: JsonSchema, { operation }: Described) => {
    const security = operation.security ?? document.security ?? []
    if (!Array.isArray(security) || security.length === 0) return true
    return security.some((one) => Object.keys(objectOf(one)).length === 0)
  }
  return isOpen(old, pair.old) && !isOpen(next, pair.next) ? [`${place}: needs credentials now.`] : []
}

function compareParameters(context: DocumentPair, place: string, pair: OperationPair): readonly string[] {
  const before = parametersOf(context.old, pair.old)
  const after = parametersOf(context.next, pair.next)
  const known = new Set([...after.values()].map(({ name }) => String(name)))
  const breaks = [...before].flatMap(([key, old]) => {
    const next = after.get(key)
    const name = `the parameter '${String(old.name)}'`
    if (!next)
      return isStillAccepted(String(old.name), known) ? [] : [`${place}: ${name} is no longer accepted.`]
    return compareSchema(context, `${place}: ${name}`, 'request', old.schema, next.schema)
  })
  const added = [...after].filter(([key, { required }]) => required === true && !isRequired(before.get(key)))
  return [
    ...breaks,
    ...added.map(([, { name }]) => `${place}: the parameter '${String(name)}' is required now.`),
  ]
}

/** Documents with many filters through a reference leave them out; the reference itself is then listed. */
function isStillAccepted(name: string, known: ReadonlySet<string>): boolean {
  const [reference = '', ...rest] = name.split('.')
  if (rest.length === 0) return false
  return known.has(reference) && ![...known].some((other) => other.startsWith(`${reference}.`))
}

function isRequired(parameter: JsonSchema | undefined): boolean {
  return parameter?.required === true
}

/** By place and name. */
function parametersOf(
  document: JsonSchema,
  { shared, operation }: Described,
): ReadonlyMap<string, JsonSchema> {
  const resolve = resolverOf(document)
  const all = [shared.parameters, operation.parameters].flatMap((list) => (Array.isArray(list) ? list : []))
  const resolved = all.map((one) => resolve(one as JsonSchema))
  return new Map(resolved.map((one) => [`${String(one.in)} ${String(one.name)}`, one]))
}

function compareRequestBody(context: DocumentPair, place: string, pair: OperationPair): readonly string[] {
  const old = resolverOf(context.old)(objectOf(pair.old.operation.requestBody))
  const next = resolverOf(context.next)(objectOf(pair.next.operation.requestBody))
  const required = next.required === true && old.required !== true
  return [
    ...(required ? [`${place}: content is required now.`] : []),
    ...compareContent(context, `${place}: content`, 'request', old, next),
  ]
}

function compareResponses(context: DocumentPair, place: string, pair: OperationPair): readonly string[] {
  const [before, after] = [objectOf(pair.old.operation.responses), objectOf(pair.next.operation.responses)]
  const needsCondition = before['428'] === undefined && after['428'] !== undefined
  const breaks = Object.entries(before)
    .filter(([status]) => /^2/.test(status))
    .flatMap(([status, response]) => {
      const other = after[status]
      const where = `${place}: response ${status}`
      if (other === undefined) return [`${where} no longer exists.`]
      const old = resolverOf(context.old)(response as JsonSchema)
      const next = resolverOf(context.next)(other as JsonSchema)
      const fields = Object.keys(objectOf(old.headers)).filter(
        (name) => !Object.hasOwn(objectOf(next.headers), name),
      )
      return [
        ...fields.map((name) => `${where}: the field ${name} is no longer sent.`),
        ...compareContent(context, where, 'response', old, next),
      ]
    })
  return [...(needsCondition ? [`${place}: needs If-Match now.`] : []), ...breaks]
}

function compareContent(
  context: DocumentPair,
  place: string,
  direction: Direction,
  old: JsonSchema,
  next: JsonSchema,
): readonly string[] {
  const after = objectOf(next.content)
  return Object.entries(objectOf(old.content)).flatMap(([type, media]) => {
    const other = after[type]
    if (other === undefined)
      return [`${place}: ${type} is no longer ${direction === 'request' ? 'accepted' : 'offered'}.`]
    return compareSchema(context, place, direction, objectOf(media).schema, objectOf(other).schema)
  })
}

function compareSchema(
  { compareSchemas }: DocumentPair,
  place: string,
  direction: Direction,
  old: unknown,
  next: unknown,
): readonly string[] {
  if (old === undefined || next === undefined) return []
  return compareSchemas({ direction, old: objectOf(old), new: objectOf(next) }).map(
    ({ pointer, reason }) => `${place}${pointer === '' ? '' : ` ${pointer}`} ${reason}.`,
  )
}

function objectOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
}

/** Resolves references within the document; an unknown one accepts everything. */
function resolverOf(document: JsonSchema): (part: JsonSchema) => JsonSchema {
  const resolve = (part: JsonSchema): JsonSchema => {
    const { $ref: reference, ...beside } = part
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return part
    const steps = reference
      .slice(2)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    const found = steps.reduce((value: JsonSchema, step) => objectOf(value[step]), document)
    return { ...resolve(found), ...beside }
  }
  return resolve
}
