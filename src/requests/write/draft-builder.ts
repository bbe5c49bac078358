/** Builds the draft of a record field by field, and collects the faults of the content. */

import type { Rights } from '../../access/rights.ts'
import { shownChange } from '../../access/shown-change.ts'
import { findFileModel } from '../../definition/file-fields.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../../definition/model.ts'
import { withSuggestion } from '../../definition/name-suggestion.ts'
import { createdAt, systemFields, updatedAt } from '../../definition/system-fields.ts'
import { formatPointer, isEqual } from '../../http/json-patch.ts'
import type { ContentFault } from '../../refusal.ts'
import type { Row } from '../../store/row.ts'
import { isSameValue } from '../../store/row-fields.ts'
import { shownValue } from '../../views/file-member.ts'
import { idOf } from '../../views/uri.ts'
import type { ConditionResult } from '../../views/visible-fields.ts'

/** The fields to set, each to a JSON value or to undefined (absent); other fields are unchanged. */
export interface RecordDraft {
  readonly values: ReadonlyMap<FieldModel, JsonValue | undefined>
  readonly faults: readonly ContentFault[]
  /** The changed sets of references whose present members the caller sees. */
  readonly seenSets: ReadonlySet<FieldModel>
}

/** The rights of the caller, with the results of their conditions on the row. */
export interface WriterRights {
  readonly resource: ResourceModel
  readonly rights: Rights
  readonly isTrue: ConditionResult
}

/** Whether the caller sees the field of this item. */
export function isVisibleTo({ rights, isTrue }: WriterRights, field: FieldModel): boolean {
  const condition = rights.visibility.get(field)
  return isTrue(rights.read) && condition !== undefined && isTrue(condition)
}

/** The reference that the URI of a sub-collection sets, and the id of the item that it names. */
export interface GivenReference {
  readonly field: FieldModel
  readonly id: string
}

export const emptySet = '[]'

export class DraftBuilder {
  readonly #writer: WriterRights
  readonly #values = new Map<FieldModel, JsonValue | undefined>()
  readonly #faults: ContentFault[] = []
  readonly #seenSets = new Set<FieldModel>()

  constructor(writer: WriterRights) {
    this.#writer = writer
  }

  isWritable(field: FieldModel): boolean {
    const { rights, isTrue } = this.#writer
    const condition = rights.writability.get(field)
    return condition !== undefined && isTrue(condition)
  }

  isVisible(field: FieldModel): boolean {
    return isVisibleTo(this.#writer, field)
  }

  #findField(name: string): FieldModel | undefined {
    const { fieldByName, derived } = this.#writer.resource
    return fieldByName.get(name) ?? derived.find((one) => one.field.name === name)?.field
  }

  /** The field of that name if the caller may write it; else undefined, and a fault is added. */
  findWritableField(name: string): FieldModel | undefined {
    const field = this.#findField(name)
    if (field && this.isWritable(field)) return field
    const known = name === 'id' || systemFields.has(name) || (field && this.isVisible(field))
    if (known) this.#fault(name, 'readOnly', 'You may not set this field.')
    else this.#faultUnknown(name)
    return undefined
  }

