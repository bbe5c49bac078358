/** Parts that the operations of collections and items share. */

import { formatRule } from '../access/rule-description.ts'
import type { JsonSchema } from '../definition/model.ts'
import { contentByMediaType } from './content-schemas.ts'
import type { Example } from './examples.ts'
import { camelCase, pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import type { AudienceResource, AudienceRight } from './permitted-resources.ts'
import { problemReferences } from './problem-responses.ts'
import { type SchemaTitle, schemaReference } from './resource-schemas.ts'
import { type HeaderName, headerReferences } from './response-headers.ts'
import { securityRequirements } from './security-schemes.ts'
import { type SharedResponseName, sharedResponseReference } from './shared-responses.ts'

export interface Operation extends JsonSchema {
  readonly operationId: string
}

/** By method, in capitals. */
export type Operations = Readonly<Record<string, Operation>>

export function describeMethods(
  methods: readonly string[],
  makers: Record<string, () => Operation>,
): Operations {
  const known = methods.flatMap((method) => {
    const make = makers[method]
    return make ? [[method, make()] as const] : []
  })
  return Object.fromEntries(known)
}

const itemFields: readonly HeaderName[] = ['ETag', 'Last-Modified', 'Preference-Applied']

export function optionsOperation(
  part: AudienceResource,
  name: string,
  response: SharedResponseName,
  context: OperationContext,
): Operation {
  const { resource } = part
  return {
    operationId: camelCase(resource.name) + name,
    tags: [resource.name],
    summary: 'Methods',
    responses: optionsResponses(response, context),
  }
}

export function optionsResponses(response: SharedResponseName, context: OperationContext): JsonSchema {
  return { 204: sharedResponseReference(context.components, response), ...malformed(context) }
}

/** A request with any method may be malformed. Linters ask every operation for a 4xx. */
function malformed(context: OperationContext): JsonSchema {
  return problemReferences(context, [400])
}

export interface OperationHeading {
  readonly name: string
  readonly summary: string
  readonly right: AudienceRight
}

export function operationHeading(
  part: AudienceResource,
  { name, summary, right }: OperationHeading,
  { capabilities, showsRules: rules }: OperationContext,
) {
  const { resource } = part
  return {
    operationId: camelCase(resource.name) + name,
    tags: [resource.name],
    summary,
    ...(rules ? { description: `For ${formatRule(resource.access[right])}.` } : {}),
    ...(part.isOpenToAnonymous(right) ? {} : { security: securityRequirements(capabilities.schemes, false) }),
  }
}

/** Statuses of every operation; rarer ones are in the default response. */
export const everyRequest: readonly number[] = [400, 429]
export const refusedContent: readonly number[] = [413, 415, 422, 507]

/** 401 even for open operations, because invalid credentials are always refused; never without schemes. */
export function refusedCallers(
  part: AudienceResource,
  right: AudienceRight,
  { capabilities }: OperationContext,
): readonly number[] {
  if (capabilities.schemes.length > 0) return [401, 403]
  return part.may[right] === 'always' ? [] : [403]
}

export function notModified({ components }: OperationContext): JsonSchema {
  return { 304: sharedResponseReference(components, 'NotModified') }
}

export function moved({ components }: OperationContext): JsonSchema {
  return { 301: sharedResponseReference(components, 'Moved') }
}

export function noContent({ components }: OperationContext): JsonSchema {
  return { 204: sharedResponseReference(components, 'Done') }
}

interface ShownItem {
  readonly schema: JsonSchema
  /** Whether it has Location. */
  readonly location?: true
  /** Whether it may also be a stream of changes. */
  readonly streamed?: true
  readonly example?: Example
}

/** Returns a response with an item of this schema. */
export function itemResponse(context: OperationContext, description: string, shown: ShownItem): JsonSchema {
  const { components, capabilities } = context
  const { schema, example } = shown
  const formats = [...capabilities.formats.item, ...(shown.streamed ? [capabilities.stream] : [])]
  return {
    description,
    headers: headerReferences(components, [
      ...(shown.location ? (['Location'] as const) : []),
      ...itemFields,
    ]),
    content: contentByMediaType(components, formats, {
      schema,
      ...(example ? { example } : {}),
    }),
  }
}

/** Returns a reference to the response with the item after a write. */
export function writtenItem(part: AudienceResource, context: OperationContext): JsonSchema {
  const name = `${pascalCase(part.resource.name)}.item`
  return context.components.refer('responses', name, () => {
    const schema = schemaOf(part, 'Item', context)
    return itemResponse(context, 'The item after the change.', { schema })
  })
}

export function requestBody(
  { components }: OperationContext,
  types: readonly string[],
  { schema, example }: { readonly schema: JsonSchema; readonly example: Example | undefined },
): JsonSchema {
  const formats = types.map((mediaType) => ({ mediaType }))
  const content = contentByMediaType(components, formats, { schema, ...(example ? { example } : {}) })
  // Generated types would accept every value if a format had no schema.
  const described = Object.entries(content).map(([type, one]) => [
    type,
    { schema: { type: 'string' }, ...(one as JsonSchema) },
  ])
  return { required: true, content: Object.fromEntries(described) }
}

export function schemaOf(
  part: AudienceResource,
  title: SchemaTitle,
  { components }: OperationContext,
): JsonSchema {
  return schemaReference(components, part, title)
}

/** HEAD (RFC 9110 §9.3.2): GET without content. */
export function headOperation(
  operation: Operation,
  response: SharedResponseName,
  context: OperationContext,
): Operation {
  const responses = Object.entries(operation.responses as JsonSchema)
  const redirections = responses.filter(([status]) => status.startsWith('3'))
  return {
    ...operation,
    summary: 'Header fields',
    responses: {
      200: sharedResponseReference(context.components, response),
      ...Object.fromEntries(redirections),
      ...malformed(context),
    },
  }
}
