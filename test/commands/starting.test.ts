/** What stands in the way of starting: one clear message that says what to do, and no stack. */

import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { folderOf, type Outcome, outcomeOf, root, running, type Settings } from './command.ts'
import { onSmallDisk } from './small-disk.ts'

const shop = join(root, 'examples/shop.ts')

/** Refused: nothing on standard output, so many lines on standard error, no stack among them. */
function assertRefused({ code, stdout, stderr }: Outcome, lines = 1): string {
  assert.equal(code, 1, stderr)
  assert.equal(stdout, '')
  assert.doesNotMatch(stderr, /^\s+at |node:|errcode/m)
  assert.equal(stderr.trimEnd().split('\n').length, lines, stderr)
  return stderr.trimEnd()
}

async function refusalOf(args: readonly string[], settings?: Settings): Promise<string> {
  return assertRefused(await outcomeOf(['serve', ...args], settings))
}

describe('the command line', () => {
  test('an unknown command is named with the nearest, and exits with 2', async () => {
    const { code, stderr } = await outcomeOf(['sreve'])
    assert.equal(code, 2)
    assert.equal(stderr, "Unknown command 'sreve'. Did you mean 'serve'?\n")
  })
  test('help says how each command is used, and exits with 0', async () => {
    for (const args of [['help'], ['--help'], ['serve', '--help']]) {
      const { code, stdout } = await outcomeOf(args)
      assert.equal(code, 0)
      assert.match(stdout, /serve \[service\.ts \| --service FILE\] \[--port PORT\]/)
    }
  })
  test('an unknown flag is named with the nearest', async () => {
    assert.equal(await refusalOf(['--prot', '1']), "Unknown option '--prot'. Did you mean '--port'?")
    const migration = await outcomeOf(['migrate', '--aply'])
    assert.equal(assertRefused(migration), "Unknown option '--aply'. Did you mean '--apply'?")
    const listing = await outcomeOf(['routes', '--output', 'x'])
    assert.equal(assertRefused(listing), "Unknown option '--output'. Expected: --out.")
  })
  test('all that is wrong with flags and environment is told at once', async () => {
    const environment = { LOG_LEVEL: 'loud', RESTWELL_ADMIN: 'ada', RESTWELL_SAMPLE: 'no' }
    const outcome = await outcomeOf(['serve', '--port', '65536'], { environment })
    const text = assertRefused(outcome, 4)
    for (const name of ['65536', 'LOG_LEVEL', 'RESTWELL_ADMIN', 'RESTWELL_SAMPLE']) {
      assert.ok(text.includes(name), name)
    }
  })
})

const checkedSample = `import { anyone, check, email, password, resource, service, text } from 'restwell'
const users = resource({ email: email().unique(), password: password() }, { access: { read: anyone } })
const notes = resource({ title: text() }, { access: { read: anyone } })
export default service(
  { title: 'x', accounts: { resource: 'users', login: 'email', password: 'password' }, resources: { users, notes } },
  { notes: { checks: [check('title', "Must not be 'bad'.", ({ title }) => title !== 'bad')] } },
)
export const sample = { users: [{ email: 'ada@example.org' }], notes: [{ title: 'good' }, { title: 'bad' }] }`

