/**
 * Random rules against a naive model of them, written from the contract alone: the same records
 * visible, the same statuses, for every caller and every method.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkDefinition } from '../../src/definition/check-definition.ts'
import type { Model, ResourceModel } from '../../src/definition/model.ts'
import { isDynamicValue, type Rule, type RuleValue } from '../../src/definition/rule.ts'
import {
  anyone,
  avg,
  boolean,
  choice,
  count,
  decimal,
  email,
  integer,
  list,
  min,
  password,
  ref,
  refs,
  resource,
  service,
  sum,
  text,
  where,
} from '../../src/index.ts'
import { createService, type RunningService } from '../../src/service/service.ts'
import { schemaOf } from '../../src/store/schema/table-schema.ts'
import { cases } from '../cases.ts'
import { openTestStore } from '../database.ts'
import { handleDirectly } from './direct.ts'
import { change, insert, tokenFor, uuid } from './rows.ts'

/** One record, as the naive model has it. */
interface Item {
  readonly number: number
  readonly status: string | undefined
  readonly flag: boolean | undefined
  readonly author: number | undefined
  readonly group: number | undefined
}

interface Caller {
  /** Undefined: anonymous. */
  readonly account: number | undefined
  readonly roles: readonly string[]
}

const callers: readonly Caller[] = [
  { account: undefined, roles: [] },
  { account: 1, roles: [] },
  { account: 2, roles: ['a'] },
  { account: 3, roles: ['a', 'b'] },
]

/** A record of any collection: its values by name, references as numbers; `id` is its own number. */
type NaiveRecord = Readonly<Record<string, string | number | boolean | undefined>>

/** The third group has no lead, and the fourth account no group. */
const fixed: Readonly<Record<string, readonly NaiveRecord[]>> = {
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
const targets: Readonly<Record<string, string>> = {
  author: 'users',
  lead: 'users',
  user: 'users',
  group: 'groups',
}

/** The value at the end of a path, as far as every step has one. */
function valueAt(record: NaiveRecord | undefined, [name = '', ...rest]: readonly string[]): unknown {
  const value = record?.[name]
  if (rest.length === 0 || value === undefined) return value
  return valueAt(
    fixed[targets[name] ?? '']?.find(({ id }) => id === value),
    rest,
  )
}

type Truth = 'yes' | 'no' | 'unknown'

/** The result of a rule for a record and a caller, in three values (Kleene). */
function judge(rule: Rule, caller: Caller, item: Item): Truth {
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
      return same(valueAt(recordOf(item), rule.path), caller.account)
    case 'where': {
      const each = Object.entries(rule.fields).map(([path, wanted]) => {
        const value = valueAt(recordOf(item), path.split('.'))
        const allowed = valuesOf(wanted, caller, item)
        if (value === undefined || allowed === undefined) return 'unknown'
        return allowed.includes(value) ? 'yes' : 'no'
      })
      return every(each)
    }
    case 'exists': {
      const wanted = Object.entries(rule.fields).map(
        ([name, value]) => [name, valuesOf(value, caller, item)] as const,
      )
      if (wanted.some(([, allowed]) => allowed === undefined)) return 'unknown'
      const found = fixed[rule.collection]?.some((record) =>
        wanted.every(([name, allowed]) => allowed?.includes(record[name])),
      )
      return found ? 'yes' : 'no'
    }
    case 'all':
      return every(rule.of.map((one) => judge(one, caller, item)))
    case 'any':
      return negated(every(rule.of.map((one) => negated(judge(one, caller, item)))))
    case 'not':
      return negated(judge(rule.of, caller, item))
    case 'self':
      throw new Error('These items are no accounts')
  }
}

function recordOf({ number, ...values }: Item): NaiveRecord {
  return { id: number, ...values }
}

