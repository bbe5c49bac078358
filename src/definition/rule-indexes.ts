/**
 * The indexes that rules need beyond those of references: `exists` looks records up by a field, and a
 * list starts from the value that a rule compares with. They are added to the drafts as if the
 * option `index` named them, so all further passes treat them alike.
 */

import { type FaultList, type FaultReport, prefixReport } from './definition-fault.ts'
import { kinds } from './kinds/field-kinds.ts'
import { parseOptionalRule } from './parse-rules.ts'
import type { FieldDraft, ResourceDraft } from './resource-draft.ts'
import { isReference, RECORD_ITSELF, type Rule, type RuleValue, splitPath } from './rule.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>

/** Returns the drafts with the indexes; reports fields that are too long for one. */
export function withRuleIndexes(drafts: Drafts, faults: FaultList): Drafts {
  const needed = [...drafts.values()].flatMap((draft) =>
    rulesOf(draft).flatMap((rule) => indexesOf(rule, draft, drafts)),
  )
  const added = new Map(needed.map((one) => [`${one.resource.name}.${one.field.name}`, one]))
  if (added.size === 0) return drafts
  const extended = new Map(drafts)
  for (const { resource, field } of added.values()) {
    const report = faults.at(resource.name, field.name)
    // Earlier fields of the same resource are in the map already.
    extended.set(resource.name, withIndex(extended.get(resource.name)!, field, report))
  }
  return extended
}

/** The rules of a resource. Faults are reported when its model is created. */
function rulesOf({ options, fields }: ResourceDraft): readonly Rule[] {
  const given = [
    ...Object.values((options.access as object | undefined) ?? {}),
    ...fields.flatMap(({ declared, options: { transitions } }) => [
      declared.visibleTo,
      declared.writableBy,
      ...Object.values((transitions as object | undefined) ?? {}).map((one) => one?.by),
    ]),
  ]
  return given.flatMap((rule: unknown) => parseOptionalRule(rule, () => {}) ?? [])
}

interface IndexedField {
  readonly resource: ResourceDraft
  readonly field: FieldDraft
}

function indexesOf(rule: Rule, judged: ResourceDraft, drafts: Drafts): readonly IndexedField[] {
  switch (rule.kind) {
    case 'any':
    case 'all':
      return rule.of.flatMap((one) => indexesOf(one, judged, drafts))
    case 'not':
      return indexesOf(rule.of, judged, drafts)
    case 'where': {
      const compared = pathsOf(rule.fields, ['caller-field'])
      return compared.flatMap(({ name }) => firstUnlessIndexed([splitPath(name)], judged, drafts))
    }
    case 'exists': {
      const target = drafts.get(rule.collection)
      const varying = pathsOf(rule.fields, ['caller', 'caller-field', 'its'])
      const names = varying.length > 0 ? varying.map(({ name }) => name) : Object.keys(rule.fields)
      const own = pathsOf(rule.fields, ['its']).map(({ path }) => path)
      return [
        ...(target
          ? firstUnlessIndexed(
              names.map((name) => [name]),
              target,
              drafts,
            )
          : []),
        ...firstUnlessIndexed(own, judged, drafts),
      ]
    }
    default:
      return []
  }
}

/** The names with values of these kinds, and the paths of the values. */
function pathsOf(fields: Readonly<Record<string, RuleValue>>, kindsOfValue: readonly string[]) {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!isReference(value) || !kindsOfValue.includes(value.kind)) return []
    return [{ name, path: value.kind === 'its' ? value.path : [] }]
  })
}

/** The field at the end of the first path; none where an index begins with the end of any path. */
function firstUnlessIndexed(
  paths: readonly (readonly string[])[],
  start: ResourceDraft,
  drafts: Drafts,
): readonly IndexedField[] {
  const ends = paths.map((path) => findEnd(path, start, drafts))
  const [first] = ends
  return first === undefined || first === 'indexed' || ends.includes('indexed') ? [] : [first]
}

/** The field at the end of a path; undefined where the path is a fault, which the checks report. */
function findEnd(
  [name = '', ...rest]: readonly string[],
  resource: ResourceDraft,
  drafts: Drafts,
): IndexedField | 'indexed' | undefined {
  if (name === RECORD_ITSELF && rest.length === 0) return 'indexed'
  const field = resource.fields.find((one) => one.name === name)
  if (field === undefined) return undefined
  if (rest.length === 0) return isIndexed(resource, field) ? 'indexed' : { resource, field }
  const target = drafts.get(field.options.target as string)
  return target && findEnd(rest, target, drafts)
}

function isIndexed({ options }: ResourceDraft, { name, declared, use }: FieldDraft): boolean {
  if (declared.kind === 'ref' || declared.unique || use.key) return true
  const indexes = (options.index as readonly unknown[] | undefined) ?? []
  return indexes.some((entry) => [entry].flat()[0] === name)
}

const unindexable: readonly string[] = ['list', 'json', 'password']

function withIndex(
  draft: ResourceDraft,
  { name, declared, options }: FieldDraft,
  report: FaultReport,
): ResourceDraft {
  if (unindexable.includes(declared.kind) || declared.writeOnly) return draft
  const use = { key: false, indexed: true }
  kinds[declared.kind].check(options, prefixReport('A rule looks items up by it', report), use)
  const index = [...((draft.options.index as readonly unknown[] | undefined) ?? []), name]
  const fields = draft.fields.map((field) => (field.name === name ? { ...field, use } : field))
  return { ...draft, options: { ...draft.options, index }, fields }
}
