/**
 * Writes a database with the version of Restwell in another folder, for the test of upgrades:
 *
 *     npx node --conditions=source test/upgrade/write-database.ts ../restwell-0.1.0 0.1.0
 *
 * The database is a SQLite file, or the SQL that `pg_dump` writes for PostgreSQL (`DATABASE_URL`; the name of its
 * schema must be `upgrade`). Beside it are the representations that this version sent.
 */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { startVersion } from './old-version.ts'
import { admin, fillShop, shownPaths } from './shop-data.ts'

const [tree = '', name = ''] = process.argv.slice(2)
assert.ok(tree && name, 'Expected the folder of a version and its name.')
const folder = await mkdtemp(join(tmpdir(), 'restwell-upgrade-'))
const target = join(import.meta.dirname, 'databases', name)
const file = join(folder, 'shop.db')
const { DATABASE_URL: database = `file:${file}` } = process.env
const isSqlite = database.startsWith('file:')
const definition = join(folder, 'shop.ts')
const source = await readFile(join(import.meta.dirname, 'shop.ts'), 'utf8')
await writeFile(definition, source.replace("'restwell'", JSON.stringify(resolve(tree, 'src/index.ts'))))

const version = await startVersion({ tree, definition, database })
const shown = await fillShop(version.url)
for (const path of shownPaths) {
  const response = await fetch(version.url + path, { headers: { ...admin, accept: 'application/json' } })
  shown.representations[path] = (await response.json()) as object
}
await version.stop()
const [kind, content] = isSqlite ? ['db', await readFile(file)] : ['sql', dumpPostgres()]
await writeFile(`${target}.${kind}.zst`, zstdCompressSync(content))
await writeFile(`${target}.${kind}.json`, `${JSON.stringify(shown)}\n`)

function dumpPostgres(): string {
  const words = ['--inserts', '--no-owner', '--schema=upgrade', `--dbname=${database.replace(/\?.*/, '')}`]
  const sql = execFileSync('pg_dump', words, { encoding: 'utf8' })
  // Without comments, and settings that another server may not know.
  const lines = sql.split('\n').filter((line) => !/^(--|SET |\\|SELECT pg_catalog\.set_config|$)/.test(line))
  return `${lines.join('\n')}\n`
}
