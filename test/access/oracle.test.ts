/**
 * Random rules against a naive model of them, written from the contract alone: the same records
 * visible, the same statuses, for every caller and every method.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkDefinition } from '../../src/definition/check-definition.ts'
import type { Model, ResourceModel } from '../../src/definition/model.ts'
import type { Rule } from '../../src/definition/rule.ts'
import {
  anyone,
  boolean,
  choice,
  email,
  list,
  password,
  ref,
  resource,
  service,
  text,
} from '../../src/index.ts'
import { createService, type RunningService } from '../../src/service/service.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/table-schema.ts'
import { cases } from '../cases.ts'
import { handleDirectly } from './direct.ts'
import { insert, tokenFor, uuid } from './rows.ts'

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

/** The leader of each group; the third has none. */
const leads: Readonly<Record<number, number | undefined>> = { 11: 1, 12: 2, 13: undefined }

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
    case 'owner': {
      const found = rule.path[0] === 'author' ? item.author : leads[item.group ?? 0]
      return same(found, caller.account)
    }
    case 'where': {
      const each = Object.entries(rule.fields).map(([name, wanted]) => {
        const value = item[name as 'status' | 'flag']
        if (value === undefined) return 'unknown'
        return [wanted].flat().includes(value) ? 'yes' : 'no'
      })
      return every(each)
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

function same(found: number | undefined, account: number | undefined): Truth {
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
      return new Set(['yes', 'no', 'unknown'])
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

const { rule: ruleArbitrary } = fc.letrec<{ rule: Rule; leaf: Rule }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<Rule>({ kind: 'anyone' }, { kind: 'nobody' }, { kind: 'signed-in' }),
    fc.subarray(['a', 'b', 'c'], { minLength: 1 }).map((roles): Rule => ({ kind: 'role', roles })),
    fc.constantFrom<Rule>(
      { kind: 'owner', path: ['author'] },
      { kind: 'owner', path: ['group', 'lead'] },
    ),
    fc
      .record(
        { status: fc.subarray(['x', 'y', 'z'], { minLength: 1 }), flag: fc.boolean() },
        { requiredKeys: ['status'] },
      )
      .map((fields): Rule => ({ kind: 'where', fields })),
    fc.boolean().map((flag): Rule => ({ kind: 'where', fields: { flag } })),
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

function definitionOf(rules: readonly Rules[]) {
  const users = resource(
    {
      email: email().unique(),
      password: password(),
      roles: list(choice(['a', 'b', 'c', 'admin']))
        .default([])
        .readOnly(),
    },
    { access: { read: anyone } },
  )
  const groups = resource({ lead: ref('users').optional() }, { access: { read: anyone } })
  const items = rules.map(({ sight, writing, ...access }) =>
    resource(
      {
        title: text(),
        status: choice(['x', 'y', 'z']).optional(),
        flag: boolean().optional(),
        group: ref('groups').optional(),
        author: ref('users').optional().fromPrincipal(),
        secret: text().optional().visibleTo(sight).writableBy(writing),
      },
      { access },
    ),
  )
  return service({
    title: 'Oracle',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'roles' },
    resources: { users, groups, ...Object.fromEntries(items.map((one, at) => [`c${at}`, one])) },
  })
}

interface World extends AsyncDisposable {
  readonly service: RunningService
  /** By caller. */
  readonly fields: readonly Readonly<Record<string, string>>[]
}

async function worldOf(model: Model, items: readonly Item[]): Promise<World> {
  const store = await openStore('file::memory:', schemaOf(model), () => undefined)
  const of = (name: string) => model.resources.get(name) as ResourceModel
  for (const { account, roles } of callers) {
    if (account === undefined) continue
    await insert(store, of('users'), account, {
      email: `u${account}@example.org`,
      password: 'x',
      roles: [...roles],
    })
  }
  for (const [number, lead] of Object.entries(leads)) {
    await insert(store, of('groups'), Number(number), { lead: lead && uuid(lead) })
  }
  for (const resource of [...model.resources.values()].filter(({ name }) => /^c\d/.test(name))) {
    for (const { number, author, group, ...values } of items) {
      const references = { author: author && uuid(author), group: group && uuid(group) }
      await insert(store, resource, number, { title: 't', secret: 's', ...values, ...references })
    }
  }
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
      }
      await compareRemoval(world, `/c${at}`, one, numbered)
      await compareCreation(world, `/c${at}`, one)
    }
  })
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: true })
})

type Ask = (line: string, body?: unknown) => Promise<{ status: number; text: string }>

async function compare(
  ask: Ask,
  path: string,
  rules: Rules,
  caller: Caller,
  items: readonly Item[],
) {
  const description = () => JSON.stringify({ path, rules, caller, items })
  const listed = await ask(`GET ${path}?limit=100`)
  const visible = items.filter((item) => judge(rules.read, caller, item) === 'yes')
  if (!outcomes(rules.read, caller).has('yes'))
    assert.equal(listed.status, denied(caller), description())
  else {
    const ids = JSON.parse(listed.text).map(({ id }: { id: string }) => id)
    assert.deepEqual(
      ids,
      visible.map(({ number }) => uuid(number)),
      description(),
    )
  }
  for (const item of [...items, undefined]) {
    const uri = `${path}/${uuid(item?.number ?? 999)}`
    const shown = await ask(`GET ${uri}`)
    assert.equal(shown.status, expected(rules, 'read', caller, item) ?? 200, description())
    if (shown.status === 200 && item) {
      const sees = judge(rules.sight, caller, item) === 'yes'
      assert.equal('secret' in JSON.parse(shown.text), sees, description())
    }
    const patched = await ask(`PATCH ${uri}`, { title: `by ${caller.account}` })
    const readable = item && judge(rules.read, caller, item) === 'yes'
    assert.equal(
      patched.status,
      expected(rules, 'update', caller, item) ?? (readable ? 200 : 204),
      description(),
    )
    const secret = await ask(`PATCH ${uri}`, { secret: 's' })
    const writes = item && judge(rules.writing, caller, item) === 'yes'
    const outcome = writes ? (readable ? 200 : 204) : 422
    assert.equal(secret.status, expected(rules, 'update', caller, item) ?? outcome, description())
  }
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
