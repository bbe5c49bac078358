/** A service that is killed with -9 while it sends a mail sends it again, with the same link. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import { cases } from '../../cases.ts'
import { folderOf } from '../../commands/command.ts'
import { freshDatabase, onPostgres } from '../../database.ts'
import { type Node, startNode } from '../../reliability/node.ts'
import { basic, createRequester } from '../../service.ts'
import { startMailServer } from './mail-server.ts'

const definition = 'test/features/mail/fixtures/people.ts'
const login = 'ada@example.org'

/** The stages of an SMTP session at which the client is killed. */
const stages = ['connect', 'sender', 'recipient', 'content', 'accepted'] as const
type Stage = (typeof stages)[number]
const killed: readonly Stage[] = cases(stages.length) === stages.length ? stages : ['recipient', 'accepted']

test(`a mail is sent at least once, always with the same link, by kills at ${killed.join(', ')}`, async (t) => {
  const database = onPostgres ? await freshDatabase() : `file:${await folderOf(t)}/service.db`
  const left = new Set(killed)
  const secrets: string[] = []
  const ended = Promise.withResolvers<void>()
  let node: Node | undefined
  /** Kills the service at a stage, once; its connection then ends. */
  const pass = (stage: Stage): boolean => {
    if (!left.delete(stage)) return true
    node?.process.kill('SIGKILL')
    return false
  }
  const intercept: SMTPServerOptions = {
    onConnect: (_session, next) => void (pass('connect') && next()),
    onMailFrom: (_address, _session, next) => void (pass('sender') && next()),
    onRcptTo: (_address, _session, next) => void (pass('recipient') && next()),
    onData(stream, _session, next) {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        if (!pass('content')) return
        const plain = text.replace(/=\r\n/g, '').replace(/=3D/g, '=')
        secrets.push(/password-resets\/([\w-]{43})/.exec(plain)?.[1] ?? '')
        if (!pass('accepted')) return
        next()
        ended.resolve()
      })
    },
  }
  await using mails = await startMailServer({ intercept })
  const environment = { MAIL_URL: mails.url, PUBLIC_URL: 'https://people.example' }
  const start = async (port?: number) => {
    const begun = await startNode({ definition, database, environment, ...(port ? { port } : {}) })
    node = begun
    begun.process.once('exit', (_code, signal) => {
      // The next node is started where the server has killed this one.
      if (signal === 'SIGKILL' && secrets.at(-1) !== 'done') void start(begun.port)
    })
    return begun
  }
  const first = await start()
  const request = createRequester(first.port)
  const password = 'the first password'
  assert.equal((await request('POST /people', {}, { email: login, password })).status, 201)
  const asked = await request('POST /password-resets', {}, { login })
  assert.equal(asked.status, 202)
  await ended.promise
  assert.equal(left.size, 0)
  assert.ok(secrets.length >= (killed.includes('accepted') ? 2 : 1))
  assert.deepEqual(new Set(secrets).size, 1)
  const uri = `/password-resets/${secrets[0]}`
  const last = createRequester(first.port)
  assert.equal((await last(`POST ${uri}`, {}, { password: 'the second password' })).status, 204)
  assert.equal((await last('GET /people', basic(login, 'the second password'))).status, 200)
  secrets.push('done')
  const exited = node && once(node.process, 'exit')
  node?.process.kill('SIGKILL')
  await exited
})
