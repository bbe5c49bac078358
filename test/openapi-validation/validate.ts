/**
 * Public validators, generators and a proxy check the demo's OpenAPI document. `npm run
 * validate:openapi` installs them in pinned versions, apart from our dependencies; it needs the
 * registry and some minutes, so it is not part of `npm test`.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkClientThroughProxy } from './client-through-proxy.ts'
import { checkGeneratedClient } from './generated-client.ts'
import { checkRecordedExchanges } from './recorded-exchanges.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = process.env.OPENAPI_VALIDATORS ?? join(root, 'node_modules/.cache/restwell-openapi-validators')

const versions = {
  '@redocly/cli': '2.73.0',
  '@stoplight/prism-cli': '5.14.2',
  '@stoplight/spectral-cli': '6.16.3',
  '@stoplight/spectral-owasp-ruleset': '2.0.1',
  'ibm-openapi-validator': '1.38.4',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  typescript: '6.0.3',
}

export interface Validators {
  readonly root: string
  /** Where the validators are installed and their input is written. */
  readonly folder: string
  /** Runs a command of a validator in that folder. */
  run(command: string, ...args: readonly string[]): { status: number | null; output: string }
}

const validators: Validators = {
  root,
  folder,
  run(command, ...args) {
    const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin', command), args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      // Without it Redocly reports each run to its makers.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
    })
    return { status, output: stdout + (status === 0 ? '' : stderr) }
  },
}

install()
describe('openapi.json', '3.1')
describe('openapi-3.2.json', '3.2')
const checks = [
  ['Redocly recommended-strict, 3.1', runRedocly('openapi.json')],
  ['Redocly recommended-strict, 3.2', runRedocly('openapi-3.2.json')],
  ['Spectral oas', runSpectral()],
  ['Spectral OWASP: every finding has its reason', findUnexplainedRules(owaspFindings())],
  ['IBM: every finding has its reason', findUnexplainedRules(ibmFindings())],
  ['openapi-typescript and openapi-fetch, TypeScript 6', await checkGeneratedClient(validators)],
  ['our client, TypeScript 6', checkClientTypes()],
  ['Prism as a proxy before the client', await checkClientThroughProxy(validators)],
  ['Prism as a proxy before the HTTP test suite', await checkRecordedExchanges(validators)],
] as const
for (const [name, faults] of checks) {
  console.log(`${faults.length === 0 ? 'passes' : 'FAILS '}  ${name}`)
  for (const fault of faults) console.log(`        ${fault}`)
}
process.exitCode = checks.some(([, faults]) => faults.length > 0) ? 1 : 0

function install(): void {
  mkdirSync(folder, { recursive: true })
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: versions }, null, 2)
  const file = join(folder, 'package.json')
  const installed = existsSync(join(folder, 'node_modules'))
  if (installed && existsSync(file) && readFileSync(file, 'utf8') === wanted) return
  writeFileSync(file, wanted)
  // openapi-typescript declares TypeScript 5; it is checked under 6.
  const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', ['install', ...flags], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The validators could not be installed: ${stderr}`)
}

function describe(file: string, version: string): void {
  const args = ['openapi', 'examples/shop.ts', '--openapi', version, '--out', join(folder, file)]
  const cli = ['--conditions=source', join(root, 'src/cli.ts'), ...args]
  const { status, stderr } = spawnSync(process.execPath, cli, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The description could not be written: ${stderr}`)
}

function runRedocly(file: string): readonly string[] {
  const { output } = validators.run(
    'redocly',
    'lint',
    '--extends',
    'recommended-strict',
    '--format',
    'json',
    file,
  )
  const { problems } = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('\n}') + 2)) as {
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
  const { output } = validators.run('spectral', 'lint', '-r', 'ruleset.json', '-f', 'json', 'openapi.json')
  return JSON.parse(output.slice(output.indexOf('['), output.lastIndexOf(']') + 1))
}

function runSpectral(): readonly string[] {
  const errors = spectral('spectral:oas').filter(({ severity }) => severity === 0)
  return errors.map(({ code, message }) => `${code}: ${message}`)
}

function owaspFindings(): readonly string[] {
  return spectral('@stoplight/spectral-owasp-ruleset').map(({ code }) => code)
}

function ibmFindings(): readonly string[] {
  const { output } = validators.run('lint-openapi', '-j', 'openapi.json')
  const findings = JSON.parse(output.slice(output.indexOf('{'))) as Record<
    'error' | 'warning',
    { results: { rule: string }[] }
  >
  return [...findings.error.results, ...findings.warning.results].map(({ rule }) => rule)
}

/** Returns the rules that accepted-rules.md does not name with a reason. */
function findUnexplainedRules(rules: readonly string[]): readonly string[] {
  const reasons = readFileSync(join(import.meta.dirname, 'accepted-rules.md'), 'utf8')
  const unexplained = [...new Set(rules)].filter((rule) => !reasons.includes(`\`${rule}\``))
  return unexplained.map((rule) => `${rule} has no reason in accepted-rules.md`)
}

/** The same uses that our own tests check with TypeScript 7. */
function checkClientTypes(): readonly string[] {
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
  const { output } = validators.run(
    'tsc',
    ...options.split(' '),
    '--allowImportingTsExtensions',
    '--lib',
    'esnext,dom,dom.iterable',
    file,
  )
  return output.split('\n').filter((line) => line.includes('error TS'))
}
