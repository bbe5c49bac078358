/**
 * JSON Patch (RFC 6902): parsing a patch document and applying it atomically. Only own members are
 * read and written, so a name from a client never reaches a prototype. The package `rfc6902` changes its input,
 * accepts `1e0` as an index and does not bound copies.
 */

import { isObject } from '../tools/plain-object.ts'

export type PatchJson =
  | string
  | number
  | boolean
  | null
  | readonly PatchJson[]
  | { readonly [name: string]: PatchJson }

/** The most operations in one patch. */
export const maxOperations = 1000

/** The decoded reference tokens of a JSON Pointer (RFC 6901). */
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
  /** A test failed or a path does not exist; the document is unchanged (§5). */
  | { readonly kind: 'failed'; readonly index: number; readonly reason: string }

/** Parses a patch document (§3, §4). Undefined members of an operation are ignored (§4). */
export function parseJsonPatch(document: unknown): ParsedJsonPatch {
  if (!Array.isArray(document)) return malformed('A JSON Patch must be an array of operations.')
  const operations: JsonPatchOperation[] = []
  for (const [index, value] of document.entries()) {
    const operation = parseOperation(value)
    if (typeof operation === 'string') return malformed(`Operation ${index}: ${operation}`)
    operations.push(operation)
  }
  return { kind: 'patch', operations }
}

/**
 * Applies all operations in order (§5) to a copy of the document, which shares what no operation changes with the
 * document and the operations. The copies that operations make are bounded together by `copyBudget`, counted in
 * characters and 20 for each value: each copy may double a document.
 */
export function applyJsonPatch(
  document: PatchJson,
  operations: readonly JsonPatchOperation[],
  copyBudget: number,
): JsonPatchResult {
  const holder: DocumentHolder = { root: document, own: new WeakSet() }
  let remaining = copyBudget
  for (const [index, operation] of operations.entries()) {
    if (operation.op === 'copy') remaining -= copyCost(valueAt(holder, operation.from))
    const reason = remaining < 0 ? 'The copied values are too large.' : apply(holder, operation)
    if (reason !== undefined) return { kind: 'failed', index, reason }
  }
  return { kind: 'patched', value: holder.root as PatchJson }
}

function malformed(reason: string): ParsedJsonPatch {
  return { kind: 'malformed', reason }
}

/** Returns the operation, or the reason why it is malformed. */
function parseOperation(operation: unknown): JsonPatchOperation | string {
  if (!isObject(operation)) return 'must be an object.'
  const { op } = operation
  const path = parsePointer(ownMember(operation, 'path'))
  if (path === undefined) return "'path' must be a JSON Pointer."
  switch (op) {
    case 'remove':
      return { op, path }
    case 'add':
    case 'replace':
    case 'test':
      if (!Object.hasOwn(operation, 'value')) return `'${op}' requires a value.`
      return { op, path, value: operation.value as PatchJson }
    case 'move':
    case 'copy': {
      const from = parsePointer(ownMember(operation, 'from'))
      return from === undefined ? "'from' must be a JSON Pointer." : { op, path, from }
    }
    default:
      return "'op' must be add, remove, replace, move, copy or test."
  }
}