describe('the definition', () => {
  async function refusalOfFile(t: TestContext, text: string, lines = 1): Promise<string> {
    const folder = await folderOf(t)
    await mkdir(join(folder, 'node_modules'))
    await symlink(root, join(folder, 'node_modules', 'restwell'))
    await writeFile(join(folder, 'service.ts'), text)
    return assertRefused(await outcomeOf(['serve', '--database', 'file::memory:'], { folder }), lines)
  }

  test('a missing file, of serve and of dev', async (t) => {
    const folder = await folderOf(t)
    for (const command of ['serve', 'dev']) {
      assert.equal(
        assertRefused(await outcomeOf([command, 'none.ts'], { folder })),
        'No definition file at none.ts. Name the file that exports your service, such as: restwell serve service.ts; for copy, user and token with --service FILE.',
      )
    }
  })
  test('a syntax error is shown with its line', async (t) => {
    const text = await refusalOfFile(t, 'const a = 1\n\nexport default {,}\n', 4)
    assert.match(text, /^service\.ts cannot be loaded: SyntaxError: .*\(service\.ts:3\)\. Correct/)
    assert.match(text, /\nexport default \{,\}\n +\^$/)
  })
  test('a missing quote is shown with the line above the place where it was noticed', async (t) => {
    const text = await refusalOfFile(t, "export default {\n  a: 'x,\n  b: 1,\n  c: 2,\n}\n", 5)
    assert.match(text, /\(service\.ts:3, or the line above\)\. Correct it and run the command again\.$/m)
    assert.match(text, /\n {2}a: 'x,\n {2}b: 1,\n {2}\^/)
  })
  test('an error of its own is shown with its line', async (t) => {
    const text = await refusalOfFile(t, "\nthrow new Error('no luck')\n")
    assert.match(text, /^service\.ts cannot be loaded: Error: no luck \(service\.ts:2\)\. Correct/)
  })
  test('a missing package is named', async (t) => {
    const text = await refusalOfFile(t, "import 'no-such-package'\n")
    assert.match(text, /Cannot find package 'no-such-package'.*npm install/)
  })
  test('a name that restwell does not export is named', async (t) => {
    const text = await refusalOfFile(t, "import { resorce } from 'restwell'\nresorce()\n", 3)
    assert.match(text, /does not provide an export named 'resorce' \(service\.ts:1\)/)
  })
  test('no default export, or one that is no service', async (t) => {
    for (const text of ['export const a = 1', 'export default { resources: {} }']) {
      assert.equal(
        await refusalOfFile(t, text),
        'service.ts has no service as its default export. End it with: export default service({ … })',
      )
    }
  })
  test('every fault of the definition is listed, each with its place', async (t) => {
    const folder = await folderOf(t)
    await mkdir(join(folder, 'node_modules'))
    await symlink(root, join(folder, 'node_modules', 'restwell'))
    const definition = `import { service, resource, ref, text, owner } from 'restwell'
      const notes = resource({ author: ref('user'), Title: text() }, { access: { read: owner('auther') } })
      export default service({ title: 'x', resources: { notes, health: notes } })`
    await writeFile(join(folder, 'service.ts'), definition)
    const outcome = await outcomeOf(['serve'], { folder })
    assert.equal(outcome.code, 1)
    assert.doesNotMatch(outcome.stderr, /^\s+at |node:/m)
    for (const word of ["'user'", "'auther'", 'health', 'notes']) {
      assert.ok(outcome.stderr.includes(word), `${word} in ${outcome.stderr}`)
    }
    assert.match(outcome.stderr, /^The definition in service\.ts has faults\.\n/)
  })
  test('a row of the sample that fails a check: named by check and by serve, and nothing is stored', async (t) => {
    const folder = await folderOf(t)
    await mkdir(join(folder, 'node_modules'))
    await symlink(root, join(folder, 'node_modules', 'restwell'))
    await writeFile(join(folder, 'service.ts'), checkedSample)
    const text = "sample.notes[1].title: Must not be 'bad'."
    assert.equal(assertRefused(await outcomeOf(['check'], { folder })), text)
    const args = ['serve', '--database', 'file:a.db', '--port', '0']
    assert.equal(assertRefused(await outcomeOf(args, { folder })), text)
    const database = new DatabaseSync(join(folder, 'a.db'))
    for (const table of ['users', 'notes']) {
      assert.deepEqual(database.prepare(`select * from "${table}"`).all(), [], table)
    }
    database.close()
  })
  test('a first account that cannot be made', async () => {
    const text = await refusalOf([shop, '--database', 'file::memory:', '--port', '0'], {
      environment: { RESTWELL_ADMIN: 'ada:short' },
    })
    assert.match(text, /^Cannot create the first account\. \/email: .*RESTWELL_ADMIN\.$/)
    assert.doesNotMatch(text, /short\b(?!er)/)
  })
})

describe('the port', () => {
  test('a port that is taken', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const args = [shop, '--database', 'file::memory:', '--host', '127.0.0.1', '--port', `${port}`]
    const { stdout, ...outcome } = await outcomeOf(['serve', ...args])
    assert.equal(
      assertRefused({ ...outcome, stdout: '' }),
      `Port ${port} on 127.0.0.1 is in use. Stop the other process, or choose another port with --port.`,
    )
    assert.match(
      stdout,
      /^Admin {6}admin@localhost, password \S+ \(shown only now\)\n$/,
      'the account is stored',
    )
  })
  test('an address of another machine', async () => {
    const args = [shop, '--database', 'file::memory:', '--host', '192.0.2.1', '--port', '0']
    const environment = { RESTWELL_ADMIN: 'admin@localhost:a long password' }
    const { stdout, ...outcome } = await outcomeOf(['serve', ...args], { environment })
    assert.match(assertRefused({ ...outcome, stdout: '' }), /^192\.0\.2\.1 is not an address of this machine/)
    assert.equal(stdout, 'Admin      admin@localhost, with the password from RESTWELL_ADMIN\n')
  })
})

