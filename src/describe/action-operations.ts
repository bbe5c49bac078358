/** The actions of a resource in an OpenAPI document. */

import { formatRule } from '../access/rule-description.ts'
import { createSchema } from '../definition/json-schemas.ts'
import type { JsonSchema, ResourceModel } from '../definition/model.ts'
import { backgroundResponses } from '../features/logic/jobs/describe-jobs.ts'
import { contentByMediaType } from './content-schemas.ts'
import { inputExample } from './examples.ts'
import { camelCase, pascalCase } from './generated-names.ts'
import { absence, itemParameters } from './item-operations.ts'
import type { OperationContext } from './operation-context.ts'
import {
  everyRequest,
  moved,
  noContent,
  optionsOperation,
  refusedContent,
  requestBody,
  writtenItem,
} from './operation-parts.ts'
import type { AudienceAction, AudienceResource } from './permitted-resources.ts'
import { problemReferences } from './problem-responses.ts'
import { formatParameter, parameterReferences } from './request-parameters.ts'
import { schemaPart } from './resource-schemas.ts'
import { headerReferences } from './response-headers.ts'
import { securityRequirements } from './security-schemes.ts'

/** The path items of the actions that the audience may use: their routes and their descriptions. */
export function actionPaths(
  part: AudienceResource,
  context: OperationContext,
): readonly (readonly [route: string, path: JsonSchema])[] {
  return part.actions.map((used) => {
    const { name, on } = used.action
    const isItem = on === 'item'
    const route = isItem ? `/${part.resource.name}/{id}/${name}` : `/${part.resource.name}/${name}`
    const optionsName = `Options${pascalCase(name)}Action`
    return [
      route,
      {
        ...(isItem ? { parameters: itemParameters(part, context) } : {}),
        post: actionOperation(part, used, context),
        options: optionsOperation(part, optionsName, 'OptionsOfAction', context),
      },
    ]
  })
}

function actionOperation(
  part: AudienceResource,
  { action, isOpenToAnonymous }: AudienceAction,
  context: OperationContext,
): JsonSchema {
  const { resource } = part
  const { components, capabilities, showsRules } = context
  const isItem = action.on === 'item'
  const what = isItem ? `one of ${resource.name}` : resource.name
  const needsCaller = !isOpenToAnonymous
  return {
    operationId: `${camelCase(resource.name)}${pascalCase(action.name)}Action`,
    tags: [resource.name],
    summary: `Use the action '${action.name}' of ${what}`,
    ...(showsRules ? { description: `For ${formatRule(action.by)}.` } : {}),
    ...(needsCaller ? { security: securityRequirements(capabilities.schemes, false) } : {}),
    parameters: [
      formatParameter(components, capabilities.formats.item),
      ...parameterReferences(
        components,
        ...(action.background ? [] : (['DryRun'] as const)),
        'Prefer',
        'IdempotencyKey',
        ...(isItem ? (['IfMatch'] as const) : []),
      ),
    ],
    ...inputBody(part, action, context),
    responses: {
      ...(action.background ? backgroundResponses(context) : actionResponses(part, action.on, context)),
      ...(isItem ? moved(context) : {}),
      ...problemReferences(context, [
        ...everyRequest,
        ...(needsCaller || capabilities.schemes.length > 0 ? [401, 403] : []),
        ...(isItem ? [...absence(part), 412] : []),
        ...refusedContent,
        409,
      ]),
    },
  }
}

/** The responses of an action that has run: what it made, else its own item. A dry run is 200 with either. */
function actionResponses(
  part: AudienceResource,
  on: AudienceAction['action']['on'],
  context: OperationContext,
): JsonSchema {
  return {
    200: on === 'item' ? writtenItem(part, context) : madeItem(context),
    201: madeItem(context),
    ...noContent(context),
  }
}

/** The content; none for an action without input. */
function inputBody(
  { resource }: AudienceResource,
  { name, input }: AudienceAction['action'],
  context: OperationContext,
): { readonly requestBody?: JsonSchema } {
  if (input.fields.length === 0) return {}
  const { components, capabilities } = context
  const schema = components.refer('schemas', `${pascalCase(resource.name)}.${camelCase(name)}Input`, () =>
    schemaPart(components, namedInput(resource, name, input), inputSchema(resource, name, input)),
  )
  const types = capabilities.acceptedTypes('input', resource)
  const body = requestBody(context, types, { schema, example: inputExample(input) })
  const isRequired = input.fields.some((field) => field.required && field.default === undefined)
  return { requestBody: { ...body, required: isRequired } }
}

/** The schema of the input of an action. */
export function inputSchema(resource: ResourceModel, name: string, input: ResourceModel): JsonSchema {
  return { ...createSchema(input), title: `${resource.name}: ${name}` }
}

/** With a name that no collection has, which the schemas of its choices begin with. */
function namedInput({ name: collection }: ResourceModel, name: string, input: ResourceModel): ResourceModel {
  return { ...input, name: `${collection}.${name}` }
}

/** Code decides what it makes, so its schema is not known. */
function madeItem({ components, capabilities }: OperationContext): JsonSchema {
  return components.refer('responses', 'Made', () => ({
    description: 'The action made an item, which Location names.',
    headers: headerReferences(components, ['Location', 'ETag', 'Preference-Applied']),
    content: contentByMediaType(components, capabilities.formats.item, {
      schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    }),
  }))
}