/** The values that a value of a rule stands for; undefined where it is unknown. */
function valuesOf(value: RuleValue, caller: Caller, item: Item): readonly unknown[] | undefined {
  if (!isDynamicValue(value)) return [value].flat()
  const own = fixed.users?.find(({ id }) => id === caller.account)
  const found = {
    caller: () => caller.account,
    'caller-field': () => valueAt(own, [value.kind === 'caller-field' ? value.name : '']),
    its: () => valueAt(recordOf(item), value.kind === 'its' ? value.path : []),
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
function outcomes(rule: Rule, caller: Caller): ReadonlySet<Truth> {
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

const none: Item = {
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

interface Rules {
  readonly read: Rule
  readonly create: Rule
  readonly update: Rule
  readonly delete: Rule
  readonly sight: Rule
  readonly writing: Rule
}

type Right = 'read' | 'create' | 'update' | 'delete'

function denied(caller: Caller): number {
  return caller.account === undefined ? 401 : 403
}

/** The status of a refusal; undefined if the right is granted. */
function expected(rules: Rules, right: Right, caller: Caller, item: Item | undefined) {
  if (!outcomes(rules[right], caller).has('yes')) return denied(caller)
  if (!item) return 404
  if (judge(rules[right], caller, item) === 'yes') return undefined
  return judge(rules.read, caller, item) === 'yes' ? denied(caller) : 404
}

const its = (path: string): RuleValue => ({ kind: 'its', path: path.split('.') })
const caller: RuleValue = { kind: 'caller' }
const callerField = (name: string): RuleValue => ({ kind: 'caller-field', name })
const someStatuses = fc.subarray(['x', 'y', 'z'], { minLength: 1 })

/** `where` with a path of up to three steps, or a value of the caller or of the item itself. */
const comparing: fc.Arbitrary<Rule> = fc
  .constantFrom<Record<string, RuleValue>>(
    { 'group.status': ['x', 'z'] },
    { 'group.lead.status': 'y' },
    { 'group.lead': caller },
    { author: caller, status: 'x' },
    { group: callerField('group') },
    { 'group.status': callerField('note') },
    { status: callerField('note'), flag: true },
    { author: its('group.lead') },
    { 'author.group': its('group') },
    { status: its('group.status') },
  )
  .map((fields) => ({ kind: 'where', fields }))

/** `exists` in a collection of records that nobody may read. */
const existing: fc.Arbitrary<Rule> = fc
  .tuple(
    fc.constantFrom<Record<string, RuleValue>>(
      { user: caller },
      { user: caller, group: its('group') },
      { user: its('author'), group: its('group') },
      { user: its('group.lead') },
      { user: its('author.group.lead') },
      { group: callerField('group'), user: its('author') },
      { group: its('group'), status: its('status') },
      { status: callerField('note') },
    ),
    fc.option(someStatuses),
  )
  .map(([fields, status]) => ({
    kind: 'exists',
    collection: 'memberships',
    fields: status === null ? fields : { status, ...fields },
  }))

/** `exists` by the identity of a record, and by constants alone. */
const existingElsewhere: fc.Arbitrary<Rule> = fc
  .constantFrom<readonly [string, Record<string, RuleValue>]>(
    ['groups', { id: its('group'), status: 'x' }],
    ['groups', { lead: caller, id: its('group') }],
    ['users', { id: caller, status: its('status') }],
    ['groups', { status: ['y', 'z'] }],
    ['groups', { status: 'z' }],
  )
  .map(([collection, fields]) => ({ kind: 'exists', collection, fields }))

const { rule: ruleArbitrary } = fc.letrec<{ rule: Rule; leaf: Rule }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<Rule>({ kind: 'anyone' }, { kind: 'nobody' }, { kind: 'signed-in' }),
    fc.subarray(['a', 'b', 'c'], { minLength: 1 }).map((roles): Rule => ({ kind: 'role', roles })),
    fc.constantFrom<Rule>({ kind: 'owner', path: ['author'] }, { kind: 'owner', path: ['group', 'lead'] }),
    fc
      .record(
        { status: fc.subarray(['x', 'y', 'z'], { minLength: 1 }), flag: fc.boolean() },
        { requiredKeys: ['status'] },
      )
      .map((fields): Rule => ({ kind: 'where', fields })),
    fc.boolean().map((flag): Rule => ({ kind: 'where', fields: { flag } })),
    comparing,
    existing,
    existingElsewhere,
  ),
  rule: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((of): Rule => ({ kind: 'any', of })),
    fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((of): Rule => ({ kind: 'all', of })),
    tie('rule').map((of): Rule => ({ kind: 'not', of })),
  ),
}))

const rulesArbitrary: fc.Arbitrary<Rules> = fc.record({
  read: ruleArbitrary,
  create: ruleArbitrary,
  update: ruleArbitrary,
  delete: ruleArbitrary,
  sight: ruleArbitrary,
  writing: ruleArbitrary,
})

