/** Parameters of requests: those of the query, and the request fields that mean something here. */

import { idSchema } from '../definition/item-id.ts'
import type { JsonSchema, ResourceModel } from '../definition/model.ts'
import { defaultLimit, maxLimit } from '../query/list-query.ts'
import { maxSearchLength } from '../query/search-parameter.ts'
import type { FormatCapability } from './capabilities.ts'
import type { Components } from './components.ts'
import { shareSchema } from './shared-schemas.ts'

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

const parameters = {
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'How many items a page has at most.',
    schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
  },
  After: {
    name: 'after',
    in: 'query',
    description: 'A cursor, as the link `next` has it.',
    schema: { type: 'string' },
  },
  Before: {
    name: 'before',
    in: 'query',
    description: 'A cursor, as the link `prev` has it; not together with `after`.',
    schema: { type: 'string' },
  },
  Words: {
    name: 'q',
    in: 'query',
    description: 'Words, each of which must begin a word in the fields that are searched.',
    // Something besides the signs of ASCII: classes of letters are not written alike everywhere.
    schema: { type: 'string', maxLength: maxSearchLength, pattern: '[^\\x00-/:-@\\[-`{-\\x7F]' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'Preferences (RFC 7240): `count=exact` counts a list, `return=minimal` leaves out what was written.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names the request: sent again under the same key within a day, it has its effect once.',
    // An Item that is a String or a bare word (RFC 9651), with parameters that mean nothing here.
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
    description: 'Goes on only while the item has one of these entity tags; else 412.',
    schema: entityTags,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'Answers 304 where the entity tag is still one of these; what is none is disregarded.',
    schema: { type: 'string' },
  },
} as const

export type ParameterName = keyof typeof parameters

/** `?format=`, with the names of the formats that can show it: once for each set of them. */
export function formatParameter(
  components: Components,
  formats: readonly FormatCapability[],
): JsonSchema {
  const names = formats.map(({ name }) => name)
  return components.refer('parameters', `Format.${names.join('.')}`, () => ({
    name: 'format',
    in: 'query',
    description: 'Names a format outright, instead of Accept.',
    schema: { type: 'string', enum: names },
  }))
}

/** The last path segment of an item. */
export function idParameter(components: Components, { key }: ResourceModel): JsonSchema {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: key ? `The item's ${key.name}.` : 'Names the item, for ever.',
    schema: shareSchema(components, idSchema(key)),
  }
}
