/** Large files pass through the process in bounded memory, in both directions and many at a time. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request as send } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { isFull, someOf } from '../../cases.ts'
import { lastingDatabase } from '../../database.ts'
import { startNode } from '../../reliability/node.ts'
import { createRequester } from '../../service.ts'
import { filesPlaces } from './files-places.ts'

const large = isFull ? 2_000_000_000 : 100_000_000
const small = isFull ? 50_000_000 : 5_000_000
const count = 20
const maxGrowth = 150_000_000

for (const [name, open] of someOf(Object.entries(filesPlaces), 1)) {
  const title = `${name}: ${large} octets beside ${count} × ${small} up and down grow the process by at most 150 MB`
  test(title, async (t) => {
    await using place = await open()
    const environment = { FILES_URL: place.url }
    const definition = 'test/features/files/large-files.ts'
    const node = await startNode({ definition, database: await lastingDatabase(t), environment })
    const request = createRequester(node.port)
    const newFilm = async () => String((await request('POST /films', {}, { title: 'A' })).fields.location)
    const sizes = [large, ...Array.from({ length: count }, () => small)]
    const films = await Promise.all(sizes.map(async (size, index) => ({ size, index, uri: await newFilm() })))
    // Loads the code of files before the measurement.
    await upload(node.port, `${films[0]!.uri}/reel`, { size: 1_000_000, seed: 99 })
    await download(node.port, `${films[0]!.uri}/reel`)
    const before = await peakMemory(node.process.pid)
    const sent = await Promise.all(
      films.map(({ uri, size, index }) => upload(node.port, `${uri}/reel`, { size, seed: index })),
    )
    const received = await Promise.all(films.map(({ uri }) => download(node.port, `${uri}/reel`)))
    assert.deepEqual(received, sent)
    const growth = (await peakMemory(node.process.pid)) - before
    t.diagnostic(`the peak grew by ${Math.round(growth / 1e6)} MB`)
    assert.ok(growth <= maxGrowth, `grew by ${growth}`)
    node.process.kill('SIGTERM')
    await once(node.process, 'exit')
  })
}

/** The highest resident memory of the process, in octets. */
async function peakMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])
}

/** Octets that differ between files; returns the digest. */
async function upload(port: number, path: string, { size, seed }: { size: number; seed: number }) {
  const hash = createHash('sha256')
  const block = Buffer.alloc(65_536, `${seed} octets of a film `)
  const octets = Readable.from(
    (function* () {
      for (let sent = 0; sent < size; sent += block.length) {
        const part = block.subarray(0, Math.min(block.length, size - sent))
        hash.update(part)
        yield part
      }
    })(),
  )
  const headers = { 'content-type': 'application/octet-stream', 'content-length': size }
  const request = send({ port, host: '127.0.0.1', method: 'PUT', path, headers })
  const responded = once(request, 'response')
  await pipeline(octets, request)
  const [response] = await responded
  assert.ok(response.statusCode === 201 || response.statusCode === 204, String(response.statusCode))
  response.resume()
  return hash.digest('hex')
}

async function download(port: number, path: string): Promise<string> {
  const [response] = await once(send({ port, host: '127.0.0.1', path }).end(), 'response')
  assert.equal(response.statusCode, 200)
  const hash = createHash('sha256')
  for await (const part of response) hash.update(part)
  return hash.digest('hex')
}
