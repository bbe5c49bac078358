/** A naive model of rules, written from the contract alone: what each caller may do with each record. */

import { isDynamicValue, type Rule, type RuleValue } from '../../src/definition/rule.ts'

/** One record, as the naive model has it. */
export interface Item {
  readonly number: number
  readonly status: string | undefined
  readonly flag: boolean | undefined
  readonly author: number | undefined
  readonly group: number | undefined
}

export interface Caller {
  /** Undefined: anonymous. */
  readonly account: number | undefined
  readonly roles: readonly string[]
}

export const callers: readonly Caller[] = [
  { account: undefined, roles: [] },
  { account: 1, roles: [] },
  { account: 2, roles: ['a'] },
  { account: 3, roles: ['a', 'b'] },
]

/** A record of any collection: its values by name, references as numbers; `id` is its own number. */
export type NaiveRecord = Readonly<Record<string, string | number | boolean | undefined>>

/** By collection: all records but the items. */
export type NaiveRecords = Readonly<Record<string, readonly NaiveRecord[]>>

/** The third group has no lead, and the fourth account no group. */
export const fixed: NaiveRecords = {
  groups: [
    { id: 11, lead: 1, status: 'x' },
    { id: 12, lead: 2, status: undefined },
    { id: 13, lead: undefined, status: 'y' },
  ],
  users: [
    { id: 1, group: 11, note: 'x', status: undefined },
    { id: 2, group: 12, note: undefined, status: 'y' },
    { id: 3, group: undefined, note: 'y', status: 'x' },
  ],
  memberships: [
    { id: 21, user: 1, group: 11, status: 'x' },
    { id: 22, user: 1, group: 12, status: 'y' },
    { id: 23, user: 2, group: 12, status: undefined },
    { id: 24, user: 3, group: undefined, status: 'x' },
  ],
}

/** The collection that each reference leads to. */
export const targets: Readonly<Record<string, string>> = {
  author: 'users',
  lead: 'users',
  user: 'users',
  group: 'groups',
}

/** The collection of each inverse, and its reference. */
const inverses: Readonly<Record<string, readonly [string, string]>> = {
  memberships: ['memberships', 'group'],
  joined: ['memberships', 'user'],
  people: ['users', 'group'],
  leads: ['groups', 'lead'],
}

/** The value at the end of a path, as far as every step has one. */
function valueAt(
  records: NaiveRecords,
  record: NaiveRecord | undefined,
  [name = '', ...rest]: readonly string[],
): unknown {
  const value = record?.[name]
  if (rest.length === 0 || value === undefined) return value
  return valueAt(
    records,
    records[targets[name] ?? '']?.find(({ id }) => id === value),
    rest,
  )
}

/**
 * Whether some choice of a record for the collection and one for each step of the paths, joined as the steps say,
 * has all the values. All choices are tried.
 */
function hasMatch(
  records: NaiveRecords,
  collection: string,
  wanted: readonly (readonly [string, readonly unknown[]])[],
): boolean {
  const places = wanted.flatMap(([path]) =>
    path.split('.').map((_, at, steps) => steps.slice(0, at).join('.')),
  )
  let choices: ReadonlyMap<string, NaiveRecord>[] = [new Map()]
  for (const place of [...new Set(places)].sort((a, b) => a.split('.').length - b.split('.').length)) {
    const [above, step] = place.includes('.')
      ? [place.slice(0, place.lastIndexOf('.')), place.slice(place.lastIndexOf('.') + 1)]
      : ['', place]
    const inverse = inverses[step]
    const candidates = records[step === '' ? collection : (inverse?.[0] ?? targets[step] ?? '')] ?? []
    choices = choices.flatMap((choice) =>
      candidates
        .filter((one) => {
          if (step === '') return true
          const parent = choice.get(above)
          return inverse ? one[inverse[1]] === parent?.id : parent?.[step] === one.id
        })
        .map((one) => new Map([...choice, [place, one]])),
    )
  }
  return choices.some((choice) =>
    wanted.every(([path, allowed]) => {
      const end = path.lastIndexOf('.')
      return allowed.includes(choice.get(path.slice(0, Math.max(end, 0)))?.[path.slice(end + 1)])
    }),
  )
}

type Truth = 'yes' | 'no' | 'unknown'

