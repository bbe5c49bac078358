/**
 * Runs the tests in groups and prints the wall and processor time of each. `node test/run.ts` runs every
 * group; arguments name some of them, and `soak` runs all with the full number of cases.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Group {
  readonly name: string
  readonly files: readonly string[]
  readonly exclude?: readonly string[]
  /** Arguments of `node --test`. */
  readonly flags: readonly string[]
}

const everyFile = 'test/**/*.test.ts'
/** The tests of long processes: kills, failover, rolling restarts. */
const systemFiles = 'test/**/*.system.test.ts'
/** Folders whose tests need no process of their own. */
const unitFiles = ['test/http/*.test.ts', 'test/definition/*.test.ts', 'test/architecture.test.ts']

const isSoak = process.argv[2] === 'soak'
/** In a soak one file runs after the other, for as long as it takes. */
const pace = isSoak ? ['--test-concurrency=1'] : ['--test-concurrency=2', '--test-timeout=600000']

const groups: readonly Group[] = [
  { name: 'units', files: unitFiles, exclude: [systemFiles], flags: ['--test-isolation=none'] },
  { name: 'http', files: [everyFile], exclude: [systemFiles, ...unitFiles], flags: pace },
  { name: 'system', files: [systemFiles], flags: pace },
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

/** Returns 0 when all tests of the groups passed. */
async function runGroups(names: readonly string[]): Promise<number> {
  const chosen = names.length === 0 ? groups : names.map(findGroup)
  const environment = {
    ...process.env,
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/restwell-compiled'),
    ...(isSoak ? { CASES: 'full' } : {}),
  }
  const lines: string[] = []
  let failed = false
  for (const group of chosen) {
    const started = performance.now()
    const processorBefore = childProcessorSeconds()
    const passed = await runGroup(group, environment)
    const wall = (performance.now() - started) / 1000
    const processor = childProcessorSeconds() - processorBefore
    lines.push(`${group.name}: ${passed ? 'passed' : 'FAILED'}, ${formatTimes(wall, processor)}`)
    failed ||= !passed
  }
  process.stdout.write(`\n${lines.join('\n')}\n`)
  return failed ? 1 : 0
}

function findGroup(name: string): Group {
  const found = groups.find((group) => group.name === name)
  if (found) return found
  throw new Error(`There is no group ${name}: name ${groups.map((group) => group.name).join(', ')} or soak`)
}

async function runGroup(group: Group, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const files = globSync([...group.files], { exclude: group.exclude ?? [] }).sort()
  if (files.length === 0) return true
  const flags = ['--conditions=source', '--test', ...group.flags, ...reporters]
  const child = spawn(process.execPath, [...flags, ...files], { env: environment, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code === 0
}

function formatTimes(wall: number, processor: number): string {
  return `${wall.toFixed(1)} s, processor ${processor.toFixed(1)} s`
}

/** The processor time of the child processes that have ended, theirs included; 0 where the system has no such figure. */
function childProcessorSeconds(): number {
  if (process.platform !== 'linux') return 0
  // proc_pid_stat(5): cutime and cstime, in clock ticks; the name before them may contain blanks.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) / 100
}