const itemArbitrary = fc.record({
  status: fc.constantFrom('x', 'y', 'z', undefined),
  flag: fc.constantFrom(true, false, undefined),
  author: fc.constantFrom(1, 2, 3, undefined),
  group: fc.constantFrom(11, 12, 13, undefined),
})

const collections = 10
const caseArbitrary = fc.record({
  rules: fc.array(rulesArbitrary, { minLength: collections, maxLength: collections }),
  items: fc.array(itemArbitrary, { minLength: 3, maxLength: 6 }),
})

const statusField = choice(['x', 'y', 'z']).optional()

function definitionOf(rules: readonly Rules[]) {
  const users = resource(
    {
      email: email().unique(),
      password: password(),
      roles: list(choice(['a', 'b', 'c', 'admin']))
        .default([])
        .readOnly(),
      group: ref('groups').optional(),
      note: text().optional(),
      status: statusField,
    },
    { access: { read: anyone } },
  )
  const groups = resource(
    { lead: ref('users').optional(), status: statusField },
    { access: { read: anyone }, derived: Object.fromEntries(rules.flatMap((_, at) => derivedOf(at))) },
  )
  const memberships = resource({
    user: ref('users').optional(),
    group: ref('groups').optional(),
    status: statusField,
  })
  const items = rules.map(({ sight, writing, ...access }, at) =>
    resource(
      {
        title: text(),
        status: choice(['x', 'y', 'z']).optional(),
        flag: boolean().optional(),
        group: ref('groups', { inverse: `c${at}` }).optional(),
        // The same group again, under the rules of a field.
        place: ref('groups', { inverse: `p${at}` })
          .optional()
          .visibleTo(sight)
          .writableBy(writing),
        author: ref('users').optional().fromPrincipal(),
        secret: text().optional().visibleTo(sight).writableBy(writing),
        size: integer().optional(),
        weight: decimal({ scale: 2 }).optional().visibleTo(sight),
      },
      { access },
    ),
  )
  const links = resource(
    Object.fromEntries(rules.map((_, at) => [`c${at}`, ref(`c${at}`, { onDelete: 'clear' }).optional()])),
    { access: { read: anyone } },
  )
  const sets = resource(Object.fromEntries(rules.map((_, at) => [`s${at}`, refs(`c${at}`)])), {
    access: { read: anyone, update: anyone },
  })
  return service({
    title: 'Oracle',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'roles' },
    resources: {
      users,
      groups,
      memberships,
      ...Object.fromEntries(items.map((one, at) => [`c${at}`, one])),
      links,
      sets,
    },
  })
}

/** The derived fields of groups over the items of a collection, by both of their references. */
function derivedOf(at: number) {
  return [
    [`n${at}`, count(`c${at}`)],
    [`x${at}`, count(`c${at}`, where({ status: 'x' }))],
    [`s${at}`, sum(`c${at}`, 'size')],
    [`w${at}`, sum(`c${at}`, 'weight')],
    [`m${at}`, min(`p${at}`, 'size')],
    [`v${at}`, avg(`p${at}`, 'weight')],
  ] as const
}

interface World extends AsyncDisposable {
  readonly service: RunningService
  /** By caller. */
  readonly fields: readonly Readonly<Record<string, string>>[]
}

