/** `exists`, and the values and paths of `where`: what a definition may say, and what is refused. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boolean,
  caller,
  callerField,
  choice,
  decimal,
  email,
  exists,
  integer,
  its,
  json,
  nobody,
  or,
  password,
  ref,
  refs,
  role,
  text,
  where,
} from '../../src/index.ts'
import { accounts, faultOf, faultsOf, loose, modelOf, users } from './sample.ts'

const organisations = loose({ name: text(), owner: ref('users').optional(), size: integer() })
const memberships = loose({
  user: ref('users'),
  organisation: ref('organisations', { inverse: 'memberships' }),
  labels: refs('projects'),
  role: choice(['member', 'manager', 'admin']),
  secret: text().writeOnly().optional(),
  data: json().optional(),
})
const projects = loose({
  organisation: ref('organisations', { inverse: 'projects' }),
  public: boolean(),
  code: text(),
})

/** Reading `tasks`, which belong to a project of an organisation, is allowed by the rule. */
function reading(rule: unknown) {
  const tasks = loose(
    { title: text(), project: ref('projects'), estimate: integer(), price: decimal({ scale: 2 }) },
    { access: { read: rule } },
  )
  const fields = { organisation: ref('organisations').optional(), team: text().optional() }
  return { users: users(fields), organisations, memberships, projects, tasks }
}

const fault = (rule: unknown) => faultOf(reading(rule), { accounts })
const model = (rule: unknown) => modelOf(reading(rule), { accounts })

test('exists and its values are data', () => {
  const rule = exists('memberships', {
    user: caller,
    organisation: its('project.organisation'),
    role: ['manager', 'admin'],
  })
  assert.deepEqual(model(rule).resources.get('tasks')?.access.read, {
    kind: 'exists',
    collection: 'memberships',
    fields: {
      user: { kind: 'caller' },
      organisation: { kind: 'its', path: ['project', 'organisation'] },
      role: ['manager', 'admin'],
    },
  })
})

test('where takes paths and the same values as exists', () => {
  const accepted = [
    where({ 'project.public': true }),
    where({ 'project.organisation': callerField('organisation') }),
    where({ 'project.organisation.owner': caller }),
    where({ 'project.code': callerField('team') }),
    where({ title: its('project.code') }),
    where({ 'project.organisation.size': its('estimate') }),
  ]
  for (const rule of accepted) assert.ok(model(rule))
})

test("its('id') is the record itself, and id in exists the record looked for", () => {
  const rule = exists('projects', { id: its('id') })
  const own = { users: users(), projects: loose({ a: text() }, { access: { read: rule } }) }
  assert.ok(modelOf(own, { accounts }))
  assert.ok(model(exists('users', { id: caller, organisation: its('project.organisation') })))
  assert.match(fault(exists('projects', { id: its('id') })), /an item of projects.*item of tasks/)
})

test('a path has at most 3 steps', () => {
  assert.ok(model(where({ 'project.organisation.owner': caller })))
  assert.match(
    fault(where({ 'project.organisation.owner.team': 'x' })),
    /^tasks: Access to read: where: The path 'project.organisation.owner.team' has 4 steps. A path has at most 3./,
  )
  assert.ok(model(exists('memberships', { user: its('project.organisation.owner') })))
  assert.match(
    fault(exists('memberships', { organisation: its('project.organisation.owner.organisation') })),
    /its: The path '.*' has 4 steps/,
  )
})

test('names are checked, with a suggestion', () => {
  assert.match(fault(exists('membership', { user: caller })), /Did you mean 'memberships'\?/)
  assert.match(fault(exists('memberships', { usr: caller })), /'usr' in memberships.*'user'\?/)
  assert.match(
    fault(exists('memberships', { organisation: its('projct.organisation') })),
    /Unknown field 'projct' in tasks. Did you mean 'project'\?/,
  )
  assert.match(
    fault(exists('memberships', { organisation: callerField('organization') })),
    /Unknown field 'organization' in users. Did you mean 'organisation'\?/,
  )
  assert.match(fault(where({ 'project.pubic': true })), /'pubic' in projects.*'public'\?/)
  assert.match(fault(exists('tokens', { owner: caller })), /Unknown collection 'tokens'/)
})

