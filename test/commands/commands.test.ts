import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  existsSync,
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
import { after, type TestContext, test } from 'node:test'
import { packageFlags, restwellProgram } from '../restwell.ts'
import { runCommand } from './in-process.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'restwell-commands-'))
after(() => rmSync(folder, { recursive: true }))

const restwell = (t: TestContext, ...args: readonly string[]) => runCommand(t, args)

function run(args: readonly string[], cwd: string) {
  // A test within a test would report to its parent instead of running.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('openapi prints the whole description, or writes it where --out says', async (t) => {
  const printed = await restwell(t, 'openapi', 'examples/shop.ts')
  assert.equal(printed.code, 0, printed.stderr)
  const { paths, openapi } = JSON.parse(printed.stdout)
  assert.match(openapi, /^3\.1\./)
  assert.ok(paths['/products'].post && paths['/products']['x-query'])
  const file = join(folder, 'openapi.json')
  assert.equal((await restwell(t, 'openapi', 'examples/shop.ts', '--openapi', '3.2', '--out', file)).code, 0)
  const newer = JSON.parse(readFileSync(file, 'utf8'))
  assert.match(newer.openapi, /^3\.2\./)
  assert.ok(newer.paths['/products'].query)
})

test('client prints a client in one TypeScript file', async (t) => {
  const { code, stdout } = await restwell(t, 'client', 'examples/shop.ts')
  assert.equal(code, 0)
  assert.match(stdout, /export function client/)
  assert.doesNotMatch(stdout, /^import /m)
})

test('check explains a sound definition in words', async (t) => {
  const { code, stdout } = await restwell(t, 'check', 'examples/shop.ts')
  assert.equal(code, 0)
  assert.match(stdout, /The definition 'Example shop' is valid/)
  assert.match(stdout, /publish: draft → published/)
  assert.match(stdout, /read +anyone where status is published; or the account in author/)
})

test('check warns of resources that no rule opens, and exits with 0', async (t) => {
  const { code, stdout } = await restwell(t, 'check', written('closed-resources.ts', closedResources))
  assert.equal(code, 0)
  const [, warnings] = stdout.split('\nWarnings:\n')
  assert.match(warnings ?? '', /^ {2}notes: no rule permits a caller to .* access: \{ read: anyone \}\n$/)
  assert.doesNotMatch((await restwell(t, 'check', 'examples/shop.ts')).stdout, /Warnings/)
})

const closedOperations = `
export default service(
  { title: 'Shop', resources: { orders: resource({ name: text() }, { access: { read: anyone } }) } },
  {
    '/': {
      actions: {
        close: action({ by: nobody, run: () => undefined }),
        open: action({ by: anyone, run: () => undefined }),
      },
      queries: { sales: query({ by: nobody, result: { name: text() }, run: () => ({ name: 'a' }) }) },
    },
  },
)`

test('check warns of operations of the service that no rule opens', async (t) => {
  const { code, stdout } = await restwell(t, 'check', written('closed-operations.ts', closedOperations))
  assert.equal(code, 0)
  const [, warnings] = stdout.split('\nWarnings:\n')
  const of = (operation: string) =>
    `  ${operation} of the service: no rule permits a caller to send it, so only programs reach it. Declare by, such as: by: signedIn\n`
  assert.equal(warnings, of("Action 'close'") + of("Query 'sales'"))
})

test('check names indexes that others make needless', async (t) => {
  const { stdout } = await restwell(t, 'check', written('needless-indexes.ts', needlessIndexes))
  const [, warnings] = stdout.split('\nWarnings:\n')
  assert.equal(
    warnings,
    "  things: the index of name is not needed, because the index of name, size begins with it. Remove it from 'index'.\n" +
      "  things: the index of code is not needed, because its unique() has one. Remove it from 'index'.\n",
  )
})

const needlessIndexes = `const things = resource(
  { name: text(), size: integer(), code: text().unique() },
  { access: { read: anyone }, index: ['name', ['name', 'size'], 'code', 'size'] },
)
export default service({ title: 'x', resources: { things } })`

const closedResources = `const notes = resource({ title: text() })
const things = resource({ title: text() }, { access: { create: anyone } })
export default service({ title: 'x', resources: { notes, things } })`