async function worldOf(model: Model, items: readonly Item[]): Promise<World> {
  const store = await openTestStore(schemaOf(model))
  const of = (name: string) => model.resources.get(name) as ResourceModel
  for (const { account, roles } of callers) {
    if (account === undefined) continue
    await insert(store, of('users'), account, {
      email: `u${account}@example.org`,
      password: 'x',
      roles: [...roles],
    })
  }
  for (const [name, records] of Object.entries(fixed)) {
    for (const { id, ...values } of records) {
      const put = name === 'users' ? change : insert
      await put(store, of(name), Number(id), Object.fromEntries(Object.entries(values).map(asStored)))
    }
  }
  for (const resource of [...model.resources.values()].filter(({ name }) => /^c\d/.test(name))) {
    for (const { number, author, group, ...values } of items) {
      const place = group && uuid(group)
      const references = { author: author && uuid(author), group: place, place }
      const numbers = { size: sizeOf(number), weight: weightOf(number) }
      await insert(store, resource, number, { title: 't', secret: 's', ...numbers, ...values, ...references })
    }
  }
  for (const { number } of items) {
    const of = Array.from({ length: collections }, (_, at) => [`c${at}`, uuid(number)])
    await insert(store, model.resources.get('links') as ResourceModel, linkOf(number), Object.fromEntries(of))
  }
  for (const [index, { number }] of items.entries()) {
    const members = items.slice(0, index + 1).map((item) => uuid(item.number))
    const of = Array.from({ length: collections }, (_, at) => [`s${at}`, members])
    await insert(store, model.resources.get('sets') as ResourceModel, setOf(number), Object.fromEntries(of))
  }
  await insert(store, model.resources.get('sets') as ResourceModel, emptySet, {})
  const fields = await Promise.all(
    callers.map(async ({ account }) =>
      account === undefined ? {} : { authorization: await tokenFor(store, model, account) },
    ),
  )
  const notice = (observation: { readonly kind: string }) => {
    if (observation.kind === 'bug') throw new Error('A bug', { cause: observation })
  }
  const service = await createService({
    model,
    store,
    observe: notice,
    rate: 'off',
    overload: 'off',
  })
  return { service, fields, [Symbol.asyncDispose]: () => service.close() }
}

/** References of the naive model are numbers. */
function asStored([name, value]: [string, NaiveRecord[string]]): [string, NaiveRecord[string]] {
  return [name, name in targets && value !== undefined ? uuid(Number(value)) : value]
}

const runs = cases(200)

test(`${runs * collections} random sets of rules decide as a naive model of them does`, async (t) => {
  const seed = Math.trunc(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const property = fc.asyncProperty(caseArbitrary, async ({ rules, items }) => {
    const model = checkDefinition(definitionOf(rules))
    const numbered = items.map((item, at): Item => ({ ...item, number: 100 + at }))
    await using world = await worldOf(model, numbered)
    for (const [at, one] of rules.entries()) {
      for (const [index, caller] of callers.entries()) {
        const ask = (line: string, body?: unknown) =>
          handleDirectly(world.service, { line, fields: world.fields[index] ?? {}, body })
        await compare(ask, `/c${at}`, one, caller, numbered)
        await compareSubCollections(ask, `${at}`, one, caller, numbered)
        await comparePaths(ask, at, one, caller, numbered)
        await compareDerived(ask, at, one, caller, numbered)
        await compareSets(ask, at, one, caller, numbered)
      }
      await compareRemoval(world, `/c${at}`, one, numbered)
      await compareCreation(world, `/c${at}`, one)
    }
  })
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: true })
})

type Ask = (line: string, body?: unknown) => Promise<{ status: number; text: string }>

async function compare(request: Ask, path: string, rules: Rules, caller: Caller, items: readonly Item[]) {
  const description = () => JSON.stringify({ path, rules, caller, items })
  const listed = await request(`GET ${path}?limit=100`)
  const visible = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  if (!outcomes(rules.read, caller).has('yes')) assert.equal(listed.status, denied(caller), description())
  else {
    const ids = JSON.parse(listed.text).map(({ id }: { id: string }) => id)
    assert.deepEqual(
      ids,
      visible.map(({ number }) => uuid(number)),
      description(),
    )
  }
  await compareAggregates(request, path, visible, listed.status)
  for (const item of [...items, undefined]) {
    const uri = `${path}/${uuid(item?.number ?? 999)}`
    const shown = await request(`GET ${uri}`)
    assert.equal(shown.status, expected(rules, 'read', caller, item) ?? 200, description())
    if (shown.status === 200 && item) {
      const sees = judge(rules.sight, caller, item) === 'yes'
      assert.equal('secret' in JSON.parse(shown.text), sees, description())
    }
    const patched = await request(`PATCH ${uri}`, { title: `by ${caller.account}` })
    const readable = item && judge(rules.read, caller, item) === 'yes'
    assert.equal(
      patched.status,
      expected(rules, 'update', caller, item) ?? (readable ? 200 : 204),
      description(),
    )
    const secret = await request(`PATCH ${uri}`, { secret: 's' })
    const writes = item && judge(rules.writing, caller, item) === 'yes'
    const outcome = writes ? (readable ? 200 : 204) : 422
    assert.equal(secret.status, expected(rules, 'update', caller, item) ?? outcome, description())
  }
}

