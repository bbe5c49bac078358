/** An example exchange for each problem type, as HTTP messages without the fields of every message. */

import { type ProblemName, problemTypes } from '../../refusal.ts'
import { reasonPhrase } from '../../tools/node-builtins.ts'

interface ShownProblem {
  /** The lines of the request. */
  readonly request: readonly string[]
  /** Header fields of the response, besides Content-Type. */
  readonly fields?: readonly string[]
  /** The detail; the cause of the type where it is absent. */
  readonly detail?: string
  readonly members?: Readonly<Record<string, unknown>>
}

const examples: Readonly<Record<ProblemName, ShownProblem>> = {
  'malformed-request': {
    request: ['GET /tasks/%zz'],
    detail: 'The target has an escape that is not valid percent-encoded UTF-8.',
  },
  'malformed-content': {
    request: ['POST /tasks', 'Content-Type: application/json', '', '{ "title": "Engine"'],
    detail: 'The content is not valid JSON at character 20.',
  },
  'unknown-parameter': {
    request: ['GET /tasks?stats=open'],
    detail: "Unknown parameter 'stats'. Did you mean 'status'?",
    members: { parameter: 'stats' },
  },
  'invalid-parameter': {
    request: ['GET /tasks?limit=0'],
    detail: "The parameter 'limit' must be an integer from 1 to 1000.",
    members: { parameter: 'limit' },
  },
  'invalid-cursor': {
    request: ['GET /tasks?after=x'],
    detail: 'The cursor belongs to another collection, sort order or filter. Start again without it.',
  },
  unauthenticated: {
    request: ['GET /tokens'],
    fields: ['WWW-Authenticate: Basic realm="Tracker", Bearer realm="Tracker"'],
    detail: 'Sign in to do this.',
  },
  forbidden: { request: ['DELETE /tasks/engine', 'Authorization: Bearer rw_…'] },
  'not-found': {
    request: ['GET /tasks/nothing'],
    detail: "This page doesn't exist, or you don't have access to it.",
  },
  'method-not-allowed': {
    request: ['DELETE /tasks'],
    fields: ['Allow: GET, HEAD, POST, QUERY, OPTIONS'],
    detail: 'This URI does not offer DELETE. Use one of: GET, HEAD, POST, QUERY, OPTIONS.',
  },
  'not-acceptable': {
    request: ['GET /tasks', 'Accept: image/png'],
    detail: 'Accept one of: application/json, text/html.',
  },
  'request-timeout': {
    request: ['POST /tasks', 'Content-Length: 30', 'Content-Type: application/json', '', '{ "title":'],
    fields: ['Connection: close'],
  },
  duplicate: {
    request: ['POST /tasks', 'Content-Type: application/json', '', '{ "slug": "engine", "title": "Engine" }'],
    detail: "'slug' must be unique in 'tasks'.",
    members: { errors: [{ pointer: '/slug', rule: 'unique', detail: 'This value is already taken.' }] },
  },
  'state-conflict': {
    request: ['PATCH /tasks/engine', 'Content-Type: application/json', '', '{ "status": "done" }'],
    detail: "The 'status' is 'open'. Possible transitions: submit (to 'in review').",
    members: { open: [{ name: 'submit', to: 'in review' }] },
  },
  referenced: {
    request: ['DELETE /projects/rocket'],
    detail: 'Other items refer to it: /tasks/engine.',
    members: { by: ['/tasks/engine'] },
  },
  'patch-test-failed': {
    request: [
      'PATCH /tasks/engine',
      'Content-Type: application/json-patch+json',
      '',
      '[{ "op": "test", "path": "/title", "value": "Hull" }]',
    ],
    detail: 'Operation 0: The test failed.',
    members: { operation: 0 },
  },
  'request-in-progress': {
    request: [
      'POST /tasks',
      'Idempotency-Key: "8e03978e"',
      'Content-Type: application/json',
      '',
      '{ "title": "Engine" }',
    ],
    fields: ['Retry-After: 1'],
  },
  'mismatching-upload-offset': {
    request: [
      'PATCH /uploads/Zk3…',
      'Upload-Offset: 500',
      'Content-Type: application/partial-upload',
      '',
      '…',
    ],
    fields: ['Upload-Offset: 300'],
  },
  'completed-upload': {
    request: [
      'PATCH /uploads/Zk3…',
      'Upload-Offset: 900',
      'Content-Type: application/partial-upload',
      '',
      '…',
    ],
  },
  'inconsistent-upload-length': {
    request: [
      'PATCH /uploads/Zk3…',
      'Upload-Offset: 300',
      'Upload-Length: 800',
      'Content-Type: application/partial-upload',
      '',
      '…',
    ],
  },
  gone: { request: ['GET /tasks/old'], detail: 'The item was deleted.' },
  'precondition-failed': {
    request: [
      'PATCH /tasks/engine',
      'If-Match: "1-5c0e7439d895a050"',
      'Content-Type: application/json',
      '',
      '{ "title": "Hull" }',
    ],
    detail: 'The current state does not meet the condition of the request. Get it, then try again.',
  },
  'content-too-large': {
    request: ['POST /tasks', 'Content-Length: 2000000', 'Content-Type: application/json', '', '…'],
    detail: 'The content may have at most 1048576 octets.',
  },
  'quota-exceeded': {
    request: ['PUT /tasks/engine/cover', 'Content-Length: 2000000', 'Content-Type: image/png', '', '…'],
    detail: 'Of the 500 MB that your files may have, 1 MB are left.',
    members: { quota: 500_000_000, left: 1_000_000 },
  },
  'uri-too-long': { request: ['GET /tasks?title=aaaaaaaaaa…'] },
  'unsupported-media-type': {
    request: ['POST /tasks', 'Content-Type: text/plain', '', 'Engine'],
    fields: ['Accept: application/json, application/xml'],
    detail: 'This Content-Type is not supported. Send one of: application/json, application/xml.',
  },
  'unsupported-content-coding': {
    request: ['POST /tasks', 'Content-Encoding: lzma', 'Content-Type: application/json', '', '…'],
    fields: ['Accept-Encoding: gzip'],
    detail: 'Send the content uncoded or in gzip.',
  },
  'range-not-satisfiable': {
    request: ['GET /tasks/engine/photo', 'Range: bytes=9000-'],
    fields: ['Content-Range: bytes */1234'],
  },
  'expectation-failed': { request: ['GET /tasks', 'Expect: magic'] },
  'misdirected-request': { request: ['GET https://tracker.example/tasks'] },
  'invalid-content': {
    request: [
      'POST /tasks',
      'Content-Type: application/json',
      '',
      '{ "slug": "hull", "title": "", "hours": -1 }',
    ],
    detail: '2 values are not valid.',
    members: {
      errors: [
        { pointer: '/title', rule: 'minLength', detail: 'Must be at least 1 character long.' },
        { pointer: '/hours', rule: 'minimum', detail: 'Must be at least 0.' },
      ],
    },
  },
  'batch-refused': {
    request: [
      'POST /batch',
      'Content-Type: application/json',
      '',
      '{ "requests": [{ "method": "POST", "path": "/tasks", "body": { "slug": "hull", "title": "" } }] }',
    ],
    detail: 'The request at index 0 was refused, so that none has an effect: One value is not valid.',
    members: { index: 0 },
  },
  'key-reused': {
    request: [
      'POST /tasks',
      'Idempotency-Key: "8e03978e"',
      'Content-Type: application/json',
      '',
      '{ "title": "Hull" }',
    ],
  },
  'precondition-required': { request: ['DELETE /invoices/1'] },
  'too-many-requests': { request: ['GET /tasks'], fields: ['Retry-After: 12'] },
  'header-fields-too-large': { request: ['GET /tasks', 'Cookie: aaaaaaaaaa…'] },
  'internal-error': { request: ['GET /tasks'] },
  'not-implemented': { request: ['get /tasks'] },
  unavailable: { request: ['GET /tasks'], fields: ['Retry-After: 3'] },
  'http-version-not-supported': { request: ['GET /tasks HTTP/2.0'] },
  'insufficient-storage': {
    request: ['POST /tasks', 'Content-Type: application/json', '', '{ "title": "Engine" }'],
    fields: ['Retry-After: 60'],
  },
}

export interface ExampleExchange {
  readonly request: string
  readonly response: string
}

/** The exchange as text, with the problem type as a URI of this service. */
export function exampleExchange(name: ProblemName, type: string): ExampleExchange {
  const { request, fields = [], detail, members } = examples[name]
  const { status, title, cause } = problemTypes[name]
  const [line = '', ...rest] = request
  const problem = { type, title, status, detail: detail ?? cause, ...members }
  const head = [
    `HTTP/1.1 ${status} ${reasonPhrase(status)}`,
    ...fields,
    'Content-Type: application/problem+json',
  ]
  return {
    request: [line.includes(' HTTP/') ? line : `${line} HTTP/1.1`, ...rest].join('\n'),
    response: [...head, '', JSON.stringify(problem, null, 2)].join('\n'),
  }
}
