/**
 * Judges that nobody here wrote, each in a pinned version, kept apart from our own dependencies.
 * `npm run judge` installs them on its first run; it needs the registry and some minutes, so that it
 * is not part of `npm run check`.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { judgeGenerated } from './generated-client.ts'
import { judgeProxy } from './proxy.ts'
import { judgeSuite } from './suite.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = process.env.JUDGES ?? join(root, 'node_modules/.cache/restwell-judges')

const judges = {
  '@redocly/cli': '2.73.0',
  '@stoplight/prism-cli': '5.14.2',
  '@stoplight/spectral-cli': '6.16.3',
  '@stoplight/spectral-owasp-ruleset': '2.0.1',
  'ibm-openapi-validator': '1.38.4',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  typescript: '6.0.3',
}

export interface Bench {
  readonly root: string
  /** Where the judges are installed, and what they judge is written. */
  readonly folder: string
  /** Runs one of the judges' commands in that folder. */
  run(command: string, ...args: readonly string[]): { status: number | null; output: string }
}

const bench: Bench = {
  root,
  folder,
  run(command, ...args) {
    const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin', command), args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      // Nothing of ours is to be reported to anyone.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
    })
    return { status, output: stdout + (status === 0 ? '' : stderr) }
  },
}

install()
describe('openapi.json', '3.1')
describe('openapi-3.2.json', '3.2')
const verdicts = [
  ['Redocly recommended-strict, 3.1', judgeRedocly('openapi.json')],
  ['Redocly recommended-strict, 3.2', judgeRedocly('openapi-3.2.json')],
  ['Spectral oas', judgeSpectral()],
  ['Spectral OWASP: every finding has its reason', judgeReasons(owaspFindings())],
  ['IBM: every finding has its reason', judgeReasons(ibmFindings())],
  ['openapi-typescript and openapi-fetch, TypeScript 6', await judgeGenerated(bench)],
  ['our client, TypeScript 6', judgeClientTypes()],
  ['Prism as a proxy before the client', await judgeProxy(bench)],
  ['Prism as a proxy before the HTTP test suite', await judgeSuite(bench)],
] as const
for (const [name, faults] of verdicts) {
  console.log(`${faults.length === 0 ? 'passes' : 'FAILS '}  ${name}`)
  for (const fault of faults) console.log(`        ${fault}`)
}
process.exitCode = verdicts.some(([, faults]) => faults.length > 0) ? 1 : 0

function install(): void {
  mkdirSync(folder, { recursive: true })
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: judges }, null, 2)
  const file = join(folder, 'package.json')
  const installed = existsSync(join(folder, 'node_modules'))
  if (installed && existsSync(file) && readFileSync(file, 'utf8') === wanted) return
  writeFileSync(file, wanted)
  // openapi-typescript asks for TypeScript 5, and is to be judged under 6.
  const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', ['install', ...flags], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The judges could not be installed: ${stderr}`)
}

function describe(file: string, version: string): void {
  const args = ['openapi', 'examples/shop.ts', '--openapi', version, '--out', join(folder, file)]
  const cli = ['--conditions=source', join(root, 'src/cli.ts'), ...args]
  const { status, stderr } = spawnSync(process.execPath, cli, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The description could not be written: ${stderr}`)
}

function judgeRedocly(file: string): readonly string[] {
  const { output } = bench.run(
    'redocly',
    'lint',
    '--extends',
    'recommended-strict',
    '--format',
    'json',
    file,
  )
  const { problems } = JSON.parse(
    output.slice(output.indexOf('{'), output.lastIndexOf('\n}') + 2),
  ) as {
    problems: { ruleId: string; message: string }[]
  }
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

interface SpectralFinding {
  readonly code: string
  readonly severity: number
  readonly message: string
}

function spectral(ruleset: string): readonly SpectralFinding[] {
  writeFileSync(join(folder, 'ruleset.json'), JSON.stringify({ extends: [ruleset] }))
  const { output } = bench.run(
    'spectral',
    'lint',
    '-r',
    'ruleset.json',
    '-f',
    'json',
    'openapi.json',
  )
  return JSON.parse(output.slice(output.indexOf('['), output.lastIndexOf(']') + 1))
}

function judgeSpectral(): readonly string[] {
  const errors = spectral('spectral:oas').filter(({ severity }) => severity === 0)
  return errors.map(({ code, message }) => `${code}: ${message}`)
}

function owaspFindings(): readonly string[] {
  return spectral('@stoplight/spectral-owasp-ruleset').map(({ code }) => code)
}

function ibmFindings(): readonly string[] {
  const { output } = bench.run('lint-openapi', '-j', 'openapi.json')
  const findings = JSON.parse(output.slice(output.indexOf('{'))) as Record<
    'error' | 'warning',
    { results: { rule: string }[] }
  >
  return [...findings.error.results, ...findings.warning.results].map(({ rule }) => rule)
}

/** The decision names each rule that we do not follow, and says why. */
function judgeReasons(rules: readonly string[]): readonly string[] {
  const reasons = readFileSync(
    join(root, 'docs/decisions/0101-what-the-judges-say-and-we-leave.md'),
    'utf8',
  )
  const unexplained = [...new Set(rules)].filter((rule) => !reasons.includes(`\`${rule}\``))
  return unexplained.map((rule) => `${rule} has no reason in docs/decisions`)
}

/** The same uses that our own tests check with TypeScript 7. */
function judgeClientTypes(): readonly string[] {
  const uses = readFileSync(join(root, 'test/describe/fixtures/typed-client.ts'), 'utf8')
    .replace("'restwell/client'", "'./shop-client.ts'")
    .replace(/import type shop .*\n/, '')
    .replace('client<typeof shop>', 'client')
  writeFileSync(join(folder, 'uses.ts'), uses)
  const cli = ['--conditions=source', join(root, 'src/cli.ts'), 'client', 'examples/shop.ts']
  const out = ['--out', join(folder, 'shop-client.ts')]
  spawnSync(process.execPath, [...cli, ...out], { cwd: root })
  return compiled('uses.ts')
}

function compiled(file: string): readonly string[] {
  const options =
    '--ignoreConfig --noEmit --strict --target esnext --module nodenext --types node --skipLibCheck'
  const { output } = bench.run(
    'tsc',
    ...options.split(' '),
    '--allowImportingTsExtensions',
    '--lib',
    'esnext,dom,dom.iterable',
    file,
  )
  return output.split('\n').filter((line) => line.includes('error TS'))
}
