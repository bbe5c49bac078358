/**
 * The indexes that rules need beyond those of references: `exists` looks records up by a field, and a
 * list starts from the value that a rule compares with. They are added to the declarations as if the
 * option `index` named them, so all further passes treat them alike.
 */

import { type FaultList, type FaultReport, prefixReport } from './definition-fault.ts'
import { parseOptionalRule } from './parse-rules.ts'
import type { DeclaredField, DeclaredResource } from './resource-declaration.ts'
import { ITEM_ITSELF, isDynamicValue, type Rule, type RuleFields, splitPath } from './rule.ts'

type Declarations = ReadonlyMap<string, DeclaredResource>

/** Returns the declarations with the indexes; reports fields that are too long for one. */
export function withRuleIndexes(declarations: Declarations, faults: FaultList): Declarations {
  const needed = [...declarations.values()].flatMap((declaration) =>
    rulesOf(declaration).flatMap((rule) => indexesForRule(rule, declaration, declarations)),
  )
  const added = new Map(needed.map((one) => [`${one.resource.name}.${one.field.name}`, one]))
  if (added.size === 0) return declarations
  const extended = new Map(declarations)
  for (const { resource, field } of added.values()) {
    const report = faults.at(resource.name, field.name)
    // Earlier fields of the same resource are in the map already.
    extended.set(resource.name, withIndex(extended.get(resource.name)!, field, report))
  }
  return extended
}

/** The rules of a resource. Faults are reported when its model is created. */
function rulesOf({ options, fields }: DeclaredResource): readonly Rule[] {
  const given = [
    ...Object.values(options.access ?? {}),
    ...fields.flatMap(({ declared, options: { transitions } }) => [
      declared.visibleTo,
      declared.writableBy,
      ...Object.values((transitions as object | undefined) ?? {}).map((one) => one?.by),
    ]),
  ]
  return given.flatMap((rule: unknown) => parseOptionalRule(rule, () => {}) ?? [])
}

interface IndexedField {
  readonly resource: DeclaredResource
  readonly field: DeclaredField
}

function indexesForRule(
  rule: Rule,
  judged: DeclaredResource,
  declarations: Declarations,
): readonly IndexedField[] {
  switch (rule.kind) {
    case 'any':
    case 'all':
      return rule.of.flatMap((one) => indexesForRule(one, judged, declarations))
    case 'not':
      return indexesForRule(rule.of, judged, declarations)
    case 'where': {
      const compared = pathsOf(rule.fields, ['caller-field'])
      return compared.flatMap(({ name }) => fieldNeedingIndex([splitPath(name)], judged, declarations))
    }
    case 'exists': {
      const target = declarations.get(rule.collection)
      const own = pathsOf(rule.fields, ['its']).map(({ path }) => path)
      return [
        ...(target ? indexesForExists(rule.fields, target, declarations) : []),
        ...fieldNeedingIndex(own, judged, declarations),
      ]
    }
    default:
      return []
  }
}

/** A field of each record on the paths whose value varies. References have an index in both directions. */
function indexesForExists(
  fields: RuleFields,
  target: DeclaredResource,
  declarations: Declarations,
): readonly IndexedField[] {
  const varying = pathsOf(fields, ['caller', 'caller-field', 'its'])
  const names = varying.length > 0 ? varying.map(({ name }) => name) : Object.keys(fields)
  const byRecord = Map.groupBy(names.map(splitPath), (path) => path.slice(0, -1).join('.'))
  return [...byRecord.values()].flatMap((paths) => fieldNeedingIndex(paths, target, declarations))
}

/** The names with values of these kinds, and the paths of the values. */
function pathsOf(fields: RuleFields, kindsOfValue: readonly string[]) {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!isDynamicValue(value) || !kindsOfValue.includes(value.kind)) return []
    return [{ name, path: value.kind === 'its' ? value.path : [] }]
  })
}

/** The field at the end of the first path; none where an index begins with the end of any path. */
function fieldNeedingIndex(
  paths: readonly (readonly string[])[],
  start: DeclaredResource,
  declarations: Declarations,
): readonly IndexedField[] {
  const ends = paths.map((path) => findEnd(path, start, declarations))
  const [first] = ends
  return first === undefined || first === 'indexed' || ends.includes('indexed') ? [] : [first]
}

/** The field at the end of a path; undefined where the path is a fault, which the checks report. */
function findEnd(
  [name = '', ...rest]: readonly string[],
  resource: DeclaredResource,
  declarations: Declarations,
): IndexedField | 'indexed' | undefined {
  if (name === ITEM_ITSELF && rest.length === 0) return 'indexed'
  const field = resource.fields.find((one) => one.name === name)
  if (rest.length > 0) {
    const target = field ? declarations.get(field.target ?? '') : findInverse(name, resource, declarations)
    return target && findEnd(rest, target, declarations)
  }
  if (field === undefined) return undefined
  return isIndexed(resource, field) ? 'indexed' : { resource, field }
}

/** The resource whose reference has the inverse. */
function findInverse(
  name: string,
  to: DeclaredResource,
  declarations: Declarations,
): DeclaredResource | undefined {
  return [...declarations.values()].find(({ fields }) =>
    fields.some(({ target, options }) => target === to.name && options.inverse === name),
  )
}

function isIndexed({ options }: DeclaredResource, { name, declared, use }: DeclaredField): boolean {
  if (declared.kind.reference === 'one' || declared.unique || use.isKey) return true
  return (options.index ?? []).some((entry) => [entry].flat()[0] === name)
}

function withIndex(
  declaration: DeclaredResource,
  { name, declared, options }: DeclaredField,
  report: FaultReport,
): DeclaredResource {
  if (declared.kind.order === 'none' || declared.writeOnly) return declaration
  const use = { isKey: false, isIndexed: true }
  declared.kind.check(options, prefixReport('A rule looks items up by it', report), use)
  const index = [...(declaration.options.index ?? []), name]
  const fields = declaration.fields.map((field) => (field.name === name ? { ...field, use } : field))
  return { ...declaration, options: { ...declaration.options, index }, fields }
}
