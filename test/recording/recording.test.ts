/**
 * Replays the recorded exchanges of the demo and the tracker: each response is the recorded one, octet for
 * octet but for the symbols. `RECORD=1` writes the recording instead.
 */

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { postgres } from '../postgres.ts'
import { controlTimeAndIds, type Recorded } from './player.ts'
import { findDifferences } from './recording-differences.ts'
import { type Section, sections } from './sections/sections.ts'

const databases = {
  sqlite: { sections, freshUrl: async () => 'file::memory:' },
  postgres: {
    sections: sections.filter(({ onPostgres }) => onPostgres),
    freshUrl: async () => (await postgres()).freshUrl(),
  },
}

const records = process.env.RECORD !== undefined
const files = await mkdtemp(join(tmpdir(), 'restwell-recording-'))
after(() => rm(files, { recursive: true, force: true }))

for (const [database, { sections, freshUrl }] of Object.entries(databases)) {
  describe(`on ${database}`, () => {
    const played: Recorded[] = []
    for (const section of sections) {
      test(`${section.name}: every response is the recorded one`, async () => {
        const exchanges = await play(section, await freshUrl())
        played.push(...exchanges)
        const text = exchanges.map((exchange) => exchange.text).join('\n')
        const path = join(import.meta.dirname, 'exchanges', database, `${section.name}.txt`)
        if (records) {
          await mkdir(join(path, '..'), { recursive: true })
          await writeFile(path, text)
        }
        assert.equal(findDifferences(section.name, await readFile(path, 'utf8'), text), '')
      })
    }
    after(() => {
      if (records) printCounts(database, played)
    })
  })
}

async function play(section: Section, database: string): Promise<readonly Recorded[]> {
  using _ = controlTimeAndIds()
  await using world = await section.open({
    database,
    files: `file:${await mkdtemp(join(files, 'section-'))}`,
  })
  await section.play(world)
  return world.exchanges
}

/** The number of exchanges by method, status and media type. */
function printCounts(database: string, exchanges: readonly Recorded[]): void {
  const count = (nameOf: (exchange: Recorded) => string) => {
    const counts = Map.groupBy(exchanges, nameOf)
    const sorted = [...counts].map(([name, all]) => [name, all.length] as const).sort((a, b) => b[1] - a[1])
    return sorted.map(([name, number]) => `${name || 'none'} ${number}`).join(', ')
  }
  console.log(`${database}: ${exchanges.length} exchanges`)
  console.log(`  methods: ${count(({ method }) => method)}`)
  console.log(`  statuses: ${count(({ status }) => String(status))}`)
  console.log(`  media types: ${count(({ type }) => type)}`)
}
