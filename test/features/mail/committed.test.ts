/** A mail is never sent before the commit: when the mail server is reached, another connection sees its row. */

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { folderOf } from '../../commands/command.ts'
import { adminLogin, serve } from '../../service.ts'
import people from './fixtures/people.ts'
import { startMailServer } from './mail-server.ts'

test('the rows of mails are committed when the mail server is reached, and a refused request sends none', async (t) => {
  const file = `${await folderOf(t)}/service.db`
  const committed: number[] = []
  const rowsOf = () => {
    using database = new DatabaseSync(file, { readOnly: true })
    return Number(database.prepare('select count(*) as count from "account_mails"').get()?.count)
  }
  await using mails = await startMailServer({
    intercept: {
      onConnect(_session, next) {
        committed.push(rowsOf())
        next()
      },
    },
  })
  await using s = await serve(people, {
    database: `file:${file}`,
    mail: mails.url,
    publicUrl: 'https://people.example',
  })
  assert.equal(rowsOf(), 0)
  assert.equal((await s.request('POST /password-resets', {}, { login: 5 })).status, 422)
  assert.equal((await s.request('POST /password-resets', {}, { login: adminLogin })).status, 202)
  await mails.reached(1)
  assert.equal(committed[0], 1)
  assert.equal(mails.received.length, 1)
})
