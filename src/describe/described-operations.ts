/** The operations of a place in an OpenAPI document, from the table of operations. */

import { formatRule } from '../access/rule-description.ts'
import type { JsonSchema } from '../definition/model.ts'
import { hasRows } from '../definition/result-rows.ts'
import { operationOfKind, showsContent } from '../requests/context/operation-of.ts'
import { redirectionsOf, refusalsOf } from '../requests/context/operation-statuses.ts'
import type { OperationFacts } from '../requests/context/operations.ts'
import { returnsSecret } from '../requests/respond/cacheability.ts'
import { aggregateParameters, groupOrder } from './aggregate-parameters.ts'
import { filterReferences, sortParameter } from './filter-parameters.ts'
import { pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import { type AudienceResource, rightOf } from './permitted-resources.ts'
import type { Place } from './places.ts'
import { problemReferences } from './problem-responses.ts'
import { inputParameters, requestBodies } from './request-bodies.ts'
import {
  elementParameter,
  formatParameter,
  idParameter,
  type ParameterName,
  parameterReferences,
  parametersByName,
} from './request-parameters.ts'
import { responseContents } from './response-contents.ts'
import { fieldsParameter, selectionParameters } from './selection-parameters.ts'
import { sharedResponseReference } from './shared-responses.ts'

/** The path item: its parameters, and its operations by method in small letters. */
export function describePlace(place: Place, context: OperationContext): JsonSchema {
  const parameters = pathParameters(place, context)
  const described = place.methods.flatMap((method) => {
    const row = operationOfKind(place.kind, method)
    return row ? [[method.toLowerCase(), describeOperation(place, { method, ...row }, context)]] : []
  })
  return {
    ...(parameters.length > 0 && { parameters }),
    ...Object.fromEntries(described),
    ...everyResponseOf(place),
  }
}

/** The header fields that the definition declares, in addition to those of every response of the document. */
function everyResponseOf({ part, document }: Place): JsonSchema {
  const declared = Object.entries((document ? undefined : part?.resource.headers) ?? {})
  if (declared.length === 0) return {}
  const headers = declared.map(([name, value]) => [name, { schema: { type: 'string', const: value } }])
  return { 'x-every-response': { headers: Object.fromEntries(headers) } }
}

interface MethodRow extends OperationFacts {
  readonly method: string
}

function describeOperation(place: Place, row: MethodRow, context: OperationContext): JsonSchema {
  const { prefix, name, tag } = place
  const body = row.content && requestBodies[row.content](place, context)
  const id = prefix + row.name.replace('{}', name)
  return {
    operationId: id.slice(0, 1).toLowerCase() + id.slice(1),
    tags: [tag],
    summary: summaryOf(place, row),
    ...descriptionOf(place, row, context),
    ...securityOf(place, row, context),
    ...parametersOf(place, row, context),
    ...(body && { requestBody: body }),
    responses: responsesOf(place, row, context),
  }
}

function summaryOf({ words, document, above, part, given }: Place, row: MethodRow): string {
  if (row.method === 'POST' && document?.posted) return document.posted.summary
  const filled = words.reduce((summary, word) => summary.replace('{}', word), row.summary)
  const many = row.content === 'items' && part?.resource.bulk ? ', or many' : ''
  const below = above && given ? `, below one of ${above.resource.name}` : ''
  return filled + many + below
}

function descriptionOf(place: Place, row: MethodRow, { showsRules }: OperationContext) {
  const { part, document } = place
  const right = rightOf(place.kind, row.method)
  const rule = showsRules && right ? place.ruleOf(right) : undefined
  const sentences = [
    ...(rule ? [`For ${formatRule(rule)}.`] : []),
    ...(document?.audience && right ? ['For operators.'] : []),
    ...(row.content === 'patch' && part ? exclusiveTransitions(part) : []),
    // Repeated, they would be a third of the document.
    ...(row.query === 'feed' ? ['Takes the filters of the list.'] : []),
  ]
  return sentences.length === 0 ? {} : { description: sentences.join(' ') }
}

function exclusiveTransitions({ resource, writes }: AudienceResource): readonly string[] {
  return resource.fields
    .filter((field) => writes(field) !== 'never')
    .flatMap(({ state }) => state?.transitions ?? [])
    .filter(({ exclusive }) => exclusive)
    .map(({ name, to }) => `'${name}' is exclusive: 409 if the state is already '${to}'.`)
}

/** The default of the document permits anonymous callers. */
function securityOf(place: Place, { method }: MethodRow, { capabilities }: OperationContext) {
  const right = rightOf(place.kind, method)
  if (right === undefined || place.isOpen(right)) return {}
  return { security: securityRequirements(capabilities.schemes, false) }
}

function parametersOf(place: Place, row: MethodRow, context: OperationContext) {
  const { part, document } = place
  const { components, capabilities } = context
  const { query, offers } = row
  const isGet = row.method === 'GET'
  const isFiltered = query === 'list' || query === 'aggregate'
  const formats = {
    ...capabilities.formats,
    document: document?.formats ?? capabilities.formats.document,
    links: undefined,
    file: undefined,
    octets: undefined,
    items: capabilities.formats.collection,
    result: capabilities.formats[hasRows(place.action?.result) ? 'rows' : 'document'],
  }
  const offered = offers && showsContent(row) ? formats[offers] : undefined
  const parameters = [
    ...queryParameters(place, query, context),
    ...(isGet && document ? parametersByName(components, document.parameters) : []),
    ...(offered ? [formatParameter(components, offered)] : []),
    ...parameterReferences(components, ...parameterNames(place, row)),
    ...(isGet && part && isFiltered ? filterReferences(part, context) : []),
  ]
  return parameters.length === 0 ? {} : { parameters }
}

/** The parameters that the kind of query has at the place of a resource. */
function queryParameters(
  { part, action }: Place,
  query: OperationFacts['query'],
  context: OperationContext,
): readonly JsonSchema[] {
  if (!part) return []
  switch (query) {
    case 'list':
      return listParameters(part, context)
    case 'feed':
      return feedParameters(part, context)
    case 'aggregate':
      return groupParameters(part, context)
    case 'selection':
      return selectionParameters(part, context)
    case 'input':
      return action ? inputParameters(part.resource, action, context) : []
    default:
      return []
  }
}

function listParameters(part: AudienceResource, context: OperationContext): readonly JsonSchema[] {
  const { components } = context
  const refer = (end: string, describe: () => JsonSchema) =>
    components.refer('parameters', `${pascalCase(part.resource.name)}.${end}`, describe)
  return [
    ...parameterReferences(components, 'Limit', 'After', 'Before'),
    refer('sort', () => sortParameter(part, context)),
    ...selectionParameters(part, context),
    ...searchParameters(part, context),
  ]
}

function feedParameters(part: AudienceResource, context: OperationContext): readonly JsonSchema[] {
  return [
    ...parameterReferences(context.components, 'LastEventId', 'Limit'),
    fieldsParameter(part, context),
    ...searchParameters(part, context),
  ]
}

function groupParameters(part: AudienceResource, context: OperationContext): readonly JsonSchema[] {
  const { components } = context
  const own = Object.entries(aggregateParameters(part)).map(([end, describe]) =>
    components.refer('parameters', `${pascalCase(part.resource.name)}.${end}`, describe),
  )
  return [...own, groupOrder(context), ...searchParameters(part, context)]
}

function searchParameters({ resource }: AudienceResource, { components }: OperationContext) {
  return resource.search.length > 0 ? parameterReferences(components, 'Words') : []
}

function parameterNames({ part }: Place, row: MethodRow): readonly ParameterName[] {
  const isFile = row.offers === 'file'
  const names: readonly (readonly [unknown, readonly ParameterName[]])[] = [
    [isFile && row.conditions === 'read', ['Range', 'IfRange']],
    [row.dryRun, ['DryRun']],
    [row.preferences, ['Prefer']],
    [row.conditions && !row.alone, ['IfMatch']],
    [row.conditions === 'read' || row.mayCreate === 'file', ['IfNoneMatch']],
    [row.key && !(part && returnsSecret(part.resource)), ['IdempotencyKey']],
    [
      row.content === 'file',
      ['ContentDisposition', 'ReprDigest', 'UploadVersion', 'UploadComplete', 'UploadLength'],
    ],
    [row.content === 'part', ['UploadComplete', 'UploadOffset', 'UploadLength']],
  ]
  return names.flatMap(([isTaken, taken]) => (isTaken ? taken : []))
}

function responsesOf(place: Place, row: MethodRow, context: OperationContext): JsonSchema {
  const redirections = redirectionsOf(row, hasFormerUris(place)).map((status) => [
    status,
    sharedResponseReference(context.components, status === 301 ? 'Moved' : 'NotModified'),
  ])
  const successes = describeSuccesses(place, row, context)
  const refusals = refusalsAt(place, row, context)
  return {
    ...Object.fromEntries(successes),
    ...Object.fromEntries(redirections),
    ...problemReferences(context, refusals),
  }
}

/** Only a key can change: the id of another item is permanent. */
function hasFormerUris({ route, part, above, field }: Place): boolean {
  const resources = [part?.resource, above?.resource, field?.refs?.resource]
  return route.includes('{') && resources.some((one) => one?.keyField !== undefined)
}

function describeSuccesses(place: Place, { gives }: MethodRow, context: OperationContext) {
  return Object.entries(gives).flatMap(([status, shown]) => {
    const response = responseContents[shown](place, context, Number(status))
    return response ? [[status, response]] : []
  })
}

function refusalsAt(place: Place, row: MethodRow, context: OperationContext): readonly number[] {
  const { part, above } = place
  return refusalsOf(row.method, row, {
    callers: refusedCallers(place, row, context),
    isNamed: place.route.includes('{'),
    hasTombstones: place.route.includes('{') && (above ?? part)?.resource.tombstones === true,
    requiresConditions: part?.resource.conditional === 'required',
  })
}

/** 401 even for open operations, because invalid credentials are always refused; never without schemes. */
function refusedCallers(
  { kind, part, document }: Place,
  { method }: MethodRow,
  { capabilities }: OperationContext,
): readonly number[] {
  const right = rightOf(kind, method)
  const isOpen = part
    ? right !== undefined && part.may[right] === 'always'
    : document !== undefined && document.audience === undefined
  if (capabilities.schemes.length === 0) return isOpen ? [] : [403]
  return isOpen && !part ? [401] : [401, 403]
}

/** The parameters of the path, which all its operations have. */
function pathParameters(place: Place, context: OperationContext): readonly JsonSchema[] {
  const names = [...place.route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return names.map((name) => pathParameter(name, place, context))
}

function pathParameter(
  name: string,
  { part, above, field, document }: Place,
  { components }: OperationContext,
): JsonSchema {
  const text = (description: string, schema: JsonSchema = { type: 'string' }) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema,
  })
  if (!part) return text('The name of the entry.', document?.parameter)
  switch (name) {
    case 'id':
      return idParameter(components, (above ?? part).resource)
    case 'below':
      return { ...idParameter(components, part.resource), name }
    case 'element':
      return field?.refs ? elementParameter(components, field.refs.resource) : text('The id of an item.')
    case 'file':
      return text('The last segment of the `href` of the file.')
    default:
      return text('A `version` of the history.')
  }
}

/** Returns `components.securitySchemes`; registered HTTP schemes have the type `http`. */
export function securityComponents(schemes: readonly string[]): JsonSchema {
  return Object.fromEntries(schemes.map((scheme) => [keyOf(scheme), describeScheme(scheme)]))
}

/** Returns the requirement of one of the schemes; `open` adds the alternative of none. */
export function securityRequirements(schemes: readonly string[], open: boolean): readonly JsonSchema[] {
  const each = schemes.map((scheme) => ({ [keyOf(scheme)]: [] }))
  return open || each.length === 0 ? [{}, ...each] : each
}

function keyOf(scheme: string): string {
  return scheme.toLowerCase()
}

function describeScheme(scheme: string): JsonSchema {
  const description = Object.hasOwn(descriptions, scheme) ? descriptions[scheme] : undefined
  return { type: 'http', scheme: keyOf(scheme), ...(description ? { description } : {}) }
}

const descriptions: Readonly<Record<string, string>> = {
  Basic: 'Login and password of an account (RFC 7617).',
  Bearer: 'A token created at `/tokens`, or a JWT of a trusted issuer (RFC 6750).',
}