test('check says for whom caches store a response, and why not for all', async (t) => {
  const { stdout } = await restwell(t, 'check', written('cached-resources.ts', cachedResources))
  const [description, warnings] = stdout.split('\nWarnings:\n')
  assert.match(
    description ?? '',
    /^\/posts:(.|\n)*?Caches may store it for 60 s, if the caller sent no credentials\.$/m,
  )
  assert.match(description ?? '', /^\/labels:(.|\n)*?Only the client's own cache may store it for 30 s\.$/m)
  assert.equal(
    warnings,
    "  posts: 'cache' has an effect only for callers without credentials. The responses to others are 'private, no-cache', because callers see different content: the rule of the field 'secret'; the derived field 'size', whose value depends on the notes that the caller may read.\n",
  )
})

const cachedResources = `const access = { read: anyone }
const labels = resource({ title: text() }, { access, cache: { maxAge: 30, shared: false } })
const posts = resource(
  { title: text(), secret: text().optional().visibleTo(signedIn) },
  { access, cache: { maxAge: 60 }, derived: { size: count('notes').always() } },
)
const notes = resource({ post: ref('posts', { inverse: 'notes' }) }, { access: { read: signedIn } })
const users = resource({ login: text().unique(), password: password() }, { access })
const accounts = { resource: 'users', login: 'login', password: 'password' }
export default service({ title: 'x', accounts, resources: { labels, posts, notes, users } })`

test('check --against finds nothing in the own description, with mail and moved paths too', async (t) => {
  for (const definition of ['examples/shop.ts', 'test/features/mail/fixtures/people.ts']) {
    const released = join(folder, 'own.json')
    assert.equal((await restwell(t, 'openapi', definition, '--out', released)).code, 0)
    const { code, stdout } = await restwell(t, 'check', definition, '--against', released)
    assert.equal(code, 0, stdout)
  }
})

test('check --against lists what would break clients, and exits with 1', async (t) => {
  const words = JSON.stringify(join(root, 'src/index.ts'))
  const define = (name: string, fields: string) => {
    const file = join(folder, name)
    writeFileSync(
      file,
      `import { anyone, resource, service, text } from ${words}
export default service({ title: 'x', resources: { things: resource(${fields}, { access: { read: anyone, create: anyone } }) } })`,
    )
    return file
  }
  const old = join(folder, 'old.json')
  const first = define('first.ts', '{ title: text(), note: text().optional() }')
  assert.equal((await restwell(t, 'openapi', first, '--out', old)).code, 0)
  const same = await restwell(t, 'check', first, '--against', old)
  assert.equal(same.code, 0, same.stderr)
  assert.match(same.stdout, /^Nothing would break clients/)
  const further = define('further.ts', '{ title: text(), note: text().optional(), more: text().optional() }')
  assert.equal((await restwell(t, 'check', further, '--against', old)).code, 0)
  const less = await restwell(t, 'check', define('less.ts', '{ title: text() }'), '--against', old)
  assert.equal(less.code, 1)
  assert.match(less.stdout, /POST \/things: content \/note is no longer accepted\./)
  const newer = join(folder, 'newer.json')
  assert.equal((await restwell(t, 'openapi', first, '--openapi', '3.2', '--out', newer)).code, 0)
  assert.equal((await restwell(t, 'check', first, '--against', newer)).code, 0)
  const wrong = await restwell(t, 'check', first, '--against', first)
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /Cannot read .*first\.ts/)
})

test('check names every fault of an unsound one, and exits with 1', async (t) => {
  const file = join(folder, 'unsound.ts')
  const words = JSON.stringify(join(root, 'src/index.ts'))
  writeFileSync(
    file,
    `import { resource, service, text } from ${words}
export default service({ title: 'x', resources: { Things: resource({ a: text({ min: 3, max: 1 }) }) } })`,
  )
  const { code, stderr } = await restwell(t, 'check', file)
  assert.equal(code, 1)
  assert.match(stderr, /Did you mean 'things'/)
  assert.match(stderr, /greater than 'max'/)
})

test('routes prints every URI with its methods and who may', async (t) => {
  const { code, stdout } = await restwell(t, 'routes', 'examples/shop.ts')
  assert.equal(code, 0)
  assert.match(stdout, /^GET HEAD QUERY OPTIONS +\/products +anyone$/m)
  assert.match(stdout, /^(?:[A-Z]+ )*DELETE +\/products\/\{id\} +the role admin$/m)
  assert.match(stdout, /^GET HEAD OPTIONS +\/openapi\.json +anyone$/m)
  assert.match(stdout, /^GET HEAD OPTIONS POST +\/sign-in +anyone$/m)
  for (const uri of ['/metrics', '/status']) {
    assert.match(stdout, new RegExp(`^GET HEAD +${uri} +the role admin$`, 'm'))
    assert.match(stdout, new RegExp(`^OPTIONS +${uri} +anyone$`, 'm'))
  }
  // The explanation of access has the URI of an item.
  assert.doesNotMatch(stdout, / \/\{collection\}\/\{id\}/)
})

