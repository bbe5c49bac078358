/**
 * Compares a POST of a task without logic, with a check, and with a hook that numbers tasks.
 * `node --conditions=source bench/logic.ts [requests]`
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyone, check, integer, openService, ref, resource, service, text } from '../src/index.ts'
import { median } from './rounds.ts'

const access = { read: anyone, create: anyone }
const projects = resource({ name: text() }, { access })
const tasks = resource(
  {
    title: text(),
    project: ref('projects', { inverse: 'tasks' }),
    number: integer().default(0).readOnly(),
  },
  { access, index: [['project', 'number']] },
)
const options = { title: 'Tracker', resources: { projects, tasks } }

const definitions = {
  'without logic': service(options),
  'with a check': service(options, {
    tasks: { checks: [check('title', 'Must not be empty.', ({ title }) => title.length > 0)] },
  }),
  'with a hook that numbers tasks': service(options, {
    tasks: {
      before: {
        async create(task, { tasks, set }) {
          const [last] = await tasks.list({ project: task.project, sort: '-number', limit: 1 })
          set({ number: (last?.number ?? 0) + 1 })
        },
      },
    },
  }),
}

const count = Number(process.argv[2] ?? 1000)
const folder = mkdtempSync(join(tmpdir(), 'restwell-logic-'))
const measured = await Promise.all(
  Object.entries(definitions).map(async ([name, definition], at) => {
    const database = `file:${join(folder, `${at}.db`)}`
    const opened = await openService(definition, { database, rate: 'off' })
    const project = await opened.system.projects.create({ name: 'p' })
    return { name, opened, body: JSON.stringify({ title: 't', project: project.id }), times: [] as number[] }
  }),
)
// Alternately, so that other load affects all.
for (let n = 0; n < count; n += 1) {
  for (const { opened, body, times } of measured) {
    const began = performance.now()
    await post(opened, body)
    times.push(performance.now() - began)
  }
}
for (const { name, opened, body, times } of measured) {
  const began = performance.now()
  for (let done = 0; done < count; done += 50) {
    await Promise.all(Array.from({ length: 50 }, () => post(opened, body)))
  }
  const rate = count / ((performance.now() - began) / 1000)
  process.stdout.write(
    `${name}: ${median(times).toFixed(2)} ms one after the other, ${rate.toFixed(0)}/s with 50 at once\n`,
  )
  await opened.close()
}
rmSync(folder, { recursive: true })

async function post(opened: { handle(request: Request): Promise<Response> }, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const { status } = await opened.handle(
    new Request('http://localhost/tasks', { method: 'POST', headers, body }),
  )
  if (status !== 201) throw new Error(`POST /tasks was ${status}`)
}
