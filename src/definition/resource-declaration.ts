/**
 * Declarations: the first pass over a definition. Names and options are checked one by one; the valid
 * declarations are passed on to the checks of how they fit together.
 */

import { checkModifiers, findMisplacedModifier } from './checks/field-modifiers.ts'
import { checkCollectionName, checkFieldName } from './checks/names.ts'
import type { DeclaredTable } from './declared-table.ts'
import type { FaultList, FaultReport } from './definition-fault.ts'
import { type FieldDeclaration, findFieldDeclaration } from './field.ts'
import type { FieldUse } from './kinds/kind.ts'
import { checkFileList } from './kinds/list.ts'
import { objectListKind } from './kinds/object-list.ts'
import {
  booleanOption,
  checkOptions,
  formatValue,
  lineOfText,
  listOfTexts,
  nonEmptyText,
  type Options,
  type OptionsOf,
  type OptionTable,
  objectOption,
  oneOf,
} from './option-table.ts'
import type { Paths } from './paths.ts'
import { findResourceDeclaration } from './resource.ts'

export interface DeclaredResource {
  readonly name: string
  /** Set on resources that the service declares itself. */
  readonly builtIn: DeclaredTable | undefined
  readonly options: ValidResourceOptions
  /** Names of all fields, so that a field with a fault is not also reported as unknown. */
  readonly names: readonly string[]
  /** Fields without faults, in declared order. */
  readonly fields: readonly DeclaredField[]
}

export interface DeclaredField {
  readonly name: string
  readonly declared: FieldDeclaration
  readonly options: Options
  readonly use: FieldUse
  /** The name of the resource that it refers to; undefined for other kinds. */
  readonly target: string | undefined
  /** The items of a list; else undefined. */
  readonly item: DeclaredListItem | undefined
  /** The members of a list of objects; else undefined. */
  readonly members?: DeclaredMembers
}

/** The members of a content: of the input of an action, of its result, of the objects of a list. */
export interface DeclaredMembers {
  /** The names of all members. */
  readonly names: readonly string[]
  /** The members without faults. */
  readonly fields: readonly DeclaredField[]
}

export interface DeclaredListItem {
  readonly declared: FieldDeclaration
  readonly options: Options
}

export const resourceOptionTable = {
  key: nonEmptyText,
  access: objectOption,
  methods: listOfTexts,
  put: oneOf('replace', 'create'),
  conditional: oneOf('optional', 'required'),
  bulk: booleanOption,
  nested: listOfTexts,
  cache: objectOption,
  headers: objectOption,
  search: listOfTexts,
  index: {
    expected: 'a list of field names, or of lists of them',
    accepts: (value): value is readonly (string | readonly string[])[] =>
      Array.isArray(value) && value.every((one) => listOfTexts.accepts([one].flat())),
  },
  unique: {
    expected: "a list of sets of field names, such as [['project', 'number']]",
    accepts: (value): value is readonly (readonly string[])[] =>
      Array.isArray(value) && value.every(listOfTexts.accepts),
  },
  derived: objectOption,
  formerly: listOfTexts,
  tombstones: booleanOption,
  history: objectOption,
  title: nonEmptyText,
  columns: listOfTexts,
  defaultSort: {
    expected: "one to five names of fields, such as '-createdAt' or 'lastName,firstName'",
    accepts: (value): value is string =>
      typeof value === 'string' && /^-?[a-z][A-Za-z0-9]*(?:,-?[a-z][A-Za-z0-9]*){0,4}$/.test(value),
  },
  singular: lineOfText(100),
  plural: lineOfText(100),
} satisfies OptionTable

export type ValidResourceOptions = OptionsOf<typeof resourceOptionTable>

/** Returns the declaration of a resource, or undefined after reporting that the value is not one. */
export function parseResourceDeclaration(
  name: string,
  value: unknown,
  paths: Paths,
  faults: FaultList,
): DeclaredResource | undefined {
  checkCollectionName(name, paths, faults.at(name))
  return parseDeclaration(name, value, faults)
}

