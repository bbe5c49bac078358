/** Problem responses (RFC 9457) in an OpenAPI document, one for each status. */

import { hasFiles } from '../definition/file-fields.ts'
import type { JsonSchema, Model } from '../definition/model.ts'
import { formatPath } from '../http/request-target.ts'
import { type ProblemName, problemTypes } from '../refusal.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Components } from './component-registry.ts'
import { contentByMediaType } from './content-schemas.ts'
import type { OperationContext } from './operation-context.ts'
import { type HeaderName, headerReferences } from './response-headers.ts'

/** The problem types that the service can send: only files have ranges. */
const namesOf = memoizeByObject((model: Model): readonly ProblemName[] => {
  const names = Object.keys(problemTypes) as readonly ProblemName[]
  return hasFiles(model) ? names : names.filter((name) => problemTypes[name].status !== 416)
})

/** Header fields of problems with the status. */
const statusHeaders: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  406: ['Link'],
  409: ['Retry-After'],
  412: ['ETag'],
  415: ['Accept', 'Accept-Encoding', 'Accept-Patch', 'Accept-Post', 'Accept-Query'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** Statuses that operations list; the others are in the default response. */
const common = new Set([...[400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 507]])

/** Returns references to the problems of these statuses, and to all others as `default`. */
export function problemReferences(context: OperationContext, statuses: readonly number[]): JsonSchema {
  const ordered = [...new Set(statuses)].sort((a, b) => a - b)
  const named = ordered.map((status) => [
    status,
    context.components.refer('responses', `Problem${status}`, () => problemOf(context, status)),
  ])
  return { ...Object.fromEntries(named), default: problemReference(context) }
}

/** Returns a reference to a problem of any status. */
export function problemReference(context: OperationContext): JsonSchema {
  const describe = () => {
    const rare = namesOf(context.model).filter((name) => !common.has(problemTypes[name].status))
    const statuses = new Set(namesOf(context.model).map((name) => problemTypes[name].status))
    const headers = Object.entries(statusHeaders).filter(([status]) => statuses.has(Number(status)))
    return response(context, {
      description: `Any other problem. ${rare.map(sentence).join(' ')}`,
      headers: [...new Set(headers.flatMap(([, names]) => names))],
    })
  }
  return context.components.refer('responses', 'AnyProblem', describe)
}

function problemOf(context: OperationContext, status: number): JsonSchema {
  const types = namesOf(context.model).filter((name) => problemTypes[name].status === status)
  return response(context, {
    description: types.map(sentence).join(' '),
    headers: statusHeaders[status] ?? [],
  })
}

interface ProblemDescription {
  readonly description: string
  readonly headers: readonly HeaderName[]
}

function response(
  { components, capabilities, model }: OperationContext,
  words: ProblemDescription,
): JsonSchema {
  const schema = components.refer('schemas', 'Problem', () => problemSchema(components, model))
  return {
    description: words.description,
    headers: headerReferences(components, words.headers),
    content: contentByMediaType(components, capabilities.formats.problem, { schema }),
  }
}

function sentence(name: ProblemName): string {
  return `\`${name}\`: ${problemTypes[name].cause}`
}

function exampleOf(model: Model, name: ProblemName): JsonSchema {
  const { status, title, cause } = problemTypes[name]
  return {
    type: formatPath(model.base, ['problems', name]),
    title,
    status,
    detail: cause,
    instance: 'urn:uuid:019a84c2-7c1e-7b3a-9d52-0c6f1e8a4b37',
  }
}

/** The schema of every problem; some have further members. */
function problemSchema(components: Components, model: Model): JsonSchema {
  return {
    type: 'object',
    description: 'A problem (RFC 9457). Its type is the URI of an explanation.',
    properties: {
      type: {
        type: 'string',
        format: 'uri-reference',
        enum: namesOf(model).map((name) => formatPath(model.base, ['problems', name])),
      },
      title: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string' },
      instance: { type: 'string', format: 'uri', description: 'The request in the log.' },
      errors: {
        type: 'array',
        maxItems: 100,
        description: 'The faults in the content.',
        items: components.refer('schemas', 'ContentFault', () => contentFaultSchema),
      },
      totalErrors: {
        type: 'integer',
        description: 'The number of faults, if not all are listed; 1000 means 1000 or more.',
      },
    },
    required: ['type', 'title', 'status', 'instance'],
    additionalProperties: true,
    examples: [exampleOf(model, 'not-found')],
  }
}

const contentFaultSchema: JsonSchema = {
  type: 'object',
  properties: {
    pointer: { type: 'string', format: 'json-pointer', description: 'The place (RFC 6901).' },
    rule: { type: 'string', description: 'The violated rule, such as `minLength`.' },
    detail: { type: 'string' },
  },
  required: ['pointer', 'rule', 'detail'],
  additionalProperties: false,
}
