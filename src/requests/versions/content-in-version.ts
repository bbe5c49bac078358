/**
 * Content in an older version of the interface, converted before it is written. A change is found in
 * the old shape: a field keeps its value where the version says nothing else about it than before. See decision 0077.
 */

import { downMembers, type ItemMembers, upMembers } from '../../definition/version-conversion.ts'
import { presentName } from '../../definition/version-names.ts'
import { isEqual, type JsonPatchOperation } from '../../http/json-patch.ts'
import { mergePatch } from '../../http/merge-patch.ts'
import { Refusal } from '../../refusal.ts'
import { itemMembers } from '../../views/item-view.ts'
import type { PatchKind, RequestContent } from '../context/request-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CurrentState, FoundItem } from '../read/current-state.ts'
import { applyJsonPatchToMembers } from '../write/apply-json-patch.ts'
import { refusalAt } from '../write/content-places.ts'
import { membersOf } from '../write/draft-from-content.ts'
import { requireTestedIndexes } from '../write/require-tested-indexes.ts'
import { type OldShape, refusalInVersion, requireValidMembers } from './check-old-version-content.ts'

/** The parsed content of a request, and how to read it. */
export interface SentContent {
  readonly body: unknown
  readonly content: Pick<RequestContent, 'patch' | 'expectsVersion'> | undefined
}

/** The content of the request in the present shape; refuses 422, 409 and 400 as the present version does. */
export function toPresentContent(
  { version, target, method }: RequestContext,
  current: CurrentState,
  { body, content }: SentContent,
): SentContent {
  const resource = target.kind === 'collection' || target.kind === 'item' ? target.resource : undefined
  const isConverted = resource && version?.resources.has(resource.name)
  if (!version || !resource || !isConverted || method === 'QUERY' || !content) return { body, content }
  const shape = { version, resource }
  if (method === 'PATCH' && current.kind === 'found') {
    return { body: toChanges(shape, current, body, content), content: { ...content, patch: 'fields' } }
  }
  if (method === 'PUT' && current.kind === 'found') {
    return { body: toReplacement(shape, current, membersOf(body)), content }
  }
  const isBulk = Array.isArray(body) && resource.bulk
  return { body: isBulk ? toMany(shape, body) : toPresent(shape, membersOf(body)), content }
}

/** The members as they are, with their pointers, where one of many is refused. */
function toMany(shape: OldShape, bodies: readonly unknown[]): readonly unknown[] {
  return bodies.map((body, at) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
    try {
      return toPresent(shape, membersOf(body))
    } catch (error) {
      throw error instanceof Refusal ? refusalAt(`/${at}`, error) : error
    }
  })
}

/** Content in the present shape. Refuses 422; `seen` is the item before the change, where the caller sees it. */
function toPresent(shape: OldShape, sent: ItemMembers, seen?: ItemMembers): ItemMembers {
  const { version, resource } = shape
  const password = resource.currentPassword?.name ?? ''
  const { [password]: currentPassword, ...members } = sent
  const old = { ...defaultsOf(shape), ...members }
  requireValidMembers(shape, old, seen)
  const present = upMembers(version, resource, old)
  return { ...present, ...(currentPassword === undefined ? {} : { [password]: currentPassword }) }
}

/** The defaults of the members that only the version has. */
function defaultsOf({ version, resource }: OldShape): ItemMembers {
  const fields = version.resources.get(resource.name)?.own.fields ?? []
  return Object.fromEntries(
    fields.flatMap(({ name, default: preset }) => (preset === undefined ? [] : [[name, preset]])),
  )
}

/** The item that the caller sees, in both shapes, and as the conversion of the old shape gives it back. */
interface SeenItem {
  readonly present: ItemMembers
  readonly old: ItemMembers
  readonly returned: ItemMembers
}

function seenItem({ version, resource }: OldShape, { isReadable, view }: FoundItem): SeenItem {
  if (!isReadable) return { present: {}, old: {}, returned: {} }
  const present = itemMembers(view)
  const old = downMembers(version, resource, present)
  return { present, old, returned: upMembers(version, resource, old) }
}

/** The content of a PUT: fields that the content does not change in the old shape keep their value. */
function toReplacement(shape: OldShape, current: FoundItem, sent: ItemMembers): ItemMembers {
  const { present, returned } = seenItem(shape, current)
  const replaced = toPresent(shape, sent)
  const names = new Set([...Object.keys(present), ...Object.keys(replaced)])
  const entries = [...names].flatMap((name) => {
    const kept = isSame(replaced[name], returned[name]) && Object.hasOwn(present, name)
    const value = kept ? present[name] : replaced[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

/** The changes of a PATCH, by field; undefined removes a field. The patch is applied to the old shape. */
function toChanges(
  shape: OldShape,
  current: FoundItem,
  body: unknown,
  { patch, expectsVersion }: Pick<RequestContent, 'patch' | 'expectsVersion'>,
): Readonly<Record<string, unknown>> {
  const seen = seenItem(shape, current)
  const { patched, written } = applyPatch(shape, seen, body, { patch, expectsVersion })
  const changed = toPresent(shape, patched, current.isReadable ? seen.old : undefined)
  const names = new Set([...Object.keys(changed), ...Object.keys(seen.returned)])
  const isWritten = (name: string) => written.has(name) && Object.hasOwn(changed, name)
  const isUnchangedId = (name: string) => name === 'id' && changed.id === seen.present.id
  const kept = [...names].filter(
    (name) => (isWritten(name) || !isSame(changed[name], seen.returned[name])) && !isUnchangedId(name),
  )
  return Object.fromEntries(kept.map((name) => [name, changed[name]]))
}

interface AppliedPatch {
  /** The item in the old shape. */
  readonly patched: ItemMembers
  /** The present names of the members that the patch writes, even with an unchanged value. */
  readonly written: ReadonlySet<string>
}

function applyPatch(
  shape: OldShape,
  { old, present }: SeenItem,
  body: unknown,
  { patch, expectsVersion }: { readonly patch: PatchKind; readonly expectsVersion: boolean },
): AppliedPatch {
  const { version, resource } = shape
  const toPresentNames = (names: Iterable<string>) =>
    new Set([...names].flatMap((name) => presentName(version, resource, name) ?? []))
  if (patch !== 'json-patch') {
    const sent = membersOf(body)
    // Both are objects, and so is the result.
    return { patched: mergePatch(old, sent) as ItemMembers, written: toPresentNames(Object.keys(sent)) }
  }
  const { patched, written } = applyJsonPatchToMembers(old, body, (operations) => {
    if (expectsVersion) return
    const inPresent = operations.map((operation) => withPresentPath(shape, operation))
    try {
      requireTestedIndexes(resource, present, inPresent)
    } catch (error) {
      throw refusalInVersion(shape, error)
    }
  })
  return { patched, written: toPresentNames(written) }
}

function withPresentPath({ version, resource }: OldShape, operation: JsonPatchOperation): JsonPatchOperation {
  const toPresentPath = ([name = '', ...rest]: JsonPatchOperation['path']) => [
    // No field has the empty name.
    presentName(version, resource, name) ?? '',
    ...rest,
  ]
  const path = toPresentPath(operation.path)
  return 'from' in operation
    ? { ...operation, path, from: toPresentPath(operation.from) }
    : { ...operation, path }
}

function isSame(one: ItemMembers[string] | undefined, other: ItemMembers[string] | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return isEqual(one, other)
}
