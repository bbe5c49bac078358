/**
 * `npm run mutate -- [--count 20] [--seed 1] [--in http,query] [--quick | --near]`: makes one random
 * mutant after another in a copy of the project and runs the tests on it, the suites of its folder
 * first, until one fails. With --near only those suites run, without the lengthy ones, in one
 * process, the quick ones first. It prints the mutants that every test let pass; exit status 1 when
 * there are any.
 */

import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutantsOf } from './mutants.ts'

const root = resolve(import.meta.dirname, '../..')

/** What is mutated, by name, with the test folders that know it best. */
const areas: Readonly<Record<string, { readonly files: string; readonly tests: readonly string[] }>> = {
  http: { files: 'src/http/*.ts', tests: ['http', 'rfc'] },
  query: { files: 'src/query/*.ts', tests: ['query', 'rfc'] },
  access: { files: 'src/access/*.ts', tests: ['access', 'rfc'] },
  requests: {
    files: 'src/requests/**/*.ts',
    tests: ['requests', 'rfc', 'html'],
  },
  pages: { files: 'src/html/**/*.ts', tests: ['html', 'rfc'] },
  store: {
    files: 'src/store/{,sql/}*{condition,keyset,query}*.ts',
    tests: ['store', 'query', 'rfc'],
  },
}

/** Suites that start browsers, clusters, packages or many processes: left out by --quick. */
const slow = /^test\/(bench|browser|copy|embedding|mutation|package|postgres)\/|\.system\.test\.ts$/

/** Suites of more than ten seconds: left out by --near. */
const lengthy = /\/(concealment|linear|noninterference|oracle|order|patch|put)\.test\.ts$|\.system\.test\.ts$/

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    in: { type: 'string', default: Object.keys(areas).join() },
    quick: { type: 'boolean', default: false },
    near: { type: 'boolean', default: false },
  },
})

interface Chosen {
  readonly area: string
  readonly file: string
  readonly mutant: Mutant
}

/** How many mutants each test file has killed so far. */
const kills = new Map<string, number>()

/** By area, the milliseconds that each near test file takes on the unchanged project. */
const durations = new Map<string, Readonly<Record<string, number>>>()

const folder = mkdtempSync(join(tmpdir(), 'restwell-mutants-'))
try {
  process.exitCode = run()
} finally {
  rmSync(folder, { recursive: true })
}

function run(): number {
  for (const part of [
    'src',
    'test',
    'assets',
    'bench',
    'bin',
    'examples',
    'docs',
    'README.md',
    'CONTRIBUTING.md',
    'package.json',
    'tsconfig.json',
  ]) {
    cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  console.log(`seed ${options.seed}`)
  const chosen = choose(Number(options.count), randomFrom(Number(options.seed)))
  const survivors = chosen.filter((one, index) => {
    const killer = findKiller(one)
    if (killer !== undefined) kills.set(killer, (kills.get(killer) ?? 0) + 1)
    const place = `${one.file}:${one.mutant.line}  ${one.mutant.description}`
    console.log(`${index + 1}/${chosen.length}  ${killer ?? 'SURVIVED'}  ${place}`)
    return killer === undefined
  })
  console.log(`${chosen.length - survivors.length} killed, ${survivors.length} survived`)
  return survivors.length > 0 ? 1 : 0
}

function choose(count: number, random: () => number): readonly Chosen[] {
  const all = options.in
    .split(',')
    .flatMap((area) =>
      globSync(areas[area]?.files ?? '', { cwd: root }).flatMap((file) =>
        mutantsOf(readFileSync(join(root, file), 'utf8')).map((mutant) => ({ area, file, mutant })),
      ),
    )
  return all
    .map((one) => ({ one, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .slice(0, count)
    .map(({ one }) => one)
}

/** The first test file that fails on the mutant, or undefined where all pass. */
function findKiller({ area, file, mutant }: Chosen): string | undefined {
  const path = join(folder, file)
  const original = readFileSync(path, 'utf8')
  if (options.near && !durations.has(area)) durations.set(area, measureNearTests(area))
  writeFileSync(path, mutant.text)
  try {
    if (options.near) return findNearKiller(area, file)
    return testsFor(area, file).find((test) => !passes(test))
  } finally {
    writeFileSync(path, original)
  }
}

function testsFor(area: string, file: string): readonly string[] {
  const rest = globSync('test/**/*.test.ts', { cwd: folder }).filter(
    (test) => !(options.quick && slow.test(test)),
  )
  return [...new Set([...nearTests(area, file), ...rest.toSorted()])]
}

/** The tests of the folders that know the file, the likely killers first, then the quick ones. */
function nearTests(area: string, file: string): readonly string[] {
  const name = basename(file, '.ts')
  const duration = durations.get(area) ?? {}
  const kinship = (test: string) => (basename(test).startsWith(name) ? 1 : 0)
  const yieldOf = (test: string) => (kills.get(test) ?? 0) / (duration[test] ?? 1)
  return (areas[area]?.tests ?? [])
    .flatMap((tests) => globSync(`test/${tests}/*.test.ts`, { cwd: folder }).toSorted())
    .toSorted(
      (left, right) =>
        kinship(right) - kinship(left) ||
        yieldOf(right) - yieldOf(left) ||
        (duration[left] ?? 0) - (duration[right] ?? 0),
    )
}

/** As findKiller with the near tests; a mutant that takes three times the usual time never ends. */
function findNearKiller(area: string, file: string): string | undefined {
  const tests = nearTests(area, file).filter((test) => !lengthy.test(test))
  const usual = Object.values(durations.get(area) ?? {}).reduce((sum, one) => sum + one, 0)
  const { status, stdout } = runUntilFailure(tests, Math.ceil(60_000 + 3 * usual))
  return status === 0 ? undefined : lastLine(stdout) || 'no end'
}

/** Runs the near tests on the unchanged project; throws when one fails, for it would kill every mutant. */
function measureNearTests(area: string): Readonly<Record<string, number>> {
  const tests = nearTests(area, '').filter((test) => !lengthy.test(test))
  const { status, stdout } = runUntilFailure(tests)
  if (status !== 0) throw new Error(`Without a mutant, ${lastLine(stdout)} fails.`)
  return JSON.parse(lastLine(stdout))
}

function runUntilFailure(tests: readonly string[], timeout?: number) {
  const runner = 'test/mutation/first-failure.ts'
  return spawnSync(process.execPath, ['--conditions=source', runner, ...tests], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout,
  })
}

function lastLine(text: string): string {
  return text.split('\n').at(-1) ?? ''
}

function passes(test: string): boolean {
  const flags = ['--conditions=source', '--test', '--test-timeout=300000']
  const { status } = spawnSync(process.execPath, [...flags, test], { cwd: folder, stdio: 'ignore' })
  return status === 0
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
