/** Problems (RFC 9457) as responses: one for each status, with the problem types that have it. */

import type { JsonSchema, Model } from '../declare/model.ts'
import { formatPath } from '../http/target.ts'
import { type ProblemName, problemTypes } from '../refusal.ts'
import { type HeaderName, headersOf } from './headers.ts'
import { contentOf } from './media.ts'
import type { Offer } from './offer.ts'

const names = Object.keys(problemTypes) as readonly ProblemName[]

/** The header fields that a problem of the status owes or may have. */
const owed: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  406: ['Link'],
  409: ['Retry-After'],
  412: ['ETag'],
  415: ['Accept', 'Accept-Encoding', 'Accept-Patch', 'Accept-Post', 'Accept-Query'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** A part of `components.responses`: what operations refer to by these statuses, and the rest. */
export function problemResponses(
  model: Model,
  offer: Offer,
  statuses: ReadonlySet<number>,
): JsonSchema {
  const named = [...statuses].map((status) => [
    `Problem${status}`,
    problemResponse(model, offer, status),
  ])
  const others = names.filter((name) => !statuses.has(problemTypes[name].status))
  return {
    ...Object.fromEntries(named),
    Problem: {
      description: `Any other problem. ${others.map(sentence).join(' ')}`.trim(),
      headers: headersOf(['Allow', 'Retry-After']),
      content: contentOf(offer.shown.problem, { schema: problemReference }),
    },
  }
}

const problemReference = { $ref: '#/components/schemas/Problem' }

function problemResponse(model: Model, offer: Offer, status: number): JsonSchema {
  const types = names.filter((name) => problemTypes[name].status === status)
  const example = exampleOf(model, types[0] as ProblemName)
  return {
    description: types.map(sentence).join(' '),
    headers: headersOf(owed[status] ?? []),
    content: contentOf(offer.shown.problem, { schema: problemReference, example }),
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

/** The schema of every problem; further members tell more about some of them. */
export function problemSchema({ base }: Model): JsonSchema {
  return {
    type: 'object',
    description: 'A problem (RFC 9457). Its type is also the URI of a page that explains it.',
    properties: {
      type: {
        type: 'string',
        format: 'uri-reference',
        enum: names.map((name) => formatPath(base, ['problems', name])),
      },
      title: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string' },
      instance: { type: 'string', format: 'uri', description: 'Names the request in the log.' },
      errors: {
        type: 'array',
        maxItems: 100,
        description: 'Every place of the content that is at fault.',
        items: { $ref: '#/components/schemas/ContentFault' },
      },
      totalErrors: {
        type: 'integer',
        description: 'How many there are, where not all are shown; 1000 are that many or more.',
      },
    },
    required: ['type', 'title', 'status', 'instance'],
    additionalProperties: true,
  }
}

export const contentFaultSchema: JsonSchema = {
  type: 'object',
  properties: {
    pointer: { type: 'string', format: 'json-pointer', description: 'Where (RFC 6901).' },
    rule: { type: 'string', description: 'What is not satisfied, such as `minLength`.' },
    detail: { type: 'string' },
  },
  required: ['pointer', 'rule', 'detail'],
  additionalProperties: false,
}

/** The statuses that references anywhere in the paths lead to, in their order. */
export function statusesIn(paths: JsonSchema): ReadonlySet<number> {
  const found = JSON.stringify(paths).matchAll(/"#\/components\/responses\/Problem(\d+)"/g)
  return new Set([...found].map(([, status]) => Number(status)).sort((a, b) => a - b))
}

/** References by status, and one for what is left. */
export function problemReferences(statuses: readonly number[]): JsonSchema {
  const ordered = [...new Set(statuses)].sort((a, b) => a - b)
  return {
    ...Object.fromEntries(
      ordered.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
    ),
    default: { $ref: '#/components/responses/Problem' },
  }
}