/** Aggregates count the visible items, and no other. */
async function compareAggregates(request: Ask, path: string, visible: readonly Item[], status: number) {
  const grouped = await request(`GET ${path}?group-by=status,group&aggregate=count&sort=status,group`)
  assert.equal(grouped.status, status, path)
  if (status !== 200) return
  const groups = Map.groupBy(visible, ({ status, group }) => `${status ?? ''} ${group ?? ''}`)
  const expectedRows = [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, of]) => ({
      ...(of[0]?.status && { status: of[0].status }),
      ...(of[0]?.group && { group: uuid(of[0].group) }),
      count: of.length,
    }))
  assert.deepEqual(JSON.parse(grouped.text), expectedRows, path)
}

/** A sub-collection has the items that the caller may read and whose reference the caller sees. */
async function compareSubCollections(
  request: Ask,
  at: string,
  rules: Rules,
  caller: Caller,
  items: readonly Item[],
) {
  const readable = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  const mayRead = outcomes(rules.read, caller).has('yes')
  const maySee = mayRead && outcomes(rules.sight, caller).has('yes')
  for (const group of [11, 12, 13, 99]) {
    const description = JSON.stringify({ rules, caller, items, group })
    const list = async (name: string, permitted: boolean, shown: readonly Item[]) => {
      const { status, text: body } = await request(`GET /groups/${uuid(group)}/${name}${at}?limit=100`)
      assert.equal(status, permitted ? (group === 99 ? 404 : 200) : denied(caller), description)
      if (status !== 200) return
      const expected = shown.filter((item) => item.group === group).map(({ number }) => uuid(number))
      const ids = JSON.parse(body).map(({ id }: { id: string }) => id)
      assert.deepEqual(ids, expected, description)
    }
    await list('c', mayRead, readable)
    await list(
      'p',
      maySee,
      readable.filter((item) => judge(rules.sight, caller, item) === 'yes'),
    )
  }
}

/** The number of the link to an item. */
function linkOf(number: number): number {
  return number + 100
}

/** Paths through a reference and through inverses: an item that the caller may not read counts as absent. */
async function comparePaths(request: Ask, at: number, rules: Rules, caller: Caller, items: readonly Item[]) {
  const description = JSON.stringify({ at, rules, caller, items })
  const visible = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  const mayRead = outcomes(rules.read, caller).has('yes')
  const { compareIds, compareEmbedded } = comparisons(request, description)
  const name = `c${at}`
  const links = (some: readonly Item[]) => some.map(({ number }) => linkOf(number))
  const statusOf = (item: Item) => (visible.includes(item) ? (item.status ?? '') : '')
  const ascending = items.toSorted((a, b) =>
    statusOf(a) < statusOf(b) ? -1 : Number(statusOf(a) > statusOf(b)),
  )
  const withStatus = visible.filter(({ status }) => status === 'x')
  const without = items.filter((item) => statusOf(item) === '')
  await compareIds(`links?${name}.status=x`, mayRead, links(withStatus))
  await compareIds(`links?${name}.status[missing]=true`, mayRead, links(without))
  await compareIds(`links?sort=${name}.status`, mayRead, links(ascending))
  await compareEmbedded(
    name,
    'links',
    mayRead,
    items.map((item) => (visible.includes(item) ? [item] : [])),
  )
  const seen = visible.filter((item) => judge(rules.sight, caller, item) === 'yes')
  const maySee = mayRead && outcomes(rules.sight, caller).has('yes')
  for (const [inverse, permitted, reached] of [
    [`c${at}`, mayRead, visible],
    [`p${at}`, maySee, seen],
  ] as const) {
    const groups = [11, 12, 13]
    const within = (group: number) => reached.filter((item) => item.group === group)
    const withX = groups.filter((group) => within(group).some(({ status }) => status === 'x'))
    const empty = groups.filter((group) => within(group).length === 0)
    await compareIds(`groups?${inverse}.status=x`, permitted, withX)
    await compareIds(`groups?${inverse}[missing]=true`, permitted, empty)
    await compareEmbedded(inverse, 'groups', permitted, groups.map(within))
  }
}

/** The numbers of an item. */
const sizeOf = (number: number) => number - 101
const weightOf = (number: number) => `0.${number - 90}`