test('every step of a path but the last is a reference', () => {
  assert.match(fault(where({ 'title.name': 'x' })), /'title' in the path 'title.name' is not a ref/)
  assert.match(
    fault(exists('memberships', { user: its('title.owner') })),
    /its: 'title' in the path 'title.owner' is not a reference/,
  )
})

test('exists follows references and inverses, at most 3 steps', () => {
  const accepted = [
    exists('memberships', {
      user: its('project.organisation.owner'),
      'organisation.memberships.user': caller,
    }),
    exists('memberships', { 'user.team': 'x' }),
    exists('organisations', {
      id: its('project.organisation'),
      'projects.organisation.id': callerField('organisation'),
    }),
    exists('organisations', { 'projects.public': true, 'projects.code': ['a', 'b'] }),
  ]
  for (const rule of accepted) assert.ok(model(rule))
  assert.match(
    fault(exists('memberships', { 'organisation.memberships.user.team': 'x' })),
    /exists: The path 'organisation.memberships.user.team' has 4 steps. A path has at most 3./,
  )
})

test('a path of exists that leads nowhere is refused, with a suggestion', () => {
  const refused: readonly (readonly [unknown, RegExp])[] = [
    [
      exists('memberships', { 'organisation.membership.user': caller }),
      /^tasks: Access to read: Unknown field 'membership' in organisations. Did you mean 'memberships'\?$/,
    ],
    [exists('memberships', { 'organization.owner': caller }), /'organization'.*'organisation'\?/],
    [exists('memberships', { 'organisation.memberships.usr': caller }), /'usr' in memberships.*'user'\?/],
    [
      exists('memberships', { 'role.name': 'x' }),
      /exists: 'role' in the path 'role.name' is not a reference/,
    ],
    [
      exists('memberships', { 'labels.code': 'x' }),
      /'labels' .* is a set of references, which no rule can follow/,
    ],
    [
      exists('memberships', { 'organisation.memberships': caller }),
      /'organisation.memberships' ends in an inverse, .* Name a field of them, such as 'organisation.memberships.id'/,
    ],
    [exists('organisations', { memberships: caller }), /'memberships' ends in an inverse.*'memberships.id'/],
    [exists('memberships', { 'organisation..user': caller }), /Unknown field '' in organisations/],
    [exists('memberships', { '.user': caller }), /Unknown field '' in memberships/],
    [exists('memberships', { 'organisation.': caller }), /Unknown field '' in organisations/],
  ]
  for (const [rule, expected] of refused) assert.match(fault(rule), expected)
})

