/** The option `derived` of a resource: what is refused at start, with its place and a suggestion. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  avg,
  boolean,
  computed,
  count,
  decimal,
  integer,
  its,
  min,
  password,
  ref,
  role,
  state,
  sum,
  text,
  where,
} from 'restwell'
import { faultOf, faultsOf, loose, modelOf } from './sample.ts'

const review = state({ initial: 'open', transitions: { archive: { from: 'open', to: 'closed' } } })

/** Projects with these derived fields, and their tasks. */
function resourcesWith(derived: Record<string, unknown>) {
  return {
    projects: loose({ name: text(), review }, { derived }),
    tasks: loose(
      { points: integer(), title: text(), status: text(), project: ref('projects', { inverse: 'tasks' }) },
      { derived: { twice: computed(integer(), ['points'], () => 2) } },
    ),
  }
}

test('derived fields follow the stored values of a row, and are read-only', () => {
  const { resources } = modelOf(
    resourcesWith({ size: count('tasks').always(), points: sum('tasks', 'points') }),
  )
  const { derived, fieldByName: field } = resources.get('projects')!
  assert.deepEqual(
    derived.map(({ field, isAlwaysShown }) => [field.name, field.kind.name, field.readOnly, isAlwaysShown]),
    [
      ['size', 'integer', true, true],
      ['points', 'integer', true, false],
    ],
  )
  assert.equal(field.has('size'), false)
})

test('a computed field is in lists by an option, which keeps the types of its values, or by a modifier', () => {
  const { resources } = modelOf(
    resourcesWith({
      first: computed(text(), ['name'], ({ name }) => name, { always: true }),
      second: computed(text(), ['name'], () => '').always(),
      third: computed(text(), ['name'], () => '', { always: false }),
    }),
  )
  const shown = resources.get('projects')!.derived.filter(({ isAlwaysShown }) => isAlwaysShown)
  assert.deepEqual(
    shown.map(({ field }) => field.name),
    ['first', 'second'],
  )
})

test('a wrong derived field is refused, with its place and a suggestion', () => {
  for (const [derived, fault] of [
    [
      { size: 1 },
      "projects.size: Not a derived field: 1. Declare it with count('…'), sum('…', '…') or computed(…).",
    ],
    [{ size: count('task') }, "projects.size: projects has no inverse 'task'. Did you mean 'tasks'?"],
    [
      { size: count('things') },
      "projects.size: projects has no inverse 'things'. Declare it on the reference: ref('projects', { inverse: 'things' }).",
    ],
    [
      { size: sum('tasks', 'point') },
      "projects.size: Unknown field 'point' in tasks. Did you mean 'points'?",
    ],
    [
      { size: sum('tasks', 'title') },
      "projects.size: 'title' is text(). sum needs a field of the kinds integer, number, decimal.",
    ],
    [
      { size: min('tasks', 'title') },
      "projects.size: 'title' is text(). min needs a field of the kinds integer, number, decimal, date, timestamp.",
    ],
    [
      { size: avg('tasks', 'createdAt') },
      "projects.size: 'createdAt' is timestamp(). avg needs a field of the kinds integer, number, decimal.",
    ],
    [
      { size: sum('tasks', 'twice') },
      "projects.size: 'twice' of tasks is a derived field. A derived field depends on stored fields only, so that none is circular. Name a stored field.",
    ],
    [
      { size: count('tasks', role('admin')) },
      "projects.size: Only where({ … }) can choose the items. Write it like where({ status: 'open' }).",
    ],
    [
      { size: count('tasks', where({ 'project.name': 'x' })) },
      "projects.size: 'project.name' is a path. Name a field of tasks.",
    ],
    [
      { size: count('tasks', where({ title: its('status') })) },
      "projects.size: 'title' is compared with its(…). Compare it with a constant.",
    ],
    [{ name: count('tasks') }, 'projects.name: projects has a field of this name. Choose another name.'],
    [{ tasks: count('tasks') }, 'projects.tasks: projects has an inverse of this name. Choose another name.'],
    [
      { archive: count('tasks') },
      'projects.archive: projects has a transition of this name. Choose another name.',
    ],
  ] as const) {
    assert.equal(faultOf(resourcesWith(derived)), fault)
  }
  assert.match(
    faultOf(resourcesWith({ size: count('tasks', where({ statuss: 'x' })) })),
    /^projects\.size: .*'statuss'.*'status'/,
  )
  assert.match(faultOf(resourcesWith({ sort: count('tasks') })), /^projects\.sort: .*reserved/)
})

test('a wrong computed field is refused, with its place and a suggestion', () => {
  const compute = () => true
  for (const [derived, fault] of [
    [
      { late: computed(boolean(), ['names'] as never[], compute) },
      "projects.late: Unknown field 'names' in projects. Did you mean 'name'?",
    ],
    [
      { late: computed(boolean(), [], compute) },
      'projects.late: A computed field needs the names of the fields it is computed from.',
    ],
    [{ late: computed(boolean(), ['name'] as never[], 1 as never) }, 'projects.late: Not a function: 1.'],
    [
      { late: computed(boolean(), ['name'] as never[], compute, { always: 'yes' as never }) },
      'projects.late: The option \'always\' must be true or false, not "yes".',
    ],
    [
      { late: computed(boolean(), ['name'] as never[], compute, { allways: true } as never) },
      "projects.late: Unknown option 'allways'. Did you mean 'always'?",
    ],
    [
      { late: computed(password() as never, ['name'] as never[], compute as never) },
      'projects.late: A computed field cannot be of the kind password.',
    ],
  ] as const) {
    assert.equal(faultOf(resourcesWith(derived)), fault)
  }
})

test('a computed field takes a label and help only: its visibility follows from its dependencies', () => {
  for (const [value, name] of [
    [integer().unique().writeOnly(), 'unique'],
    [integer().writeOnly(), 'writeOnly'],
    [integer().visibleTo(role('admin')), 'visibleTo'],
    [integer().optional(), 'optional'],
    [integer().default(3), 'default'],
    [integer().filterable(false), 'filterable'],
  ] as const) {
    assert.equal(
      faultOf(resourcesWith({ size: computed(value as never, ['name'] as never[], () => 1 as never) })),
      `projects.size: .${name}() has no meaning for a computed field. Remove it.`,
    )
  }
})

test('circular derived fields are refused', () => {
  const first = computed(boolean(), ['second'] as never[], () => true)
  const second = computed(boolean(), ['first'] as never[], () => true)
  const faults = faultsOf(resourcesWith({ first, second }))
  assert.deepEqual(
    faults.map(({ resource, field }) => [resource, field]),
    [
      ['projects', 'first'],
      ['projects', 'second'],
    ],
  )
  for (const { reason } of faults) assert.match(reason, /circular/)
})

test('a secret enters no derived field', () => {
  const resources = {
    users: loose(
      { name: text(), pin: password() },
      { derived: { known: computed(text(), ['pin'] as never[], () => 'x') } },
    ),
  }
  assert.equal(faultOf(resources), "users.known: 'pin' is never shown. Compute the field from others.")
})

test('the average of a decimal has its scale plus 2', () => {
  const { resources } = modelOf({
    projects: loose(
      { name: text() },
      { derived: { hours: sum('entries', 'hours'), mean: avg('entries', 'hours') } },
    ),
    entries: loose({ hours: decimal({ scale: 2 }), project: ref('projects', { inverse: 'entries' }) }),
  })
  assert.deepEqual(
    resources.get('projects')!.derived.map(({ field }) => field.scale),
    [2, 4],
  )
})
