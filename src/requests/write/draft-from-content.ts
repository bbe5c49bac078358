/**
 * Drafts of records: the values of a body, field by field, checked against the rights of the caller.
 * POST, PUT and PATCH differ in the meaning of a missing member. All faults are reported together.
 */

import type { FieldModel, JsonValue } from '../../definition/model.ts'
import { isEqual } from '../../http/json-patch.ts'
import { mergePatch } from '../../http/merge-patch.ts'
import { invalidContent } from '../../refusal.ts'
import type { Row } from '../../store/row.ts'
import { shownValue } from '../../views/file-member.ts'
import { idOf } from '../../views/uri.ts'
import { DraftBuilder, type GivenReference, type RecordDraft, type WriterRights } from './draft-builder.ts'

export type ContentMembers = Readonly<Record<string, JsonValue>>

/** The result of a JSON Patch. */
export interface PatchedMembers {
  readonly patched: ContentMembers
  /** The names of members that an operation wrote, even with an unchanged value. */
  readonly written: ReadonlySet<string>
}

/**
 * A new item: a missing member has its default or is absent. A given reference is not in the draft;
 * the content may repeat it.
 */
export function draftCreation(writer: WriterRights, body: unknown, given?: GivenReference): RecordDraft {
  const members = membersOf(body)
  const draft = new DraftBuilder(writer)
  for (const name of Object.keys(members)) if (name !== given?.field.name) draft.findWritableField(name)
  for (const field of writer.resource.fields) {
    const sent = ownValue(members, field)
    if (field === given?.field) draft.setGiven(field, given.id, sent)
    else if (field.state) draft.setInitialState(field, field.state.initial, sent)
    else if (sent === undefined) draft.setDefault(field)
    else if (draft.isWritable(field)) draft.set(field, sent)
  }
  return draft.finish()
}

/** A replacement of the item: a missing member becomes absent if the caller sees and may write it. The row has its derived values. */
export function draftReplacement(writer: WriterRights, body: unknown, row: Row): RecordDraft {
  const members = membersOf(body)
  const draft = new DraftBuilder(writer)
  for (const [name, value] of Object.entries(members)) draft.requireWritableOrUnchanged(name, value, row)
  for (const field of writer.resource.fields) {
    const sent = ownValue(members, field)
    if (!draft.isWritable(field)) continue
    if (field.immutable) {
      if (sent !== undefined) draft.requireUnchanged(field, sent, row)
      continue
    }
    // A PUT of an edited GET sends the present state back; that is not a transition.
    if (field.state && sent === row[field.index] && draft.isVisible(field)) continue
    if (sent !== undefined) draft.change(field, sent, row)
    else if (draft.isVisible(field) && !field.state) draft.setDefault(field)
  }
  return draft.finish()
}

/** A merge patch (RFC 7396): a missing member is unchanged, null removes the field. */
export function draftMerge(writer: WriterRights, body: unknown, row: Row): RecordDraft {
  const members = membersOf(body)
  const draft = new DraftBuilder(writer)
  for (const [name, value] of Object.entries(members)) {
    // An item that was read and sent back may have its id.
    if (name === 'id' && value === idOf(writer.resource, row)) continue
    const field = draft.findWritableField(name)
    if (!field) continue
    if (field.immutable) draft.requireUnchanged(field, mergedValue(writer, field, value, row), row)
    else if (value === null) draft.setDefault(field)
    else if (field.kind.shape === 'json')
      draft.set(field, mergePatch(shownValue(writer.resource, field, row), value))
    else draft.change(field, value, row)
  }
  return draft.finish()
}

/** The fields of a form: each replaces its field, an undefined value removes it. */
export function draftForm(writer: WriterRights, body: unknown, row: Row): RecordDraft {
  return draftChanges(writer, Object.entries(membersOf(body)), row)
}

/**
 * A JSON Patch, by its result: only changed members need rights. A state that an operation wrote is a
 * transition even with an unchanged value, as in a merge patch.
 */
export function draftJsonPatch(
  writer: WriterRights,
  { seen, patched, written }: PatchedMembers & { readonly seen: ContentMembers },
  row: Row,
): RecordDraft {
  const names = [...new Set([...Object.keys(seen), ...Object.keys(patched)])]
  const changes = names.flatMap((name) => {
    const before = Object.hasOwn(seen, name) ? seen[name] : undefined
    const after = Object.hasOwn(patched, name) ? patched[name] : undefined
    const isState = writer.resource.fieldByName.get(name)?.state !== undefined
    const isSame = before !== undefined && after !== undefined && isEqual(before, after)
    return isSame && !(isState && written.has(name)) ? [] : [[name, after] as const]
  })
  return draftChanges(writer, changes, row)
}

/** Each value replaces its field; an undefined one removes it. */
function draftChanges(
  writer: WriterRights,
  changes: readonly (readonly [name: string, value: JsonValue | undefined])[],
  row: Row,
): RecordDraft {
  const draft = new DraftBuilder(writer)
  for (const [name, value] of changes) {
    const field = draft.findWritableField(name)
    if (!field) continue
    if (field.immutable) draft.requireUnchanged(field, value, row)
    else if (value === undefined) draft.setDefault(field)
    else draft.change(field, value, row)
  }
  return draft.finish()
}

/** The body as an object; refuses 422 for other values. */
export function membersOf(body: unknown): ContentMembers {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as ContentMembers
  throw invalidContent([{ pointer: '', rule: 'type', detail: 'Must be an object.' }])
}

function ownValue(members: ContentMembers, { name }: FieldModel): JsonValue | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** The value after a merge patch; undefined if it is removed. */
function mergedValue(
  { resource }: WriterRights,
  field: FieldModel,
  value: JsonValue,
  row: Row,
): JsonValue | undefined {
  if (value === null) return undefined
  return field.kind.shape === 'json' ? mergePatch(shownValue(resource, field, row), value) : value
}
