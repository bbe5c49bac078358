/** Uploads that are cut at random offsets and resumed, with kill -9 in between: no octet is wrong, and no orphan stays. */

import assert from 'node:assert/strict'
import { hash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { removeUnusedFiles } from '../../../src/features/files/remove-unused-files.ts'
import { openFileStore } from '../../../src/store/files/open-file-store.ts'
import { pruneRows } from '../../../src/work/prune-rows.ts'
import { cases, someOf } from '../../cases.ts'
import { lastingDatabase } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { type Node, startNode } from '../../reliability/node.ts'
import { createRequester, type SendRequest, serve } from '../../service.ts'
import { type FilesPlace, filesPlaces } from './files-places.ts'
import { gallery, newPicture, png } from './gallery.ts'

const cutsOf: Readonly<Record<string, number>> = { 'a folder': cases(2000, 20), S3: cases(2000, 40) }
const cutsPerFile = 10
const cutsPerKill = 25

for (const [name, open] of someOf(Object.entries(filesPlaces), 1)) {
  const cuts = cutsOf[name] ?? 0
  test(`${name}: uploads cut at ${cuts} random offsets are resumed, also after kill -9`, async (t) => {
    await using place = await open()
    const database = await lastingDatabase(t)
    const start = () =>
      startNode({
        definition: 'test/features/files/gallery.ts',
        database,
        environment: { FILES_URL: place.url },
      })
    const { node, stored, kills } = await cutUploads(start, cuts)
    node.process.kill('SIGTERM')
    await once(node.process, 'exit')
    await requireNoOrphans(database, place, stored)
    t.diagnostic(`${stored.size} files, ${cuts} cuts, ${kills} kills`)
  })
}

interface CutUploads {
  /** The last node that was started. */
  readonly node: Node
  /** The digests of the files that were stored. */
  readonly stored: ReadonlySet<string>
  readonly kills: number
}

async function cutUploads(start: () => Promise<Node>, cuts: number): Promise<CutUploads> {
  let node = await start()
  let kills = 0
  const stored = new Set<string>()
  for (let cut = 0; cut < cuts; ) {
    const octets = Buffer.concat([png, randomBytes(randomInt(100_000, 1_000_000))])
    const item = await newPicture(createRequester(node.port))
    let upload: string | undefined
    let offset = 0
    let sent = 0
    for (let count = 0; count < cutsPerFile; count += 1, cut += 1) {
      const end = randomInt(offset, octets.length)
      const isKill = cut % cutsPerKill === cutsPerKill - 1
      upload = await sendPart(node, { item, upload, octets, offset, end, isKill })
      if (isKill) {
        node = await start()
        kills += 1
      }
      // A request that was cut may still be read when the next one begins.
      sent = Math.max(sent, end)
      offset = await requireOffset(createRequester(node.port), { item, upload, offset, sent })
    }
    const request = createRequester(node.port)
    await finish(request, String(upload), octets)
    const digest = hash('sha256', octets)
    assert.equal(hash('sha256', (await request(`GET ${item}/image`)).octets), digest)
    stored.add(digest)
  }
  return { node, stored, kills }
}

/** The offset has not decreased, and nothing of the file is visible. Returns the offset. */
async function requireOffset(
  request: SendRequest,
  { item, upload, offset, sent }: { item: string; upload: string; offset: number; sent: number },
): Promise<number> {
  assert.equal((await request(`GET ${item}/image`)).status, 404)
  const { status, fields } = await request(`HEAD ${upload}`)
  assert.equal(status, 204)
  const next = Number(fields['upload-offset'])
  assert.ok(next >= offset && next <= sent, `${offset} to ${sent}, not ${next}`)
  return next
}

/** Sends the rest, again where a request that was cut has still appended. */
async function finish(request: SendRequest, upload: string, octets: Buffer): Promise<void> {
  await eventually(async () => {
    const offset = Number((await request(`HEAD ${upload}`)).fields['upload-offset'])
    const fields = {
      'content-type': 'application/partial-upload',
      'upload-offset': String(offset),
      'upload-complete': '?1',
    }
    const { status, text } = await request(`PATCH ${upload}`, fields, octets.subarray(offset))
    if (status !== 201) assert.equal(status, 409, text)
    return status === 201
  })
}

interface Part {
  readonly item: string
  /** Undefined: the part begins the upload. */
  readonly upload: string | undefined
  readonly octets: Buffer
  readonly offset: number
  readonly end: number
  /** Whether the process is killed while it receives the part. */
  readonly isKill: boolean
}

/** Announces the whole rest, sends a part of it, and cuts the connection. Returns the URI of the upload. */
async function sendPart(node: Node, { item, upload, octets, offset, end, isKill }: Part): Promise<string> {
  const socket = connect(node.port, '127.0.0.1')
  socket.on('error', () => undefined)
  const target = upload === undefined ? `PUT ${item}/image` : `PATCH ${upload}`
  const own =
    upload === undefined
      ? 'Content-Type: image/png\r\nUpload-Draft-Interop-Version: 8\r\n'
      : `Content-Type: application/partial-upload\r\nUpload-Offset: ${offset}\r\n`
  const length = octets.length - offset
  socket.write(
    `${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\nUpload-Complete: ?1\r\n${own}\r\n`,
  )
  const uri = upload ?? locationIn(String((await once(socket, 'data'))[0]))
  if (end > offset) await new Promise((resolve) => socket.write(octets.subarray(offset, end), resolve))
  if (isKill) {
    const died = once(node.process, 'exit')
    node.process.kill('SIGKILL')
    await died
  }
  socket.destroy()
  return uri
}

function locationIn(interim: string): string {
  const location = /^HTTP\/1.1 104 [\s\S]*location: (\S+)/i.exec(interim)?.[1]
  assert.ok(location, interim)
  return location
}

/** After the time of all uploads is over, the place has the files that items name, and nothing else. */
async function requireNoOrphans(
  database: string,
  place: FilesPlace,
  stored: ReadonlySet<string>,
): Promise<void> {
  await using s = await serve(gallery, { database, files: place.url })
  const clock = { now: () => Date.now() + 25 * 3_600_000 }
  const { model, store } = s.service
  const { store: files } = await openFileStore({ url: place.url, database })
  await pruneRows({ model, store, now: clock.now() }, new AbortController().signal)
  await removeUnusedFiles({ model, store, files, clock })
  assert.deepEqual((await place.names()).toSorted(), [...stored].toSorted())
  for (const table of ['file_uploads', 'file_upload_parts']) {
    assert.equal(await store.count(table, { kind: 'always' }), 0, table)
  }
}
