/** Backups that are taken while files are written and replaced, and the service is killed. */

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { plainEncoding } from '../../src/operation/backup/backup-encoding.ts'
import { openFolderPlace } from '../../src/operation/backup/folder-place.ts'
import { restoreBackup } from '../../src/operation/backup/restore-backup.ts'
import { type TakenBackup, takeBackup } from '../../src/operation/backup/take-backup.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import type { FileStore } from '../../src/store/file-store.ts'
import { openFolderStore } from '../../src/store/files/folder-store.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { cases } from '../cases.ts'
import gallery, { asPng, newPicture, png } from '../features/files/gallery.ts'
import { type Node, startNode } from '../reliability/node.ts'
import { createRequester, type SendRequest } from '../service.ts'
import { folderFor } from '../store/folder.ts'
import { createTableStates, readLog, type TableState } from './table-state.ts'

const definition = 'test/features/files/gallery.ts'
/** Each with a database of its own, because a backup has all files and takes longer the more there are. */
const episodes = cases(20)
const backupsPerEpisode = cases(25, 5)
const kills = 2
const writers = 4
const schema = schemaOf(checkDefinition(gallery))
const states = createTableStates(schema, 'pictures')
const imageColumn = schema.tables.pictures?.columns.findIndex(({ name }) => name === 'image') ?? 0

/** The files of an item in the order in which they were sent, and when each was acknowledged. */
type SentFiles = { readonly digest: string; acknowledged: number }[]

test(`${episodes * backupsPerEpisode} backups under load and kill -9 have the files that their rows name`, async (t) => {
  const folder = folderFor(t)
  for (let episode = 1; episode <= episodes; episode += 1) {
    const own = join(folder, String(episode))
    mkdirSync(own)
    const files = await compareBackups(own)
    t.diagnostic(`${backupsPerEpisode} backups, ${files} files`)
    rmSync(own, { recursive: true })
  }
})

/** Takes backups while the service is killed, and compares each of them. Returns the number of files in the last. */
async function compareBackups(folder: string): Promise<number | undefined> {
  const place = openFolderPlace(join(folder, 'backups'))
  const files = openFolderStore(join(folder, 'files'))
  const database = `file:${join(folder, 'service.db')}`
  const options = { database, schema, place, encoding: plainEncoding, files }
  const sent = new Map<string, SentFiles>()
  const taken: TakenBackup[] = []
  for (let round = 1; round <= kills; round += 1) {
    const environment = { FILES_URL: `file:${join(folder, 'files')}` }
    const node = await startNode({ definition, database, environment })
    const load = startLoad(node, sent)
    while (taken.length < (backupsPerEpisode * round) / kills - 1) {
      await load.nextFile()
      taken.push(await takeBackup(options))
    }
    await load.nextFile()
    const died = once(node.process, 'exit')
    node.process.kill('SIGKILL')
    taken.push(await takeBackup(options))
    await Promise.all([died, load.ended])
  }
  const store = await openStore(database, schema, () => undefined)
  const log = await readLog(store)
  await store.close()
  for (const stored of taken) {
    const pictures = await states.inBackup(stored)
    assert.deepEqual(pictures, states.at(log, stored.backup.counters.position))
    requireAcknowledged(pictures, sent, Date.parse(stored.backup.at))
    const present = new Set(stored.backup.files?.map(({ digest }) => digest))
    for (const digest of digestsIn(pictures).values()) assert.ok(present.has(digest), digest)
    await compareRestored(folder, stored, pictures)
  }
  return taken.at(-1)?.backup.files?.length
}

/** Each item has its last file that was acknowledged before the time, or one that was sent later. */
function requireAcknowledged(pictures: TableState, sent: ReadonlyMap<string, SentFiles>, time: number): void {
  const digests = digestsIn(pictures)
  for (const [item, files] of sent) {
    const last = files.findLastIndex(({ acknowledged }) => acknowledged < time)
    if (last < 0) continue
    const found = files.findIndex(({ digest }) => digest === digests.get(item))
    assert.ok(found >= last, `${item} has a file that was acknowledged before ${time}`)
  }
}

async function compareRestored(folder: string, stored: TakenBackup, pictures: TableState): Promise<void> {
  const name = join(folder, `restored-${stored.name}`)
  const database = `file:${name}.db`
  const files = openFolderStore(`${name}-files`)
  await restoreBackup(
    {
      stored,
      encoding: plainEncoding,
      report: () => undefined,
      openFiles: async () => files,
    },
    { database, existing: 'refuse' },
  )
  const copy = await openStore(database, schema, () => undefined)
  try {
    assert.deepEqual(await states.inStore(copy), pictures)
    assert.equal((await copy.logExtent()).last, stored.backup.counters.position)
  } finally {
    await copy.close()
  }
  for (const digest of digestsIn(pictures).values())
    assert.equal(await digestOfContent(files, digest), digest)
}

interface Load {
  /** Resolves when one more file is acknowledged. */
  nextFile(): Promise<void>
  /** Resolves when the connections are broken. */
  readonly ended: Promise<void>
}

function startLoad(node: Node, sent: Map<string, SentFiles>): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: writers })
  const request = createRequester(node.port, agent)
  let next = Promise.withResolvers<void>()
  const acknowledge = () => {
    next.resolve()
    next = Promise.withResolvers()
  }
  const writing = Array.from({ length: writers }, () => write(request, sent, acknowledge))
  const ended = Promise.all(writing).then(() => agent.destroy())
  const endedEarly = ended.then(() => Promise.reject(new Error('The load has ended')))
  endedEarly.catch(() => undefined)
  return { nextFile: () => Promise.race([next.promise, endedEarly]), ended }
}

/** Creates items and replaces their files until the connection breaks. */
async function write(
  request: SendRequest,
  sent: Map<string, SentFiles>,
  acknowledge: () => void,
): Promise<void> {
  try {
    for (;;) {
      const item = await newPicture(request)
      const files: SentFiles = []
      sent.set(item.slice('/pictures/'.length), files)
      for (let version = 0; version < 4; version += 1) {
        const octets = Buffer.concat([png, Buffer.alloc(2000 * version, `${item} ${version} `)])
        const file = { digest: hash('sha256', octets, 'base64'), acknowledged: Number.POSITIVE_INFINITY }
        files.push(file)
        const { status } = await request(`PUT ${item}/image`, asPng, octets)
        assert.equal(status, version === 0 ? 201 : 204)
        file.acknowledged = Date.now()
        acknowledge()
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

/** The digest of the image of each item that has one. */
function digestsIn(state: TableState): ReadonlyMap<string, string> {
  const digests = new Map<string, string>()
  for (const [item, row] of state) {
    const image = JSON.parse(row)[imageColumn]
    if (image !== 'null') digests.set(item, JSON.parse(image).digest)
  }
  return digests
}

async function digestOfContent(files: FileStore, digest: string): Promise<string> {
  const size = await files.sizeOf(digest)
  assert.ok(size !== undefined, `${digest} is restored`)
  const parts = await Array.fromAsync(files.read(digest, { first: 0, last: size - 1 }))
  return hash('sha256', Buffer.concat(parts), 'base64')
}