/** Returns the declaration of a built-in table, whose name is reserved. */
export function builtInDeclaration(
  name: string,
  builtIn: DeclaredTable,
  faults: FaultList,
): DeclaredResource | undefined {
  const declaration = parseDeclaration(name, builtIn.resource, faults)
  return declaration && { ...declaration, builtIn }
}

function parseDeclaration(name: string, value: unknown, faults: FaultList): DeclaredResource | undefined {
  const report = faults.at(name)
  const declared = findResourceDeclaration(value)
  if (declared === undefined || !objectOption.accepts(declared.fields)) {
    const given = declared === undefined ? value : declared.fields
    report(`Not a resource: ${formatValue(given)}.`, 'Declare it with resource({ … }).')
    return undefined
  }
  const options = checkOptions(declared.options, resourceOptionTable, report)
  const names = Object.keys(declared.fields)
  if (names.length === 0) report('A resource needs at least one field.')
  const fields = Object.entries(declared.fields).flatMap(([field, given]) => {
    checkFieldName(field, names, faults.at(name, field))
    return parseFieldDeclaration({ name: field, given, options }, faults.at(name, field))
  })
  return { name, builtIn: undefined, options, names, fields }
}

interface GivenField {
  readonly name: string
  readonly given: unknown
  /** The options of its resource. */
  readonly options: ValidResourceOptions
  /** Whether it can be a list of objects. */
  readonly mayHaveObjects?: boolean | undefined
}

/** Returns the declaration of a field, or none after reporting its faults. */
export function parseFieldDeclaration(
  { name, given, options, mayHaveObjects = false }: GivenField,
  report: FaultReport,
): DeclaredField[] {
  const declared = findFieldDeclaration(given)
  if (declared === undefined) {
    report(`Not a field: ${formatValue(given)}.`, 'Declare it with text(), integer() or another kind.')
    return []
  }
  let isValid = true
  const reportField: FaultReport = (...fault) => {
    isValid = false
    report(...fault)
  }
  checkModifiers(declared, reportField)
  if (declared.kind === objectListKind && !mayHaveObjects) {
    reportField('Lists of objects are for actions.', 'Declare a resource with a reference to this one.')
  }
  const use = fieldUse(name, declared, options)
  const item =
    declared.kind.shape === 'list' && declared.kind.reference === 'none'
      ? parseListItem(declared.item, reportField)
      : undefined
  const kindOptions = checkKind(declared, use, reportField)
  if (isValid && item?.declared.kind.shape === 'file') checkFileList(kindOptions, reportField)
  const target = typeof kindOptions.target === 'string' ? kindOptions.target : undefined
  return isValid ? [{ name, declared, options: kindOptions, use, target, item }] : []
}

function fieldUse(name: string, declared: FieldDeclaration, options: ValidResourceOptions): FieldUse {
  const indexed = [options.index ?? [], options.unique ?? []].flat(2)
  const key = options.key === name && declared.kind.mayBeKey
  return { isKey: key, isIndexed: key || declared.unique || indexed.includes(name) }
}

function checkKind({ kind, ...declared }: FieldDeclaration, use: FieldUse, report: FaultReport): Options {
  let isValid = true
  const kindOptions = checkOptions(declared.options, kind.options, (...fault) => {
    isValid = false
    report(...fault)
  })
  // Invalid options were reported already.
  if (isValid) kind.check(kindOptions, report, use)
  return kindOptions
}

function parseListItem(given: unknown, report: FaultReport): DeclaredListItem | undefined {
  const declared = findFieldDeclaration(given)
  if (declared === undefined) {
    report(`The items of a list must be a field, not ${formatValue(given)}.`, 'Write it like list(text()).')
    return undefined
  }
  if (!declared.kind.mayBeItem) {
    report(
      `The items of a list cannot be of the kind ${declared.kind.name}.`,
      declared.kind.reference !== 'none'
        ? "Use refs('…'), which is a set of references."
        : 'Use json(schema) for nested data.',
    )
    return undefined
  }
  const modifier = findMisplacedModifier(declared, 'listItem')
  if (modifier !== undefined) {
    report(`The items of a list cannot have modifiers such as .${modifier}().`, 'Put them on the list.')
  }
  const unused = { isKey: false, isIndexed: false }
  return { declared, options: checkKind(declared, unused, report) }
}
