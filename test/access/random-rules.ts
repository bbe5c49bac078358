/** Random rules and records for the oracle. */

import fc from 'fast-check'
import type { Rule, RuleValue } from '../../src/definition/rule.ts'
import type { NaiveRecords, Rules } from './naive-rules.ts'

export const its = (path: string): RuleValue => ({ kind: 'its', path: path.split('.') })
export const caller: RuleValue = { kind: 'caller' }
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

/** What `exists` compares: fields of the record itself, and fields of each record that paths lead to. */
interface JoinedFields {
  readonly collection: string
  readonly own: Readonly<Record<string, RuleValue>>
  readonly behind: readonly Readonly<Record<string, RuleValue>>[]
}

const joinedFields: readonly JoinedFields[] = [
  {
    collection: 'memberships',
    own: { user: its('author') },
    behind: [
      { 'group.status': ['x', 'y'], 'group.lead': caller },
      { 'group.memberships.user': caller, 'group.memberships.status': 'x' },
      { 'group.people.id': caller },
      { 'user.joined.group': callerField('group'), 'user.joined.status': ['x', 'y'] },
      { 'user.group.lead': caller, 'user.group.status': 'y' },
    ],
  },
  {
    collection: 'users',
    own: { id: its('author') },
    behind: [
      { 'joined.group.lead': caller, 'joined.group.status': 'x' },
      { 'joined.status': ['x', 'z'] },
      { 'group.people.id': caller, 'group.people.note': callerField('note') },
      { 'leads.memberships.user': caller, 'leads.memberships.status': ['x', 'y'] },
    ],
  },
  {
    collection: 'groups',
    own: { id: its('group') },
    behind: [
      { 'memberships.user': caller, 'memberships.status': 'x' },
      { 'memberships.user.status': ['x', 'y'], 'memberships.user.group': callerField('group') },
      { 'people.joined.status': 'x', 'people.joined.user': caller },
      { 'people.note': ['x', 'y'] },
      { 'lead.joined.group': callerField('group') },
    ],
  },
]

/** `exists` with paths of up to three steps along references and inverses, some of them through the same records. */
const joining: fc.Arbitrary<Rule> = fc.constantFrom(...joinedFields).chain(({ collection, own, behind }) =>
  fc
    .tuple(fc.boolean(), fc.subarray([...behind], { minLength: 1, maxLength: 2 }))
    .chain(([isOfItem, places]) => {
      const some = places.map((place) => fc.subarray(Object.entries(place), { minLength: 1 }))
      return fc.tuple(...some).map((entries): Rule => {
        const fields = { ...(isOfItem ? own : {}), ...Object.fromEntries(entries.flat()) }
        return { kind: 'exists', collection, fields }
      })
    }),
)

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
    joining,
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

const optional = <T>(...values: readonly T[]) => fc.constantFrom(...values, undefined)
const status = optional('x', 'y')

/** Random records of the collections that `exists` looks into. */
export const recordsArbitrary: fc.Arbitrary<NaiveRecords> = fc.record({
  groups: fc
    .array(fc.record({ lead: optional(1, 2, 3), status }), { minLength: 3, maxLength: 3 })
    .map((some) => some.map((one, at) => ({ id: 11 + at, ...one }))),
  users: fc
    .array(fc.record({ group: optional(11, 12, 13), note: status, status }), { minLength: 3, maxLength: 3 })
    .map((some) => some.map((one, at) => ({ id: 1 + at, ...one }))),
  memberships: fc
    .array(fc.record({ user: optional(1, 2, 3), group: optional(11, 12, 13), status }), { maxLength: 6 })
    .map((some) => some.map((one, at) => ({ id: 21 + at, ...one }))),
})

const itemArbitrary = fc.record({
  status: fc.constantFrom('x', 'y', 'z', undefined),
  flag: fc.constantFrom(true, false, undefined),
  author: fc.constantFrom(1, 2, 3, undefined),
  group: fc.constantFrom(11, 12, 13, undefined),
})

export const collections = 10
export const caseArbitrary = fc.record({
  rules: fc.array(rulesArbitrary, { minLength: collections, maxLength: collections }),
  items: fc.array(itemArbitrary, { minLength: 3, maxLength: 6 }),
})

/** Rules that join records, each as it is and negated, and random records. */
export const joinedArbitrary = fc.record({
  rules: fc
    .array(fc.tuple(joining, fc.boolean()), { minLength: collections, maxLength: collections })
    .map((some) =>
      some.map(([rule, isNegated]): Rules => {
        const read: Rule = isNegated ? { kind: 'not', of: rule } : rule
        return { read, create: rule, update: rule, delete: rule, sight: rule, writing: rule }
      }),
    ),
  items: fc.array(itemArbitrary, { minLength: 3, maxLength: 6 }),
  records: recordsArbitrary,
})
