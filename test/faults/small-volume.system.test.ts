/** A small volume: the write-ahead log leaves space for the data (SQLite, "Write-Ahead Logging" §4). */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { onSmallDisk } from '../commands/small-disk.ts'
import { eventually } from '../eventually.ts'
import type { SendRequest } from '../service.ts'
import { createNote, startNotes } from './notes-node.ts'

const mebibyte = 1024 * 1024

test('1,500 short notes fit on 24 MiB, and the log stays within four times the database or 4 MiB', (t) =>
  onSmallDisk(t, '24m', async (folder) => {
    const file = join(folder, 'a.db')
    const node = await startNotes(t, file)
    for (let count = 1; count <= 1500; count += 1) {
      assert.equal(await createNote(node.request, `note ${count}`), 201, `note ${count}`)
      const limit = Math.max(4 * mebibyte, 4 * octetsOf(file))
      assert.ok(octetsOf(`${file}-wal`) <= limit + mebibyte, `${octetsOf(`${file}-wal`)} octets`)
    }
    assert.equal(await node.stop(), 0)
  }))

test('a volume filled by data: the database has most of it, deleting works, and so does the next start', (t) =>
  onSmallDisk(t, '24m', async (folder) => {
    const file = join(folder, 'a.db')
    const first = await startNotes(t, file)
    const made = await fill(first.request, 'first')
    await removeSome(first.request, made)
    const log = octetsOf(`${file}-wal`)
    assert.ok(octetsOf(file) > 16 * mebibyte, `${octetsOf(file)} octets, and ${log} of log`)
    first.process.kill('SIGKILL')
    await once(first.process, 'exit')
    const second = await startNotes(t, file)
    assert.equal(await createNote(second.request, 'after the restart'), 201)
    assert.equal(await second.stop(), 0)
  }))

test('a log on a volume that another program fills gives its room back to the next write', (t) =>
  onSmallDisk(t, '128m', async (folder) => {
    const file = join(folder, 'a.db')
    const { request } = await startNotes(t, file)
    const log = await fillBesideLog(request, file, join(folder, 'ballast'))
    assert.equal(await createNote(request, 'beside the ballast', body()), 201)
    assert.ok(octetsOf(`${file}-wal`) < log)
  }))

/**
 * Fills the volume beside a log that is folded, and returns the size of the log. Again where the service has written in
 * between: what it wrote may need room in the file, or the log has given its room to the ballast.
 */
async function fillBesideLog(request: SendRequest, file: string, ballast: string): Promise<number> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const log = await growLog(request, file)
    await eventually(() => isFolded(file))
    await fillVolume(ballast)
    if (isFolded(file) && octetsOf(`${file}-wal`) >= log) return log
    await rm(ballast)
  }
  assert.fail('The service has written while the volume was filled, five times.')
}

/**
 * Creates notes until the log has more than 2 MiB, and returns its size. They are sent at once, because a log that is
 * folded between two of them begins anew.
 */
async function growLog(request: SendRequest, file: string): Promise<number> {
  for (let round = 1; round <= 10; round += 1) {
    const titles = Array.from({ length: 200 }, (_, at) => `note ${round}-${at}`)
    const statuses = await Promise.all(titles.map((title) => createNote(request, title, body())))
    assert.ok(statuses.every((status) => status === 201))
    const log = octetsOf(`${file}-wal`)
    if (log > 2 * mebibyte) return log
  }
  assert.fail('The log did not grow.')
}

/** Creates notes of 16 kB until the disk is full; returns their URIs. */
async function fill(request: SendRequest, prefix: string): Promise<readonly string[]> {
  const uris: string[] = []
  for (;;) {
    const title = `${prefix} ${uris.length}`
    const { status, fields, text } = await request('POST /notes', {}, { title, body: body() })
    if (status === 507) return uris
    assert.equal(status, 201, text)
    uris.push(String(fields.location))
  }
}

/** Writes a file until the volume has no space. The service may write beside it, so no size is known beforehand. */
async function fillVolume(file: string): Promise<void> {
  const ballast = await open(file, 'w')
  try {
    for (;;) await ballast.write(Buffer.alloc(mebibyte / 16))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await ballast.close()
  }
}

function body(): string {
  return 'x'.repeat(16_000)
}

async function removeSome(request: SendRequest, uris: readonly string[]): Promise<void> {
  for (const uri of uris.slice(0, 20)) {
    const { status, text } = await request(`DELETE ${new URL(uri, 'http://localhost').pathname}`)
    assert.equal(status, 204, text)
  }
}

/** Whether all of the log is in the file. */
function isFolded(file: string): boolean {
  const database = new DatabaseSync(file)
  try {
    const state = database.prepare('pragma wal_checkpoint(noop)').get()
    return state?.log === state?.checkpointed
  } finally {
    database.close()
  }
}

function octetsOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}
