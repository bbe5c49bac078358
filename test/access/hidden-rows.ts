/** The lists, counts and aggregates of a caller who may read the tasks of its organisation, and tables with rows of others. */

import { rightsOf } from '../../src/access/rights.ts'
import type { ResourceModel } from '../../src/definition/model.ts'
import {
  anyone,
  caller,
  choice,
  date,
  email,
  exists,
  its,
  password,
  ref,
  refs,
  resource,
  service,
  text,
} from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { all, always, type Condition, equals, onReferenced } from '../../src/store/condition.ts'
import type { GroupQuery } from '../../src/store/group-query.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Queries } from '../../src/store/sql/query-sql.ts'
import type { Statement } from '../../src/store/sql/sql-text.ts'
import { uuid } from './rows.ts'
import { accountOf } from './tenant-lists.ts'

const member = exists('memberships', { user: caller, organisation: its('project.organisation') })
const closed = { access: {} }

const definition = service({
  title: 'Tasks',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      { email: email().unique(), password: password(), role: choice(['member', 'admin']).default('member') },
      closed,
    ),
    organisations: resource({ name: text() }, closed),
    memberships: resource({ user: ref('users'), organisation: ref('organisations') }, closed),
    projects: resource({ organisation: ref('organisations') }, closed),
    labels: resource({ name: text({ max: 100 }) }, { access: { read: anyone }, index: ['name'] }),
    tasks: resource(
      {
        project: ref('projects'),
        title: text({ max: 100 }),
        status: choice(['open', 'rare']),
        day: date(),
        assignee: ref('users'),
        labels: refs('labels'),
      },
      { index: ['status', 'day'], search: ['title'], access: { read: member } },
    ),
  },
})

const model = checkDefinition(definition)
export const schema = schemaOf(model)
const { read } = rightsOf(model.resources.get('tasks') as ResourceModel, accountOf(1))

const open = equals(['status'], 'open')
const rare = equals(['status'], 'rare')
const since: Condition = { kind: 'compare', path: ['day'], operator: 'gte', values: ['2026-01-03'] }
const search = (word: string): Condition => ({ kind: 'search', words: [word] })
const labelled = onReferenced('labels', equals(['name'], 'bug'))

/** The statements of the caller by what they ask for. Tasks have the rights of the caller in each of them. */
export function tenantStatements(queries: Queries): ReadonlyMap<string, Statement> {
  const list = (condition: Condition, ...columns: readonly string[]) =>
    queries.list({
      table: 'tasks',
      condition: all([read, condition]),
      order: [...columns, '_identity'].map((column) => ({ column, descending: false })),
      after: undefined,
      limit: 21,
      evaluated: [],
    })
  const count = (condition: Condition) => queries.count('tasks', all([read, condition]))
  const aggregate = (condition: Condition, group: GroupQuery['groups'][number]) =>
    queries.aggregate({
      table: 'tasks',
      condition: all([read, condition]),
      groups: [group],
      aggregates: [{ kind: 'count', column: undefined }],
      limit: 1001,
      octets: 1_000_000,
    })
  return new Map([
    ['a list', list(always)],
    ['a list by an indexed field', list(open)],
    ['a list by an indexed field with a rare value', list(rare)],
    ['a list by a reference', list(equals(['assignee'], uuid(2)))],
    ['a list by a range of an indexed field', list(since)],
    ['a list in the order of an indexed field', list(always, 'day')],
    ['a list by an indexed field in the order of another', list(open, 'day')],
    ['a search', list(search('word'))],
    ['a search for a rare word', list(search('w7'))],
    ['a search in the order of a field', list(search('word'), 'day')],
    ['a list by members of a set', list(labelled)],
    ['a count by an indexed field', count(open)],
    ['a count of a search', count(search('word'))],
    ['an aggregate', aggregate(always, { column: 'day', part: undefined })],
    ['an aggregate by an indexed field', aggregate(open, { column: 'day', part: 'month' })],
    ['an aggregate of a search', aggregate(search('word'), { column: 'status', part: undefined })],
  ])
}

/** Which of the statements read few rows for a tenant with half of many rows. */
export const selective: readonly string[] = [
  'a list by an indexed field',
  'a list by an indexed field with a rare value',
  'a list by a reference',
  'a list by a range of an indexed field',
  'a search for a rare word',
]

/** How a database writes an id of a number, and a table of numbers `n`. */
export interface NumbersSql {
  id(number: string): string
  numbers(first: number, last: number): string
}

export interface TaskRows {
  /** Organisations, each with three projects and a member. */
  readonly tenants: number
  /** Tasks of the first organisation. */
  readonly own: number
  /** Tasks of the others, with the same values except the assignee. */
  readonly hidden: number
}

/** Statements that insert the rows. */
export function insertRows(
  { id, numbers }: NumbersSql,
  { tenants, own, hidden }: TaskRows,
): readonly string[] {
  const publicChange = "1, '2026-01-01T00:00:00.000Z'"
  const common = `${id('n')}, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
  const tasks = (project: string, assignee: string, from: string) =>
    `insert into tasks select ${common}, ${id(project)}, 'word w' || n,
      case when n % 100 = 1 then 'rare' else 'open' end, '2026-01-0' || (1 + n % 5),
      ${id(assignee)}, '["' || ${id('1')} || '"]' from ${from}`
  return [
    `insert into organisations select ${common}, 'O' from ${numbers(1, tenants)}`,
    `insert into users select ${common}, n || '@example.org', 'x', 'member', 0, ${publicChange} from ${numbers(1, tenants)}`,
    `insert into memberships select ${common}, ${id('n')}, ${id('n')} from ${numbers(1, tenants)}`,
    `insert into projects select ${common}, ${id(`1 + n % ${tenants}`)} from ${numbers(1, 3 * tenants)}`,
    `insert into labels select ${common}, 'bug' from ${numbers(1, 1)}`,
    // The numbers of the projects of the first organisation are multiples of the number of tenants.
    tasks(`${tenants} * (1 + n % 3)`, '1', numbers(1, own)),
    tasks(`${tenants} * (n % 3) + 1 + n % ${tenants - 1}`, '2', numbers(100_001, 100_000 + hidden)),
  ]
}
