/** The histories of items in an OpenAPI document. */

import { formatRule } from '../../access/rule-description.ts'
import type { JsonSchema } from '../../definition/model.ts'
import type { DocumentCapability } from '../../describe/capability-types.ts'
import { contentByMediaType } from '../../describe/content-schemas.ts'
import { camelCase, pascalCase } from '../../describe/generated-names.ts'
import type { OperationContext } from '../../describe/operation-context.ts'
import {
  everyRequest,
  headOperation,
  moved,
  notModified,
  optionsResponses,
} from '../../describe/operation-parts.ts'
import type { AudienceResource } from '../../describe/permitted-resources.ts'
import { problemReferences } from '../../describe/problem-responses.ts'
import {
  formatParameter,
  idParameter,
  parameterReferences,
  parametersByName,
} from '../../describe/request-parameters.ts'
import { headerReferences } from '../../describe/response-headers.ts'
import { securityRequirements } from '../../describe/security-schemes.ts'

/** The path items of the resource's histories: their routes and their descriptions. */
export function historyPaths(
  part: AudienceResource,
  context: OperationContext,
): readonly (readonly [route: string, path: JsonSchema])[] {
  if (!part.hasHistory) return []
  return context.capabilities.itemDocuments.map((document) => {
    const route = document.route.replace('{collection}', part.resource.name)
    return [route, historyPath(part, document, context)]
  })
}

function historyPath(
  part: AudienceResource,
  document: DocumentCapability,
  context: OperationContext,
): JsonSchema {
  const { components, capabilities, showsRules } = context
  const { resource } = part
  const isVersion = document.route.endsWith('{version}')
  const name = (verb: string) => `${camelCase(resource.name)}${verb}${isVersion ? 'Version' : 'History'}`
  const readers = resource.history?.read ?? resource.access.read
  const read = {
    tags: [resource.name],
    summary: document.summary,
    ...(showsRules ? { description: `For ${formatRule(readers)}.` } : {}),
    ...(part.isHistoryOpenToAnonymous ? {} : { security: securityRequirements(capabilities.schemes, false) }),
    parameters: [
      ...parametersByName(components, document.parameters),
      formatParameter(components, document.formats),
      ...parameterReferences(components, 'IfMatch', 'IfNoneMatch'),
    ],
    responses: {
      200: historyResponse(document, context),
      ...notModified(context),
      ...moved(context),
      ...problemReferences(context, [...everyRequest, 401, 403, 404, 412]),
    },
  }
  return {
    parameters: [idParameter(components, resource), ...(isVersion ? [versionParameter] : [])],
    get: { operationId: name('Get'), ...read },
    head: headOperation({ operationId: name('Head'), ...read }, 'HeadOfDocument', context),
    options: {
      operationId: name('Options'),
      tags: [resource.name],
      summary: 'Methods',
      responses: optionsResponses('OptionsOfDocument', context),
    },
  }
}

const versionParameter: JsonSchema = {
  name: 'version',
  in: 'path',
  required: true,
  description: 'A `version` of the history.',
  schema: { type: 'string' },
}

/** All histories share a response. */
function historyResponse(
  { route, formats, schema }: DocumentCapability,
  { components }: OperationContext,
): JsonSchema {
  const name = pascalCase(route.endsWith('{version}') ? 'former-version' : 'history')
  return components.refer('responses', name, () => ({
    description: 'What the caller may see of it.',
    headers: headerReferences(components, ['ETag']),
    content: contentByMediaType(components, formats, { schema }),
  }))
}
