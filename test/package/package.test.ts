/** The package as users get it: packed, installed into an empty folder, served by its command. */

import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { folderOf, root } from '../commands/command.ts'

const definition = `import { type RowOf, anyone, integer, resource, service, text } from 'restwell'

const notes = resource(
  { title: text({ max: 100 }), stars: integer({ min: 0 }).optional() },
  { access: { read: anyone, create: anyone, update: anyone, delete: anyone } },
)

export const example: RowOf<typeof notes>['title'] = 'typed'

export default service({ title: 'Notes', resources: { notes } })
`

/** Node 26 first, as a user of the package has it. */
const environment = {
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
}
const run = promisify(execFile)

test('the packed package, installed in an empty folder, serves and types a definition', async (t) => {
  const folder = await folderOf(t)
  if (!(await install(t, folder))) return
  await writeFile(join(folder, 'service.ts'), definition)
  await t.test('the command serves it', () => assertServes(t, folder))
  await t.test('its types hold without skipLibCheck', () => assertTypes(folder))
  await t.test('nothing but what is needed is in it', () => assertLean(folder))
})

/** Undefined where the registry cannot be reached and the cache does not have what is needed. */
async function install(t: TestContext, folder: string): Promise<boolean> {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: root, env: environment })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  assert.ok(tarball)
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  const outcome = await run('npm', ['install', ...flags, `./${tarball}`], {
    cwd: folder,
    env: environment,
  }).catch((error) => error as { stderr: string })
  if (!('code' in outcome)) return true
  assert.match(outcome.stderr, /ENOTFOUND|ENOTCACHED|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT/)
  t.skip('the npm registry cannot be reached')
  return false
}

async function assertServes(t: TestContext, folder: string): Promise<void> {
  const command = join(folder, 'node_modules', '.bin', 'restwell')
  const child = spawn(command, ['serve', 'service.ts', '--port', '0'], {
    cwd: folder,
    env: { PATH: environment.PATH, DATABASE_URL: 'file:data/notes.db' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let url: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    url = /^Listening on (\S+)$/.exec(line)?.[1]
    if (url !== undefined) break
  }
  assert.ok(url)
  child.stdout.resume()
  const made = await fetch(`${url}/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"packed"}',
  })
  assert.equal(made.status, 201, 'the writer thread was found')
  const read = await fetch(new URL(made.headers.get('location') ?? '', url))
  assert.equal(((await read.json()) as { title: string }).title, 'packed')
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
}

async function assertTypes(folder: string): Promise<void> {
  const compilerOptions = {
    module: 'nodenext',
    target: 'esnext',
    strict: true,
    noEmit: true,
    types: [],
  }
  const check = (files: string[]) =>
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files })).then(() =>
      run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder], { env: environment }),
    )
  await check(['service.ts'])
  await writeFile(join(folder, 'wrong.ts'), definition.replace("'typed'", '42'))
  await assert.rejects(check(['wrong.ts']), ({ stdout }) => /TS2322/.test(stdout))
}

async function assertLean(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules', 'restwell')
  const expected = ['LICENSE', 'README.md', 'assets', 'bin', 'dist', 'package.json', 'src']
  const found = (await readdir(installed)).filter((name) => name !== 'CHANGELOG.md')
  assert.deepEqual(found.toSorted(), expected)
  const map = JSON.parse(await readFile(join(installed, 'dist', 'index.d.ts.map'), 'utf8'))
  assert.deepEqual(map.sources, ['../src/index.ts'])
}

test('on an old Node the command says which version it needs, and exits with 1', (t) => {
  const old = findOldNode()
  if (old === undefined) return t.skip('there is no Node.js before 26 on this machine')
  const { status, stdout, stderr } = spawnSync(old, [join(root, 'bin', 'restwell.js'), 'serve'])
  assert.equal(status, 1)
  assert.equal(String(stdout), '')
  assert.match(
    String(stderr),
    /^restwell needs Node\.js 26 or later, and this is v\d+\S+\. Install .*\n$/,
  )
})

function findOldNode(): string | undefined {
  const folders = ['/usr/bin', '/usr/local/bin', ...(process.env.PATH ?? '').split(delimiter)]
  return folders
    .map((folder) => join(folder, 'node'))
    .find((node) => {
      const version = String(spawnSync(node, ['--version']).stdout ?? '')
      return /^v\d+\./.test(version) && Number.parseInt(version.slice(1), 10) < 26
    })
}
