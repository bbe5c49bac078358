/**
 * Access rules as data. access/rule-condition.ts compiles them to conditions, and
 * access/rule-description.ts describes them in words.
 */

export type Rule =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'signed-in' }
  /** The row is the caller's own account. */
  | { readonly kind: 'self' }
  /** The reference at the end of the path is the caller's account. */
  | { readonly kind: 'owner'; readonly path: readonly string[] }
  | { readonly kind: 'role'; readonly roles: readonly string[] }
  | WhereRule
  /** The collection has a record whose fields have the values, readable by the caller or not. */
  | {
      readonly kind: 'exists'
      readonly collection: string
      /** By path from the record, along references and inverses. */
      readonly fields: RuleFields
    }
  | { readonly kind: 'any'; readonly of: readonly Rule[] }
  | { readonly kind: 'all'; readonly of: readonly Rule[] }
  | { readonly kind: 'not'; readonly of: Rule }

/** At the end of every path is the value (or one of the values). */
export interface WhereRule {
  readonly kind: 'where'
  readonly fields: RuleFields
}

export type RuleFields = Readonly<Record<string, RuleValue>>

/** A value that a rule compares with; an array means any of its values. */
export type RuleValue = Constant | readonly Constant[] | DynamicValue

export type Constant = string | number | boolean

/** A value that depends on the caller or on the record being judged. */
export type DynamicValue =
  /** The caller's account. */
  | { readonly kind: 'caller' }
  /** The value of a field of the caller's account. */
  | { readonly kind: 'caller-field'; readonly name: string }
  /** The value at the end of a path from the record being judged. */
  | { readonly kind: 'its'; readonly path: readonly string[] }

/** The name that a path has for the record itself, as it is the name of its member in JSON. */
export const ITEM_ITSELF = 'id'

/** The greatest number of steps in a path, in rules and in queries. */
export const maxPathSteps = 3

/** Returns the steps of a path such as `project.organisation`. */
export function splitPath(path: string): readonly string[] {
  return path.split('.')
}

/** The fields of `exists` as a tree: those of a record itself, and those of the records behind it. */
export interface FieldsByStep {
  readonly own: RuleFields
  /** By the first step of their paths, without it. */
  readonly behind: ReadonlyMap<string, RuleFields>
}

/** Splits paths at their first step. Paths with the same steps lead through the same records. */
export function groupByStep(fields: RuleFields): FieldsByStep {
  const { own = [], paths = [] } = Object.groupBy(Object.entries(fields), ([path]) =>
    path.includes('.') ? 'paths' : 'own',
  )
  const behind = Map.groupBy(paths, ([path]) => path.slice(0, path.indexOf('.')))
  const withoutStep = ([path, value]: readonly [string, RuleValue]) =>
    [path.slice(path.indexOf('.') + 1), value] as const
  return {
    own: Object.fromEntries(own),
    behind: new Map([...behind].map(([step, inner]) => [step, Object.fromEntries(inner.map(withoutStep))])),
  }
}

/** Whether the rule looks at records other than the one being judged. */
export function readsOtherRecords(rule: Rule): boolean {
  switch (rule.kind) {
    case 'owner':
      return rule.path.length > 1
    case 'where':
      return Object.entries(rule.fields).some(
        ([path, value]) => splitPath(path).length > 1 || isOfOtherRecord(value),
      )
    case 'exists':
      return true
    case 'any':
    case 'all':
      return rule.of.some(readsOtherRecords)
    case 'not':
      return readsOtherRecords(rule.of)
    default:
      return false
  }
}

function isOfOtherRecord(value: RuleValue): boolean {
  if (!isDynamicValue(value) || value.kind === 'caller') return false
  return value.kind === 'caller-field' || value.path.length > 1
}

/** Whether the value depends on who the caller is. */
export function needsCaller(value: RuleValue): boolean {
  return isDynamicValue(value) && value.kind !== 'its'
}

/** Whether the value is no constant. */
export function isDynamicValue(value: RuleValue): value is DynamicValue {
  return typeof value === 'object' && 'kind' in value
}
