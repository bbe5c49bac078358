/** Random batches against a model: a batch has all of its effects or none, and is refused where the model says. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyone, ref, resource, service, text } from '../../src/index.ts'
import { cases } from '../cases.ts'
import { serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const tracker = service({
  title: 'Tracker',
  resources: {
    projects: resource({ name: text({ min: 1, max: 3 }).unique() }, { access }),
    tasks: resource(
      { title: text({ min: 1, max: 3 }), project: ref('projects', { onDelete: 'cascade' }) },
      { access },
    ),
  },
})

/** The items by id. Items that a batch makes have names of their own until it is performed. */
interface State {
  readonly projects: Map<string, string>
  readonly tasks: Map<string, { readonly title: string; readonly project: string }>
}

const copyOf = ({ projects, tasks }: State): State => ({
  projects: new Map(projects),
  tasks: new Map(tasks),
})

/** A request of a batch. Numbers choose among the items there are, and among the earlier requests. */
type Step =
  | { readonly kind: 'create-project'; readonly name: string }
  | {
      readonly kind: 'create-task'
      readonly title: string
      readonly project: number
      readonly isBound: boolean
    }
  | { readonly kind: 'rename-project'; readonly project: number; readonly name: string }
  | { readonly kind: 'rename-task'; readonly task: number; readonly title: string }
  | { readonly kind: 'delete-project'; readonly project: number }
  | { readonly kind: 'delete-task'; readonly task: number }
  | { readonly kind: 'assert-task'; readonly task: number; readonly isCurrent: boolean }

const number = fc.nat({ max: 20 })
const name = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz', 'long')
const title = fc.constantFrom(...'abcdefghijkl', '')
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create-project' as const), name }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('create-task' as const),
      title,
      project: number,
      isBound: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rename-project' as const), project: number, name }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename-task' as const), task: number, title }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-project' as const), project: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-task' as const), task: number }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('assert-task' as const),
      task: number,
      isCurrent: fc.constantFrom(true, true, true, false),
    }),
  },
)

type Entry = Readonly<Record<string, unknown>>

const absentId = '01a1e897-1555-798b-9868-9195cc8e0e5f'
const chosen = (keys: readonly string[], at: number) =>
  at === 20 ? absentId : (keys[at % Math.max(1, keys.length)] ?? absentId)

/** The entry of a step, and its effect on the model: the status of its refusal, or undefined. */
interface Planned {
  readonly entry: Entry
  apply(state: State, changed: Set<string>): number | undefined
}

interface PlanContext {
  readonly start: State
  readonly tags: ReadonlyMap<string, string>
  readonly steps: readonly Step[]
}

function plan({ start, tags, steps }: PlanContext, at: number): Planned {
  const step = steps[at] as Step
  const made = `made-${at}`
  const projectAt = (place: number) => chosen([...start.projects.keys()], place)
  const taskAt = (place: number) => chosen([...start.tasks.keys()], place)
  switch (step.kind) {
    case 'create-project':
      return {
        entry: { id: made, method: 'POST', path: '/projects', body: { name: step.name } },
        apply: (state) => setName(state, made, step.name),
      }
    case 'create-task': {
      const earlier = steps.flatMap((one, place) =>
        place < at && one.kind === 'create-project' ? [`made-${place}`] : [],
      )
      const bound = step.isBound ? earlier[step.project % Math.max(1, earlier.length)] : undefined
      const project = bound ?? projectAt(step.project)
      const target = bound === undefined ? { body: { title: step.title, project } } : undefined
      return {
        entry: {
          id: made,
          method: 'POST',
          path: '/tasks',
          ...(target ?? { body: { title: step.title }, bind: { '/project': bound } }),
        },
        apply(state) {
          if (step.title === '' || !state.projects.has(project)) return 422
          state.tasks.set(made, { title: step.title, project })
          return undefined
        },
      }
    }
    case 'rename-project': {
      const id = projectAt(step.project)
      return {
        entry: { method: 'PATCH', path: `/projects/${id}`, body: { name: step.name } },
        apply: (state) => (state.projects.has(id) ? setName(state, id, step.name) : 404),
      }
    }
    case 'rename-task': {
      const id = taskAt(step.task)
      return {
        entry: { method: 'PATCH', path: `/tasks/${id}`, body: { title: step.title } },
        apply(state, changed) {
          const task = state.tasks.get(id)
          if (!task) return 404
          if (step.title === '') return 422
          if (task.title !== step.title) changed.add(id)
          state.tasks.set(id, { ...task, title: step.title })
          return undefined
        },
      }
    }
    case 'delete-project': {
      const id = projectAt(step.project)
      return {
        entry: { method: 'DELETE', path: `/projects/${id}` },
        apply(state) {
          if (!state.projects.delete(id)) return 404
          for (const [task, { project }] of state.tasks) if (project === id) state.tasks.delete(task)
          return undefined
        },
      }
    }
    case 'delete-task': {
      const id = taskAt(step.task)
      return {
        entry: { method: 'DELETE', path: `/tasks/${id}` },
        apply: (state) => (state.tasks.delete(id) ? undefined : 404),
      }
    }
    case 'assert-task': {
      const id = taskAt(step.task)
      const tag = step.isCurrent ? (tags.get(id) ?? '"x"') : '"x"'
      return {
        entry: { path: `/tasks/${id}`, headers: { 'if-match': tag } },
        apply(state, changed) {
          if (!state.tasks.has(id)) return 404
          return step.isCurrent && !changed.has(id) ? undefined : 412
        },
      }
    }
  }
}