test("only a field of the collection itself is compared with its('…')", () => {
  assert.match(
    fault(exists('memberships', { user: caller, 'organisation.projects.id': its('project') })),
    /'organisation.projects.id' is a path, and only a field of memberships itself .*: exists\('projects', /,
  )
})

test('only exists follows an inverse', () => {
  for (const rule of [
    where({ 'project.organisation.memberships': caller }),
    where({ 'project.organisation': its('project.organisation.projects') }),
  ]) {
    assert.match(fault(rule), /leads to several items, by an inverse. Only the names in exists/)
  }
  const organisation = { read: where({ 'memberships.user': caller }) }
  const own = { ...reading(nobody), organisations: loose({ name: text() }, { access: organisation }) }
  assert.match(
    faultOf(own, { accounts }),
    /where: The path 'memberships.user' leads to several items, by an inverse/,
  )
})

test('exists inside exists is no value', () => {
  const inner = exists('memberships', { user: caller })
  assert.match(fault(exists('organisations', { memberships: inner as never })), /exists needs the name of/)
})

test('both sides of a comparison have the same kind of value', () => {
  const wrong = [
    exists('memberships', { role: 'chief' }),
    exists('memberships', { role: ['admin', 'mangaer'] }),
    where({ 'project.public': 'yes' }),
  ]
  for (const rule of wrong) assert.match(fault(rule), /is not a valid value of/)
  const unlike = [
    exists('memberships', { user: its('project') }),
    exists('memberships', { organisation: caller }),
    exists('memberships', { role: caller }),
    exists('organisations', { size: its('title') }),
    where({ estimate: callerField('team') }),
    where({ price: its('estimate') }),
    where({ title: callerField('email') }),
  ]
  for (const rule of unlike) assert.match(fault(rule), /cannot compare '\w+' \(.*\) with '\w+' \(/)
  for (const name of ['secret', 'data'])
    assert.match(fault(exists('memberships', { [name]: 'x' })), /exists cannot compare/)
  assert.match(fault(exists('memberships', { user: 'x' })), /with a constant.*caller/)
  assert.match(fault(where({ title: callerField('password') })), /cannot compare 'password'/)
})

test('caller and callerField need accounts', () => {
  for (const rule of [where({ next: caller }), where({ title: callerField('name') })]) {
    const things = loose({ title: text(), next: ref('things').optional() }, { access: { read: rule } })
    assert.match(faultOf({ things }), /The rule caller(Field)? needs accounts/)
  }
})

test('a value outside of exists and where, and an unfinished exists, is refused', () => {
  for (const value of [its('title'), caller, callerField('team')])
    assert.match(fault(value), /is a value, not a rule. Use it in exists/)
  const refused: readonly unknown[] = [
    { kind: 'exists' },
    exists('memberships', {}),
    exists(undefined as never, { user: caller }),
    exists('memberships', { user: [caller] as never }),
    exists('memberships', { user: null as never }),
    exists('memberships', { user: { kind: 'other' } as never }),
    exists('memberships', { user: its('') }),
    exists('memberships', { user: its(undefined as never) }),
    exists('memberships', { user: callerField('') }),
  ]
  for (const rule of refused) assert.match(fault(rule), /exists needs the name of a collection/)
})

test('rules compose as ordinary functions over spread arrays', () => {
  const ranks = ['manager', 'admin'] as const
  const paths: readonly string[] = ['project.organisation']
  const member = (path: string) => exists('memberships', { organisation: its(path), role: ranks })
  assert.ok(model(or(...paths.map(member))))
  const roles = {
    role: choice(['member', ...ranks])
      .default('member')
      .writableBy(role(...ranks)),
  }
  const own = users(roles, { access: { read: role(...ranks) } })
  assert.ok(modelOf({ users: own }, { accounts: { ...accounts, roles: 'role' } }))
})

test('fields that rules look records up by have an index; references have one already', () => {
  const indexes = (rule: unknown, name: string) =>
    model(rule)
      .resources.get(name)
      ?.indexes.map((fields) => fields.map((field) => field.name))
  const byCode = exists('projects', { code: its('title') })
  assert.deepEqual(indexes(byCode, 'projects'), [['code']])
  assert.deepEqual(indexes(byCode, 'tasks'), [['title']])
  assert.deepEqual(indexes(where({ 'project.code': callerField('team') }), 'projects'), [['code']])
  const member = exists('memberships', { user: caller, organisation: its('project.organisation') })
  const behind = exists('memberships', { user: caller, 'organisation.projects.code': callerField('team') })
  assert.deepEqual(indexes(behind, 'projects'), [['code']])
  assert.deepEqual(indexes(behind, 'memberships'), [])
  for (const name of ['memberships', 'tasks', 'projects']) {
    assert.deepEqual(indexes(member, name), [])
  }
})

test('a text that needs an index for a rule has at most 500 characters', () => {
  const sized = (max: number) => ({
    users: users({ code: text() }),
    things: loose({ code: text({ max }) }, { access: { read: where({ code: callerField('code') }) } }),
  })
  assert.ok(modelOf(sized(500), { accounts }))
  assert.match(
    faultOf(sized(501), { accounts }),
    /^things.code: A rule looks items up by it: .* at most 500 characters, not 501/,
  )
  const things = loose({ code: text() }, { access: { read: where({ code: callerField('code') }) } })
  const { resources } = modelOf({ users: users({ code: text() }), things }, { accounts })
  assert.equal(resources.get('things')?.fieldByName.get('code')?.schema.maxLength, 500)
})

test('a field with a fault of its own is not reported again by a rule', () => {
  const things = loose({ a: 'no field' }, { access: { read: exists('things', { a: its('a') }) } })
  const found = faultsOf({
    users: loose({ email: email().unique(), password: password() }),
    things,
  })
  assert.deepEqual(
    found.map(({ reason }) => reason.slice(0, 11)),
    ['Not a field'],
  )
})