test('routes and check name sub-collections', async (t) => {
  const { stdout } = await restwell(t, 'routes', 'examples/tracker/service.ts')
  assert.match(
    stdout,
    /^GET HEAD QUERY +\/projects\/\{id\}\/tasks +with the right to read \/projects\/\{id\}: /m,
  )
  assert.match(stdout, /^POST +\/projects\/\{id\}\/tasks /m)
  const { stdout: words } = await restwell(t, 'check', 'examples/tracker/service.ts')
  assert.match(words, /\/projects\/\{id\}\/tasks lists the items of tasks whose 'project' is the item\./)
})

test('check and routes name roles as alternatives, and what must hold together', async (t) => {
  const { stdout, stderr } = await restwell(t, 'check', written('roles.ts', roles))
  assert.match(stdout, /read +\(the role a or b\) and at the same time the account itself$/m, stderr)
})

test('check explains what issuers mean for accounts that people make themselves', async (t) => {
  const open = (await restwell(t, 'check', written('open.ts', issued('anyone')))).stdout
  assert.match(
    open,
    /A JWT from https:\/\/id\.example signs in the account whose 'email' equals its claim 'email'/,
  )
  assert.match(open, /The first JWT binds the account to its iss and sub/)
  assert.match(open, /the first JWT removes the password, sessions and tokens/)
  const closed = (await restwell(t, 'check', written('closed.ts', issued("role('admin')")))).stdout
  assert.match(closed, /passwords stay valid after the first JWT/)
})

function issued(create: string): string {
  return `export default service({
  title: 'x',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  issuers: [{ issuer: 'https://id.example', audience: 'x', jwks: 'https://id.example/jwks', algorithms: 'RS256', login: 'email' }],
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'c']).default('c').writableBy(role('admin')),
      },
      { access: { read: self, create: ${create} } },
    ),
  },
})`
}

const roles = `export default service({
  title: 'x',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role', admin: 'a' },
  resources: {
    users: resource(
      { email: email().unique(), password: password(), role: choice(['a', 'b', 'c']).default('c') },
      { access: { read: and(role('a', 'b'), self), create: nobody } },
    ),
  },
})`

function written(name: string, text: string): string {
  const file = join(folder, name)
  const words = JSON.stringify(join(root, 'src/index.ts'))
  const names =
    'action, and, anyone, choice, count, email, nobody, password, query, ref, resource, role, self, service, signedIn'
  writeFileSync(file, `import { ${names}, integer, text } from ${words}\n${text}`)
  return file
}

test('a sample that cannot be written is told by its places, without a stack', async (t) => {
  const file = written('sample.ts', sampled)
  const served = ['serve', file, '--database', 'file::memory:', '--port', '0']
  for (const args of [['check', file], served]) {
    const { code, stdout, stderr } = await restwell(t, ...args)
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.doesNotMatch(stderr, /\n {4}at /)
    for (const line of [
      "sample.item: Unknown resource 'item'. Did you mean 'items'?",
      'sample.items[0].stock: Must be a whole number.',
      "sample.items[1]: Unknown field 'nam'. Did you mean 'name'?",
      'sample.items[1].name: Required.',
      'sample.items[2] must be an object, not null.',
      'sample.items[3].next: Must be the index of a row in sample.items, from 0 to 3, not 9.',
    ]) {
      assert.ok(stderr.includes(`\n  ${line}\n`), `${line}\n${stderr}`)
    }
  }
})

const sampled = `export default service({
  title: 'x',
  resources: {
    items: resource({ name: text(), stock: integer().default(0), next: ref('items').optional() }),
  },
})
export const sample = {
  items: [{ name: 'a', stock: '1' }, { nam: 'b' }, null, { name: 'c', next: 9 }],
  item: [],
}`

test('a wrong flag, version or file is one line and exit code 1', async (t) => {
  for (const args of [
    ['openapi', 'examples/shop.ts', '--openapi', '2.0'],
    ['client', 'examples/shop.ts', '--out', join(folder, 'no/such/folder.ts')],
    ['init', '--force'],
  ]) {
    const { code, stdout, stderr } = await restwell(t, ...args)
    assert.equal(code, 1, args.join(' '))
    assert.equal(stdout, '')
    assert.doesNotMatch(stderr, /\n {4}at /)
  }
})

