/** The model of a field, from its draft: every question about it answered once. */

import type { FieldDraft, ItemDraft } from './draft.ts'
import type { Report } from './fault.ts'
import { idSchema } from './id.ts'
import { type StateOptions, statesOf } from './kinds/state.ts'
import { kinds } from './kinds/table.ts'
import type { FieldModel, JsonValue, RefModel, ResourceModel, StateModel } from './model.ts'
import type { Options } from './options.ts'
import { ruleOf } from './rule-reading.ts'
import { type Validator, validatorOf } from './validator.ts'

export interface Place {
  readonly at: number
  readonly shownAt: number
  /** Finds the resource that a reference names, once all are there. */
  target(): ResourceModel
  readonly report: Report
}

export interface ModelledField {
  readonly field: FieldModel
  readonly validate: Validator
}

export function modelField(draft: FieldDraft, place: Place): ModelledField {
  const { name, declared, use } = draft
  const kind = kinds[declared.kind]
  const item = draft.item && modelItem(name, draft.item)
  const options = item ? { ...draft.options, item: item.field, itemForm: item.form } : draft.options
  const schema = declared.kind === 'ref' ? undefined : structuredClone(kind.schema(options, use))
  const ref = declared.kind === 'ref' ? modelRef(draft.options, place) : undefined
  const field: FieldModel = {
    name,
    kind: declared.kind,
    ...wordsOf(draft, place.report),
    get schema() {
      return schema ?? idSchema(ref?.resource.key)
    },
    at: place.at,
    shownAt: place.shownAt,
    scale: options.scale as number | undefined,
    ref,
    state: declared.kind === 'state' ? modelState(options, place.report) : undefined,
    item: item?.field,
    encode: (value) => kind.encode(value, options),
    decode: (stored) => {
      const key = ref?.resource.key
      return key === undefined ? kind.decode(stored, options) : String(key.decode(stored))
    },
  }
  const form = kind.form(options)
  const explained = {
    name,
    kind: field.kind,
    form,
    get schema() {
      return field.schema
    },
  }
  return { field, validate: validatorOf(explained) }
}

function wordsOf({ declared, use }: FieldDraft, report: Report) {
  const writeOnly = declared.writeOnly || declared.kind === 'password'
  return {
    required: !declared.optional,
    unique: declared.unique || use.key,
    default: structuredCloneOf(declared.default?.value, report),
    readOnly: declared.readOnly,
    writeOnly,
    visibleTo: ruleOf(declared.visibleTo, report),
    writableBy: ruleOf(declared.writableBy, report),
    fromPrincipal: declared.fromPrincipal,
    filterable: declared.filterable === true && !writeOnly && declared.kind !== 'json',
    formerly: declared.formerly as readonly string[],
  }
}

/** Whether it is a value the field allows is judged later; here only that it is data. */
function structuredCloneOf(value: unknown, report: Report): JsonValue | undefined {
  if (value === undefined) return undefined
  try {
    return structuredClone(value) as JsonValue
  } catch {
    report('The default is not a JSON value.')
    return undefined
  }
}

/** An item of a list: a field in all that concerns its values, and in nothing else. */
function modelItem(name: string, item: ItemDraft): { field: FieldModel; form: string } {
  const { declared, options } = item
  const draft = { name, declared, options, use: { key: false, indexed: false }, item: undefined }
  const nowhere: Place = { at: -1, shownAt: -1, target: noTarget, report: () => {} }
  return {
    field: modelField(draft, nowhere).field,
    form: kinds[declared.kind].form(options),
  }
}

function noTarget(): never {
  throw new Error('The items of a list are never references.')
}

function modelRef(options: Options, place: Place): RefModel {
  return {
    get resource() {
      return place.target()
    },
    onDelete: (options.onDelete as RefModel['onDelete'] | undefined) ?? 'restrict',
  }
}

function modelState(options: Options, report: Report): StateModel {
  // The kind has checked its options; from here they are what it says.
  const state = options as StateOptions
  return {
    initial: state.initial,
    states: statesOf(state),
    transitions: Object.entries(state.transitions).map(([name, { from, to, by }]) => ({
      name,
      from: [from].flat(),
      to,
      by: ruleOf(by, report),
    })),
  }
}
