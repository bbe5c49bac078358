/**
 * The files and functions of `src/` that one request passes through, from the socket and back, when everything is warm:
 * `npm run journeys`, or `npm run journeys -- PATCH` for the functions of one request.
 */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { action, anyone, boolean, resource, service, text } from '../src/index.ts'
import { serve, type TestService } from '../test/service.ts'

/** What a request passes through. */
export interface Journey {
  readonly name: string
  /** The names of functions by the path of their file below `src/`. */
  readonly functions: ReadonlyMap<string, readonly string[]>
  /** The lines of these files. */
  readonly lines: number
}

const tasks = resource(
  { title: text({ max: 100 }), done: boolean().default(false) },
  { access: { read: anyone, create: anyone, update: anyone, delete: anyone } },
)
const definition = service(
  { title: 'Tasks', resources: { tasks } },
  {
    tasks: {
      actions: {
        finish: action({ by: anyone, run: (task, _, { tasks }) => tasks.patch(task.id, { done: true }) }),
      },
    },
  },
)

interface MeasuredRequest {
  readonly name: string
  readonly line: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly status: number
}

/** The requests to the service, which has the task at this URI. */
function requestsFor(task: string): readonly MeasuredRequest[] {
  const creation = { method: 'POST', path: '/tasks', body: { title: 'New' } }
  const change = { method: 'PATCH', path: task, body: { title: 'Changed' } }
  return [
    { name: 'GET', line: `GET ${task}`, status: 200 },
    { name: 'list', line: 'GET /tasks', status: 200 },
    { name: 'PATCH', line: `PATCH ${task}`, fields: { 'if-match': '*' }, body: change.body, status: 200 },
    { name: 'POST', line: 'POST /tasks', body: creation.body, status: 201 },
    { name: 'action', line: `POST ${task}/finish`, body: {}, status: 200 },
    { name: 'batch', line: 'POST /batch', body: { requests: [creation, change] }, status: 200 },
  ]
}

/** The journeys of a GET of an item, a list, a PATCH, a POST, an action, and a batch of a POST and a PATCH. */
export async function measureJourneys(): Promise<readonly Journey[]> {
  // The limits of a service in production are part of the journey.
  await using s = await serve(definition, { database: 'file::memory:', rate: 1_000_000, overload: {} })
  const { fields } = await s.request('POST /tasks', {}, { title: 'First' })
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  try {
    const journeys: Journey[] = []
    for (const request of requestsFor(String(fields.location))) {
      journeys.push(await measureJourney(session, s, request))
    }
    return journeys
  } finally {
    session.disconnect()
  }
}

const warmingRequests = 20
const measuredRequests = 3

async function measureJourney(session: Session, s: TestService, request: MeasuredRequest): Promise<Journey> {
  for (let n = 0; n < warmingRequests; n += 1) await send(s, request)
  let common: ReadonlySet<string> | undefined
  for (let n = 0; n < measuredRequests; n += 1) {
    // The service may still work for the request before.
    await s.service.settled()
    await calledFunctions(session)
    await send(s, request)
    const called = await calledFunctions(session)
    // Functions that only some of the requests call are those of timers.
    common = common?.intersection(called) ?? called
  }
  return journeyOf(request.name, [...(common ?? [])])
}

async function send(s: TestService, { line, fields, body, status }: MeasuredRequest): Promise<void> {
  const response = await s.request(line, fields, body)
  assert.equal(response.status, status, response.text)
}

const source = join(import.meta.dirname, '../src/')
const sourceUrl = pathToFileURL(source).href

/** The functions of the source that were called since the last call, as path and name. */
async function calledFunctions(session: Session): Promise<ReadonlySet<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const called = result.flatMap(({ url, functions }) => {
    if (!url.startsWith(sourceUrl)) return []
    const path = url.slice(sourceUrl.length)
    return functions
      .filter(({ ranges }) => ranges.some(({ count }) => count > 0))
      .map(({ functionName, ranges }) => `${path} ${functionName || `at ${ranges[0]?.startOffset}`}`)
  })
  return new Set(called)
}

function journeyOf(name: string, called: readonly string[]): Journey {
  const pairs = called.map((one) => one.split(/ (.*)/) as [path: string, name: string])
  const byPath = Map.groupBy(pairs, ([path]) => path)
  const functions = new Map([...byPath].map(([path, own]) => [path, own.map(([, name]) => name)]))
  const lines = [...functions.keys()].reduce((sum, path) => sum + linesOf(path), 0)
  return { name, functions, lines }
}

function linesOf(path: string): number {
  return readFileSync(join(source, path), 'utf8').split('\n').length - 1
}

function printJourneys(journeys: readonly Journey[], chosen: string | undefined): void {
  const all = globSync('**/*.ts', { cwd: source })
  const total = all.reduce((sum, path) => sum + linesOf(path), 0)
  console.log(`src/ has ${all.length} files with ${total} lines.`)
  console.table(
    journeys.map(({ name, functions, lines }) => ({
      request: name,
      files: functions.size,
      functions: [...functions.values()].flat().length,
      lines,
    })),
  )
  const found = journeys.find(({ name }) => name === chosen)
  for (const [path, names] of found?.functions ?? []) console.log(`${path}: ${names.join(', ')}`)
}

if (import.meta.main) printJourneys(await measureJourneys(), process.argv[2])
