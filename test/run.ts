/**
 * Runs the tests in groups and prints the wall and processor time of each. `node test/run.ts` runs every
 * group; arguments name some of them, and `soak` runs all with the full number of cases.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { someOf } from './cases.ts'
import { memoryFolder } from './memory-folder.ts'
import { offerSharedServers } from './shared-servers.ts'

interface Group {
  readonly name: string
  readonly files: readonly string[]
  readonly exclude?: readonly string[]
  /** Files that share a process: to load the service takes longer than most files. */
  readonly filesPerProcess: number
  /** Whether its tests start processes and threads of the package. */
  readonly usesBundles: boolean
  /** The database of all files, whatever TEST_DATABASE says. */
  readonly database?: 'postgres'
}

const everyFile = 'test/**/*.test.ts'
/** The tests of long processes: kills, failover, rolling restarts. */
const systemFiles = 'test/**/*.system.test.ts'
/** Tests of single modules, without sockets and databases. */
const unitFiles = ['test/http/*.test.ts', 'test/definition/*.test.ts', 'test/architecture.test.ts']

/** Folders whose tests run on either database. */
const databaseFolders = ['rfc', 'access', 'requests', 'query', 'features/logic', 'features/files']
/** The tests whose results depend most on the database. By default a random third runs on PostgreSQL. */
const databaseSample: Readonly<Record<string, readonly string[]>> = {
  access: ['tenants', 'tenant-noninterference'],
  examples: ['helpdesk', 'practice'],
  'features/audit': ['audit'],
  'features/history': ['history'],
  'features/webhooks': ['webhooks'],
  'features/logic': ['before', 'job-creators', 'schedules'],
  html: ['import'],
  query: ['aggregates', 'aggregates-naive', 'aggregate-formats', 'embedded-lists', 'paths'],
  relations: ['derived', 'sub-collections', 'sub-collection-writes', 'tracker'],
  requests: ['exclusive', 'idempotency', 'immutable', 'refs', 'set-members', 'set-queries', 'unique-sets'],
  'requests/events': ['events', 'feed', 'page-cost'],
  rfc: ['rfc9110-demo', 'rfc9110-preconditions'],
  store: ['condition', 'derived', 'first-referring', 'keyset', 'path-order'],
  work: ['log-consumer'],
}

const databaseFiles = Object.entries(databaseSample).flatMap(([folder, names]) =>
  names.map((name) => `test/${folder}/${name}.test.ts`),
)

/** Files that need a process of their own, because they test which modules it loads. */
const aloneFiles = ['test/features/logic/without-logic.test.ts', 'test/features/loaded-features.test.ts']

const isSoak = process.argv[2] === 'soak'
/** In a soak one file runs after the other. Else three share two cores, because many wait for others at times. */
const pace = isSoak ? ['--test-concurrency=1'] : ['--test-concurrency=3', '--test-timeout=600000']

/** The groups of a run that names none. */
const groups: readonly Group[] = [
  { name: 'units', files: unitFiles, exclude: [systemFiles], filesPerProcess: 26, usesBundles: false },
  {
    name: 'services',
    files: [everyFile],
    exclude: [systemFiles, ...unitFiles],
    filesPerProcess: 12,
    usesBundles: true,
  },
  {
    name: 'postgres-sample',
    files: isSoak ? databaseFiles : someOf(databaseFiles, databaseFiles.length / 3),
    filesPerProcess: 12,
    usesBundles: true,
    database: 'postgres',
  },
  { name: 'system', files: [systemFiles], filesPerProcess: 4, usesBundles: true },
]

/** The groups that run only where they are named. */
const namedGroups: readonly Group[] = [
  {
    name: 'postgres-folders',
    files: databaseFolders.map((folder) => `test/${folder}/**/*.test.ts`),
    exclude: [systemFiles],
    filesPerProcess: 6,
    usesBundles: true,
    database: 'postgres',
  },
  {
    name: 'postgres-folders-system',
    // Not all of the folders have such files.
    files: [`test/{${databaseFolders.join()}}/**/*.system.test.ts`],
    filesPerProcess: 1,
    usesBundles: true,
    database: 'postgres',
  },
]

const reporters = [
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./test/skipped-tests.ts',
  '--test-reporter-destination=stderr',
]

const root = join(import.meta.dirname, '..')
process.chdir(root)
process.exitCode = await runGroups(isSoak ? [] : process.argv.slice(2))

/** Returns 0 when all tests of the groups passed, and their processes have ended. */
async function runGroups(names: readonly string[]): Promise<number> {
  const chosen = names.length === 0 ? groups : names.map(findGroup)
  const temporary = mkdtempSync(join(memoryFolder(), 'restwell-run-'))
  // Servers that run as other users have folders in it.
  chmodSync(temporary, 0o755)
  const servers = await offerSharedServers()
  // By this variable the shared servers too are known as processes of the run.
  process.env.TEST_SERVERS = servers.url
  const environment = {
    ...process.env,
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/restwell-compiled'),
    TMPDIR: temporary,
    ...(isSoak ? { CASES: 'full' } : {}),
  }
  const parts: Part[] = []
  const part = async (name: string, work: () => Promise<boolean>) => void parts.push(await timed(name, work))
  try {
    if (chosen.some(({ usesBundles }) => usesBundles))
      await part('bundles', () => runProcess('npm', ['run', '--silent', 'bundle'], environment))
    // Without the bundles no test says anything about the sources.
    if (parts.every(({ passed }) => passed))
      for (const group of chosen) await part(group.name, () => runGroup(group, environment))
  } finally {
    await part('shared servers', async () => {
      await servers.stop()
      rmSync(temporary, { recursive: true })
      return reportLeftProcesses(servers.url)
    })
  }
  process.stdout.write(`\n${parts.map(formatPart).join('\n')}\n${formatPart(sumOf(parts))}\n`)
  return parts.every(({ passed }) => passed) ? 0 : 1
}

