/** The model of a field, from its draft: every question about it answered once. */

import type { FaultReport } from './definition-fault.ts'
import { type Validator, validatorOf } from './field-validator.ts'
import { idSchema } from './item-id.ts'
import { kinds } from './kinds/field-kinds.ts'
import type { PresentValue } from './kinds/kind.ts'
import { type StateOptions, statesOf } from './kinds/state.ts'
import type { FieldModel, JsonValue, RefModel, ResourceModel, StateModel } from './model.ts'
import type { Options } from './option-table.ts'
import { ruleOf } from './parse-rules.ts'
import type { FieldDraft, ItemDraft } from './resource-draft.ts'

export interface FieldPlace {
  readonly at: number
  readonly shownAt: number
  /** Finds the resource that a reference names, once all are there. */
  target(): ResourceModel
  readonly report: FaultReport
}

export interface ModelledField {
  readonly field: FieldModel
  readonly validate: Validator
}

export function modelField(draft: FieldDraft, place: FieldPlace): ModelledField {
  const { name, declared } = draft
  const item = draft.item && modelItem(name, draft.item)
  const options = item ? { ...draft.options, item: item.field, itemForm: item.form } : draft.options
  const field: FieldModel = {
    name,
    kind: declared.kind,
    ...wordsOf(draft, place.report),
    at: place.at,
    shownAt: place.shownAt,
    scale: options.scale as number | undefined,
    ref: undefined,
    state: declared.kind === 'state' ? modelState(options, place.report) : undefined,
    item: item?.field,
    ...valuesOf(draft, options),
  }
  const whole = declared.kind === 'ref' ? referring(field, modelRef(options, place)) : field
  const form = kinds[declared.kind].form(options)
  return { field: whole, validate: validatorOf({ field: whole, form }) }
}

function valuesOf({ declared, use }: FieldDraft, options: Options) {
  const kind = kinds[declared.kind]
  return {
    schema: structuredClone(kind.schema(options, use)),
    encode: (value: JsonValue) => kind.encode(value, options),
    decode: (stored: PresentValue) => kind.decode(stored, options),
  }
}

/** A reference looks, in bodies, like the id of its target, which may not be modelled yet. */
function referring(field: FieldModel, ref: RefModel): FieldModel {
  return {
    ...field,
    ref,
    get schema() {
      return idSchema(keyOf(ref))
    },
    decode: (stored) => {
      const key = keyOf(ref)
      return key === undefined ? field.decode(stored) : String(key.decode(stored))
    },
  }
}

/** While a definition is being checked the target may be missing. */
function keyOf(ref: RefModel): FieldModel | undefined {
  return (ref.resource as ResourceModel | undefined)?.key
}

function wordsOf({ declared, use }: FieldDraft, report: FaultReport) {
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
function structuredCloneOf(value: unknown, report: FaultReport): JsonValue | undefined {
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
  const nowhere: FieldPlace = { at: -1, shownAt: -1, target: noTarget, report: () => {} }
  return {
    field: modelField(draft, nowhere).field,
    form: kinds[declared.kind].form(options),
  }
}

function noTarget(): never {
  throw new Error('The items of a list are never references.')
}

function modelRef(options: Options, place: FieldPlace): RefModel {
  return {
    get resource() {
      return place.target()
    },
    onDelete: (options.onDelete as RefModel['onDelete'] | undefined) ?? 'restrict',
  }
}

function modelState(options: Options, report: FaultReport): StateModel {
  // The kind has checked its options; from here they are what it says.
  const state = options as StateOptions
  return {
    initial: state.initial,
    states: statesOf(state),
    transitions: Object.entries(state.transitions).map(([name, transition]) => ({
      name,
      from: [transition.from].flat(),
      to: transition.to,
      by: ruleOf(transition.by, report),
      requires: [...(transition.requires ?? [])],
      sets: new Map(Object.entries(transition.sets ?? {})),
      exclusive: transition.exclusive ?? false,
    })),
  }
}
