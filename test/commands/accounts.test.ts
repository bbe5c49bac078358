/** `restwell user` and `restwell token`, run as an operator runs them. */

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { token } from '../../src/commands/token.ts'
import { user } from '../../src/commands/user.ts'
import { loadDefinition } from '../../src/service/load-definition.ts'
import { OperatorFault } from '../../src/tools/operator-fault.ts'
import { bearer } from '../access/sample.ts'
import { registerAuthenticator } from '../features/second-factors/authenticator.ts'
import { restwellProgram } from '../restwell.ts'
import { basic, createRequester } from '../service.ts'

const root = join(import.meta.dirname, '..', '..')
let folder = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restwell-commands-'))
})

after(() => rm(folder, { recursive: true, force: true }))

interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

function restwell(args: readonly string[], input = ''): Promise<Run> {
  const place = ['--service', 'examples/shop.ts', '--database', `file:${join(folder, 'shop.db')}`]
  const words = [...restwellProgram, ...args, ...place]
  return new Promise((resolve) => {
    const child = execFile(process.execPath, words, { cwd: root }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
    child.stdin?.end(input)
  })
}

/** The service on the same database. */
async function running() {
  const child = spawn(
    process.execPath,
    [...restwellProgram, 'serve', 'examples/shop.ts', '--port', '0', '--host', '127.0.0.1'],
    {
      cwd: root,
      env: { ...process.env, DATABASE_URL: `file:${join(folder, 'shop.db')}`, LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  for await (const line of createInterface(child.stdout)) {
    const port = /^Listening on http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
    if (port === undefined) continue
    return {
      ask: createRequester(Number(port)),
      async [Symbol.asyncDispose]() {
        child.kill('SIGTERM')
        await once(child, 'exit')
      },
    }
  }
  throw new Error('The service did not start')
}

test('accounts and tokens made by command are those of the service', async () => {
  const added = await restwell(
    ['user', 'add', 'ada@example.org', '--role', 'editor', '--field', 'name=Ada', '--password-stdin'],
    'a password for Ada\n',
  )
  assert.deepEqual(added, { code: 0, out: 'Added ada@example.org.\n', err: '' })
  const bob = await restwell(['user', 'add', 'bob@example.org', '--field', 'name=Bob'])
  const madeUp = /Password: (\S+) /.exec(bob.out)?.[1] ?? ''
  assert.ok(madeUp.length >= 20)
  const made = await restwell([
    'token',
    'make',
    'ada@example.org',
    '--name',
    'ci',
    '--scope',
    'articles:read',
    '--expires-in',
    '3600',
  ])
  const secret = made.out.trim()
  assert.match(secret, /^rw_[0-9A-Za-z]{49}$/)
  {
    await using service = await running()
    assert.equal(
      (await service.ask('GET /tokens', basic('ada@example.org', 'a password for Ada'))).json.length,
      1,
    )
    assert.equal((await service.ask('GET /tokens', basic('bob@example.org', madeUp))).status, 200)
    assert.equal((await service.ask('GET /articles', bearer(secret))).status, 200)
    assert.equal((await service.ask('GET /users', bearer(secret))).status, 403)
    const locked = await restwell(['token', 'list'])
    assert.equal(locked.code, 1)
    assert.match(locked.err, /in use by another process.*\n.*While the service is running/)
  }
  const listed = await restwell(['token', 'list', 'ada@example.org'])
  const [id = ''] = listed.out.split('\t')
  assert.match(listed.out, /\tarticles:read\tci\n$/)
  assert.ok(!listed.out.includes('rw_'))
  assert.deepEqual(await restwell(['token', 'revoke', id]), {
    code: 0,
    out: `Revoked ${id}.\n`,
    err: '',
  })
  assert.equal((await restwell(['token', 'list'])).out, '')
  assert.equal((await restwell(['user', 'role', 'bob@example.org', 'admin'])).code, 0)
  assert.equal(
    (await restwell(['user', 'password', 'ada@example.org', '--password-stdin'], 'another password')).code,
    0,
  )
  await using service = await running()
  assert.equal((await service.ask('GET /tokens', basic('ada@example.org', 'a password for Ada'))).status, 401)
  assert.equal((await service.ask('GET /tokens', basic('ada@example.org', 'another password'))).status, 200)
  const [first] = (await service.ask('GET /users', basic('bob@example.org', madeUp))).json
  assert.ok(first.email, 'an admin sees every address')
})

test('an account is disabled and enabled by command', async () => {
  const add = ['user', 'add', 'tom@example.org', '--field', 'name=Tom', '--password-stdin']
  assert.equal((await restwell(add, 'a password for Tom')).code, 0)
  const tom = basic('tom@example.org', 'a password for Tom')
  for (const [action, status] of [
    ['disable', 401],
    ['enable', 200],
  ] as const) {
    const run = await restwell(['user', action, 'tom@example.org'])
    assert.deepEqual([run.code, run.err], [0, ''])
    assert.match(run.out, /^tom@example\.org is (disabled|enabled)\./)
    await using service = await running()
    assert.equal((await service.ask('GET /tokens', tom)).status, status)
  }
})

test('credentials are listed and revoked by command', async () => {
  const login = 'kim@example.org'
  const add = ['user', 'add', login, '--field', 'name=Kim', '--password-stdin']
  assert.equal((await restwell(add, 'a password for Kim')).code, 0)
  const kim = basic(login, 'a password for Kim')
  const none = { code: 0, out: `${login} has no credential beside its password.\n`, err: '' }
  assert.deepEqual(await restwell(['user', 'credentials', login]), none)
  {
    await using service = await running()
    const { account } = (await service.ask('GET /', kim)).json.links
    await registerAuthenticator({ request: service.ask }, account.href ?? account, kim, Date.now)
    assert.equal((await service.ask('GET /tokens', kim)).status, 401, 'it has a second factor')
  }
  const listed = await restwell(['user', 'credentials', login])
  const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'
  const lines = `^[\\w-]{36}  totp  -  since ${time}\n[\\w-]{36}  recovery-codes  10 left  since ${time}\n$`
  assert.match(listed.out, new RegExp(lines))
  const unknown = await restwell(['user', 'credentials', login, '--revoke', 'nothing'])
  assert.equal(unknown.code, 1)
  assert.match(unknown.err, /kim@example\.org has no credential 'nothing'\. Expected an id, or all\./)
  const revoked = await restwell(['user', 'credentials', login, '--revoke', 'all'])
  assert.deepEqual(revoked, { code: 0, out: `Revoked 2 of 2 credentials of ${login}.\n`, err: '' })
  assert.deepEqual(await restwell(['user', 'credentials', login]), none)
  await using service = await running()
  assert.equal((await service.ask('GET /tokens', kim)).status, 200)
})

test('what cannot be done is told in a sentence', async () => {
  const place = ['--service', join(root, 'examples/shop.ts'), '--database', `file:${join(folder, 'shop.db')}`]
  const refused = async ([name, ...args]: readonly string[], said: RegExp) => {
    const command = name === 'user' ? user : token
    await assert.rejects(command.run([...args, ...place], loadDefinition), (error: unknown) => {
      assert.ok(error instanceof OperatorFault, String(error))
      assert.match(error.message, said)
      return true
    })
  }
  for (const [line, said] of [
    ['user', /The action is missing. Expected: add, password, role/],
    ['user frobnicate', /Unknown action 'frobnicate'\. Expected: add/],
    ['user add', /Expected one account to add, got 0/],
    ['user add no-address', /email: .*\n.*name: required. Set it with --field/s],
    ['user add c@example.org --field nosuch=1', /NAME=VALUE/],
    ['user add c@example.org --field name=C --role emperor', /role: Must be one of/],
    ['user add bob@example.org --field name=B', /email: another account has this value/],
    ['user password nobody@example.org', /No account 'nobody@example.org'/],
    ['user role nobody@example.org admin', /No account 'nobody@example.org'/],
    ['user role bob@example.org', /Expected one role, got 0/],
    ['user role bob@example.org member', /last account with the role 'admin'/],
    ['user disable bob@example.org', /last account with the role 'admin'/],
    ['user disable nobody@example.org', /No account 'nobody@example.org'/],
    ['token make nobody@example.org', /No account 'nobody@example.org'/],
    ['token make bob@example.org --scope nothing:read', /scopes\/0: Must be one of/],
    ['token make bob@example.org --scope articles', /scopes\/0/],
    ['token make bob@example.org --expires-in 0', /--expires-in must be 1 to/],
    ['token revoke x', /No token 'x'/],
    ['token list --port 1', /--port/],
  ] as const) {
    await refused(line.split(' '), said)
  }
})
