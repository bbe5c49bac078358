/** A feature is removed with its folder, its lines in two files, and the features that import it. The rest compiles and serves. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { someOf } from '../cases.ts'

const root = join(import.meta.dirname, '../..')
const copy = mkdtempSync(join(tmpdir(), 'restwell-removal-'))
after(() => rmSync(copy, { recursive: true, force: true }))

/** The files with lines of features. */
const lists = ['src/service/features.ts', 'src/client.ts']
const fixture = 'test/features/fixtures/without-features.ts'

/** By feature: the others that it imports. */
const imported = new Map(
  [
    ...readFileSync(join(root, 'src/features/README.md'), 'utf8').matchAll(
      /^\| ([a-z-]+) \| ([a-z, -]*)\|$/gm,
    ),
  ]
    .slice(1)
    .map(([, feature = '', others = '']) => [feature, others.split(',').map((one) => one.trim())]),
)

/** The features whose use is no option: their documents are just absent. */
const withoutOption: ReadonlySet<string> = new Set(['audit', 'sign-in'])

before(() => {
  for (const path of ['node_modules', 'assets']) symlinkSync(join(root, path), join(copy, path))
  for (const path of ['package.json', 'examples', 'src', fixture])
    cpSync(join(root, path), join(copy, path), { recursive: true })
  const compilerOptions = { incremental: true, tsBuildInfoFile: join(copy, 'types.info') }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['src', 'examples'] }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
})

test('a service with all features has no broken link, and takes a definition that uses all', () => {
  const { broken, links, refusals } = serveWithout([])
  assert.deepEqual({ broken, refusals }, { broken: [], refusals: {} })
  assert.ok(links > 10, `${links} links`)
})

describe('without a feature', () => {
  for (const feature of someOf([...imported.keys()], 1)) {
    test(`${feature}: the rest compiles and serves, and refuses definitions that need it`, (t) => {
      const removed = dependentsOf(feature)
      t.after(() => restore(removed))
      remove(removed)
      const { status, stdout } = run(join(root, 'node_modules/.bin/tsc'), ['-p', copy])
      assert.equal(status, 0, stdout)
      const { broken, refusals } = serveWithout(removed)
      assert.deepEqual(broken, [])
      for (const one of removed.filter((name) => !withoutOption.has(name))) {
        assert.match(refusals[one] ?? '', /This service has no feature for/, one)
      }
    })
  }
})

/** The feature, and those that import it. */
function dependentsOf(feature: string): readonly string[] {
  const others = [...imported].filter(([, own]) => own.includes(feature)).map(([name]) => name)
  return [...new Set([feature, ...others.flatMap(dependentsOf)])]
}

function remove(features: readonly string[]): void {
  for (const feature of features) rmSync(join(copy, 'src/features', feature), { recursive: true })
  for (const path of lists) {
    const lines = readFileSync(join(root, path), 'utf8').split('\n')
    const names = lines.flatMap((line) => {
      const [, name, feature = ''] =
        /^import (?:type )?\{ (\w+) \} from '\.{1,2}\/features\/([^/]+)\//.exec(line) ?? []
      return name !== undefined && features.includes(feature) ? [name] : []
    })
    const kept = lines.filter((line) => !names.some((name) => new RegExp(`\\b${name}\\b`).test(line)))
    writeFileSync(join(copy, path), kept.join('\n'))
  }
}

function restore(features: readonly string[]): void {
  for (const path of [...lists, ...features.map((feature) => `src/features/${feature}`)])
    cpSync(join(root, path), join(copy, path), { recursive: true })
}

interface Served {
  readonly broken: readonly string[]
  readonly links: number
  readonly refusals: Readonly<Record<string, string>>
}

function serveWithout(features: readonly string[]): Served {
  const { status, stdout, stderr } = run(process.execPath, [
    '--conditions=source',
    join(copy, fixture),
    ...features,
  ])
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

function run(program: string, args: readonly string[]) {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(copy, 'compiled') }
  return spawnSync(program, args, { cwd: copy, encoding: 'utf8', env })
}
