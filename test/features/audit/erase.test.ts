/** `restwell erase`: no table of the database has a former value of the item afterwards. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { outcomeOf } from '../../commands/command.ts'
import { lastingDatabase, readRows } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { admin, serve } from '../../service.ts'
import { jobWhen } from '../logic/started-jobs.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { createWebhook, recorded } from '../webhooks/webhook-requests.ts'
import notes from './fixtures/erasable-notes.ts'

const file = join(import.meta.dirname, 'fixtures', 'erasable-notes.ts')
const secret = 'Ada-Lovelace'
const partial = {
  'content-type': 'text/plain',
  'upload-draft-interop-version': '8',
  'upload-complete': '?0',
}
const named = (title: string) => ({ 'content-disposition': `attachment; filename="${title}.txt"` })
const kept = 'Grace-Hopper'

/** The tables that have the text, with the number of rows that have it. */
async function findText(database: string, text: string): Promise<Readonly<Record<string, number>>> {
  const tables = [
    'notes',
    'jobs',
    'log_queue',
    'file_uploads',
    'file_upload_parts',
    '_replays',
    '_tombstones',
    '_changes',
    '_history',
  ]
  const found: [string, number][] = []
  for (const table of tables) {
    const rows = await readRows(database, `select * from "${table}"`)
    const count = rows.filter((row) => row.some((value) => String(value).includes(text))).length
    if (count > 0) found.push([table, count])
  }
  return Object.fromEntries(found)
}

test('erase leaves no value in queued deliveries, hooks, jobs, uploads, stored responses, log and histories', async (t) => {
  await using receiver = await startReceiver((_, response) => response.writeHead(500).end())
  const database = await lastingDatabase(t)
  const items: string[] = []
  {
    await using s = await serve(notes, { database })
    const { uri } = await createWebhook(s, admin, receiver.url, ['notes.*'])
    for (const title of [secret, kept]) {
      const keyed = { ...admin, 'idempotency-key': title }
      const made = await s.request('POST /notes', keyed, { title })
      assert.equal(made.status, 201, made.text)
      const item = String(made.fields.location)
      items.push(item)
      assert.equal((await s.request(`PATCH ${item}`, admin, { title: `${title}!` })).status, 200)
      const ended = await s.request(`POST ${item}/proofread`, admin, {})
      const { message } = (await jobWhen(s, String(ended.fields.location))).json
      assert.equal(message, `Read ${title}!`)
      const job = await s.request(`POST ${item}/print`, admin, { remark: `For ${title}` })
      assert.equal(job.status, 202, job.text)
      const begun = await s.request(
        `PUT ${item}/scan`,
        { ...admin, ...partial, ...named(title) },
        'beginning',
      )
      assert.equal(begun.status, 201, begun.text)
      assert.equal((await s.request(`PATCH ${item}`, admin, { title: 'x' })).status, 200)
    }
    await recorded(s, uri, 'failed', 2)
    await eventually(() => s.observations.filter(({ kind }) => kind === 'logic-failed').length >= 2)
    const [failed] = (await s.request(`GET ${uri}/deliveries?status=failed`, admin)).json
    const again = await s.request(`POST ${uri}/deliveries/${failed.id}/redeliver`, admin)
    assert.equal(again.status, 202, again.text)
  }
  const before = await findText(database, secret)
  // Three deliveries in turn, a run of the hook and a job; perhaps the repeated delivery.
  assert.ok((before.log_queue ?? 0) >= 5, JSON.stringify(before))
  assert.equal(before._replays, 1)
  assert.deepEqual([before.jobs, before.file_uploads], [1, 1])
  const parts = 'select count(*) from "file_upload_parts"'
  assert.equal(Number((await readRows(database, parts))[0]?.[0]), 2)
  const others = await findText(database, kept)

  const path = items[0]!.replace(/^https?:\/\/[^/]+\//, '').replace(/^\//, '')
  const erased = await outcomeOf(['erase', path, '--service', file, '--database', database])
  assert.equal(erased.code, 0, erased.stderr)
  assert.match(
    erased.stdout,
    /Backups, exports, and what webhooks and mails have delivered still have them\./,
  )
  assert.deepEqual(await findText(database, secret), {})
  assert.deepEqual(await findText(database, kept), others)
  assert.equal(Number((await readRows(database, parts))[0]?.[0]), 1)
  const verified = await outcomeOf(['audit', 'verify', '--service', file, '--database', database])
  assert.equal(verified.code, 0, verified.stderr)
})