function findGroup(name: string): Group {
  const all = [...groups, ...namedGroups]
  const found = all.find((group) => group.name === name)
  if (found) return found
  throw new Error(`There is no group ${name}: name ${all.map((group) => group.name).join(', ')} or soak`)
}

async function runGroup(group: Group, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const missing = group.files.filter((pattern) => filesOf([pattern], group).length === 0)
  for (const pattern of missing) process.stdout.write(`${group.name}: no file matches ${pattern}\n`)
  if (missing.length > 0) return false
  const flags = ['--conditions=source', '--test', ...pace, ...reporters]
  const args = [...flags, ...entryFilesOf(group, filesOf(group.files, group))]
  return runProcess(process.execPath, args, {
    ...environment,
    ...(group.usesBundles ? { TEST_PACKAGE: 'built' } : {}),
    ...(group.database ? { TEST_DATABASE: group.database } : {}),
  })
}

function filesOf(patterns: readonly string[], { exclude = [] }: Group): readonly string[] {
  return globSync([...patterns], { exclude: [...exclude] }).sort()
}

/** Returns the files that node runs, each in a process: modules that import some test files of a folder. */
function entryFilesOf({ name, filesPerProcess }: Group, files: readonly string[]): readonly string[] {
  const folder = join(root, 'node_modules/.cache/restwell-tests', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const entries: string[] = []
  for (const part of partsOf(files, filesPerProcess)) {
    const entry = join(folder, `${part[0]?.replaceAll(/[\\/]/g, '-')}.mjs`)
    const imports = ['test/built-threads.ts', ...part].map((file) => pathToFileURL(join(root, file)))
    writeFileSync(entry, entryText(imports))
    entries.push(entry)
  }
  return entries
}

/** A first test lasts until all are imported: else a process could be over, with its hooks, after the tests of the first file. */
function entryText(imports: readonly URL[]): string {
  const lines = [
    `import { test } from 'node:test'`,
    `const { promise, resolve } = Promise.withResolvers()`,
    `test('all files are imported', () => promise)`,
    ...imports.map((url) => `await import(${JSON.stringify(url)})`),
    'resolve()',
  ]
  return `${lines.join('\n')}\n`
}

/** Splits the files into parts of one folder, of at most so many; a file of `aloneFiles` is a part of its own. */
function partsOf(files: readonly string[], size: number): readonly (readonly string[])[] {
  const isAlone = (file: string) => aloneFiles.includes(file)
  const folders = Object.values(Object.groupBy(files, (file) => (isAlone(file) ? file : dirname(file))))
  return folders.flatMap((inFolder = []) =>
    Array.from({ length: Math.ceil(inFolder.length / size) }, (_, at) =>
      inFolder.slice(at * size, (at + 1) * size),
    ),
  )
}

async function runProcess(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const child = spawn(program, args, { env, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** Prints the processes of the run that have not ended; returns whether all have. Elsewhere than on Linux returns true. */
function reportLeftProcesses(servers: string): boolean {
  if (process.platform !== 'linux') return true
  const left = readdirSync('/proc').filter((id) => /^\d+$/.test(id) && isOfRun(id, servers))
  for (const id of left) process.stdout.write(`Left behind: ${id} ${textOf(id, 'cmdline')}\n`)
  return left.length === 0
}

/** Whether the process inherited the URL of the shared servers of this run. */
function isOfRun(id: string, servers: string): boolean {
  return textOf(id, 'environ').includes(`TEST_SERVERS=${servers}`)
}

/** Returns an empty text for a process of another user, and for one that has ended. */
function textOf(id: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

interface Part {
  readonly name: string
  readonly passed: boolean
  /** In seconds, as the next one. */
  readonly wall: number
  readonly processor: number
}

async function timed(name: string, work: () => Promise<boolean>): Promise<Part> {
  const started = performance.now()
  const before = processorSeconds()
  const passed = await work()
  return { name, passed, wall: (performance.now() - started) / 1000, processor: processorSeconds() - before }
}

function sumOf(parts: readonly Part[]): Part {
  const sum = (figure: 'wall' | 'processor') => parts.reduce((total, part) => total + part[figure], 0)
  return {
    name: 'all',
    passed: parts.every(({ passed }) => passed),
    wall: sum('wall'),
    processor: sum('processor'),
  }
}

function formatPart({ name, passed, wall, processor }: Part): string {
  return `${name}: ${passed ? 'passed' : 'FAILED'}, ${wall.toFixed(1)} s, processor ${processor.toFixed(1)} s`
}

/** The processor time of this process, its ended child processes and theirs; 0 elsewhere than on Linux. */
function processorSeconds(): number {
  if (process.platform !== 'linux') return 0
  // proc_pid_stat(5): utime, stime, cutime and cstime, in clock ticks; the name before them may contain blanks.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').slice(11, 15) ?? []
  return fields.map(Number).reduce((sum, ticks) => sum + ticks, 0) / 100
}
