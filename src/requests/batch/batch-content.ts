/** The content of a batch: its requests, in the order in which they are performed. */

import type { JsonValue } from '../../definition/model.ts'
import { applyJsonPatch, type JsonPointer, type PatchJson, parsePointer } from '../../http/json-patch.ts'
import { type ContentFault, invalidContent } from '../../refusal.ts'
import { isObject } from '../../tools/plain-object.ts'

/** A request of a batch. Without a method it asserts something of an item and changes nothing. */
export interface BatchEntry {
  readonly id: string | undefined
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: the request has no content. */
  readonly body: JsonValue | undefined
  /** Places in the body for the ids that earlier entries make. */
  readonly bindings: readonly Binding[]
}

interface Binding {
  readonly pointer: JsonPointer
  /** The index of the entry whose id it is. */
  readonly from: number
}

export const maxBatchEntries = 100

const methods: ReadonlySet<unknown> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
export const headerNames: ReadonlySet<string> = new Set(['content-type', 'if-match', 'if-none-match'])
const members: ReadonlySet<string> = new Set(['id', 'method', 'path', 'headers', 'body', 'bind'])

/** The entries; refuses 422 with a pointer to each fault. */
export function parseBatch(content: unknown): readonly BatchEntry[] {
  const requests = isObject(content) ? content.requests : undefined
  const faults: ContentFault[] = []
  if (isObject(content)) {
    for (const name of Object.keys(content)) {
      if (name !== 'requests') faults.push(unknownMember(`/${name}`))
    }
  }
  if (!Array.isArray(requests) || requests.length < 1 || requests.length > maxBatchEntries) {
    faults.push({
      pointer: '/requests',
      rule: countFault(requests),
      detail: `Must be an array of 1 to ${maxBatchEntries} requests.`,
    })
    throw invalidContent(faults)
  }
  const indexes = indexesById(requests, faults)
  const entries = requests.map((request, index) => parseEntry(request, index, { indexes, faults }))
  if (faults.length > 0) throw invalidContent(faults)
  return entries.filter((entry) => entry !== undefined)
}

/** The keyword of JSON Schema that the list of requests violates. */
function countFault(requests: unknown): string {
  if (requests === undefined) return 'required'
  if (!Array.isArray(requests)) return 'type'
  return requests.length < 1 ? 'minItems' : 'maxItems'
}

/** The body with the ids of earlier entries; undefined where a pointer names no place in it. */
export function bindIds(
  { body = {}, bindings }: BatchEntry,
  idOf: (entry: number) => string,
): JsonValue | undefined {
  const operations = bindings.map(({ pointer, from }) => ({
    op: 'add' as const,
    path: pointer,
    value: idOf(from),
  }))
  const result = applyJsonPatch(body as PatchJson, operations, 0)
  return result.kind === 'patched' ? (result.value as JsonValue) : undefined
}

/** The index of each entry by its id. */
function indexesById(requests: readonly unknown[], faults: ContentFault[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>()
  for (const [index, request] of requests.entries()) {
    const id = isObject(request) ? request.id : undefined
    if (typeof id !== 'string') continue
    if (indexes.has(id)) {
      const detail = 'Another request of the batch has the same id.'
      faults.push({ pointer: `/requests/${index}/id`, rule: 'unique', detail })
    }
    indexes.set(id, index)
  }
  return indexes
}

interface Parsing {
  readonly indexes: ReadonlyMap<string, number>
  readonly faults: ContentFault[]
}

function parseEntry(request: unknown, index: number, parsing: Parsing): BatchEntry | undefined {
  const pointer = `/requests/${index}`
  const { faults } = parsing
  const report = (place: string, detail: string, rule = 'type') =>
    void faults.push({ pointer: pointer + place, rule, detail })
  if (!isObject(request)) {
    report('', 'Must be an object.')
    return undefined
  }
  for (const name of Object.keys(request)) {
    if (!members.has(name)) faults.push(unknownMember(`${pointer}/${name}`))
  }
  const { id, method, path, headers = {}, body, bind = {} } = request
  if (id !== undefined && typeof id !== 'string') report('/id', 'Must be a string.')
  if (method !== undefined && !methods.has(method)) {
    report('/method', 'Must be POST, PUT, PATCH or DELETE, or absent for an assertion.', 'enum')
  }
  if (typeof path !== 'string' || !path.startsWith('/')) report('/path', "Must be a path such as '/tasks'.")
  if (method === undefined && body !== undefined) report('/body', 'An assertion has no body.', 'assertion')
  return {
    id: id as string | undefined,
    method: method as BatchEntry['method'],
    path: String(path),
    headers: parseHeaders(headers, report),
    body: body as JsonValue | undefined,
    bindings: parseBindings(bind, { index, indexes: parsing.indexes, report }),
  }
}

type Report = (place: string, detail: string, rule?: string) => void

function parseHeaders(headers: unknown, report: Report): Readonly<Record<string, string>> {
  if (!isObject(headers)) {
    report('/headers', 'Must be an object.')
    return {}
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!headerNames.has(name.toLowerCase())) {
      report(`/headers/${name}`, `Must be one of: ${[...headerNames].join(', ')}.`, 'additionalProperties')
    } else if (typeof value !== 'string') report(`/headers/${name}`, 'Must be a string.')
  }
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  return Object.fromEntries(lower)
}

interface BindingContext {
  readonly index: number
  readonly indexes: ReadonlyMap<string, number>
  readonly report: Report
}

function parseBindings(bind: unknown, { index, indexes, report }: BindingContext): readonly Binding[] {
  if (!isObject(bind)) {
    report('/bind', 'Must be an object from JSON Pointers to ids of earlier requests.')
    return []
  }
  return Object.entries(bind).flatMap(([name, id]) => {
    const pointer = parsePointer(name)
    const from = indexes.get(String(id)) ?? index
    if (pointer === undefined || pointer.length === 0) {
      report('/bind', `'${name}' is no JSON Pointer into the body.`, 'binding')
    } else if (from >= index)
      report('/bind', `No earlier request of the batch has the id '${String(id)}'.`, 'binding')
    else return [{ pointer, from }]
    return []
  })
}

function unknownMember(pointer: string): ContentFault {
  return { pointer, rule: 'additionalProperties', detail: 'This member is unknown.' }
}