test('init makes a project of its template that is sound and passes its own test', async (t) => {
  const made = await restwell(t, 'init', '--template', 'tracker', join(folder, 'work'))
  assert.equal(made.code, 0, made.stderr)
  const project = linked(join(folder, 'work'))
  assert.ok(['people.ts', 'sample.ts', 'service.ts'].every((file) => readdirSync(project).includes(file)))
  assert.match(run([...restwellProgram, 'check'], project).stdout, /The definition 'Tracker' is valid/)
  const tested = run([...packageFlags, '--test'], project)
  assert.equal(tested.status, 0, tested.stdout)
  assert.match(tested.stdout, /pass 1/)
})

test('init names its templates, where there is none of a name', async (t) => {
  for (const template of ['react', 'toString']) {
    const { code, stderr } = await restwell(t, 'init', join(folder, 'none'), `--template=${template}`)
    assert.equal(code, 1)
    assert.equal(stderr, `There is no template '${template}'. Expected: minimal, tracker.\n`)
  }
  assert.equal(existsSync(join(folder, 'none')), false)
  const { stderr } = await restwell(t, 'init', '--templates', 'tracker')
  assert.equal(stderr, "Unknown option '--templates'. Did you mean '--template'?\n")
})

/** The project, in which the package is this one. */
function linked(project: string): string {
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(root, join(project, 'node_modules/restwell'))
  return project
}

test('init makes a project that is sound and passes its own test', async (t) => {
  const project = join(folder, 'My notes')
  const made = await restwell(t, 'init', project)
  assert.equal(made.code, 0, made.stderr)
  assert.deepEqual(readdirSync(project).sort(), [
    '.gitignore',
    'README.md',
    'package.json',
    'service.test.ts',
    'service.ts',
    'tsconfig.json',
  ])
  const { name, dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  assert.equal(name, 'my-notes')
  assert.ok(dependencies.restwell)
  linked(project)
  assert.match(run([...restwellProgram, 'check'], project).stdout, /The definition 'Notes' is valid/)
  const program = `import { openService } from 'restwell'
import definition from './service.ts'
const admin = { login: 'admin@localhost', password: 'correct horse battery' }
await using service = await openService(definition, { database: 'file::memory:', admin })
const authorization = 'Basic ' + btoa(admin.login + ':' + admin.password)
const { status } = await service.handle(new Request('http://localhost/status', { headers: { authorization } }))
console.log(status)`
  writeFileSync(join(project, 'status.ts'), program)
  assert.equal(run([...packageFlags, 'status.ts'], project).stdout, '200\n', 'its first account is an admin')
  const tested = run([...packageFlags, '--test'], project)
  assert.equal(tested.status, 0, tested.stdout)
  assert.match(tested.stdout, /pass 1/)
})

test('init adds to what npm has left in a folder', async (t) => {
  const project = join(folder, 'installed')
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  writeFileSync(join(project, 'package-lock.json'), '{}')
  const there = {
    name: 'mine',
    license: 'MIT',
    type: 'commonjs',
    scripts: { test: 'echo "Error: no test specified" && exit 1', build: 'make' },
    dependencies: { restwell: 'file:restwell.tgz', other: '1.0.0' },
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify(there))
  const made = await restwell(t, 'init', project)
  assert.equal(made.code, 0, made.stderr)
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  assert.equal(manifest.name, 'mine')
  assert.equal(manifest.license, 'MIT')
  assert.equal(manifest.type, 'module')
  assert.deepEqual(manifest.dependencies, there.dependencies)
  assert.equal(manifest.scripts.build, 'make')
  assert.equal(manifest.scripts.test, 'node --test')
  assert.ok(manifest.devDependencies.typescript)
  assert.equal(readFileSync(join(project, 'package-lock.json'), 'utf8'), '{}')
})

test('init overwrites nothing', async (t) => {
  const taken = join(folder, 'taken')
  mkdirSync(taken)
  writeFileSync(join(taken, 'service.ts'), 'mine')
  const { code, stderr } = await restwell(t, 'init', taken)
  assert.equal(code, 1)
  assert.match(stderr, /is not empty: it contains service\.ts/)
  assert.equal(readFileSync(join(taken, 'service.ts'), 'utf8'), 'mine')
})
