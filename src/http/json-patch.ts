/**
 * JSON Patch (RFC 6902): reading a patch document, and applying it whole or not at all. Members
 * are only ever own ones, so that no name of a client's reaches a prototype.
 */

export type PatchJson =
  | string
  | number
  | boolean
  | null
  | readonly PatchJson[]
  | { readonly [name: string]: PatchJson }

/** What one patch may hold. */
export const maxOperations = 1000

/** RFC 6901, decoded. */
export type JsonPointer = readonly string[]

export type JsonPatchOperation =
  | {
      readonly op: 'add' | 'replace' | 'test'
      readonly path: JsonPointer
      readonly value: PatchJson
    }
  | { readonly op: 'remove'; readonly path: JsonPointer }
  | { readonly op: 'move' | 'copy'; readonly path: JsonPointer; readonly from: JsonPointer }

export type ParsedJsonPatch =
  | { readonly kind: 'patch'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly kind: 'malformed'; readonly reason: string }

export type JsonPatchResult =
  | { readonly kind: 'patched'; readonly value: PatchJson }
  /** A test failed, or a path leads nowhere: nothing of the patch counts. */
  | { readonly kind: 'failed'; readonly index: number; readonly reason: string }

/** Reads the document (§3, §4); members that an operation does not define are ignored. */
export function parseJsonPatch(document: unknown): ParsedJsonPatch {
  if (!Array.isArray(document)) return malformed('A JSON Patch is an array of operations.')
  const operations: JsonPatchOperation[] = []
  for (const [index, given] of document.entries()) {
    const operation = parseOperation(given)
    if (typeof operation === 'string') return malformed(`Operation ${index}: ${operation}`)
    operations.push(operation)
  }
  return { kind: 'patch', operations }
}

/**
 * The document after all operations, in order (§5). What `copy` may add up to is bounded by
 * `room`, counted in characters and 20 for each value: each copy may double a document.
 */
export function applyJsonPatch(
  document: PatchJson,
  operations: readonly JsonPatchOperation[],
  copyBudget: number,
): JsonPatchResult {
  const whole: DocumentHolder = { root: structuredClone(document) as PatchJson }
  let remaining = copyBudget
  for (const [index, operation] of operations.entries()) {
    if (operation.op === 'copy') remaining -= copyCost(valueAt(whole, operation.from))
    const reason = remaining < 0 ? 'The copies are too large.' : apply(whole, operation)
    if (reason !== undefined) return { kind: 'failed', index, reason }
  }
  return { kind: 'patched', value: whole.root as PatchJson }
}

function malformed(reason: string): ParsedJsonPatch {
  return { kind: 'malformed', reason }
}

/** The operation, or what is wrong with it. */
function parseOperation(given: unknown): JsonPatchOperation | string {
  if (!isObject(given)) return 'an operation is an object.'
  const { op } = given
  const path = parsePointer(ownMember(given, 'path'))
  if (path === undefined) return "'path' is no JSON Pointer."
  switch (op) {
    case 'remove':
      return { op, path }
    case 'add':
    case 'replace':
    case 'test':
      if (!Object.hasOwn(given, 'value')) return `'${op}' needs a value.`
      return { op, path, value: given.value as PatchJson }
    case 'move':
    case 'copy': {
      const from = parsePointer(ownMember(given, 'from'))
      return from === undefined ? "'from' is no JSON Pointer." : { op, path, from }
    }
    default:
      return 'there is no such operation.'
  }
}