  /** Whether the caller sees the field of every item, so that a suggestion may name it. */
  #isSurelyVisible(field: FieldModel): boolean {
    return this.#writer.rights.visibility.get(field)?.kind === 'always'
  }

  #faultUnknown(name: string): void {
    // Suggesting takes time, and a body may have many unknown members.
    const names =
      this.#faults.length < 10
        ? this.#writer.resource.fields.filter((one) => this.isWritable(one) && this.#isSurelyVisible(one))
        : []
    const detail = withSuggestion('There is no such field.', name, names)
    this.#fault(name, 'additionalProperties', detail)
  }

  /** Like `findWritableField`, but a visible read-only field may be sent back unchanged. */
  requireWritableOrUnchanged(name: string, value: JsonValue, row: Row): void {
    const field = this.#findField(name)
    if (field && this.isWritable(field)) return
    const { rights, isTrue } = this.#writer
    const own = name === 'id' || systemFields.has(name)
    const shown = field ? this.isVisible(field) : own && isTrue(rights.read)
    if (!shown) this.#faultUnknown(name)
    else if (!this.#isSame(name, field, value, row)) {
      this.#fault(name, 'readOnly', 'You may not change this field; leave it out.')
    }
  }

  #isSame(name: string, field: FieldModel | undefined, value: JsonValue, row: Row): boolean {
    const { resource } = this.#writer
    if (name === updatedAt.name) return value === row[shownChange(this.#writer.rights).updatedAt.index]
    if (!field) return value === (name === createdAt.name ? row[createdAt.index] : idOf(resource, row))
    if (field.ref) return value === row[field.outputIndex]
    if (field.refs) return isSameSet(value, shownValue(resource, field, row))
    if (!resource.fieldByName.has(name) || findFileModel(field)) {
      return isEqual(value, shownValue(resource, field, row) ?? null)
    }
    if (resource.validate({ [name]: value }).length > 0) return false
    return isSameValue(field, field.encode(value), row[field.index])
  }

  set(field: FieldModel, value: JsonValue): void {
    this.#values.set(field, value)
  }

  /** Like `set`, but references that are sent back unchanged stay, even if their targets are hidden. */
  change(field: FieldModel, value: JsonValue, row: Row): void {
    if (field.ref && value === row[field.outputIndex] && this.isVisible(field)) return
    if (field.refs && this.isVisible(field)) this.#seenSets.add(field)
    this.set(field, value)
  }

  /**
   * Accepts the present value of an immutable field. A caller who does not see the field is refused
   * whatever it sends, so that it cannot guess the value.
   */
  requireUnchanged(field: FieldModel, value: JsonValue | undefined, row: Row): void {
    if (this.isVisible(field) && this.#isPresentValue(field, value, row)) return
    this.#fault(field.name, 'immutable', 'This field cannot be changed; leave it out.')
  }

  #isPresentValue(field: FieldModel, value: JsonValue | undefined, row: Row): boolean {
    if (value === undefined) return row[field.index] === (field.refs ? emptySet : null)
    return this.#isSame(field.name, field, value, row)
  }

  /** Accepts only the given value; the content may leave it out. */
  setGiven(field: FieldModel, given: string, sent: JsonValue | undefined): void {
    if (sent === undefined || sent === given) return
    this.#fault(field.name, 'const', `Must be '${given}', as in the URI; leave it out.`)
  }

  /** A state field of a new item has its initial state. */
  setInitialState(field: FieldModel, initial: string, sent: JsonValue | undefined): void {
    this.#values.set(field, initial)
    if (sent !== undefined && sent !== initial && this.isWritable(field)) {
      this.#fault(field.name, 'state', `Must be '${initial}' in a new item.`)
    }
  }

  /** A missing or removed field: its default, else absent; a fault when it is required. */
  setDefault(field: FieldModel): void {
    if (field.fromPrincipal) return
    this.#values.set(field, field.default)
    // Code of the definition sets it before the commit, or the request fails.
    if (field.readOnly && this.#writer.resource.logic?.before.create) return
    if (field.default === undefined && field.required) {
      this.#fault(field.name, 'required', 'This field is required.')
    }
  }

  #fault(name: string, rule: string, detail: string): void {
    this.#faults.push({ pointer: formatPointer([name]), rule, detail })
  }

  finish(): RecordDraft {
    const members: Record<string, JsonValue> = {}
    for (const [field, value] of this.#values) {
      if (value !== undefined) members[field.name] = value
    }
    const invalidMembers = this.#writer.resource.validate(members)
    const faults = this.#faults.length === 0 ? invalidMembers : [...this.#faults, ...invalidMembers]
    return { values: this.#values, faults, seenSets: this.#seenSets }
  }
}

/** Whether a set of references has the same ids, in any order. */
function isSameSet(value: JsonValue, present: JsonValue | undefined): boolean {
  if (!Array.isArray(value) || !Array.isArray(present) || value.length !== present.length) return false
  return present.every((id) => value.includes(id))
}