/** Parses a pointer (RFC 6901 §3); undefined if it is malformed. */
export function parsePointer(text: unknown): JsonPointer | undefined {
  if (text === '') return []
  if (typeof text !== 'string' || !text.startsWith('/') || /~(?![01])/.test(text)) return undefined
  const tokens = text.slice(1).split('/')
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Formats a pointer (RFC 6901 §3). */
export function formatPointer(tokens: JsonPointer): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Holds the document, so that the empty path can replace it like any other value. */
interface DocumentHolder {
  root: PatchJson | undefined
  /** The arrays and objects that were copied: only they are changed. Each is copied at most once. */
  readonly own: WeakSet<object>
}

/** Applies one operation; returns the reason if it fails. */
function apply(holder: DocumentHolder, operation: JsonPatchOperation): string | undefined {
  const { op, path } = operation
  switch (op) {
    case 'add':
      return add(holder, path, operation.value)
    case 'remove':
      return remove(holder, path)
    case 'replace':
      return replace(holder, path, operation.value)
    case 'test': {
      const value = valueAt(holder, path)
      if (value === undefined) return noValueAt(path)
      return isEqual(value, operation.value) ? undefined : 'The test failed.'
    }
    case 'copy': {
      const value = valueAt(holder, operation.from)
      if (value === undefined) return noValueAt(operation.from)
      return add(holder, path, copyOf(value))
    }
    case 'move':
      return move(holder, operation.from, path)
  }
}

/** §4.4: a value cannot be moved into one of its children. */
function move(holder: DocumentHolder, from: JsonPointer, path: JsonPointer): string | undefined {
  const value = valueAt(holder, from)
  if (value === undefined) return noValueAt(from)
  const within = from.length < path.length && from.every((token, index) => token === path[index])
  if (within) return 'A value cannot be moved into itself.'
  return remove(holder, from) ?? add(holder, path, value)
}

function add(holder: DocumentHolder, path: JsonPointer, value: PatchJson): string | undefined {
  const last = path.at(-1)
  if (last === undefined) return setRoot(holder, value)
  const parent = ownContainerAt(holder, path.slice(0, -1))
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : indexOf(last)
    if (index === undefined || index > parent.length) return noValueAt(path)
    parent.splice(index, 0, value)
    return undefined
  }
  if (!parent) return noValueAt(path)
  setMember(parent, last, value)
  return undefined
}

function replace(holder: DocumentHolder, path: JsonPointer, value: PatchJson): string | undefined {
  if (valueAt(holder, path) === undefined) return noValueAt(path)
  const last = path.at(-1)
  if (last === undefined) return setRoot(holder, value)
  // The value exists, so its parent is an array or an object.
  const parent = ownContainerAt(holder, path.slice(0, -1)) as Container
  if (Array.isArray(parent)) parent[Number(last)] = value
  else setMember(parent, last, value)
  return undefined
}

function remove(holder: DocumentHolder, path: JsonPointer): string | undefined {
  if (valueAt(holder, path) === undefined) return noValueAt(path)
  const last = path.at(-1)
  if (last === undefined) return setRoot(holder, undefined)
  const parent = ownContainerAt(holder, path.slice(0, -1)) as Container
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
  return undefined
}

function setRoot(holder: DocumentHolder, value: PatchJson | undefined): undefined {
  holder.root = value
}

/** The value at the path, or undefined if the path does not exist. */
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

type Container = PatchJson[] | Record<string, PatchJson>

/** The array or object at the path, which may be changed: it and those around it are copied before the first change. */
function ownContainerAt(holder: DocumentHolder, path: JsonPointer): Container | undefined {
  if (!isContainer(valueAt(holder, path))) return undefined
  let container = ownCopy(holder, holder.root as Container)
  holder.root = container
  for (const token of path) {
    // Each value on the path to a container is one.
    const inner = ownCopy(holder, ownMember(container as Record<string, PatchJson>, token) as Container)
    if (Array.isArray(container)) container[Number(token)] = inner
    else setMember(container, token, inner)
    container = inner
  }
  return container
}

function ownCopy({ own }: DocumentHolder, container: Container): Container {
  if (own.has(container)) return container
  const copy = Array.isArray(container) ? [...container] : { ...container }
  own.add(copy)
  return copy
}

function copyOf(value: PatchJson): PatchJson {
  if (!isContainer(value)) return value
  if (Array.isArray(value)) return value.map(copyOf)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyOf(one)]))
}

function isContainer(value: PatchJson | undefined): value is Container {
  return typeof value === 'object' && value !== null
}

/** Parses an array index (RFC 6901 §4): digits without leading zeros. */
function indexOf(token: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(token) ? Number(token) : undefined
}

/** Defines the member instead of assigning it, because `__proto__` is an ordinary name here. */
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

/** Equality by §4.6: by value, members in any order. */
export function isEqual(a: PatchJson, b: PatchJson): boolean {
  if (a === b) return true
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((value, index) => isEqual(value, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name] as PatchJson, b[name] as PatchJson))
}

/** A value takes about as long to copy, check and store as 20 characters. */
const costPerValue = 20

function copyCost(value: PatchJson | undefined): number {
  if (typeof value === 'string') return costPerValue + value.length
  if (typeof value !== 'object' || value === null) return costPerValue
  return Object.entries(value).reduce((sum, [name, one]) => sum + name.length + copyCost(one), costPerValue)
}

function noValueAt(path: JsonPointer): string {
  return `No value at '${formatPointer(path)}'.`
}