/** RFC 6901 §3; undefined where the text is none. */
function parsePointer(text: unknown): JsonPointer | undefined {
  if (text === '') return []
  if (typeof text !== 'string' || !text.startsWith('/') || /~(?![01])/.test(text)) return undefined
  const tokens = text.slice(1).split('/')
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What a path of no tokens points to, so that it can be replaced like any other value. */
interface DocumentHolder {
  root: PatchJson | undefined
}

/** Undefined where it went well, else why not. */
function apply(whole: DocumentHolder, operation: JsonPatchOperation): string | undefined {
  const { op, path } = operation
  switch (op) {
    case 'add':
      return add(whole, path, structuredClone(operation.value) as PatchJson)
    case 'remove':
      return remove(whole, path)
    case 'replace':
      return replace(whole, path, structuredClone(operation.value) as PatchJson)
    case 'test': {
      const value = valueAt(whole, path)
      if (value === undefined) return noValueAt(path)
      return isEqual(value, operation.value) ? undefined : 'The test failed.'
    }
    case 'copy': {
      const value = valueAt(whole, operation.from)
      if (value === undefined) return noValueAt(operation.from)
      return add(whole, path, structuredClone(value) as PatchJson)
    }
    case 'move':
      return move(whole, operation.from, path)
  }
}

/** §4.4: a value cannot be moved into one of its own children. */
function move(whole: DocumentHolder, from: JsonPointer, path: JsonPointer): string | undefined {
  const value = valueAt(whole, from)
  if (value === undefined) return noValueAt(from)
  const within = from.length < path.length && from.every((token, index) => token === path[index])
  if (within) return 'A value cannot be moved into itself.'
  return remove(whole, from) ?? add(whole, path, value)
}

function add(whole: DocumentHolder, path: JsonPointer, value: PatchJson): string | undefined {
  const last = path.at(-1)
  if (last === undefined) return setRoot(whole, value)
  const parent = valueAt(whole, path.slice(0, -1))
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : indexOf(last)
    if (index === undefined || index > parent.length) return noValueAt(path)
    parent.splice(index, 0, value)
    return undefined
  }
  if (!isObject(parent)) return noValueAt(path)
  setMember(parent, last, value)
  return undefined
}

function replace(whole: DocumentHolder, path: JsonPointer, value: PatchJson): string | undefined {
  if (valueAt(whole, path) === undefined) return noValueAt(path)
  const last = path.at(-1)
  if (last === undefined) return setRoot(whole, value)
  // valueAt found it, so the parent is an array or an object that has it.
  const parent = valueAt(whole, path.slice(0, -1)) as PatchJson[] | Record<string, PatchJson>
  if (Array.isArray(parent)) parent[Number(last)] = value
  else setMember(parent, last, value)
  return undefined
}

function remove(whole: DocumentHolder, path: JsonPointer): string | undefined {
  if (valueAt(whole, path) === undefined) return noValueAt(path)
  const last = path.at(-1)
  if (last === undefined) return setRoot(whole, undefined)
  const parent = valueAt(whole, path.slice(0, -1)) as PatchJson[] | Record<string, PatchJson>
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
  return undefined
}

function setRoot(whole: DocumentHolder, value: PatchJson | undefined): undefined {
  whole.root = value
}

/** Undefined where the path leads nowhere: JSON has no such value. */
function valueAt({ root }: DocumentHolder, path: JsonPointer): PatchJson | undefined {
  let value = root
  for (const token of path) {
    if (Array.isArray(value)) {
      const index = indexOf(token)
      value = index === undefined ? undefined : value[index]
    } else value = isObject(value) ? (ownMember(value, token) as PatchJson | undefined) : undefined
    if (value === undefined) return undefined
  }
  return value
}

/** RFC 6901 §4: digits without leading zeros. */
function indexOf(token: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(token) ? Number(token) : undefined
}

/** By definition rather than assignment: `__proto__` is a name like any other. */
function setMember(object: object, name: string, value: PatchJson): void {
  Object.defineProperty(object, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

function ownMember(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** §4.6: by value; the order of members does not count. */
export function isEqual(a: PatchJson, b: PatchJson): boolean {
  if (a === b) return true
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((value, index) => isEqual(value, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every(
    (name) => Object.hasOwn(b, name) && isEqual(a[name] as PatchJson, b[name] as PatchJson),
  )
}

/** A value takes about as long to copy, judge and store as 20 characters. */
const costPerValue = 20

function copyCost(value: PatchJson | undefined): number {
  if (typeof value === 'string') return costPerValue + value.length
  if (typeof value !== 'object' || value === null) return costPerValue
  return Object.entries(value).reduce(
    (sum, [name, one]) => sum + name.length + copyCost(one),
    costPerValue,
  )
}

function noValueAt(path: JsonPointer): string {
  const text = path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return `There is nothing at '${text.join('')}'.`
}
