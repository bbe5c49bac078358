/** Compares the service with a hand-written server on `pg`, on the same PostgreSQL. */

import { join } from 'node:path'
import pg from 'pg'
import { startCluster } from '../../test/cluster.ts'
import { byPosition } from '../dialect.ts'
import { fillDatabase } from '../fill.ts'
import { measureAll } from '../rounds.ts'
import { type Run, Targets } from '../run.ts'
import { startTarget, type Target } from '../target.ts'
import { startService, writeSampleFields } from '../targets.ts'
import { type WorkloadName, workloads } from '../workload.ts'
import type { Throughput } from './throughput.ts'

/** The workloads that both support. */
const asked: readonly WorkloadName[] = [
  'item GET',
  'list of 20',
  'filtered list',
  'create',
  'patch',
  'mixed 90/10',
]

export async function measurePostgres(run: Run): Promise<Omit<Throughput, 'memory'>> {
  const { rows, only, profile } = run.options
  const cluster = await startCluster()
  try {
    const database = cluster.freshUrl()
    await fillDatabase(database, rows)
    await using targets = new Targets()
    const service = await targets.add(startService({ database, rows, profile }))
    await writeSampleFields(service, run.folder)
    await targets.add(startByHand(database, run))
    const chosen = workloads.filter(({ name }) => asked.includes(name) && only.includes(name))
    return { rows, workloads: await measureAll(targets.all, chosen, run.setting) }
  } finally {
    await cluster.end()
  }
}

async function startByHand(database: string, { folder, options }: Run): Promise<Target> {
  const url = new URL(database)
  const schema = url.searchParams.get('schema')
  url.search = ''
  await copyRows(url.href, schema as string)
  return startTarget({
    name: 'pg',
    args: [join(import.meta.dirname, '../servers/postgres.ts'), join(folder, 'fields.json'), url.href],
    dialect: byPosition,
    rows: options.rows,
    bulk: undefined,
  })
}

/** The same rows under the same ids. */
async function copyRows(connectionString: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(`
    create schema bare;
    create table bare.notes (id text primary key, version bigint not null, title text not null,
      body text not null, tags text not null, stars bigint not null,
      "createdAt" text not null, "updatedAt" text not null);
    create table bare.changes (entry bigserial primary key, kind text not null, "table" text not null,
      identity text not null, id text not null, version bigint not null, at text not null);
    insert into bare.notes select _identity, _version, title, body, tags, stars,
      "createdAt", "updatedAt" from "${schema}".notes;
    create index on bare.notes (stars, id);
    analyze bare.notes`)
  await client.end()
}