function setName(state: State, id: string, name: string): number | undefined {
  if (name.length > 3) return 422
  for (const [other, taken] of state.projects) if (taken === name && other !== id) return 409
  state.projects.set(id, name)
  return undefined
}

/** The refusals in order, each as if those before it had not been refused. */
function refusalsOf(start: State, planned: readonly Planned[]) {
  const state = copyOf(start)
  const changed = new Set<string>()
  const refused = planned.flatMap(({ apply }, index) => {
    const status = apply(state, changed)
    return status === undefined ? [] : [{ index, status }]
  })
  return { state, refused }
}

async function stateOf({ request }: TestService) {
  const projects = (await request('GET /projects?limit=1000')).json as { id: string; name: string }[]
  const tasks = (await request('GET /tasks?limit=1000')).json as {
    id: string
    title: string
    project: string
  }[]
  const state: State = {
    projects: new Map(projects.map(({ id, name }) => [id, name])),
    tasks: new Map(tasks.map(({ id, title, project }) => [id, { title, project }])),
  }
  return state
}

/** What can be compared: items made by a batch have other ids in the model. */
function comparable({ projects, tasks }: State) {
  const named = [...tasks.values()].map(({ title, project }) => `${projects.get(project)} ${title}`)
  return { projects: [...projects.values()].sort(), tasks: named.sort() }
}

async function tagsOf({ request }: TestService, { tasks }: State): Promise<ReadonlyMap<string, string>> {
  const tags = new Map<string, string>()
  for (const id of tasks.keys()) tags.set(id, String((await request(`GET /tasks/${id}`)).fields.etag))
  return tags
}

async function positionOf({ service: { store } }: TestService): Promise<number> {
  return Number(await store.lastPosition())
}

const someItems: readonly Entry[] = [
  { id: 'p', method: 'POST', path: '/projects', body: { name: 'one' } },
  { method: 'POST', path: '/projects', body: { name: 'two' } },
  { method: 'POST', path: '/tasks', body: { title: 'x' }, bind: { '/project': 'p' } },
  { method: 'POST', path: '/tasks', body: { title: 'y' }, bind: { '/project': 'p' } },
]

const runs = cases(500, 20)

test(`${runs} sequences of random batches do what the model does, or nothing`, async (t) => {
  await using s = await serve(tracker)
  const seen = { performed: 0, refused: 0 }
  const batches = fc.array(fc.array(anyStep, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(batches, async (sequence) => {
      for (const id of (await stateOf(s)).projects.keys()) await s.request(`DELETE /projects/${id}`)
      await s.request('POST /batch', {}, { requests: someItems })
      for (const steps of sequence) {
        const start = await stateOf(s)
        const context = { start, tags: await tagsOf(s, start), steps }
        const planned = steps.map((_, at) => plan(context, at))
        const { state, refused } = refusalsOf(start, planned)
        const [first] = refused
        const position = await positionOf(s)
        const reply = await s.request('POST /batch', {}, { requests: planned.map(({ entry }) => entry) })
        if (first === undefined) {
          seen.performed += 1
          assert.equal(reply.status, 200, reply.text)
          assert.deepEqual(comparable(await stateOf(s)), comparable(state))
          continue
        }
        seen.refused += 1
        assert.equal(reply.json.type, '/problems/batch-refused')
        const { index, problem } = reply.json
        assert.equal(reply.status, [409, 412].includes(problem.status) ? problem.status : 422, reply.text)
        // Duplicates are found at the commit, so that a later refusal of another kind comes before them.
        if (index !== first.index) assert.equal(first.status, 409, reply.text)
        else assert.equal(problem.status, first.status, reply.text)
        assert.deepEqual(await stateOf(s), start, 'a refused batch leaves no trace')
        assert.equal(await positionOf(s), position, 'nor an entry in the change log')
      }
    }),
    { numRuns: runs, endOnFailure: true },
  )
  t.diagnostic(`${seen.performed} batches were performed, ${seen.refused} refused`)
  assert.ok(seen.performed > 0 && seen.refused > 0)
})
