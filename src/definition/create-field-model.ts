/** Creates the model of a field from its declaration. */

import type { FaultReport } from './definition-fault.ts'
import type { PresentValue } from './field-kind.ts'
import { createValidator, type Validator } from './field-validator.ts'
import { idSchema } from './item-id.ts'
import { createSchema } from './json-schemas.ts'
import { asText, type KindParts } from './kinds/kind.ts'
import { refKind } from './kinds/ref.ts'
import type { FieldModel, JsonValue, RefModel, RefsModel, ResourceModel } from './model.ts'
import type { Options } from './option-table.ts'
import { parseOptionalRule } from './parse-rules.ts'
import type { DeclaredField, DeclaredListItem } from './resource-declaration.ts'

export interface FieldContext {
  readonly index: number
  readonly outputIndex: number
  /** Returns the target of the reference. Call it only when all models exist. */
  findTarget(): ResourceModel
  /** Of a list of objects. */
  readonly members?: ResourceModel | undefined
  readonly report: FaultReport
}

export interface ValidatedField {
  readonly field: FieldModel
  readonly validate: Validator
}

/** Returns the model and its validator. Invalid rules are reported and become `nobody`. */
export function createFieldModel(declaration: DeclaredField, context: FieldContext): ValidatedField {
  const { name, declared } = declaration
  const item = declaration.item && createItemModel(name, declaration.item)
  const options = item
    ? { ...declaration.options, item: item.field, itemForm: item.requirement }
    : declaration.options
  const { ref, refs, ...parts } = declared.kind.parts(options, context.report)
  const field: FieldModel = {
    name,
    ...modifiersOf(declaration, context.report),
    tones: new Map(),
    index: context.index,
    outputIndex: context.outputIndex,
    scale: undefined,
    ref: undefined,
    refs: undefined,
    state: undefined,
    file: undefined,
    item: item?.field,
    ...parts,
    ...valueCodec(declaration, options),
  }
  const complete = withTarget(withMembers(field, context.members), { ref, refs }, context)
  const requirement = declared.kind.requirement(options)
  // The objects of a list are validated by their members.
  const validated = context.members ? field : complete
  return { field: complete, validate: createValidator({ field: validated, requirement }) }
}

function valueCodec({ declared: { kind }, use }: DeclaredField, options: Options) {
  return {
    kind,
    schema: structuredClone(kind.schema(options, use)),
    encode: (value: JsonValue) => kind.encode(value, options),
    decode: (stored: PresentValue) => kind.decode(stored, options),
  }
}

/** The field, in a list of objects with their schema, which names targets of references that may not exist yet. */
function withMembers(field: FieldModel, members: ResourceModel | undefined): FieldModel {
  if (!members) return field
  return {
    ...field,
    members,
    get schema() {
      const { $schema: _dialect, title: _title, ...items } = createSchema(members)
      return { ...field.schema, items }
    },
  }
}

/** The field with the model of its target, which may not exist yet. */
function withTarget(
  field: FieldModel,
  { ref, refs }: Pick<KindParts, 'ref' | 'refs'>,
  { findTarget }: FieldContext,
): FieldModel {
  const target = {
    get resource() {
      return findTarget()
    },
  }
  if (ref) return withReference(field, Object.assign(target, ref))
  return refs ? withReferences(field, Object.assign(target, refs)) : field
}

/** In JSON a reference is the id of its target, whose model may not exist yet. */
function withReference(field: FieldModel, ref: RefModel): FieldModel {
  return {
    ...field,
    ref,
    get schema() {
      return idSchema(keyOf(ref))
    },
    decode: (stored) => {
      const keyField = keyOf(ref)
      return keyField === undefined ? field.decode(stored) : String(keyField.decode(stored))
    },
  }
}

/** In JSON a set of references is an array of ids. The store returns keys as JSON text too. */
function withReferences(field: FieldModel, refs: RefsModel): FieldModel {
  const ref: RefModel = {
    get resource() {
      return refs.resource
    },
    onDelete: refs.onDelete,
    inverse: undefined,
  }
  const item = withReference({ ...field, kind: refKind, default: undefined, ...asText }, ref)
  return {
    ...field,
    refs,
    item,
    get schema() {
      return { type: 'array', items: item.schema, maxItems: refs.max, uniqueItems: true }
    },
  }
}

/** The target may be missing while a definition is checked. */
function keyOf(ref: RefModel): FieldModel | undefined {
  return (ref.resource as ResourceModel | undefined)?.keyField
}

function modifiersOf(declaration: DeclaredField, report: FaultReport) {
  const { declared, use, item } = declaration
  const writeOnly = declared.writeOnly || declared.kind.isHashed
  return {
    required: !declared.optional,
    unique: declared.unique || use.isKey,
    default: hasEmptyDefault(declaration) ? [] : cloneDefault(declared.default?.value, report),
    readOnly: declared.readOnly,
    immutable: declared.immutable,
    writeOnly,
    visibleTo: parseOptionalRule(declared.visibleTo, report),
    writableBy: parseOptionalRule(declared.writableBy, report),
    fromPrincipal: declared.fromPrincipal,
    filterable:
      declared.filterable === true && !writeOnly && (item?.declared ?? declared).kind.operators !== 'none',
    formerly: declared.formerly as readonly string[],
    label: declared.label?.value as string | undefined,
    help: declared.help?.value as string | undefined,
  }
}

/** A set of references and a list of files are empty where an item has none. */
function hasEmptyDefault({ declared, item, options }: DeclaredField): boolean {
  if (declared.kind.reference === 'several') return true
  return item?.declared.kind.shape === 'file' && !declared.optional && !options.min
}

/** Reports a default that cannot be cloned. Whether it is valid is checked later. */
function cloneDefault(value: unknown, report: FaultReport): JsonValue | undefined {
  if (value === undefined) return undefined
  try {
    return structuredClone(value) as JsonValue
  } catch {
    report('The default is not a JSON value.')
    return undefined
  }
}

/** Creates the model of the items of a list. */
function createItemModel(name: string, item: DeclaredListItem): { field: FieldModel; requirement: string } {
  const { declared, options } = item
  const use = { isKey: false, isIndexed: false }
  const declaration = { name, declared, options, use, target: undefined, item: undefined }
  const context: FieldContext = {
    index: -1,
    outputIndex: -1,
    findTarget: noTarget,
    report: () => {},
  }
  return {
    field: createFieldModel(declaration, context).field,
    requirement: declared.kind.requirement(options),
  }
}

function noTarget(): never {
  throw new Error('The items of a list are never references.')
}