describe('the database', () => {
  const refusalOfDatabase = (file: string) => refusalOf([shop, '--database', `file:${file}`, '--port', '0'])

  test('a file in use by another node, until that one is gone', async (t) => {
    const file = join(await folderOf(t), 'shop.db')
    const first = await running(['serve', shop, '--database', `file:${file}`, '--port', '0'])
    assert.match(await refusalOfDatabase(file), /is in use by another process\. Stop that one/)
    assert.equal(await first.stop(), 0)
    const second = await running(['serve', shop, '--database', `file:${file}`, '--port', '0'])
    assert.equal(await second.stop(), 0)
  })
  test('a file that is no database is left as it is', async (t) => {
    const file = join(await folderOf(t), 'shop.db')
    const diary = 'Dear diary, this is no database. '.repeat(200)
    await writeFile(file, diary)
    assert.match(await refusalOfDatabase(file), /is not a SQLite database\. Name another file/)
    assert.equal(await readFile(file, 'utf8'), diary)
  })
  test('a damaged file', async (t) => {
    const file = join(await folderOf(t), 'shop.db')
    await (await running(['serve', shop, '--database', `file:${file}`, '--port', '0'])).stop()
    const octets = await readFile(file)
    await writeFile(file, octets.fill(0xa5, 4096, octets.length))
    assert.match(await refusalOfDatabase(file), /is damaged.*\. Put a backup in its place/)
  })
  test('a file of another program', async (t) => {
    const file = join(await folderOf(t), 'shop.db')
    const database = new DatabaseSync(file)
    database.exec('create table songs (name text)')
    database.close()
    assert.match(await refusalOfDatabase(file), /made by another program/)
  })
  test('a file of another format, to other commands too', async (t) => {
    const folder = await folderOf(t)
    const file = join(folder, 'shop.db')
    await (await running(['serve', shop, '--database', `file:${file}`, '--port', '0'])).stop()
    const database = new DatabaseSync(file)
    database.exec(`update "_meta" set "value" = '999' where "name" = 'format'`)
    database.close()
    const reason = /has format 999, .* `restwell export` .* `restwell import` .* no password hashes/
    assert.match(await refusalOfDatabase(file), reason)
    await writeFile(join(folder, 'users.csv'), 'email\n')
    const commands = [
      ['migrate', shop, '--check'],
      ['backup', '--to', join(folder, 'backups'), '--service', shop],
      ['import', 'users', join(folder, 'users.csv'), '--service', shop],
    ]
    for (const words of commands) {
      const { code, stdout, stderr } = await outcomeOf([...words, '--database', `file:${file}`])
      assert.deepEqual([code, stdout], [1, ''], words.join(' '))
      assert.match(stderr, reason, words.join(' '))
    }
  })
  test('no place where workers could meet its writer', async (t) => {
    const folder = join(await folderOf(t), 'x'.repeat(120))
    const environment = { TMPDIR: join(folder, 'none'), RESTWELL_SAMPLE: 'off' }
    const database = `file:${join(folder, 'a.db')}`
    const args = ['serve', shop, '--workers', '2', '--database', database]
    const outcome = await outcomeOf(args, { environment })
    assert.match(outcome.stdout, /^Admin/)
    assert.match(assertRefused({ ...outcome, stdout: '' }), /^Workers cannot reach the writer: .* TMPDIR/)
  })
  test('a folder in its place, and a file in place of its folder', async (t) => {
    const folder = await folderOf(t)
    assert.match(await refusalOfDatabase(folder), /cannot be opened|is a folder/)
    await writeFile(join(folder, 'plain'), '')
    assert.match(await refusalOfDatabase(join(folder, 'plain', 'shop.db')), /not a folder/)
  })
  test('a file that this user may not read', async (t) => {
    const folder = await folderOf(t)
    const file = join(folder, 'shop.db')
    await writeFile(file, '', { mode: 0o000 })
    await chmod(folder, 0o777)
    // Root may read everything, so it sends nobody.
    const settings = process.getuid?.() === 0 ? { user: 65_534 } : {}
    const text = await refusalOf([shop, '--database', `file:${file}`, '--port', '0'], settings)
    assert.match(text, /Let this user read and write/)
  })
  for (const size of ['4k', '128k', '300k']) {
    test(`a disk that is full at ${size}`, (t) =>
      onSmallDisk(t, size, async (folder) => {
        assert.match(await refusalOfDatabase(join(folder, 'shop.db')), /disk.*room/i)
      }))
  }
})
