/** Query parameters and request header fields in an OpenAPI document. */

import { idSchema } from '../definition/item-id.ts'
import type { JsonSchema, ResourceModel } from '../definition/model.ts'
import { defaultLimit, maxLimit } from '../query/list-query.ts'
import { dryRunParameter } from '../query/query-parameter.ts'
import { maxSearchLength } from '../query/search-parameter.ts'
import type { FormatCapability } from '../requests/context/capabilities.ts'
import type { Components } from './component-registry.ts'
import { referToSharedSchema } from './shared-value-schemas.ts'

export function parameterReferences(
  components: Components,
  ...names: readonly ParameterName[]
): readonly JsonSchema[] {
  return names.map((name) => components.refer('parameters', name, () => parameters[name]))
}

/** A list may have empty elements (RFC 9110 §5.6.1.2). */
const entityTags: JsonSchema = {
  type: 'string',
  pattern: '^(?:\\*|[\\s,]*(?:W/)?"[^"]*"(?:\\s*,\\s*(?:(?:W/)?"[^"]*")?)*)$',
}

/** A filter of /audit. */
function auditFilter<const Name extends string>(name: Name, description: string) {
  const time = name.startsWith('at') ? { format: 'date-time' } : {}
  return { name, in: 'query', description, schema: { type: 'string', ...time } } as const
}

const parameters = {
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'The maximum number of items in a page.',
    schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
  },
  After: {
    name: 'after',
    in: 'query',
    description: 'A cursor from the link `next`.',
    schema: { type: 'string' },
  },
  Before: {
    name: 'before',
    in: 'query',
    description: 'A cursor from the link `prev`; not with `after`.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'last-event-id',
    in: 'query',
    description: 'The id of the last event that you have. The field Last-Event-ID has precedence.',
    schema: { type: 'string' },
  },
  Words: {
    name: 'q',
    in: 'query',
    description: 'Search words. Each must be the beginning of a word in a searched field.',
    // A character other than an ASCII sign; engines differ in classes of letters.
    schema: { type: 'string', maxLength: maxSearchLength, pattern: '[^\\x00-/:-@\\[-`{-\\x7F]' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'Preferences (RFC 7240): `count=exact` counts the items of a list, `return=minimal` omits the written item and `return=representation` shows it, `respond-async` and `wait=SECONDS` are for actions in the background, and `handling=strict` refuses preferences that do not apply.',
    schema: { type: 'string' },
  },
  DryRun: {
    name: dryRunParameter,
    in: 'query',
    description: 'Responds as the request would, with 200 or 204, and changes nothing.',
    schema: { type: 'boolean', const: true },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Identifies the request. Repeated with the same key within a day, it takes effect once.',
    // An Item that is a String or a Token (RFC 9651), with parameters that are ignored.
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 600,
      pattern:
        '^(?:"(?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255}"|[!#$%&\'*+.^_`|~0-9A-Za-z:/-]{1,255})(?:; *[a-z][a-z0-9]*(?:=[0-9]{1,12})?)*$',
    },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Performs the request only if the item has one of these entity tags; else 412.',
    schema: entityTags,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Responds with 304 if the entity tag is one of these; ignores invalid ones.',
    schema: { type: 'string' },
  },
  Range: {
    name: 'Range',
    in: 'header',
    description: 'A part of the file, such as `bytes=0-499` (RFC 9110 §14.2).',
    schema: { type: 'string' },
  },
  IfRange: {
    name: 'If-Range',
    in: 'header',
    description: 'Sends the whole file if it does not have this entity tag or date.',
    schema: { type: 'string' },
  },
  ContentDisposition: {
    name: 'Content-Disposition',
    in: 'header',
    description: 'The name of the file: `attachment; filename="a.png"` (RFC 6266).',
    schema: { type: 'string' },
  },
  ReprDigest: {
    name: 'Repr-Digest',
    in: 'header',
    description: 'The digest that the file must have (RFC 9530).',
    schema: { type: 'string' },
  },
  UploadComplete: {
    name: 'Upload-Complete',
    in: 'header',
    description: 'Of a resumable upload: whether the content is its end.',
    schema: { type: 'string', enum: ['?0', '?1'] },
  },
  UploadOffset: {
    name: 'Upload-Offset',
    in: 'header',
    description: 'Where the content begins in the file.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  UploadLength: {
    name: 'Upload-Length',
    in: 'header',
    description: 'The octets of the whole file, if they are known.',
    schema: { type: 'integer', minimum: 0 },
  },
  UploadVersion: {
    name: 'Upload-Draft-Interop-Version',
    in: 'header',
    description: 'Begins a resumable upload, together with `Upload-Complete`.',
    schema: { type: 'string', enum: ['8'] },
  },
} as const

export type ParameterName = keyof typeof parameters

/** The filters of the audit, which only one operation has. */
const auditParameters = [
  auditFilter('actor', 'An actor.'),
  auditFilter('kind', 'Such as `updated` or `signed-in`.'),
  auditFilter('collection', 'A collection.'),
  auditFilter('item', 'An item.'),
  auditFilter('at', 'A time.'),
  auditFilter('at[gte]', 'The earliest time.'),
  auditFilter('at[lte]', 'The latest time.'),
]

/** Returns parameters by their names in the query: references to those that several operations have. */
export function parametersByName(components: Components, names: readonly string[]): readonly JsonSchema[] {
  const known = Object.keys(parameters) as ParameterName[]
  const found = known.filter((one) => names.includes(parameters[one].name))
  const own = auditParameters.filter(({ name }) => names.includes(name))
  return [...parameterReferences(components, ...found), ...own]
}

/** Returns a reference to `?format=` with these formats. */
export function formatParameter(components: Components, formats: readonly FormatCapability[]): JsonSchema {
  // A stream never ends, so descriptions offer it by Accept only.
  const names = formats.map(({ name }) => name).filter((name) => name !== 'event-stream')
  // Initials keep the many references short.
  const initials = names.map((name) => name[0]).join('')
  return components.refer('parameters', `Format.${initials}`, () => ({
    name: 'format',
    in: 'query',
    description: 'The format of the response, instead of Accept.',
    schema: { type: 'string', enum: names },
  }))
}

/** Returns the path parameter `element`: the id of an item of the referenced collection. */
export function elementParameter(components: Components, { name, keyField }: ResourceModel): JsonSchema {
  return {
    name: 'element',
    in: 'path',
    required: true,
    description: `The id of an item of ${name}.`,
    schema: referToSharedSchema(components, idSchema(keyField)),
  }
}

/** Returns the path parameter `id` of an item. */
export function idParameter(components: Components, { keyField }: ResourceModel): JsonSchema {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: keyField ? `The item's ${keyField.name}.` : 'The permanent id of the item.',
    schema: referToSharedSchema(components, idSchema(keyField)),
  }
}
