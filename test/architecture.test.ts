/** The house: which room may import from which, read from the imports themselves. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { test } from 'node:test'

/** Each room imports only from itself and from those after it. */
const rooms = [
  'cli',
  'service',
  'serve',
  'journey',
  'events',
  'representations',
  'view',
  'describe',
  'query',
  'access',
  'store',
  'declare',
  'refusal',
  'http',
  'tools',
]

/** Files that stand in `src/` itself, and folders that belong to a room of another name. */
const roomOfName: Readonly<Record<string, string>> = {
  'cli.ts': 'cli',
  commands: 'cli',
  'client.ts': 'service',
  'open-service.ts': 'service',
  'service.ts': 'service',
  'first-start.ts': 'service',
  'config.ts': 'service',
  'config-value.ts': 'service',
  observe: 'service',
  'refusal.ts': 'refusal',
  'node-parts.ts': 'tools',
  'once.ts': 'tools',
  'place.ts': 'tools',
  'time-slices.ts': 'tools',
}

const source = join(import.meta.dirname, '..', 'src')

test('each room imports only from itself and from those after it', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => file !== 'index.ts')
  assert.ok(files.length > 50, 'the test reads the files there are')
  const faults = files.flatMap((file) => faultsIn(file, readFileSync(join(source, file), 'utf8')))
  assert.deepEqual(faults, [])
})

test('an import against the direction is found', () => {
  const upward = "import { journey } from '../journey/journey.ts'"
  assert.equal(faultsIn('store/open.ts', upward).length, 1)
  assert.equal(faultsIn('http/list.ts', "import { refuse } from '../refusal.ts'").length, 1)
  assert.equal(faultsIn('view/uri.ts', "const x = await import('../query/cursor.ts')").length, 0)
  assert.equal(faultsIn('query/cursor.ts', "import type { View } from '../view/view.ts'").length, 1)
})

test('every room of src is one of the house', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => file !== 'index.ts')
  const unknown = files.filter((file) => !rooms.includes(roomOf(file)))
  assert.deepEqual(unknown, [])
})

test('no file of src has grown past 300 lines', () => {
  const long = globSync('**/*.ts', { cwd: source }).filter(
    (file) => readFileSync(join(source, file), 'utf8').trimEnd().split('\n').length > 300,
  )
  assert.deepEqual(
    long.filter((file) => file !== 'refusal.ts'),
    [],
  )
})

test('only config.ts reads the environment', () => {
  const readers = globSync('**/*.ts', { cwd: source }).filter((file) =>
    readFileSync(join(source, file), 'utf8').includes('process.env'),
  )
  assert.deepEqual(readers, ['config.ts'])
})

function faultsIn(file: string, text: string): string[] {
  const from = rooms.indexOf(roomOf(file))
  const imports = text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)
  return [...imports].flatMap(([, path]) => {
    const target = posix.normalize(posix.join(dirname(file), path as string))
    const to = rooms.indexOf(roomOf(target))
    return to < from ? [`${file} imports ${relative('.', target)}`] : []
  })
}

function roomOf(file: string): string {
  const [first = ''] = file.split('/')
  return roomOfName[first] ?? first
}