/** The result of a rule for a record and a caller, in three values (Kleene). */
export function judge(rule: Rule, caller: Caller, item: Item, records = fixed): Truth {
  const judgeOne = (one: Rule) => judge(one, caller, item, records)
  switch (rule.kind) {
    case 'anyone':
      return 'yes'
    case 'nobody':
      return 'no'
    case 'signed-in':
      return caller.account === undefined ? 'no' : 'yes'
    case 'role':
      if (caller.roles.length === 0) return 'unknown'
      return caller.roles.some((role) => rule.roles.includes(role)) ? 'yes' : 'no'
    case 'owner':
      return same(valueAt(records, recordOf(item), rule.path), caller.account)
    case 'where': {
      const each = Object.entries(rule.fields).map(([path, wanted]) => {
        const value = valueAt(records, recordOf(item), path.split('.'))
        const allowed = valuesOf(wanted, caller, { item, records })
        if (value === undefined || allowed === undefined) return 'unknown'
        return allowed.includes(value) ? 'yes' : 'no'
      })
      return every(each)
    }
    case 'exists': {
      const wanted = Object.entries(rule.fields).flatMap(([path, value]) => {
        const allowed = valuesOf(value, caller, { item, records })
        return allowed === undefined ? [] : [[path, allowed] as const]
      })
      if (wanted.length < Object.keys(rule.fields).length) return 'unknown'
      return hasMatch(records, rule.collection, wanted) ? 'yes' : 'no'
    }
    case 'all':
      return every(rule.of.map(judgeOne))
    case 'any':
      return negated(every(rule.of.map((one) => negated(judgeOne(one)))))
    case 'not':
      return negated(judgeOne(rule.of))
    case 'self':
      throw new Error('These items are no accounts')
  }
}

function recordOf({ number, ...values }: Item): NaiveRecord {
  return { id: number, ...values }
}

/** The values that a value of a rule stands for; undefined where it is unknown. */
function valuesOf(
  value: RuleValue,
  caller: Caller,
  { item, records }: { readonly item: Item; readonly records: NaiveRecords },
): readonly unknown[] | undefined {
  if (!isDynamicValue(value)) return [value].flat()
  const own = records.users?.find(({ id }) => id === caller.account)
  const found = {
    caller: () => caller.account,
    'caller-field': () => valueAt(records, own, [value.kind === 'caller-field' ? value.name : '']),
    its: () => valueAt(records, recordOf(item), value.kind === 'its' ? value.path : []),
  }[value.kind]()
  return found === undefined ? undefined : [found]
}

function same(found: unknown, account: number | undefined): Truth {
  if (found === undefined || account === undefined) return 'unknown'
  return found === account ? 'yes' : 'no'
}

function every(truths: readonly Truth[]): Truth {
  if (truths.includes('no')) return 'no'
  return truths.includes('unknown') ? 'unknown' : 'yes'
}

function negated(truth: Truth): Truth {
  return ({ yes: 'no', no: 'yes', unknown: 'unknown' } as const)[truth]
}

/** All possible results of the rule for the caller, over all records. */
export function outcomes(rule: Rule, caller: Caller): ReadonlySet<Truth> {
  switch (rule.kind) {
    case 'where':
    case 'exists':
      return possibleOutcomes(rule, caller)
    case 'owner':
      return new Set(caller.account === undefined ? ['unknown'] : ['yes', 'no', 'unknown'])
    case 'all':
      return combined(rule.of, caller, every)
    case 'any':
      return combined(rule.of, caller, (truths) => negated(every(truths.map(negated))))
    case 'not':
      return new Set([...outcomes(rule.of, caller)].map(negated))
    default:
      return new Set([judge(rule, caller, none)])
  }
}

/**
 * Without an account, a value of the caller is unknown: then `where` cannot hold, and fails only by
 * another value; `exists` neither holds nor fails.
 */
function possibleOutcomes(
  { kind, fields }: Extract<Rule, { kind: 'where' | 'exists' }>,
  caller: Caller,
): ReadonlySet<Truth> {
  const values = Object.values(fields)
  const unknown = values.filter((value) => isDynamicValue(value) && value.kind !== 'its')
  if (caller.account !== undefined || unknown.length === 0) return new Set(['yes', 'no', 'unknown'])
  const mayFail = kind === 'where' && unknown.length < values.length
  return new Set(mayFail ? ['no', 'unknown'] : ['unknown'])
}

export const none: Item = {
  number: 0,
  status: undefined,
  flag: undefined,
  author: undefined,
  group: undefined,
}

function combined(of: readonly Rule[], caller: Caller, combine: (truths: Truth[]) => Truth) {
  let sequences: Truth[][] = [[]]
  for (const one of of) {
    const possible = [...outcomes(one, caller)]
    sequences = sequences.flatMap((before) => possible.map((truth) => [...before, truth]))
  }
  return new Set(sequences.map(combine))
}

export interface Rules {
  readonly read: Rule
  readonly create: Rule
  readonly update: Rule
  readonly delete: Rule
  readonly sight: Rule
  readonly writing: Rule
}

type Right = 'read' | 'create' | 'update' | 'delete'

export function denied(caller: Caller): number {
  return caller.account === undefined ? 401 : 403
}

/** The status of a refusal; undefined if the right is granted. */
export function expected(rules: Rules, right: Right, caller: Caller, item: Item | undefined) {
  if (!outcomes(rules[right], caller).has('yes')) return denied(caller)
  if (!item) return 404
  if (judge(rules[right], caller, item) === 'yes') return undefined
  return judge(rules.read, caller, item) === 'yes' ? denied(caller) : 404
}