/** Derived fields are computed from the items that the caller may read and the values that it sees. */
async function compareDerived(
  request: Ask,
  at: number,
  rules: Rules,
  caller: Caller,
  items: readonly Item[],
) {
  const description = JSON.stringify({ at, rules, caller, items })
  const readable = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  const seen = readable.filter((item) => judge(rules.sight, caller, item) === 'yes')
  const expected = [11, 12, 13].map((group) => {
    const [all, some] = [readable, seen].map((of) => of.filter((item) => item.group === group))
    const sizes = some?.map(({ number }) => sizeOf(number)) ?? []
    const weights = some?.map(({ number }) => Math.round(Number(weightOf(number)) * 100)) ?? []
    const weight = weights.reduce((sum, one) => sum + one, 0)
    return {
      id: uuid(group),
      [`n${at}`]: all?.length ?? 0,
      [`x${at}`]: all?.filter(({ status }) => status === 'x').length ?? 0,
      [`s${at}`]: all?.reduce((sum, { number }) => sum + sizeOf(number), 0) ?? 0,
      [`w${at}`]: (weight / 100).toFixed(2),
      ...(sizes.length > 0 && { [`m${at}`]: Math.min(...sizes) }),
      ...(weights.length > 0 && { [`v${at}`]: halfEven((weight * 100) / weights.length) }),
    }
  })
  const names = derivedOf(at).map(([name]) => name)
  const list = async (query: string) => {
    const { status, text: body } = await request(`GET /groups?${query}`)
    assert.equal(status, 200, `${query} ${description}`)
    return JSON.parse(body)
  }
  assert.deepEqual(await list(`fields=${names}`), expected, description)
  const ids = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id)
  // Each collection compares another field.
  const name = names[at % names.length] ?? ''
  const derivedValue = (one: (typeof expected)[number]) => one[name as keyof typeof one]
  for (const value of new Set(expected.map(derivedValue))) {
    const query = value === undefined ? `${name}[missing]=true` : `${name}=${value}`
    const equal = expected.filter((one) => derivedValue(one) === value)
    assert.deepEqual(ids(await list(query)), ids(equal), `${query} ${description}`)
  }
  const rank = (one: (typeof expected)[number]) => Number(derivedValue(one) ?? Number.NEGATIVE_INFINITY)
  const ascending = expected.toSorted((a, b) => rank(a) - rank(b) || 0)
  assert.deepEqual(ids(await list(`sort=${name}`)), ids(ascending), `${name} ${description}`)
}

/** An average in ten thousandths as the service shows it. */
function halfEven(value: number): string {
  const floor = Math.floor(value)
  const isUp = value - floor > 0.5 || (value - floor === 0.5 && floor % 2 === 1)
  return ((floor + (isUp ? 1 : 0)) / 10_000).toFixed(4)
}

/** The number of the row whose sets have the first items up to this one. */
function setOf(number: number): number {
  return number + 200
}

const emptySet = 999

/** Sets of references: ids are shown and found to everyone, values and members only of items that the caller may read. */
async function compareSets(request: Ask, at: number, rules: Rules, caller: Caller, items: readonly Item[]) {
  const description = JSON.stringify({ at, rules, caller, items })
  const visible = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  const mayRead = outcomes(rules.read, caller).has('yes')
  const { compareIds, compareEmbedded } = comparisons(request, description)
  const name = `s${at}`
  const sets = items.map(({ number }, index) => ({
    number: setOf(number),
    members: items.slice(0, index + 1).filter((item) => visible.includes(item)),
  }))
  const numbersWhere = (test: (members: readonly Item[]) => boolean) =>
    [...sets, { number: emptySet, members: [] }]
      .filter(({ members }) => test(members))
      .map((one) => one.number)
  const hasX = (members: readonly Item[]) => members.some(({ status }) => status === 'x')
  const hasNone = (members: readonly Item[]) => members.every(({ status }) => status === undefined)
  const [first] = items
  await compareIds(`sets?${name}.status=x`, mayRead, numbersWhere(hasX))
  await compareIds(`sets?${name}.status[missing]=true`, mayRead, numbersWhere(hasNone))
  await compareIds(`sets?${name}[missing]=true`, true, [emptySet])
  await compareIds(
    `sets?${name}[has]=${uuid(first?.number ?? 0)}`,
    true,
    sets.map(({ number }) => number),
  )
  await compareEmbedded(name, 'sets', mayRead, [...sets.map(({ members }) => members), []])
  for (const item of items) {
    const uri = `/sets/${uuid(emptySet)}/${name}/${uuid(item.number)}`
    const added = await request(`PUT ${uri}`)
    assert.equal(added.status, visible.includes(item) ? 204 : 404, `${uri} ${description}`)
    assert.equal((await request(`DELETE ${uri}`)).status, 204, `${uri} ${description}`)
  }
}

