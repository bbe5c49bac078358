import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'restwell-commands-'))
after(() => rmSync(folder, { recursive: true }))

function restwell(...args: readonly string[]) {
  return run([join(root, 'src/cli.ts'), ...args], root)
}

function run(args: readonly string[], cwd: string) {
  // A test within a test would report to its parent instead of running.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=source', ...args], {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('openapi prints the whole description, or writes it where --out says', () => {
  const printed = restwell('openapi', 'examples/shop.ts')
  assert.equal(printed.status, 0, printed.stderr)
  const { paths, openapi } = JSON.parse(printed.stdout)
  assert.match(openapi, /^3\.1\./)
  assert.ok(paths['/products'].post && paths['/products']['x-query'])
  const file = join(folder, 'openapi.json')
  assert.equal(restwell('openapi', 'examples/shop.ts', '--openapi', '3.2', '--out', file).status, 0)
  const newer = JSON.parse(readFileSync(file, 'utf8'))
  assert.match(newer.openapi, /^3\.2\./)
  assert.ok(newer.paths['/products'].query)
})

test('client prints a client in one TypeScript file', () => {
  const { status, stdout } = restwell('client', 'examples/shop.ts')
  assert.equal(status, 0)
  assert.match(stdout, /export function client/)
  assert.doesNotMatch(stdout, /^import /m)
})

test('check explains a sound definition in words', () => {
  const { status, stdout } = restwell('check', 'examples/shop.ts')
  assert.equal(status, 0)
  assert.match(stdout, /Example shop can be served/)
  assert.match(stdout, /publish: draft → published/)
  assert.match(stdout, /read +anyone where status is published; or the account in author/)
})

test('check names every fault of an unsound one, and exits with 1', () => {
  const file = join(folder, 'unsound.ts')
  const words = JSON.stringify(join(root, 'src/index.ts'))
  writeFileSync(
    file,
    `import { resource, service, text } from ${words}
export default service({ title: 'x', resources: { Things: resource({ a: text({ min: 3, max: 1 }) }) } })`,
  )
  const { status, stderr } = restwell('check', file)
  assert.equal(status, 1)
  assert.match(stderr, /Did you mean 'things'/)
  assert.match(stderr, /greater than 'max'/)
})

test('routes prints every URI with its methods and who may', () => {
  const { status, stdout } = restwell('routes', 'examples/shop.ts')
  assert.equal(status, 0)
  assert.match(stdout, /^GET HEAD QUERY +\/products +anyone$/m)
  assert.match(stdout, /^DELETE +\/products\/\{id\} +the role admin$/m)
  assert.match(stdout, /^GET HEAD OPTIONS +\/openapi\.json +anyone$/m)
})

test('a wrong flag, version or file is one line and exit code 1', () => {
  for (const args of [
    ['openapi', 'examples/shop.ts', '--openapi', '2.0'],
    ['client', 'examples/shop.ts', '--out', join(folder, 'no/such/folder.ts')],
    ['init', '--force'],
  ]) {
    const { status, stdout, stderr } = restwell(...args)
    assert.equal(status, 1, args.join(' '))
    assert.equal(stdout, '')
    assert.doesNotMatch(stderr, /\n {4}at /)
  }
})

test('init makes a project that is sound and passes its own test', () => {
  const project = join(folder, 'My notes')
  const made = restwell('init', project)
  assert.equal(made.status, 0, made.stderr)
  assert.deepEqual(readdirSync(project).sort(), [
    '.gitignore',
    'README.md',
    'package.json',
    'service.test.ts',
    'service.ts',
  ])
  const { name, dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  assert.equal(name, 'my-notes')
  assert.ok(dependencies.restwell)
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(root, join(project, 'node_modules/restwell'))
  assert.match(run([join(root, 'src/cli.ts'), 'check'], project).stdout, /Notes can be served/)
  const tested = run(['--test'], project)
  assert.equal(tested.status, 0, tested.stdout)
  assert.match(tested.stdout, /pass 1/)
})

test('init overwrites nothing', () => {
  const taken = join(folder, 'taken')
  mkdirSync(taken)
  writeFileSync(join(taken, 'service.ts'), 'mine')
  const { status, stderr } = restwell('init', taken)
  assert.equal(status, 1)
  assert.match(stderr, /is not empty: it has service\.ts/)
  assert.equal(readFileSync(join(taken, 'service.ts'), 'utf8'), 'mine')
})