/** Comparisons of lists with the naive model; a query with a path that the caller may not use is 400. */
function comparisons(request: Ask, description: string) {
  const list = async (query: string, permitted: boolean): Promise<readonly ListedItem[]> => {
    const { status, text: body } = await request(`GET /${query}`)
    assert.equal(status, permitted ? 200 : 400, `${query} ${description}`)
    return permitted ? JSON.parse(body) : []
  }
  return {
    async compareIds(query: string, permitted: boolean, numbers: readonly number[]) {
      const found = (await list(query, permitted)).map(({ id }) => id)
      assert.deepEqual(found, permitted ? numbers.map(uuid) : [], `${query} ${description}`)
    },
    async compareEmbedded(
      name: string,
      query: string,
      permitted: boolean,
      several: readonly (readonly Item[])[],
    ) {
      const found = await list(`${query}?embed=${name}`, permitted)
      const embedded = found.map(({ _embedded }) => [_embedded?.[name] ?? []].flat().map(({ id }) => id))
      const expected = permitted ? several.map((some) => some.map(({ number }) => uuid(number))) : []
      assert.deepEqual(embedded, expected, `${query}?embed=${name} ${description}`)
    },
  }
}

interface ListedItem {
  readonly id: string
  readonly _embedded?: Readonly<Record<string, ListedItem | readonly ListedItem[]>>
}

/** A create rule is evaluated for the item that would be created. */
async function compareCreation(world: World, path: string, rules: Rules) {
  for (const [index, caller] of callers.entries()) {
    for (const values of [{}, { status: 'x', flag: true, group: 11 }, { status: 'y', group: 12 }]) {
      const { group, ...plain } = values as { group?: number }
      const body = { title: 'new', ...plain, ...(group ? { group: uuid(group) } : {}) }
      const fields = world.fields[index] ?? {}
      const created = await handleDirectly(world.service, { line: `POST ${path}`, fields, body })
      const item = { ...none, author: caller.account, ...values } as Item
      const allowed = judge(rules.create, caller, item) === 'yes'
      const description = JSON.stringify({ path, rules, caller, body })
      assert.equal(created.status, allowed ? 201 : denied(caller), description)
      const sees = allowed && judge(rules.read, caller, item) === 'yes'
      if (allowed) assert.equal(created.text !== '', sees, description)
    }
    const post = (name: string) =>
      handleDirectly(world.service, {
        line: `POST /groups/${uuid(11)}/${name}`,
        fields: world.fields[index] ?? {},
        body: { title: 'new' },
      })
    const item: Item = { ...none, author: caller.account }
    const grouped = judge(rules.create, caller, { ...item, group: 11 }) === 'yes'
    const placed = judge(rules.create, caller, item) === 'yes' && judge(rules.writing, caller, item) === 'yes'
    const description = JSON.stringify({ path, rules, caller })
    assert.equal((await post(path.slice(1))).status, grouped ? 201 : denied(caller), description)
    assert.equal(
      (await post(path.slice(1).replace('c', 'p'))).status,
      placed ? 201 : denied(caller),
      description,
    )
  }
}

/** Each item is deleted by the first caller who may delete it. */
async function compareRemoval(world: World, path: string, rules: Rules, items: readonly Item[]) {
  for (const item of items) {
    let current: Item | undefined = item
    for (const [index, caller] of callers.entries()) {
      const line = `DELETE ${path}/${uuid(item.number)}`
      const { status } = await handleDirectly(world.service, {
        line,
        fields: world.fields[index] ?? {},
      })
      const description = JSON.stringify({ path, rules, caller, item })
      assert.equal(status, expected(rules, 'delete', caller, current) ?? 204, description)
      if (status === 204) current = undefined
    }
  }
}
